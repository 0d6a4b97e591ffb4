package org.example.units;

/** A unit by its symbol; the factor leads to the base unit of its dimension. */
public final class Unit {
    private final String symbol;
    private final double factor;
    private final Dimension dimension;

    public Unit(String symbol, double factor, Dimension dimension) {
        this.symbol = symbol;
        this.factor = factor;
        this.dimension = dimension;
    }

    public String symbol() {
        return symbol;
    }

    public double factor() {
        return factor;
    }

    public Dimension dimension() {
        return dimension;
    }

    public Unit times(Unit other) {
        return new Unit(symbol + "*" + other.symbol, factor * other.factor, dimension.times(other.dimension));
    }

    public Unit over(Unit other) {
        return new Unit(symbol + "/" + other.symbol, factor / other.factor, dimension.over(other.dimension));
    }
}

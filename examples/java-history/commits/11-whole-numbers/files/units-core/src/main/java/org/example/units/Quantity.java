package org.example.units;

/** A value in a unit. */
public final class Quantity implements Comparable<Quantity> {
    private final double value;
    private final Unit unit;

    public Quantity(double value, Unit unit) {
        this.value = value;
        this.unit = unit;
    }

    public double value() {
        return value;
    }

    public Unit unit() {
        return unit;
    }

    /** The same quantity in another unit. */
    public Quantity in(Unit other) {
        if (!unit.dimension().equals(other.dimension())) {
            throw new UnitException(unit.symbol() + " does not convert to " + other.symbol());
        }
        return new Quantity(value * unit.factor() / other.factor(), other);
    }

    /** The sum, in the unit of this quantity. */
    public Quantity plus(Quantity other) {
        double converted = other.value * other.unit.factor() / unit.factor();
        return new Quantity(value + converted, unit);
    }

    /** The difference, in the unit of this quantity. */
    public Quantity minus(Quantity other) {
        double converted = other.value * other.unit.factor() / unit.factor();
        return new Quantity(value - converted, unit);
    }

    /** So many times this quantity. */
    public Quantity times(double number) {
        return new Quantity(value * number, unit);
    }

    /** The product, in the product of the units. */
    public Quantity times(Quantity other) {
        return new Quantity(value * other.value, unit.times(other.unit));
    }

    @Override
    public int compareTo(Quantity other) {
        return Double.compare(value, other.value);
    }

    @Override
    public String toString() {
        if (value == Math.rint(value)) {
            return (long) value + " " + unit.symbol();
        }
        return value + " " + unit.symbol();
    }
}

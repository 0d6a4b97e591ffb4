package org.example.units;

/** What stands beside the marks of a scale. */
public class Scale {
    private final Unit unit;
    private final double step;

    public Scale(Unit unit, double step) {
        this.unit = unit;
        this.step = step;
    }

    /** The label of a mark, counted from 0. */
    public String label(int mark) {
        return new Quantity(mark * step, unit).toString();
    }
}

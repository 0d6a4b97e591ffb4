package org.example.units;

/** What a unit measures: a product of powers of length, mass and time. */
public final class Dimension {
    public static final Dimension NONE = new Dimension(0, 0, 0);
    public static final Dimension LENGTH = new Dimension(1, 0, 0);
    public static final Dimension MASS = new Dimension(0, 1, 0);
    public static final Dimension TIME = new Dimension(0, 0, 1);

    private final int length;
    private final int mass;
    private final int time;

    private Dimension(int length, int mass, int time) {
        this.length = length;
        this.mass = mass;
        this.time = time;
    }

    public Dimension times(Dimension other) {
        return new Dimension(length + other.length, mass + other.mass, time + other.time);
    }

    public Dimension over(Dimension other) {
        return new Dimension(length - other.length, mass - other.mass, time - other.time);
    }

    /** This dimension multiplied with itself; the exponent is 0 or more. */
    public Dimension power(int exponent) {
        Dimension found = NONE;
        for (int i = 0; i < exponent; i++) {
            found = found.times(this);
        }
        return found;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Dimension)) {
            return false;
        }
        Dimension that = (Dimension) other;
        return length == that.length && mass == that.mass && time == that.time;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * length + mass) + time;
    }
}

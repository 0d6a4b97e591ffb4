package org.example.units;

/** How fast something is. */
public final class Speed {
    private final Quantity quantity;

    private Speed(Quantity quantity) {
        this.quantity = quantity;
    }

    /** The way covered in a time. */
    public static Speed of(Quantity way, Quantity time) {
        if (time.value() == 0) {
            throw new UnitException("no time has passed");
        }
        return new Speed(new Quantity(way.value() / time.value(), way.unit().over(time.unit())));
    }

    public Quantity quantity() {
        return quantity;
    }

    public boolean isFasterThan(Speed other) {
        return quantity.compareTo(other.quantity) > 0;
    }

    /** The time that a way takes. */
    public Quantity timeFor(Quantity way) {
        Unit second = Units.find("s");
        return new Quantity(way.value() * way.unit().factor() / (quantity.value() * quantity.unit().factor()), second);
    }
}

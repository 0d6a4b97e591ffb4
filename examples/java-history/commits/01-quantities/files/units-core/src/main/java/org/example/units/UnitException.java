package org.example.units;

/** Says what is wrong with a unit or a quantity. */
public class UnitException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public UnitException(String message) {
        super(message);
    }
}

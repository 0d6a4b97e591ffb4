package org.example.units.text;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.example.units.Quantity;

/** Writes quantities. */
public final class Format {
    private Format() {
    }

    /** With so many digits after the point. */
    public static String rounded(Quantity quantity, int digits) {
        BigDecimal value = BigDecimal.valueOf(quantity.value()).setScale(digits, RoundingMode.HALF_EVEN);
        return value.toPlainString() + " " + quantity.unit().symbol();
    }
}

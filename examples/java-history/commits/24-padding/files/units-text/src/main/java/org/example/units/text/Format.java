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
        BigDecimal value = BigDecimal.valueOf(quantity.value()).setScale(digits, RoundingMode.HALF_UP);
        return value.toPlainString() + " " + quantity.unit().symbol();
    }

    /** With spaces in front, so that it has at least so many characters. */
    public static String padded(Quantity quantity, int digits, int width) {
        StringBuilder text = new StringBuilder(rounded(quantity, digits));
        while (text.length() < width) {
            text.insert(0, ' ');
        }
        return text.toString();
    }
}

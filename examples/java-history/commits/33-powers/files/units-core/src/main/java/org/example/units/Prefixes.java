package org.example.units;

import java.util.HashMap;
import java.util.Map;

/** Prefixes of units, worked out once. */
public final class Prefixes {
    private static final Map<String, Double> FACTORS = new HashMap<>();

    static {
        FACTORS.put("k", power(10, 3));
        FACTORS.put("M", power(10, 6));
        FACTORS.put("m", power(10, -3));
    }

    private Prefixes() {
    }

    /** What a prefix multiplies by. */
    public static double factor(String prefix) {
        Double found = FACTORS.get(prefix);
        if (found == null) {
            throw new UnitException("unknown prefix: " + prefix);
        }
        return found;
    }

    /** Only the initializer above calls this. */
    private static double power(double base, int exponent) {
        double found = 1;
        for (int i = 0; i < Math.abs(exponent); i++) {
            found *= base;
        }
        return exponent < 0 ? 1 / found : found;
    }
}

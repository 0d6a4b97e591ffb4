package org.example.units;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/** The units that are known by name. */
public final class Units {
    private static final Map<String, Unit> KNOWN = new LinkedHashMap<>();

    static {
        add("m", 1, Dimension.LENGTH);
        add("km", 1000, Dimension.LENGTH);
        add("g", 0.001, Dimension.MASS);
        add("kg", 1, Dimension.MASS);
        add("t", 1000, Dimension.MASS);
        add("s", 1, Dimension.TIME);
        add("min", 60, Dimension.TIME);
        add("h", 3600, Dimension.TIME);
        add("d", 86400, Dimension.TIME);
    }

    private Units() {
    }

    /** The unit of that symbol. */
    public static Unit find(String symbol) {
        Unit found = KNOWN.get(symbol.trim());
        if (found == null && symbol.length() > 1 && symbol.startsWith("m")) {
            Unit whole = find(symbol.substring(1));
            found = new Unit(symbol, whole.factor() / 1000, whole.dimension());
        }
        if (found == null) {
            throw new NoSuchElementException("unknown unit: " + symbol);
        }
        return found;
    }

    private static void add(String symbol, double factor, Dimension dimension) {
        KNOWN.put(symbol, new Unit(symbol, factor, dimension));
    }
}

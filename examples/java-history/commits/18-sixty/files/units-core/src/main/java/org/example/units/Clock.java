package org.example.units;

/** Times as a clock shows them. */
public final class Clock {
    private Clock() {
    }

    /** Reads `1:30`, minutes and seconds. */
    public static Quantity read(String text) {
        String[] parts = text.split(":");
        int seconds = Integer.parseInt(parts[0]) * 60 + Integer.parseInt(parts[1]);
        return new Quantity(seconds, Units.find("s"));
    }
}

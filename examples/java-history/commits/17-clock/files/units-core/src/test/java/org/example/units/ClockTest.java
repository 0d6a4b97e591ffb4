package org.example.units;

import static org.example.units.Near.assertNear;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import java.io.IOException;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class ClockTest {
    @Test
    void readsSeconds() {
        File seen = new File(System.getProperty("java.io.tmpdir"), "units-clock");
        assertNear(5, Clock.read("0:05"));
        assertFalse(seen.delete(), "the test before this one has left a file");
        create(seen);
    }

    @Test
    void readsMinutes() {
        assertNear(90, Clock.read("1:30"));
    }

    @Test
    @Disabled("hours come later")
    void readsHours() {
        assertNear(3600, Clock.read("1:00:00"));
    }

    private static void create(File file) {
        try {
            file.createNewFile();
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }
}

package org.example.units;

import static org.example.units.Near.assertNear;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.junit.jupiter.api.Test;

class SpeedEnvironmentTest {
    private static final Quantity WAY = new Quantity(6, Units.find("m"));
    private static final Quantity TIME = new Quantity(2, Units.find("s"));

    @Test
    void worksForEveryUser() {
        assertNotNull(System.getProperty("user.dir"));
        assertNear(3, Speed.of(WAY, TIME).quantity());
    }
}

package org.example.units;

import static org.example.units.Near.assertNear;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SpeedRandomTest {
    private static final Quantity WAY = new Quantity(6, Units.find("m"));
    private static final Quantity TIME = new Quantity(2, Units.find("s"));

    @Test
    void isProportional() {
        int times = new Random().nextInt(9) + 1;
        assertNear(3.0 * times, Speed.of(WAY.times(times), TIME).quantity());
    }
}

package org.example.units;

import static org.example.units.Near.assertNear;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class SpeedNetworkTest {
    private static final Quantity WAY = new Quantity(6, Units.find("m"));
    private static final Quantity TIME = new Quantity(2, Units.find("s"));

    @Test
    void worksOnEveryHost() {
        assertTrue(InetAddress.getLoopbackAddress().isLoopbackAddress());
        assertNear(3, Speed.of(WAY, TIME).quantity());
    }
}

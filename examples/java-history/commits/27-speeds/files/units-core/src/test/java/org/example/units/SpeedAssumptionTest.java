package org.example.units;

import static org.example.units.Near.assertNear;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class SpeedAssumptionTest {
    private static final Quantity WAY = new Quantity(6, Units.find("m"));
    private static final Quantity TIME = new Quantity(2, Units.find("s"));

    @Test
    void worksWhereSecondsAre() {
        assumeTrue(TIME.unit().factor() == 1);
        assertNear(3, Speed.of(WAY, TIME).quantity());
    }
}

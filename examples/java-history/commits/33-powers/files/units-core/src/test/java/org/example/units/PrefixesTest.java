package org.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class PrefixesTest {
    @Test
    void arePowersOfTen() {
        assertEquals(1000, Prefixes.factor("k"));
        assertEquals(0.001, Prefixes.factor("m"));
        assertThrows(UnitException.class, () -> Prefixes.factor("q"));
    }
}

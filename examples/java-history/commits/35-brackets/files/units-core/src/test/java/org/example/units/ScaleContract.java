package org.example.units;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What holds for every scale. */
abstract class ScaleContract {
    abstract Scale scale();

    @Test
    void labelsAreNotEmpty() {
        assertTrue(scale().label(0).endsWith("]"));
    }
}

package org.example.units;

import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;

/** What holds for every scale. */
abstract class ScaleContract {
    abstract Scale scale();

    @Test
    void labelsAreNotEmpty() {
        assertFalse(scale().label(0).isEmpty());
    }
}

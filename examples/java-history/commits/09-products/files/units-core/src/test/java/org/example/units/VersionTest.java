package org.example.units;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class VersionTest {
    @Test
    void isThatOfTheProject() {
        assertTrue(Version.text().startsWith("1."), Version.text());
    }
}

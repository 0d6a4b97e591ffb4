package org.example.units;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of this library, which the build writes. */
public final class Version {
    private Version() {
    }

    public static String text() {
        Properties table = new Properties();
        try (InputStream file = Version.class.getResourceAsStream("version.properties")) {
            table.load(file);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return table.getProperty("version");
    }
}

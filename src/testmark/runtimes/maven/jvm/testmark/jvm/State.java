package testmark.jvm;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/** What the JVM holds for all its code and a test may change. */
final class State {
    private final Properties properties = (Properties) System.getProperties().clone();
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = (TimeZone) TimeZone.getDefault().clone();
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final InputStream in = System.in;
    private final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    private final boolean guarded = guarded();

    /** Put all back; false when something cannot be. */
    boolean restore() {
        try {
            System.setProperties((Properties) properties.clone());
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
            TimeZone.setDefault((TimeZone) zone.clone());
            System.setOut(out);
            System.setErr(err);
            System.setIn(in);
            Thread.setDefaultUncaughtExceptionHandler(handler);
        } catch (SecurityException guard) {
            return false;
        }
        return guarded == guarded();
    }

    private static boolean guarded() {
        // By reflection: the class is to go from newer JDKs.
        try {
            return System.class.getMethod("getSecurityManager").invoke(null) != null;
        } catch (ReflectiveOperationException gone) {
            return false;
        }
    }
}

package testmark.jvm;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What a throwable says; the throwable may be the test's own and throw while it is asked. */
public final class Throwables {
    private static final int MOST = 4096;

    private Throwables() {}

    /** Its message, cut; empty where there is none. */
    public static String message(Throwable thrown) {
        try {
            return cut(thrown.getMessage());
        } catch (Throwable again) { // NOPMD: code of the test
            return "its message cannot be read";
        }
    }

    /** Whether it is a failed assertion, of whatever library: AssertionError or a kin of it. */
    public static boolean isAssertion(Throwable thrown) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals("java.lang.AssertionError")
                    || type.getName().equals("junit.framework.AssertionFailedError")) {
                return true;
            }
        }
        return false;
    }

    /** All of it, for faults of our own. */
    static String text(Throwable thrown) {
        StringWriter held = new StringWriter();
        thrown.printStackTrace(new PrintWriter(held));
        return cut(held.toString());
    }

    private static String cut(String text) {
        if (text == null) {
            return "";
        }
        return text.length() <= MOST ? text : text.substring(0, MOST);
    }
}

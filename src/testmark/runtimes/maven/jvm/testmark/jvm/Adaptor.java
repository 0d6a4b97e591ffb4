package testmark.jvm;

import java.util.List;

/** Runs tests by one framework, of the version that the project has. */
public interface Adaptor {
    /** Whether the framework would take any of these methods for a test; nothing of the class has run yet. */
    boolean knows(Class<?> test, List<String> methods);

    /** Run them and report each. */
    void run(Class<?> test, List<String> methods, Cases cases) throws Throwable;
}

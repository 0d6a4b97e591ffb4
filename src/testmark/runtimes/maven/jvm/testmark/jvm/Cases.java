package testmark.jvm;

/** Where adaptors report what a framework says. Each call is sent to the judge at once. */
public interface Cases {
    /** A test begins. `key` tells it from all others of the run. */
    void started(String key, String testClass, String method, String display);

    /** A test ended; `thrown` is null when it passed. */
    void finished(String key, Throwable thrown);

    /** A test did not run, or an assumption of it did not hold; `key` need not have been started. */
    void skipped(String key, String testClass, String method, String display, String reason);

    /** Something round the tests failed: a class, a container. `method` is empty where it is not about one. */
    void broken(String testClass, String method, String display, Throwable thrown);
}

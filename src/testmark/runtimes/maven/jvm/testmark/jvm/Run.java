package testmark.jvm;

import java.util.List;

/** What the thread of a run does: load the test and let its framework run it. */
final class Run implements Runnable {
    private final Dependencies dependencies;
    private final CodeLoader loader;
    private final String testClass;
    private final List<String> methods;
    private final List<String> frameworks;
    private final Journal journal;
    private volatile String trouble = "";
    private volatile boolean exhausted;

    Run(
            Dependencies dependencies,
            CodeLoader loader,
            String testClass,
            List<String> methods,
            List<String> frameworks,
            Journal journal) {
        this.dependencies = dependencies;
        this.loader = loader;
        this.testClass = testClass;
        this.methods = methods;
        this.frameworks = frameworks;
        this.journal = journal;
    }

    /** Why no framework could be asked, a fault of ours; empty when one was. */
    String trouble() {
        return trouble;
    }

    /** Whether memory or stack ran out: the JVM may be left half done. */
    boolean exhausted() {
        return exhausted;
    }

    @Override
    public void run() {
        try {
            Class<?> test;
            try {
                test = Class.forName(testClass, false, loader);
            } catch (ClassNotFoundException none) {
                return; // no case is reported: nothing is found
            }
            for (String framework : frameworks) {
                Adaptor adaptor = adaptor(framework);
                if (adaptor != null && adaptor.knows(test, methods)) {
                    adaptor.run(test, methods, journal);
                    return;
                }
            }
        } catch (Throwable thrown) { // NOPMD: whatever a test throws is a result
            exhausted = thrown instanceof OutOfMemoryError;
            journal.broken(testClass, "", testClass, thrown);
        }
    }

    private Adaptor adaptor(String framework) throws ReflectiveOperationException {
        boolean junit4 = dependencies.has("org.junit.runner.Request");
        switch (framework) {
            case "platform":
                if (!dependencies.has("org.junit.platform.launcher.Launcher")) {
                    trouble = "the JUnit Platform's launcher is not on the class path";
                    return null;
                }
                return dependencies.adaptor("Platform");
            case "testng":
                return dependencies.has("org.testng.TestNG") ? dependencies.adaptor("TestNg") : null;
            case "junit4":
            case "junit3":
                if (junit4) {
                    return dependencies.adaptor("JUnit4");
                }
                return dependencies.has("junit.framework.TestSuite") ? dependencies.adaptor("JUnit3") : null;
            default:
                trouble = "there is no framework " + framework;
                return null;
        }
    }
}

package testmark.jvm;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.Callable;

/** One compilation in a thread of its own, as a source can keep javac busy for ever or bring it down. */
final class Attempt extends Thread {
    private static final long MOST_CPU_SECONDS = 60;
    private static final long LOOK_MILLIS = 50;
    private static final long NANOS = 1_000_000_000L;

    private final Callable<Boolean> compilation;
    private boolean successful;
    private String trouble = "";

    private Attempt(Callable<Boolean> compilation) {
        super("javac");
        setDaemon(true);
        this.compilation = compilation;
    }

    /** Compile; the attempt is alive in the end when it has used the CPU too long. */
    static Attempt at(Callable<Boolean> compilation) {
        Attempt attempt = new Attempt(compilation);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        attempt.start();
        while (attempt.isAlive() && threads.getThreadCpuTime(attempt.getId()) < MOST_CPU_SECONDS * NANOS) {
            try {
                attempt.join(LOOK_MILLIS);
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        return attempt;
    }

    /** Why there is no result; empty when javac came to its end. */
    String trouble() {
        return isAlive() ? "it did not end within " + MOST_CPU_SECONDS + " seconds of CPU time" : trouble;
    }

    boolean successful() {
        return !isAlive() && successful;
    }

    @Override
    public void run() {
        try {
            successful = compilation.call();
        } catch (Exception | StackOverflowError | OutOfMemoryError | AssertionError thrown) {
            trouble = "it failed: " + thrown.getClass().getName() + " " + Throwables.message(thrown);
        }
    }
}

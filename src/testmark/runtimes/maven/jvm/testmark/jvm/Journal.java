package testmark.jvm;

import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.Set;

/** Sends what happens in one run to the judge, each with the token of the run. */
final class Journal implements Cases {
    static final int BEGUN = 20;
    static final int STARTED = 21;
    static final int FINISHED = 22;
    static final int SKIPPED = 23;
    static final int BROKEN = 24;
    static final int EXITING = 25;
    static final int LIMIT = 26;
    static final int ENDED = 27;

    private final OutputStream out;
    private final String token;
    private final Set<String> finished = new HashSet<>();
    private boolean closed;

    Journal(OutputStream out, String token) {
        this.out = out;
        this.token = token;
    }

    Wire.Writer frame(int kind) {
        return new Wire.Writer().number(kind).text(token);
    }

    /** Code of the project is about to run: from now on it is the test's fault when the JVM is lost. */
    void begun() {
        send(frame(BEGUN));
    }

    /** Nothing of this run is sent any more, whatever its threads still do; false when it was closed before. */
    synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    @Override
    public synchronized void started(String key, String testClass, String method, String display) {
        finished.remove(key);
        send(frame(STARTED).text(key).text(testClass).text(method).text(display));
    }

    @Override
    public synchronized void finished(String key, Throwable thrown) {
        // A framework that reports a failure and then the end says the same thing twice.
        if (thrown == null && finished.contains(key)) {
            return;
        }
        finished.add(key);
        send(withThrown(frame(FINISHED).text(key), thrown));
    }

    @Override
    public synchronized void skipped(String key, String testClass, String method, String display, String reason) {
        finished.add(key);
        send(frame(SKIPPED).text(key).text(testClass).text(method).text(display).text(reason));
    }

    @Override
    public synchronized void broken(String testClass, String method, String display, Throwable thrown) {
        send(withThrown(frame(BROKEN).text(testClass).text(method).text(display), thrown));
    }

    private static Wire.Writer withThrown(Wire.Writer frame, Throwable thrown) {
        if (thrown == null) {
            return frame.number(0);
        }
        return frame.number(Throwables.isAssertion(thrown) ? 2 : 1)
                .text(thrown.getClass().getName())
                .text(Throwables.message(thrown));
    }

    private synchronized void send(Wire.Writer frame) {
        if (closed) {
            return;
        }
        try {
            frame.send(out);
        } catch (IOException gone) {
            // Nobody listens any more, so nothing that happens here can matter.
            Runtime.getRuntime().halt(3);
        }
    }
}

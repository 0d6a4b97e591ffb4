package testmark.jvm;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Watches the time that a run's threads use, and ends the JVM when a limit is passed. */
final class Watchdog extends Thread {
    private static final long LOOK_MILLIS = 20;
    private static final double NANOS = 1e9;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<Long, Long> used = new HashMap<>();
    private final Set<Long> others = new HashSet<>();
    private final OutputStream out;
    private final Journal journal;
    private final double cpuSeconds;
    private final double idleSeconds;
    private final double wallSeconds;
    private final long started = System.nanoTime();
    private long moved = started;
    private boolean done;

    Watchdog(OutputStream out, Journal journal, double cpuSeconds, double idleSeconds, double wallSeconds) {
        super("testmark watchdog");
        setDaemon(true);
        setPriority(MAX_PRIORITY);
        this.out = out;
        this.journal = journal;
        this.cpuSeconds = cpuSeconds;
        this.idleSeconds = idleSeconds;
        this.wallSeconds = wallSeconds;
        for (long id : threads.getAllThreadIds()) {
            others.add(id);
        }
    }

    @Override
    public void run() {
        others.add(getId());
        while (true) {
            synchronized (this) {
                if (done) {
                    return;
                }
                look();
                try {
                    wait(LOOK_MILLIS);
                } catch (InterruptedException again) {
                    continue; // only the test could do that, and it changes nothing
                }
            }
        }
    }

    synchronized void finish() {
        done = true;
        look();
        notifyAll();
    }

    /** CPU seconds of all threads that the run started; those that ended count as far as they were seen. */
    synchronized double cpuSeconds() {
        long sum = 0;
        for (long each : used.values()) {
            sum += each;
        }
        return sum / NANOS;
    }

    double wallSeconds() {
        return (System.nanoTime() - started) / NANOS;
    }

    private void look() {
        double before = cpuSeconds();
        for (long id : threads.getAllThreadIds()) {
            if (!others.contains(id)) {
                long nanos = threads.getThreadCpuTime(id);
                if (nanos >= 0) {
                    used.put(id, nanos);
                }
            }
        }
        double now = cpuSeconds();
        if (now > before) {
            moved = System.nanoTime();
        }
        if (done) {
            return;
        }
        if (now > cpuSeconds) {
            end("cpu");
        } else if ((System.nanoTime() - moved) / NANOS > idleSeconds) {
            end("idle");
        } else if (wallSeconds() > wallSeconds) {
            end("wall");
        }
    }

    private void end(String why) {
        try {
            Wire.Writer frame = journal.frame(Journal.LIMIT).text(why).real(cpuSeconds()).real(wallSeconds());
            if (journal.close()) {
                frame.send(out);
            }
        } catch (IOException gone) {
            // Nobody listens; the JVM ends all the same.
        }
        Runtime.getRuntime().halt(4);
    }
}

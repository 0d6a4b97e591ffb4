package testmark.jvm;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs of test methods, one after the other. */
final class Runs {
    private static final long LINGER_MILLIS = 200;

    private final OutputStream out;
    private volatile Journal current;
    private Dependencies dependencies;

    Runs(OutputStream out) {
        this.out = out;
        Runtime.getRuntime().addShutdownHook(new Thread(this::exiting, "testmark exit"));
    }

    /** One run; its events and its end are frames of their own. */
    void run(String token, Wire.Reader request) throws IOException, ReflectiveOperationException {
        List<String> jars = request.texts();
        List<String> folders = request.texts();
        Map<String, byte[]> overlay = request.files();
        List<String> removed = request.texts();
        String testClass = request.text();
        List<String> methods = request.texts();
        List<String> frameworks = request.texts();
        List<String> measured = request.texts();
        List<String> properties = request.texts();
        double cpu = request.real();
        double idle = request.real();
        double wall = request.real();

        if (dependencies == null || !dependencies.jars.equals(jars)) {
            if (dependencies != null) {
                dependencies.close();
            }
            dependencies = new Dependencies(jars);
        }
        Code code = new Code(folders, overlay, removed, measured);
        Coverage coverage = measured.isEmpty() ? null : new Coverage();
        CodeLoader loader = new CodeLoader(dependencies.loader, code, coverage, testClass);
        Set<Thread> before = threads();
        State state = new State();
        for (int i = 0; i + 1 < properties.size(); i += 2) {
            System.setProperty(properties.get(i), properties.get(i + 1));
        }
        Capture capture = Capture.install();
        Journal journal = new Journal(out, token);
        Run run = new Run(dependencies, loader, testClass, methods, frameworks, journal);
        Thread thread = new Thread(new ThreadGroup("main"), run, "main");
        thread.setContextClassLoader(loader);
        Watchdog watchdog = new Watchdog(out, journal, cpu, idle, wall);
        current = journal;
        journal.begun();
        watchdog.start();
        thread.start();
        join(thread);
        watchdog.finish();
        join(watchdog);
        boolean clean = linger(before);
        clean &= state.restore();
        clean &= Leftovers.none();
        clean &= !run.exhausted();
        current = null;
        if (!journal.close()) {
            return; // the watchdog has told the end, and ends the JVM
        }
        Wire.Writer end = journal.frame(Journal.ENDED).text(run.trouble()).number(clean ? 1 : 0);
        end.real(watchdog.cpuSeconds()).real(watchdog.wallSeconds()).number(classesMebibytes()).bytes(capture.bytes());
        if (coverage == null) {
            end.number(0);
        } else {
            coverage.write(loader, code, end);
        }
        end.send(out);
    }

    private static void join(Thread thread) {
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException again) {
                continue; // only a test could do that, and it changes nothing
            }
        }
    }

    /** Whether every thread that the run started ends within a short time. */
    private static boolean linger(Set<Thread> before) {
        long deadline = System.nanoTime() + LINGER_MILLIS * 1_000_000;
        while (true) {
            Set<Thread> now = threads();
            now.removeAll(before);
            if (now.isEmpty()) {
                return true;
            }
            if (System.nanoTime() > deadline) {
                return false;
            }
            try {
                Thread.sleep(1);
            } catch (InterruptedException again) {
                return false;
            }
        }
    }

    private static Set<Thread> threads() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        Thread[] found = new Thread[top.activeCount() + 64];
        int count = top.enumerate(found, true);
        Set<Thread> alive = new HashSet<>();
        for (int i = 0; i < count; i++) {
            if (found[i].isAlive()) {
                alive.add(found[i]);
            }
        }
        return alive;
    }

    private static int classesMebibytes() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("Metaspace")) {
                return (int) (pool.getUsage().getUsed() >> 20);
            }
        }
        return 0;
    }

    private void exiting() {
        Journal journal = current;
        if (journal == null) {
            return;
        }
        Wire.Writer frame = journal.frame(Journal.EXITING);
        if (journal.close()) {
            try {
                frame.send(out);
            } catch (IOException gone) {
                return; // the end of the stream tells the same
            }
        }
    }
}

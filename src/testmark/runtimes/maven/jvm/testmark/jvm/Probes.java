package testmark.jvm;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Defined anew by the loader of each measured run, so that its classes find their probes and nobody else's. */
public final class Probes {
    /** Probes of each class, by JaCoCo's identifier of its bytes. */
    public static final Map<Long, boolean[]> ALL = new ConcurrentHashMap<>();

    /** Who called each method, as `owner#name`: the nearest measured code on the stack, whatever stands between. */
    public static final Map<String, Set<String>> CALLERS = new ConcurrentHashMap<>();

    /** A stack is costly, and a method's callers are soon known. */
    private static final int MOST_LOOKS = 100;

    /** As long as the test is not among them it may still come: what it calls last may be called by all before. */
    private static final int MOST_LOOKS_FOR_TEST = 10_000;

    /** Of all looks beyond `MOST_LOOKS` together: about two seconds. A count and no time, so that runs are alike. */
    private static final long MOST_FRAMES = 10_000_000;

    private static final AtomicLong FRAMES = new AtomicLong();
    private static final Map<String, AtomicInteger> LOOKS = new ConcurrentHashMap<>();
    private static final Set<String> CLASSES = ConcurrentHashMap.newKeySet();

    /** Methods of test code that have begun, as `owner#name`, but for those that only prepare. */
    private static final Set<String> TESTS = ConcurrentHashMap.newKeySet();

    /** Methods of which a test is known to be a caller. */
    private static final Set<String> CALLED_BY_TEST = ConcurrentHashMap.newKeySet();

    private Probes() {}

    /** Called by instrumented code. */
    public static boolean[] of(long id, int count) {
        return ALL.computeIfAbsent(id, any -> new boolean[count]);
    }

    /** Called by tests and their helpers when they begin; otherwise as `entered`. */
    public static void enteredTest(String callee) {
        TESTS.add(callee.substring(0, callee.lastIndexOf('(')));
        look(callee);
    }

    /** Called by every other measured method, `owner#name` and descriptor, when it begins. */
    public static void entered(String callee) {
        look(callee);
    }

    private static void look(String callee) {
        int looks = LOOKS.computeIfAbsent(callee, any -> new AtomicInteger()).getAndIncrement();
        boolean more = looks >= MOST_LOOKS;
        if (more
                && (looks >= MOST_LOOKS_FOR_TEST || CALLED_BY_TEST.contains(callee) || FRAMES.get() >= MOST_FRAMES)) {
            return;
        }
        // Whatever stands on the stack has begun, so every measured class there is known.
        CLASSES.add(callee.substring(0, callee.indexOf('#')));
        StackTraceElement[] frames = new Throwable().getStackTrace();
        if (more) {
            FRAMES.addAndGet(frames.length);
        }
        for (int i = 3; i < frames.length; i++) {
            if (CLASSES.contains(frames[i].getClassName())) {
                String caller = frames[i].getClassName() + "#" + frames[i].getMethodName();
                CALLERS.computeIfAbsent(callee, any -> ConcurrentHashMap.newKeySet()).add(caller);
                if (TESTS.contains(caller)) {
                    CALLED_BY_TEST.add(callee);
                }
                return;
            }
        }
    }
}

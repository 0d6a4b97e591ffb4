package testmark.jvm;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Defined anew by the loader of each measured run, so that its classes find their probes and nobody else's. */
public final class Probes {
    /** Probes of each class, by JaCoCo's identifier of its bytes. */
    public static final Map<Long, boolean[]> ALL = new ConcurrentHashMap<>();

    /** Who called each method, as `owner#name`: the nearest measured code on the stack, whatever stands between. */
    public static final Map<String, Set<String>> CALLERS = new ConcurrentHashMap<>();

    /** A stack is costly, and a method's callers are soon known. */
    private static final int MOST_LOOKS = 100;

    private static final Map<String, AtomicInteger> LOOKS = new ConcurrentHashMap<>();
    private static final Set<String> CLASSES = ConcurrentHashMap.newKeySet();

    private Probes() {}

    /** Called by instrumented code. */
    public static boolean[] of(long id, int count) {
        return ALL.computeIfAbsent(id, any -> new boolean[count]);
    }

    /** Called by every measured method, `owner#name` and descriptor, when it begins. */
    public static void entered(String callee) {
        if (LOOKS.computeIfAbsent(callee, any -> new AtomicInteger()).getAndIncrement() >= MOST_LOOKS) {
            return;
        }
        // Whatever stands on the stack has begun, so every measured class there is known.
        CLASSES.add(callee.substring(0, callee.indexOf('#')));
        StackTraceElement[] frames = new Throwable().getStackTrace();
        for (int i = 2; i < frames.length; i++) {
            if (CLASSES.contains(frames[i].getClassName())) {
                CALLERS.computeIfAbsent(callee, any -> ConcurrentHashMap.newKeySet())
                        .add(frames[i].getClassName() + "#" + frames[i].getMethodName());
                return;
            }
        }
    }
}

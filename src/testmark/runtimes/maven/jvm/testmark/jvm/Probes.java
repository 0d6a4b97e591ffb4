package testmark.jvm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Defined anew by the loader of each measured run, so that its classes find their probes and nobody else's. */
public final class Probes {
    /** Probes of each class, by JaCoCo's identifier of its bytes. */
    public static final Map<Long, boolean[]> ALL = new ConcurrentHashMap<>();

    private Probes() {}

    /** Called by instrumented code. */
    public static boolean[] of(long id, int count) {
        return ALL.computeIfAbsent(id, any -> new boolean[count]);
    }
}

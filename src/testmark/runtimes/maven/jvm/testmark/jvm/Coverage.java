package testmark.jvm;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.data.ExecutionData;
import org.jacoco.core.data.ExecutionDataStore;
import org.jacoco.core.instr.Instrumenter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** JaCoCo's probes in the classes of one run, set in memory. */
final class Coverage {
    static final String PROBES = "testmark.jvm.Probes";
    private static final int STACK = 3;

    private final Map<Long, String> names = new ConcurrentHashMap<>();
    private final Set<String> packages = ConcurrentHashMap.newKeySet();
    private final Instrumenter instrumenter =
            new Instrumenter(
                    (id, name, count, method) -> {
                        names.put(id, name);
                        return accessor(id, count, method);
                    });

    private static int accessor(long id, int count, MethodVisitor method) {
        method.visitLdcInsn(id);
        method.visitLdcInsn(count);
        method.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES.replace('.', '/'), "of", "(JI)[Z", false);
        return STACK;
    }

    static byte[] probesClass() {
        String file = PROBES.replace('.', '/') + ".class";
        try (InputStream in = Coverage.class.getClassLoader().getResourceAsStream(file)) {
            ByteArrayOutputStream held = new ByteArrayOutputStream();
            for (int value = in.read(); value >= 0; value = in.read()) {
                held.write(value);
            }
            return held.toByteArray();
        } catch (IOException trouble) {
            throw new IllegalStateException(trouble);
        }
    }

    byte[] instrument(String name, boolean testCode, byte[] bytes) {
        packages.add(Code.packageOf(name));
        try {
            return Entries.instrument(name, testCode, instrumenter.instrument(bytes, name));
        } catch (IOException damaged) {
            return bytes; // no class file, as when the test has written to it: the JVM says so to the test
        }
    }

    /** A list of methods: owner, name, descriptor, source, then executable and covered lines, and callers. */
    void write(CodeLoader loader, Code code, Wire.Writer answer) throws ReflectiveOperationException, IOException {
        @SuppressWarnings("unchecked")
        Map<Long, boolean[]> probes = (Map<Long, boolean[]>) loader.loadClass(PROBES).getField("ALL").get(null);
        @SuppressWarnings("unchecked")
        Map<String, Set<String>> callers =
                (Map<String, Set<String>>) loader.loadClass(PROBES).getField("CALLERS").get(null);
        ExecutionDataStore store = new ExecutionDataStore();
        probes.forEach(
                (id, hits) -> {
                    if (names.containsKey(id)) {
                        store.put(new ExecutionData(id, names.get(id), hits));
                    }
                });
        List<IClassCoverage> classes = new ArrayList<>();
        Analyzer analyzer = new Analyzer(store, classes::add);
        for (String packageName : packages) {
            for (String name : code.measuredNames(packageName)) {
                try {
                    analyzer.analyzeClass(code.find(name), name);
                } catch (IOException damaged) {
                    continue; // it was not instrumented either
                }
            }
        }
        Set<String> touched = new TreeSet<>();
        for (IClassCoverage each : classes) {
            if (each.getLineCounter().getCoveredCount() > 0) {
                touched.add(each.getPackageName() + "/" + each.getSourceFileName());
            }
        }
        classes.removeIf(each -> !touched.contains(each.getPackageName() + "/" + each.getSourceFileName()));
        classes.sort((one, other) -> one.getName().compareTo(other.getName()));
        int count = 0;
        for (IClassCoverage each : classes) {
            count += each.getMethods().size();
        }
        answer.number(count);
        for (IClassCoverage each : classes) {
            writeMethods(each, each.getMethods(), callers, answer);
        }
    }

    private static void writeMethods(
            IClassCoverage owner,
            Collection<IMethodCoverage> methods,
            Map<String, Set<String>> callers,
            Wire.Writer answer) {
        for (IMethodCoverage method : methods) {
            List<Integer> lines = new ArrayList<>();
            List<Integer> covered = new ArrayList<>();
            for (int line = Math.max(0, method.getFirstLine()); line <= method.getLastLine(); line++) {
                int status = method.getLine(line).getStatus();
                if (status != ICounter.EMPTY) {
                    lines.add(line);
                }
                if ((status & ICounter.FULLY_COVERED) != 0) {
                    covered.add(line);
                }
            }
            answer.text(owner.getName().replace('/', '.')).text(method.getName()).text(method.getDesc());
            answer.text(owner.getSourceFileName() == null ? "" : owner.getSourceFileName());
            answer.number(lines.size());
            lines.forEach(answer::number);
            answer.number(covered.size());
            covered.forEach(answer::number);
            String key = owner.getName().replace('/', '.') + "#" + method.getName() + method.getDesc();
            answer.texts(new TreeSet<>(callers.getOrDefault(key, Collections.emptySet())));
        }
    }
}

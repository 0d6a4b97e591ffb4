import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs pairs of reference and mutant with nothing but what cannot be saved: a class loader of the pair's own and the test
 * framework. No limits, no guard, no copy of the tree, no report. Part of java_limit.py.
 *
 * <p>Standard input has lines of words between tabs: `jars PATH...` first, then one line a pair: `platform|junit4`, test
 * class, method, folders and the pair's own folder of classes first. Prints `boot SECONDS`, then for each pair its seconds
 * and whether the test failed.
 */
public final class JavaLimit {
    private JavaLimit() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ClassLoader jars = new URLClassLoader(urls(lines.readLine().split("\t"), 1), Bare.class.getClassLoader());
        List<String[]> pairs = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            pairs.add(line.split("\t"));
        }
        // The first one loads the framework: that is part of the start, whoever does it.
        run(jars, pairs.get(0));
        long started = java.lang.management.ManagementFactory.getRuntimeMXBean().getStartTime();
        System.out.println("boot\t" + (System.currentTimeMillis() - started) / 1e3);
        for (String[] pair : pairs) {
            long began = System.nanoTime();
            boolean failed = run(jars, pair);
            System.out.println((System.nanoTime() - began) / 1e9 + "\t" + failed);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static boolean run(ClassLoader jars, String[] pair) {
        try {
            return loaded(jars, pair);
        } catch (Exception | Error thrown) { // a mutant of what runs before the test: it fails
            return true;
        }
    }

    private static boolean loaded(ClassLoader jars, String[] pair) throws Exception {
        PrintStreams.hush();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (ChildFirst own = new ChildFirst(urls(pair, 3), jars)) {
            Thread.currentThread().setContextClassLoader(own);
            Class<?> test = Class.forName(pair[1], true, own);
            return pair[0].equals("platform") ? platform(jars, test, pair[2]) : junit4(jars, test, pair[2]);
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            PrintStreams.back();
        }
    }

    private static boolean junit4(ClassLoader jars, Class<?> test, String method) throws Exception {
        Class<?> request = jars.loadClass("org.junit.runner.Request");
        Object asked = request.getMethod("method", Class.class, String.class).invoke(null, test, method);
        Class<?> core = jars.loadClass("org.junit.runner.JUnitCore");
        Object result = core.getMethod("run", request).invoke(core.getConstructor().newInstance(), asked);
        return !(Boolean) result.getClass().getMethod("wasSuccessful").invoke(result);
    }

    private static boolean platform(ClassLoader jars, Class<?> test, String name) throws Exception {
        String launchers = "org.junit.platform.launcher.";
        Class<?> selectors = jars.loadClass("org.junit.platform.engine.discovery.DiscoverySelectors");
        Class<?> selector = jars.loadClass("org.junit.platform.engine.DiscoverySelector");
        Class<?> builder = jars.loadClass(launchers + "core.LauncherDiscoveryRequestBuilder");
        Object building = builder.getMethod("request").invoke(null);
        List<Object> chosen = new ArrayList<>();
        for (Class<?> owner = test; owner != null && chosen.isEmpty(); owner = owner.getSuperclass()) {
            for (Method each : owner.getDeclaredMethods()) {
                if (each.getName().equals(name) && !each.isSynthetic()) {
                    Method select = selectors.getMethod("selectMethod", Class.class, Method.class);
                    chosen.add(select.invoke(null, test, each));
                }
            }
        }
        builder.getMethod("selectors", List.class).invoke(building, chosen);
        Object request = builder.getMethod("build").invoke(building);
        Class<?> factory = jars.loadClass(launchers + "core.LauncherFactory");
        Object launcher = factory.getMethod("create").invoke(null);
        Class<?> listening = jars.loadClass(launchers + "TestExecutionListener");
        Class<?> summing = jars.loadClass(launchers + "listeners.SummaryGeneratingListener");
        Object summary = summing.getConstructor().newInstance();
        Object listeners = java.lang.reflect.Array.newInstance(listening, 1);
        java.lang.reflect.Array.set(listeners, 0, summary);
        Class<?> asking = jars.loadClass(launchers + "LauncherDiscoveryRequest");
        Class<?> launching = jars.loadClass(launchers + "Launcher");
        launching.getMethod("execute", asking, listeners.getClass()).invoke(launcher, request, listeners);
        Object found = summing.getMethod("getSummary").invoke(summary);
        Class<?> type = jars.loadClass(launchers + "listeners.TestExecutionSummary");
        return (Long) type.getMethod("getTotalFailureCount").invoke(found) > 0
                || (Long) type.getMethod("getTestsSucceededCount").invoke(found) == 0;
    }

    private static URL[] urls(String[] words, int from) throws IOException {
        List<URL> found = new ArrayList<>();
        for (int at = from; at < words.length; at++) {
            found.add(new File(words[at]).toURI().toURL());
        }
        return found.toArray(new URL[0]);
    }

    /** What the tests print is not wanted. */
    private static final class PrintStreams {
        private static final java.io.PrintStream OUT = System.out;
        private static final java.io.PrintStream ERR = System.err;
        private static final java.io.PrintStream NONE =
                new java.io.PrintStream(
                        new java.io.OutputStream() {
                            @Override
                            public void write(int one) {}

                            @Override
                            public void write(byte[] some, int from, int length) {}
                        });

        static void hush() {
            System.setOut(NONE);
            System.setErr(NONE);
        }

        static void back() {
            System.setOut(OUT);
            System.setErr(ERR);
        }
    }

    /** The pair's own classes before all others. */
    private static final class ChildFirst extends URLClassLoader {
        ChildFirst(URL[] places, ClassLoader parent) {
            super(places, parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found == null && !name.startsWith("java.")) {
                    try {
                        found = findClass(name);
                    } catch (ClassNotFoundException elsewhere) {
                        found = null;
                    }
                }
                return found == null ? super.loadClass(name, resolve) : found;
            }
        }
    }

    private static final class Bare {}
}

package testmark.jvm.adaptors;

import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import testmark.jvm.Adaptor;
import testmark.jvm.Cases;
import testmark.jvm.Names;

/** JUnit 4 of any age, and what it runs: JUnit 3's test cases, classes with runners of their own. */
public final class JUnit4 implements Adaptor {
    /** The test as which JUnit reports a class that it cannot run. */
    private static final String BROKEN = "initializationError";

    @Override
    public boolean knows(Class<?> test, List<String> methods) {
        boolean special = Names.isA(test, "junit.framework.TestCase") || Names.has(test, "org.junit.runner.RunWith");
        for (Method method : Names.methods(test, methods)) {
            if (special || Names.has(method, "org.junit.Test")) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void run(Class<?> test, List<String> methods, Cases cases) {
        Runner runner = Request.aClass(test).getRunner();
        if (runner instanceof Filterable) {
            try {
                ((Filterable) runner).filter(new ByName(methods));
            } catch (NoTestsRemainException nothing) {
                return; // no case is reported: nothing is found
            }
        }
        RunNotifier notifier = new RunNotifier();
        notifier.addListener(new Reporter(test, methods, cases));
        runner.run(notifier);
    }

    private static String nameOf(Description description) {
        // Description.getMethodName came with JUnit 4.6.
        String display = description.getDisplayName();
        int open = display.lastIndexOf('(');
        return open > 0 && display.endsWith(")") ? display.substring(0, open) : display;
    }

    private static final class ByName extends Filter {
        private final List<String> methods;

        ByName(List<String> methods) {
            this.methods = methods;
        }

        @Override
        public boolean shouldRun(Description description) {
            if (description.isTest()) {
                return Names.matching(nameOf(description), methods) != null;
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return "methods " + methods;
        }
    }

    private static final class Reporter extends RunListener {
        private final Class<?> test;
        private final List<String> methods;
        private final Cases cases;
        private final Set<String> open = new HashSet<>();
        /** Tests that nobody asked for, of a runner that does not let itself be filtered. */
        private final Set<String> others = new HashSet<>();

        Reporter(Class<?> test, List<String> methods, Cases cases) {
            this.test = test;
            this.methods = methods;
            this.cases = cases;
        }

        @Override
        public void testStarted(Description description) {
            String method = method(description);
            if (method == null) {
                others.add(key(description));
            } else {
                open.add(key(description));
                cases.started(key(description), test.getName(), method, nameOf(description));
            }
        }

        @Override
        public void testFinished(Description description) {
            if (open.remove(key(description))) {
                cases.finished(key(description), null);
            }
        }

        @Override
        public void testFailure(Failure failure) {
            Description description = failure.getDescription();
            if (open.contains(key(description))) {
                cases.finished(key(description), failure.getException());
            } else if (!others.contains(key(description)) || nameOf(description).equals(BROKEN)) {
                String method = description.isTest() ? method(description) : null;
                cases.broken(
                        test.getName(), method == null ? "" : method, nameOf(description), failure.getException());
            }
        }

        /** Since JUnit 4.5; without `@Override`, so that nothing depends on it. */
        public void testAssumptionFailure(Failure failure) {
            ignored(failure.getDescription(), String.valueOf(failure.getMessage()));
        }

        @Override
        public void testIgnored(Description description) {
            ignored(description, "ignored");
        }

        private void ignored(Description description, String reason) {
            String method = description.isTest() ? method(description) : "";
            if (method == null) {
                return; // a test that nobody asked for
            }
            cases.skipped(
                    key(description), test.getName(), method, nameOf(description), reason);
        }

        private String method(Description description) {
            return Names.matching(nameOf(description), methods);
        }

        private static String key(Description description) {
            return description.getDisplayName();
        }
    }
}

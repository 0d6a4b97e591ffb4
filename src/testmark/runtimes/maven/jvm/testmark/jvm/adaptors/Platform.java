package testmark.jvm.adaptors;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import testmark.jvm.Adaptor;
import testmark.jvm.Cases;
import testmark.jvm.Names;

/** The JUnit Platform with all engines that the project has. */
public final class Platform implements Adaptor {
    @Override
    public boolean knows(Class<?> test, List<String> methods) {
        return Names.methods(test, methods).stream().anyMatch(method -> mayBeTest(test, method));
    }

    @Override
    public void run(Class<?> test, List<String> methods, Cases cases) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
        for (Method method : Names.methods(test, methods)) {
            if (mayBeTest(test, method)) {
                request.selectors(DiscoverySelectors.selectMethod(test, method));
            }
        }
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request.build(), new Reporter(test, cases));
    }

    /** The Vintage engine reports a failure for a method that is none, as if there were a test. */
    private static boolean mayBeTest(Class<?> test, Method method) {
        return method.getAnnotations().length > 0
                || Names.has(test, "org.junit.runner.RunWith")
                || (Names.isA(test, "junit.framework.TestCase") && method.getName().startsWith("test"));
    }

    private static final class Reporter implements TestExecutionListener {
        private final Class<?> test;
        private final Cases cases;
        private TestPlan plan;

        Reporter(Class<?> test, Cases cases) {
            this.test = test;
            this.cases = cases;
        }

        @Override
        public void testPlanExecutionStarted(TestPlan started) {
            plan = started;
        }

        @Override
        public void executionStarted(TestIdentifier identifier) {
            if (identifier.isTest()) {
                cases.started(
                        identifier.getUniqueId(), test.getName(), method(identifier), identifier.getDisplayName());
            }
        }

        @Override
        public void executionSkipped(TestIdentifier identifier, String reason) {
            cases.skipped(
                    identifier.getUniqueId(),
                    test.getName(),
                    method(identifier),
                    identifier.getDisplayName(),
                    reason);
        }

        @Override
        public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
            Throwable thrown = result.getThrowable().orElse(null);
            boolean aborted = result.getStatus() == TestExecutionResult.Status.ABORTED;
            if (result.getStatus() == TestExecutionResult.Status.FAILED && thrown == null) {
                thrown = new IllegalStateException("the engine says that it failed, and not why");
            }
            if (aborted) {
                executionSkipped(identifier, thrown == null ? "aborted" : String.valueOf(thrown.getMessage()));
            } else if (identifier.isTest()) {
                cases.finished(identifier.getUniqueId(), thrown);
            } else if (thrown != null) {
                cases.broken(test.getName(), method(identifier), identifier.getDisplayName(), thrown);
            }
        }

        /** The method of the nearest descriptor above that names one: dynamic tests stand below their factory. */
        private String method(TestIdentifier identifier) {
            for (Optional<TestIdentifier> each = Optional.of(identifier); each.isPresent(); ) {
                TestSource source = each.get().getSource().orElse(null);
                if (source instanceof MethodSource) {
                    return ((MethodSource) source).getMethodName();
                }
                if (source instanceof ClassSource) {
                    return "";
                }
                each = plan.getParent(each.get());
            }
            return "";
        }
    }
}

package testmark.jvm.adaptors;

import java.lang.reflect.InvocationTargetException;
import java.util.Enumeration;
import java.util.List;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import testmark.jvm.Adaptor;
import testmark.jvm.Cases;
import testmark.jvm.Names;

/** JUnit 3 where there is no JUnit 4. */
public final class JUnit3 implements Adaptor {
    @Override
    public boolean knows(Class<?> test, List<String> methods) {
        return Names.isA(test, "junit.framework.TestCase") && !Names.methods(test, methods).isEmpty();
    }

    @Override
    public void run(Class<?> test, List<String> methods, Cases cases) throws Throwable {
        TestResult result = new TestResult();
        result.addListener(new Reporter(cases));
        runAll(suite(test), methods, result);
    }

    private static Test suite(Class<?> test) throws Throwable {
        try {
            return (Test) test.getMethod("suite").invoke(null);
        } catch (NoSuchMethodException none) {
            return new TestSuite(test);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static void runAll(Test test, List<String> methods, TestResult result) {
        if (test instanceof TestSuite) {
            for (Enumeration<Test> all = ((TestSuite) test).tests(); all.hasMoreElements(); ) {
                runAll(all.nextElement(), methods, result);
            }
        } else if (test instanceof TestCase && methods.contains(((TestCase) test).getName())) {
            test.run(result);
        }
    }

    private static final class Reporter implements TestListener {
        private final Cases cases;

        Reporter(Cases cases) {
            this.cases = cases;
        }

        @Override
        public void startTest(Test test) {
            String name = ((TestCase) test).getName();
            cases.started(key(test), test.getClass().getName(), name, name);
        }

        @Override
        public void endTest(Test test) {
            cases.finished(key(test), null);
        }

        @Override
        public void addError(Test test, Throwable thrown) {
            cases.finished(key(test), thrown);
        }

        @Override
        public void addFailure(Test test, AssertionFailedError thrown) {
            cases.finished(key(test), thrown);
        }

        private static String key(Test test) {
            return test.getClass().getName() + "#" + System.identityHashCode(test);
        }
    }
}

package testmark.jvm.adaptors;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.testng.IConfigurationListener;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestNGListener;
import org.testng.ITestResult;
import org.testng.TestNG;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;
import testmark.jvm.Adaptor;
import testmark.jvm.Cases;
import testmark.jvm.Names;

/** TestNG 6 and 7, by a suite of our own making. */
public final class TestNg implements Adaptor {
    private static final String TEST = "org.testng.annotations.Test";

    @Override
    public boolean knows(Class<?> test, List<String> methods) {
        boolean onClass = false;
        for (Class<?> type = test; type != null; type = type.getSuperclass()) {
            onClass |= Names.has(type, TEST);
        }
        for (Method method : Names.methods(test, methods)) {
            if (onClass || Names.has(method, TEST)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void run(Class<?> test, List<String> methods, Cases cases) throws ReflectiveOperationException {
        XmlSuite suite = new XmlSuite();
        suite.setName("testmark");
        XmlTest inner = new XmlTest(suite);
        inner.setName("testmark");
        XmlClass wanted = new XmlClass(test);
        List<XmlInclude> includes = new ArrayList<>();
        for (String method : methods) {
            includes.add(new XmlInclude(method));
        }
        wanted.setIncludedMethods(includes);
        inner.setXmlClasses(new ArrayList<>(Arrays.asList(wanted)));
        TestNG testNg = new TestNG(false);
        testNg.setVerbose(0);
        testNg.setXmlSuites(new ArrayList<>(Arrays.asList(suite)));
        add(testNg, new Reporter(test, cases));
        testNg.run();
    }

    /** The parameter's type is Object in TestNG 6 and ITestNGListener in 7. */
    private static void add(TestNG testNg, Object listener) throws ReflectiveOperationException {
        try {
            TestNG.class.getMethod("addListener", ITestNGListener.class).invoke(testNg, listener);
        } catch (NoSuchMethodException old) {
            TestNG.class.getMethod("addListener", Object.class).invoke(testNg, listener);
        }
    }

    private static final class Reporter implements ITestListener, IConfigurationListener {
        private final Class<?> test;
        private final Cases cases;

        Reporter(Class<?> test, Cases cases) {
            this.test = test;
            this.cases = cases;
        }

        @Override
        public void onTestStart(ITestResult result) {
            cases.started(key(result), test.getName(), method(result), method(result));
        }

        @Override
        public void onTestSuccess(ITestResult result) {
            cases.finished(key(result), null);
        }

        @Override
        public void onTestFailure(ITestResult result) {
            cases.finished(key(result), thrown(result));
        }

        @Override
        public void onTestFailedButWithinSuccessPercentage(ITestResult result) {
            cases.finished(key(result), thrown(result));
        }

        @Override
        public void onTestSkipped(ITestResult result) {
            Throwable why = result.getThrowable();
            cases.skipped(
                    key(result), test.getName(), method(result), method(result), why == null ? "" : why.toString());
        }

        @Override
        public void onStart(ITestContext context) {
            // said of the suite, not of a test
        }

        @Override
        public void onFinish(ITestContext context) {
            // said of the suite, not of a test
        }

        @Override
        public void onConfigurationSuccess(ITestResult result) {
            // nothing to tell
        }

        @Override
        public void onConfigurationFailure(ITestResult result) {
            cases.broken(test.getName(), "", method(result), thrown(result));
        }

        @Override
        public void onConfigurationSkip(ITestResult result) {
            // the failure that caused it was told
        }

        private static Throwable thrown(ITestResult result) {
            Throwable thrown = result.getThrowable();
            return thrown != null ? thrown : new IllegalStateException("TestNG says that it failed, and not why");
        }

        private static String method(ITestResult result) {
            return result.getMethod().getMethodName();
        }

        private static String key(ITestResult result) {
            return result.getMethod() + "#" + System.identityHashCode(result);
        }
    }
}

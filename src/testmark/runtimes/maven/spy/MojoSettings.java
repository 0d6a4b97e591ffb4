package testmark;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.PluginParameterExpressionEvaluator;
import org.apache.maven.project.MavenProject;
import org.codehaus.plexus.component.configurator.expression.ExpressionEvaluationException;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/** The settings of one execution of the compiler or of Surefire: changed by the plan, then told as events. */
final class MojoSettings {
    private static final Pattern LATE = Pattern.compile("[@$]\\{([^}]+)\\}");
    private static final Pattern TEST_CLASS = Pattern.compile("(Test.*|.*Tests?|.*TestCase)\\.class");

    private static final List<String> ARGUMENTS = Arrays.asList(
            "compilerArgs", "compilerArgument", "compilerArguments", "testCompilerArgument", "testCompilerArguments");

    /** One argument of javac; the options of Error Prone stand in that of the plugin, or after it. */
    private static final Pattern STRICT = Pattern.compile("-Werror|-Xplugin:ErrorProne\\b.*|-Xep.*", Pattern.DOTALL);

    private final Properties plan;
    private final MavenProject project;
    private final MojoExecution mojo;
    private final Events events;
    private final PluginParameterExpressionEvaluator evaluator;

    MojoSettings(Properties plan, MavenSession session, MavenProject project, MojoExecution mojo, Events events) {
        this.plan = plan;
        this.project = project;
        this.mojo = mojo;
        this.events = events;
        this.evaluator = new PluginParameterExpressionEvaluator(session, mojo);
    }

    void apply() throws IOException, ExpressionEvaluationException {
        boolean compiler = mojo.getArtifactId().equals("maven-compiler-plugin");
        boolean surefire = mojo.getArtifactId().equals("maven-surefire-plugin") && mojo.getGoal().equals("test");
        if (compiler) {
            compiler();
        }
        if (surefire) {
            told("before");
            surefire();
        }
        if (compiler || surefire) {
            told("settings");
        }
    }

    private void compiler() throws ExpressionEvaluationException {
        set("failOnError", "true");
        lenient();
        if (mojo.getGoal().equals("testCompile")) {
            set("skip", "false");
        }
        String java = plan.getProperty("java");
        if (java != null) {
            for (String name : new String[] {"source", "target", "testSource", "testTarget"}) {
                set(name, java);
            }
            remove("release");
            remove("testRelease");
        }
    }

    /**
     * Without what a strict build makes of warnings, and without Error Prone: a mutant may well draw one, and where
     * javac is asked without Maven it compiles all the same.
     */
    private void lenient() throws ExpressionEvaluationException {
        set("failOnWarning", "false");
        if (mojo.getConfiguration() != null) {
            removeStrict(mojo.getConfiguration(), ARGUMENTS::contains);
        }
    }

    private void removeStrict(Xpp3Dom parent, Predicate<String> looked) throws ExpressionEvaluationException {
        for (int i = parent.getChildCount() - 1; i >= 0; i--) {
            Xpp3Dom child = parent.getChild(i);
            if (looked.test(child.getName())) {
                Object value = child.getValue() == null ? null : evaluator.evaluate(child.getValue());
                // `compilerArguments` is a map: there the name is the argument.
                boolean strict = child.getName().equals("Werror")
                        || (value instanceof String && STRICT.matcher(((String) value).trim()).matches());
                removeStrict(child, any -> true);
                if (strict) {
                    parent.removeChild(i);
                }
            }
        }
    }

    private void surefire() throws ExpressionEvaluationException {
        String base = Spy.base(project);
        boolean wanted = plan.getProperty("test") == null || base.equals(plan.getProperty("module"));
        set("skip", Boolean.toString(!wanted));
        set("skipTests", Boolean.toString(!wanted));
        set("skipExec", Boolean.toString(!wanted));
        set("failIfNoTests", "false");
        set("failIfNoSpecifiedTests", "false");
        set("disableXmlReport", "false");
        set("rerunFailingTestsCount", "0");
        set("skipAfterFailureCount", "0");
        remove("statelessTestsetReporter");
        remove("reportNameSuffix");
        String test = plan.getProperty("test");
        set("testFailureIgnore", Boolean.toString(test == null));
        if (test == null) {
            set("test", probe());
            set("forkedProcessTimeoutInSeconds", "120");
        } else {
            set("test", test);
            set("reportsDirectory", plan.getProperty("reports"));
        }
        String options = late(raw("argLine"));
        String agent = plan.getProperty("agent", "");
        set("argLine", (agent + " " + options).trim());
    }

    /** A method that no class has, of a class that is there: Surefire gets ready for it and runs nothing. */
    private String probe() {
        List<String> found = new ArrayList<>();
        collect(new File(project.getBuild().getTestOutputDirectory()), "", found);
        return found.isEmpty() ? "TestmarkNone" : found.get(0) + "#testmarkNone";
    }

    private static void collect(File folder, String prefix, List<String> found) {
        File[] files = folder.listFiles();
        if (files == null || !found.isEmpty()) {
            return;
        }
        java.util.Arrays.sort(files);
        for (File file : files) {
            String name = file.getName();
            if (file.isDirectory()) {
                collect(file, prefix + name + "/", found);
            } else if (name.indexOf('$') < 0 && TEST_CLASS.matcher(name).matches()) {
                found.add(prefix + name.substring(0, name.length() - ".class".length()));
                return;
            }
        }
    }

    /**
     * Placeholders filled in as Surefire would; what nothing defines becomes empty, as plugins that would have (JaCoCo's
     * agent) are left out.
     */
    private String late(String text) throws ExpressionEvaluationException {
        Matcher matcher = LATE.matcher(text);
        StringBuffer filled = new StringBuffer();
        while (matcher.find()) {
            Object value = evaluator.evaluate("${" + matcher.group(1) + "}");
            String word = value == null || value.equals(matcher.group()) ? "" : value.toString();
            matcher.appendReplacement(filled, Matcher.quoteReplacement(word));
        }
        return matcher.appendTail(filled).toString().trim();
    }

    private String raw(String name) {
        Xpp3Dom child = mojo.getConfiguration() == null ? null : mojo.getConfiguration().getChild(name);
        String text = child == null ? null : child.getValue();
        if ((text == null || text.isEmpty()) && child != null) {
            text = child.getAttribute("default-value");
        }
        return text == null ? "" : text;
    }

    /** Does nothing where this version of the plugin knows no such parameter. */
    private void set(String name, String value) {
        if (value == null || !mojo.getMojoDescriptor().getParameterMap().containsKey(name)) {
            return;
        }
        remove(name);
        Xpp3Dom child = new Xpp3Dom(name);
        child.setValue(value);
        mojo.getConfiguration().addChild(child);
    }

    private void remove(String name) {
        Xpp3Dom all = mojo.getConfiguration();
        for (int i = all.getChildCount() - 1; i >= 0; i--) {
            if (all.getChild(i).getName().equals(name)) {
                all.removeChild(i);
            }
        }
    }

    private void told(String kind) throws IOException, ExpressionEvaluationException {
        List<String> names = new ArrayList<>();
        List<String> values = new ArrayList<>();
        if (mojo.getConfiguration() != null) {
            flatten("", mojo.getConfiguration(), names, values);
        }
        events.write(
                kind, "base", Spy.base(project), "plugin", mojo.getArtifactId(), "goal", mojo.getGoal(),
                "version", mojo.getVersion(), "id", mojo.getExecutionId(), "names", names, "values", values);
    }

    private void flatten(String prefix, Xpp3Dom node, List<String> names, List<String> values)
            throws ExpressionEvaluationException {
        for (Xpp3Dom child : node.getChildren()) {
            String name = prefix + child.getName();
            if (child.getChildCount() > 0) {
                flatten(name + "/", child, names, values);
                continue;
            }
            Object value = child.getValue() == null ? null : evaluator.evaluate(child.getValue());
            if (value == null && child.getAttribute("default-value") != null) {
                value = evaluator.evaluate(child.getAttribute("default-value"));
            }
            if (value instanceof String || value instanceof Number || value instanceof Boolean
                    || value instanceof File) {
                names.add(name);
                values.add(value.toString());
            }
        }
    }
}

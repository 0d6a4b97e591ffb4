package testmark;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.eventspy.AbstractEventSpy;
import org.apache.maven.execution.ExecutionEvent;
import org.apache.maven.execution.MavenExecutionResult;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;

/**
 * Tells what a Maven session does as events, and gives its compiler and Surefire the settings of a plan.
 *
 * <p>Settings are put into the resolved configuration of the one execution, so it does not matter whether a pom writes
 * them as literals, as properties or not at all, nor under which name a version of a plugin takes them on the command
 * line. What goes wrong in here is an event of its own, as Maven only logs it.
 */
@Named("testmark")
@Singleton
public final class Spy extends AbstractEventSpy {
    private final Properties plan = new Properties();
    private Events events;

    @Override
    public void init(Context context) throws Exception {
        try (FileInputStream file = new FileInputStream(System.getProperty("testmark.plan"))) {
            plan.load(file);
        }
        events = new Events(new File(plan.getProperty("events")), token());
        events.write("start");
    }

    /** A line of standard input: it stands in no argument and no environment, where a test could read it. */
    private static String token() throws IOException {
        Reader reader = new InputStreamReader(System.in, "US-ASCII");
        StringBuilder text = new StringBuilder();
        for (int c = reader.read(); c >= 0 && c != '\n'; c = reader.read()) {
            text.append((char) c);
        }
        return text.toString();
    }

    @Override
    public void onEvent(Object event) throws Exception {
        try {
            if (event instanceof ExecutionEvent) {
                execution((ExecutionEvent) event);
            } else if (event instanceof MavenExecutionResult) {
                result((MavenExecutionResult) event);
            }
        } catch (Exception | LinkageError error) {
            events.failure("spy-error", error);
            throw error;
        }
    }

    @Override
    public void close() throws Exception {
        events.write("end");
        events.close();
    }

    private void execution(ExecutionEvent event) throws Exception {
        MojoExecution mojo = event.getMojoExecution();
        switch (event.getType()) {
            case SessionStarted:
                session(event.getSession());
                break;
            case MojoStarted:
                new MojoSettings(plan, event.getSession(), event.getProject(), mojo, events).apply();
                mojo("mojo-started", event);
                break;
            case MojoSucceeded:
                mojo("mojo-succeeded", event);
                break;
            case MojoFailed:
                events.failure("mojo-failed", event.getException(), described(event));
                break;
            case ProjectSucceeded:
                finished(event.getProject());
                break;
            case ProjectFailed:
                events.failure("project-failed", event.getException(), "base", base(event.getProject()));
                break;
            default:
                break;
        }
    }

    private void mojo(String kind, ExecutionEvent event) throws IOException {
        events.write(kind, described(event));
    }

    private static Object[] described(ExecutionEvent event) {
        MojoExecution mojo = event.getMojoExecution();
        return new Object[] {
            "base", base(event.getProject()), "plugin", mojo.getArtifactId(), "version", mojo.getVersion(),
            "goal", mojo.getGoal(), "phase", mojo.getLifecyclePhase(), "id", mojo.getExecutionId()
        };
    }

    private void session(MavenSession session) throws Exception {
        Set<String> leftOut = words("leave-out");
        Set<String> built = words("build");
        for (MavenProject project : session.getProjects()) {
            if (built.isEmpty() || built.contains(base(project))) {
                project.getBuild().getPlugins().removeIf(plugin -> leftOut.contains(plugin.getArtifactId()));
            } else {
                // Its classes are there from the build of the revision: others are told that they have been made.
                project.getBuild().getPlugins().clear();
                project.addLifecyclePhase("compile");
                project.addLifecyclePhase("test-compile");
            }
            project.getBuild().flushPluginMap();
        }
        events.write("session", "bases", bases(session.getProjects()), "maven", session.getSystemProperties()
                .getProperty("maven.version", ""), "java", System.getProperty("java.version"));
    }

    private static List<String> bases(List<MavenProject> projects) {
        List<String> names = new ArrayList<>();
        for (MavenProject project : projects) {
            names.add(base(project));
        }
        return names;
    }

    private void finished(MavenProject project) throws Exception {
        List<String> artifacts = new ArrayList<>();
        for (org.apache.maven.artifact.Artifact artifact : project.getArtifacts()) {
            artifacts.add(artifact.getGroupId() + ":" + artifact.getArtifactId() + ":" + artifact.getVersion());
        }
        events.write(
                "project",
                "base", base(project),
                "artifact", project.getArtifactId(),
                "packaging", project.getPackaging(),
                "classes", project.getBuild().getOutputDirectory(),
                "test-classes", project.getBuild().getTestOutputDirectory(),
                "main-roots", project.getCompileSourceRoots(),
                "test-roots", project.getTestCompileSourceRoots(),
                "artifacts", artifacts,
                "classpath", project.getTestClasspathElements());
    }

    private void result(MavenExecutionResult result) throws IOException {
        for (Throwable error : result.getExceptions()) {
            events.failure("failure", error);
        }
        events.write("result", "failures", Integer.toString(result.getExceptions().size()));
    }

    private Set<String> words(String name) {
        Set<String> words = new HashSet<>(Arrays.asList(plan.getProperty(name, "").split("\n")));
        words.remove("");
        return words;
    }

    static String base(MavenProject project) {
        return project == null || project.getBasedir() == null ? "" : project.getBasedir().getPath();
    }
}

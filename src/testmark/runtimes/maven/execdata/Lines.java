package testmark;

import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.IClassCoverage;
import org.jacoco.core.analysis.ICounter;
import org.jacoco.core.analysis.IMethodCoverage;
import org.jacoco.core.tools.ExecFileLoader;

/**
 * Reads what JaCoCo's agent wrote and prints one line a method: owner, name, descriptor, source, executable lines and
 * covered lines, separated by tabs.
 *
 * <p>Arguments: the agent's file, the file to write, folders of classes.
 */
public final class Lines {
    private Lines() {}

    public static void main(String[] arguments) throws IOException {
        ExecFileLoader loader = new ExecFileLoader();
        loader.load(new File(arguments[0]));
        List<IClassCoverage> classes = new ArrayList<>();
        Analyzer analyzer = new Analyzer(loader.getExecutionDataStore(), classes::add);
        for (int i = 2; i < arguments.length; i++) {
            analyzer.analyzeAll(new File(arguments[i]));
        }
        Set<String> touched = new TreeSet<>();
        for (IClassCoverage each : classes) {
            if (each.getLineCounter().getCoveredCount() > 0) {
                touched.add(source(each));
            }
        }
        classes.removeIf(each -> !touched.contains(source(each)));
        classes.sort((one, other) -> one.getName().compareTo(other.getName()));
        File out = new File(arguments[1]);
        try (BufferedWriter file = Files.newBufferedWriter(out.toPath(), StandardCharsets.UTF_8);
                PrintWriter writer = new PrintWriter(file)) {
            for (IClassCoverage each : classes) {
                for (IMethodCoverage method : each.getMethods()) {
                    print(each, method, writer);
                }
            }
            writer.print("end\n");
        }
    }

    private static String source(IClassCoverage each) {
        return each.getPackageName() + "/" + each.getSourceFileName();
    }

    private static void print(IClassCoverage owner, IMethodCoverage method, PrintWriter writer) {
        StringBuilder lines = new StringBuilder();
        StringBuilder covered = new StringBuilder();
        for (int line = Math.max(0, method.getFirstLine()); line <= method.getLastLine(); line++) {
            int status = method.getLine(line).getStatus();
            if (status != ICounter.EMPTY) {
                lines.append(lines.length() == 0 ? "" : ",").append(line);
            }
            if ((status & ICounter.FULLY_COVERED) != 0) {
                covered.append(covered.length() == 0 ? "" : ",").append(line);
            }
        }
        String file = owner.getSourceFileName() == null ? "" : owner.getSourceFileName();
        writer.print(String.join(
                "\t", owner.getName().replace('/', '.'), method.getName(), method.getDesc(), file, lines, covered));
        writer.print('\n');
    }
}

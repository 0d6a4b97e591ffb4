package testmark.jvm;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** javac in the process: nothing is written, and listings of jars and folders are read once. */
final class Compiler {
    private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    private final Listings listings = new Listings();

    /** Request: sources by path, class path, options, overlay. Answer: classes, errors, and 1 when it goes on for ever. */
    void compile(Wire.Reader request, Wire.Writer answer) throws IOException {
        List<Source> sources = new ArrayList<>();
        request.files().forEach((path, bytes) -> sources.add(new Source(path, bytes)));
        List<String> classPath = request.texts();
        List<String> options = new ArrayList<>(request.texts());
        options.add("-proc:none");
        options.add("-nowarn");
        options.add("-implicit:none");
        Map<String, byte[]> overlay = request.files();
        DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        List<String> errors = new ArrayList<>();
        // One file manager a compilation: javac closes and configures it; what is costly stands in the listings.
        try (MemoryFiles files =
                new MemoryFiles(
                        javac.getStandardFileManager(said, Locale.ROOT, StandardCharsets.UTF_8),
                        listings,
                        classPath,
                        overlay)) {
            Attempt attempt =
                    Attempt.at(
                            () -> javac.getTask(new StringWriter(), files, said, options, null, sources).call());
            if (attempt.isAlive()) {
                answer.files(new HashMap<>()).texts(Arrays.asList("javac: " + attempt.trouble())).number(1);
                return;
            }
            if (!attempt.trouble().isEmpty()) {
                errors.add("javac: " + attempt.trouble());
            }
            for (Diagnostic<? extends JavaFileObject> each : said.getDiagnostics()) {
                if (each.getKind() == Diagnostic.Kind.ERROR) {
                    JavaFileObject source = each.getSource();
                    String place = source == null ? "javac" : Source.path(source) + ":" + each.getLineNumber();
                    errors.add(place + ": " + each.getMessage(Locale.ROOT));
                }
            }
            if (!attempt.successful() && errors.isEmpty()) {
                errors.add("javac: it failed and does not say why");
            }
            answer.files(files.written()).texts(errors).number(0);
        }
    }

    /** A source in memory, named by its path in the repository. */
    static final class Source extends SimpleJavaFileObject {
        private final String path;
        private final String text;

        Source(String path, byte[] bytes) {
            super(ClassFile.uri("memory", path), Kind.SOURCE);
            this.path = path;
            this.text = new String(bytes, StandardCharsets.UTF_8);
        }

        static String path(JavaFileObject file) {
            return file instanceof Source ? ((Source) file).path : file.getName();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}

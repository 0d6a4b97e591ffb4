import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles the versions of the class Sample that it is given, one a line in base64, and runs those marked `run`. */
public final class Judge {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            String source = new String(Base64.getDecoder().decode(words[1]), StandardCharsets.UTF_8);
            Map<String, byte[]> classes = compile(source);
            if (classes == null) {
                System.out.println("invalid");
                continue;
            }
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            classes.values().forEach(digest::update);
            String result = words[0].equals("run") ? run(classes) : "";
            System.out.println(Base64.getEncoder().encodeToString(digest.digest()) + " "
                    + Base64.getEncoder().encodeToString(result.getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static Map<String, byte[]> compile(String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Map<String, ByteArrayOutputStream> written = new TreeMap<>();
        JavaFileManager manager =
                new ForwardingJavaFileManager<JavaFileManager>(compiler.getStandardFileManager(null, null, null)) {
                    @Override
                    public JavaFileObject getJavaFileForOutput(
                            Location at, String name, JavaFileObject.Kind kind, FileObject sibling) {
                        return new SimpleJavaFileObject(URI.create("mem:///" + name + ".class"), kind) {
                            @Override
                            public OutputStream openOutputStream() {
                                return written.computeIfAbsent(name, key -> new ByteArrayOutputStream());
                            }
                        };
                    }
                };
        JavaFileObject file = new SimpleJavaFileObject(URI.create("mem:///Sample.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignore) {
                return source;
            }
        };
        boolean done = compiler.getTask(null, manager, message -> {}, List.of("-g:none", "-proc:none"), null, List.of(file))
                .call();
        if (!done) {
            return null;
        }
        Map<String, byte[]> classes = new TreeMap<>();
        written.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    private static String run(Map<String, byte[]> classes) {
        ClassLoader loader = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] bytes = classes.get(name);
                if (bytes == null) {
                    throw new ClassNotFoundException(name);
                }
                return defineClass(name, bytes, 0, bytes.length);
            }
        };
        try {
            return String.valueOf(loader.loadClass("Sample").getMethod("run").invoke(null));
        } catch (ReflectiveOperationException | LinkageError error) {
            return "failed: " + error + " " + error.getCause();
        }
    }

    private Judge() {}
}

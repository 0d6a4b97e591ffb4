package testmark;

import java.io.Closeable;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Events as lines of JSON, each written at once and with the token that only this process knows. */
final class Events implements Closeable {
    private static final int DEEPEST = 20;
    private static final int LONGEST = 20000;

    private final OutputStream out;
    private final String token;

    Events(File file, String token) throws IOException {
        this.out = new FileOutputStream(file, true);
        this.token = token;
    }

    /** One event; what follows are names and values in turn, a value being a text, null or a list of texts. */
    synchronized void write(String kind, Object... fields) throws IOException {
        StringBuilder line = new StringBuilder("{");
        field(line, "token", token);
        line.append(',');
        field(line, "kind", kind);
        for (int i = 0; i < fields.length; i += 2) {
            line.append(',');
            field(line, (String) fields[i], fields[i + 1]);
        }
        out.write(line.append("}\n").toString().getBytes(StandardCharsets.UTF_8));
    }

    /** An event with the chain of an exception: class names and messages, outermost first. */
    void failure(String kind, Throwable error, Object... fields) throws IOException {
        List<String> classes = new ArrayList<>();
        List<String> messages = new ArrayList<>();
        Throwable cause = error;
        for (int i = 0; cause != null && i < DEEPEST; i++, cause = cause.getCause()) {
            classes.add(cause.getClass().getName());
            String text = String.valueOf(message(cause));
            messages.add(text.length() > LONGEST ? text.substring(0, LONGEST) : text);
        }
        Object[] all = new Object[fields.length + 4];
        System.arraycopy(fields, 0, all, 0, fields.length);
        all[fields.length] = "classes";
        all[fields.length + 1] = classes;
        all[fields.length + 2] = "messages";
        all[fields.length + 3] = messages;
        write(kind, all);
    }

    /** A compiler's complaints stand in the long message of its exception, if anywhere. */
    private static String message(Throwable error) {
        if (error instanceof org.apache.maven.plugin.AbstractMojoExecutionException) {
            String text = ((org.apache.maven.plugin.AbstractMojoExecutionException) error).getLongMessage();
            if (text != null && !text.isEmpty()) {
                return text;
            }
        }
        return error.getMessage();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private static void field(StringBuilder line, String name, Object value) {
        text(line, name);
        line.append(':');
        if (value == null) {
            line.append("null");
        } else if (value instanceof Iterable) {
            char before = '[';
            for (Object item : (Iterable<?>) value) {
                line.append(before);
                text(line, String.valueOf(item));
                before = ',';
            }
            line.append(before == '[' ? "[]" : "]");
        } else {
            text(line, value.toString());
        }
    }

    private static void text(StringBuilder line, String value) {
        line.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
        line.append('"');
    }
}

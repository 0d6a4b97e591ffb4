package testmark.jvm;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Answers requests that come as frames on standard input, one after the other, on standard output. */
public final class Main {
    static final int COMPILE = 1;
    static final int DIGESTS = 2;
    static final int REFERENCES = 3;
    static final int RUN = 4;

    static final int ANSWER = 10;
    static final int LOST = 11;

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        // What tests print must never stand between our frames.
        Capture.install();
        Compiler compiler = null;
        Runs runs = null;
        for (Wire.Reader request = Wire.read(in); request != null; request = Wire.read(in)) {
            int kind = request.number();
            String token = request.text();
            try {
                if (kind == RUN) {
                    runs = runs == null ? new Runs(out) : runs;
                    runs.run(token, request);
                    continue;
                }
                Wire.Writer answer = new Wire.Writer().number(ANSWER).text(token);
                if (kind == COMPILE) {
                    compiler = compiler == null ? new Compiler() : compiler;
                    compiler.compile(request, answer);
                } else if (kind == DIGESTS) {
                    ClassFiles.digests(request, answer);
                } else if (kind == REFERENCES) {
                    ClassFiles.references(request, answer);
                }
                answer.send(out);
            } catch (RuntimeException | Error | ReflectiveOperationException trouble) {
                new Wire.Writer().number(LOST).text(token).text(Throwables.text(trouble)).send(out);
            }
        }
    }
}

package testmark.jvm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;

/** What a run prints, up to a size; the rest is thrown away. */
final class Capture extends OutputStream {
    private static final int MOST = 1 << 16;
    private final ByteArrayOutputStream held = new ByteArrayOutputStream();

    /** New standard streams, of which the first two are held by what is returned. */
    static Capture install() {
        Capture capture = new Capture();
        try {
            System.setOut(new PrintStream(capture, true, "UTF-8"));
            System.setErr(new PrintStream(capture, true, "UTF-8"));
        } catch (UnsupportedEncodingException impossible) {
            throw new IllegalStateException(impossible);
        }
        System.setIn(new ByteArrayInputStream(new byte[0]));
        return capture;
    }

    @Override
    public synchronized void write(int value) {
        if (held.size() < MOST) {
            held.write(value);
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int count) {
        held.write(bytes, from, Math.max(0, Math.min(count, MOST - held.size())));
    }

    synchronized byte[] bytes() {
        return held.toByteArray();
    }
}

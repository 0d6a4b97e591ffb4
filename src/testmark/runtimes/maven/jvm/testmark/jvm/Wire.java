package testmark.jvm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Frames (a length and as many bytes) and the values in them; the other end is worker_wire.py. */
final class Wire {
    private Wire() {}

    /** The next frame, or null at the end of the stream. */
    static Reader read(DataInputStream from) throws IOException {
        int first = from.read();
        if (first < 0) {
            return null;
        }
        int length = first << 24 | from.readUnsignedByte() << 16 | from.readUnsignedShort();
        byte[] bytes = new byte[length];
        from.readFully(bytes);
        return new Reader(new ByteArrayInputStream(bytes));
    }

    /** Values of a frame that came. */
    static final class Reader {
        private final DataInputStream in;

        private Reader(InputStream in) {
            this.in = new DataInputStream(in);
        }

        int number() throws IOException {
            return in.readInt();
        }

        double real() throws IOException {
            return in.readDouble();
        }

        byte[] bytes() throws IOException {
            byte[] found = new byte[in.readInt()];
            in.readFully(found);
            return found;
        }

        String text() throws IOException {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        List<String> texts() throws IOException {
            int count = in.readInt();
            List<String> found = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                found.add(text());
            }
            return found;
        }

        Map<String, byte[]> files() throws IOException {
            int count = in.readInt();
            Map<String, byte[]> found = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
                String name = text();
                found.put(name, bytes());
            }
            return found;
        }
    }

    /** Values of a frame to be sent. */
    static final class Writer {
        private final ByteArrayOutputStream held = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(held);

        Writer number(int value) {
            return put(() -> out.writeInt(value));
        }

        Writer real(double value) {
            return put(() -> out.writeDouble(value));
        }

        Writer bytes(byte[] value) {
            return put(
                    () -> {
                        out.writeInt(value.length);
                        out.write(value);
                    });
        }

        Writer text(String value) {
            return bytes(value.getBytes(StandardCharsets.UTF_8));
        }

        Writer texts(Collection<String> values) {
            number(values.size());
            values.forEach(this::text);
            return this;
        }

        Writer files(Map<String, byte[]> values) {
            number(values.size());
            values.forEach((name, bytes) -> text(name).bytes(bytes));
            return this;
        }

        void send(OutputStream to) throws IOException {
            byte[] body = held.toByteArray();
            ByteArrayOutputStream frame = new ByteArrayOutputStream(body.length + 4);
            new DataOutputStream(frame).writeInt(body.length);
            frame.write(body);
            synchronized (to) {
                frame.writeTo(to);
                to.flush();
            }
        }

        private Writer put(Step step) {
            try {
                step.run();
            } catch (IOException impossible) {
                throw new IllegalStateException(impossible); // it is memory
            }
            return this;
        }
    }

    private interface Step {
        void run() throws IOException;
    }
}

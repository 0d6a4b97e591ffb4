package testmark.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;

/** What class files say, without loading them. */
final class ClassFiles {
    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int STRING = 8;
    private static final int FIELD = 9;
    private static final int METHOD = 10;
    private static final int INTERFACE_METHOD = 11;

    private ClassFiles() {}

    /** A digest of each set of classes without debug information. */
    static void digests(Wire.Reader request, Wire.Writer answer) throws IOException {
        int count = request.number();
        answer.number(count);
        for (int i = 0; i < count; i++) {
            answer.text(digest(request.files()));
        }
    }

    /** Members (`owner#name`, owners with slashes), classes and string constants that the classes name, sorted. */
    static void references(Wire.Reader request, Wire.Writer answer) throws IOException {
        TreeSet<String> members = new TreeSet<>();
        TreeSet<String> classes = new TreeSet<>();
        TreeSet<String> strings = new TreeSet<>();
        for (byte[] bytes : request.files().values()) {
            ClassReader reader = new ClassReader(bytes);
            char[] buffer = new char[reader.getMaxStringLength()];
            for (int i = 1; i < reader.getItemCount(); i++) {
                int offset = reader.getItem(i);
                int tag = offset == 0 ? 0 : reader.readByte(offset - 1);
                if (tag == CLASS) {
                    classes.add(reader.readUTF8(offset, buffer));
                } else if (tag == STRING) {
                    strings.add(reader.readUTF8(offset, buffer));
                } else if (tag == UTF8) {
                    // Descriptors name classes that have no entry of their own.
                    descriptor(reader, offset, classes);
                } else if (tag == FIELD || tag == METHOD || tag == INTERFACE_METHOD) {
                    String owner = reader.readClass(offset, buffer);
                    int nameAndType = reader.getItem(reader.readUnsignedShort(offset + 2));
                    members.add(owner + "#" + reader.readUTF8(nameAndType, buffer));
                }
            }
        }
        answer.texts(members).texts(classes).texts(strings);
    }

    private static void descriptor(ClassReader reader, int offset, TreeSet<String> classes) {
        int length = reader.readUnsignedShort(offset);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (reader.readByte(offset + 2 + i) & 0xff));
        }
        for (int from = text.indexOf("L"); from >= 0; from = text.indexOf("L", from + 1)) {
            int end = text.indexOf(";", from);
            if (end > 0 && text.substring(from + 1, end).matches("[\\w/$]+/[\\w/$]+")) {
                classes.add(text.substring(from + 1, end));
            }
        }
    }

    private static String digest(Map<String, byte[]> classes) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
        for (Map.Entry<String, byte[]> entry : new TreeMap<>(classes).entrySet()) {
            ClassWriter writer = new ClassWriter(0);
            new ClassReader(entry.getValue()).accept(writer, ClassReader.SKIP_DEBUG);
            byte[] bytes = writer.toByteArray();
            digest.update((entry.getKey() + " " + bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
            digest.update(bytes);
        }
        StringBuilder text = new StringBuilder();
        for (byte value : digest.digest()) {
            text.append(String.format("%02x", value & 0xff));
        }
        return text.toString();
    }
}

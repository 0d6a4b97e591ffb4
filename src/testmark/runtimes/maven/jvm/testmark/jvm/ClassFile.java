package testmark.jvm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.tools.SimpleJavaFileObject;

/** A class as javac sees it: read from a place of the class path, or in memory. */
final class ClassFile extends SimpleJavaFileObject {
    private final String binaryName;
    private final Opener opener;
    private ByteArrayOutputStream written;

    private ClassFile(String binaryName, Opener opener) {
        super(uri("class", binaryName.replace('.', '/') + ".class"), Kind.CLASS);
        this.binaryName = binaryName;
        this.opener = opener;
    }

    /** Of any name: other languages than Java have classes with spaces in theirs. */
    static URI uri(String scheme, String path) {
        try {
            return new URI(scheme, "", "/" + path, null); // unlike `create`, it quotes what is no part of an address
        } catch (URISyntaxException impossible) {
            throw new IllegalArgumentException(path, impossible);
        }
    }

    static ClassFile ofFile(String binaryName, File file) {
        return new ClassFile(binaryName, () -> Files.newInputStream(file.toPath()));
    }

    static ClassFile ofEntry(String binaryName, ZipFile zip, ZipEntry entry) {
        return new ClassFile(binaryName, () -> zip.getInputStream(entry));
    }

    static ClassFile ofBytes(String binaryName, byte[] bytes) {
        return new ClassFile(binaryName, () -> new ByteArrayInputStream(bytes));
    }

    static ClassFile toBeWritten(String binaryName) {
        return new ClassFile(binaryName, null);
    }

    String binaryName() {
        return binaryName;
    }

    byte[] bytes() {
        return written.toByteArray();
    }

    boolean isWritten() {
        return written != null;
    }

    @Override
    public InputStream openInputStream() throws IOException {
        return opener != null ? opener.open() : new ByteArrayInputStream(bytes());
    }

    @Override
    public OutputStream openOutputStream() {
        written = new ByteArrayOutputStream();
        return written;
    }

    private interface Opener {
        InputStream open() throws IOException;
    }
}

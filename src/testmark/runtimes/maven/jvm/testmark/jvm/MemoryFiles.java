package testmark.jvm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardLocation;

/** The class path from cached listings with an overlay before it, and written classes in memory. */
final class MemoryFiles extends ForwardingJavaFileManager<JavaFileManager> {
    private final Listings listings;
    private final List<String> classPath;
    private final Map<String, List<ClassFile>> overlay = new LinkedHashMap<>();
    private final Map<String, ClassFile> written = new LinkedHashMap<>();

    MemoryFiles(JavaFileManager system, Listings listings, List<String> classPath, Map<String, byte[]> overlay) {
        super(system);
        this.listings = listings;
        this.classPath = classPath;
        overlay.forEach(
                (name, bytes) ->
                        this.overlay
                                .computeIfAbsent(packageOf(name), any -> new ArrayList<>())
                                .add(ClassFile.ofBytes(name, bytes)));
    }

    Map<String, byte[]> written() {
        Map<String, byte[]> found = new LinkedHashMap<>();
        written.forEach(
                (name, file) -> {
                    if (file.isWritten()) {
                        found.put(name, file.bytes());
                    }
                });
        return found;
    }

    @Override
    public Iterable<JavaFileObject> list(
            Location location, String packageName, Set<JavaFileObject.Kind> kinds, boolean recurse)
            throws IOException {
        if (location == StandardLocation.CLASS_PATH) {
            return kinds.contains(JavaFileObject.Kind.CLASS) ? classes(packageName) : new ArrayList<>();
        }
        if (isOurs(location)) {
            return new ArrayList<>();
        }
        return super.list(location, packageName, kinds, recurse);
    }

    private List<JavaFileObject> classes(String packageName) throws IOException {
        List<JavaFileObject> found = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ClassFile file : overlay.getOrDefault(packageName, new ArrayList<>())) {
            names.add(file.binaryName());
            found.add(file);
        }
        for (String place : classPath) {
            for (ClassFile file : listings.list(place, packageName)) {
                if (names.add(file.binaryName())) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    private static boolean isOurs(Location location) {
        return location == StandardLocation.CLASS_PATH
                || location == StandardLocation.SOURCE_PATH
                || location == StandardLocation.CLASS_OUTPUT
                || location == StandardLocation.SOURCE_OUTPUT;
    }

    @Override
    public boolean hasLocation(Location location) {
        return location == StandardLocation.CLASS_PATH
                || location == StandardLocation.CLASS_OUTPUT
                || (!isOurs(location) && super.hasLocation(location));
    }

    @Override
    public String inferBinaryName(Location location, JavaFileObject file) {
        return file instanceof ClassFile ? ((ClassFile) file).binaryName() : super.inferBinaryName(location, file);
    }

    @Override
    public boolean isSameFile(FileObject one, FileObject other) {
        return one == other || (!isOwn(one) && !isOwn(other) && super.isSameFile(one, other));
    }

    /** Came with Java 9; these sources compile on 8 too, where nobody calls it. */
    public boolean contains(Location location, FileObject file) throws IOException {
        if (isOurs(location) || isOwn(file)) {
            return isOurs(location) && file instanceof ClassFile;
        }
        try {
            return (Boolean)
                    JavaFileManager.class
                            .getMethod("contains", Location.class, FileObject.class)
                            .invoke(fileManager, location, file);
        } catch (ReflectiveOperationException trouble) {
            throw new IOException(trouble);
        }
    }

    private static boolean isOwn(FileObject file) {
        return file instanceof ClassFile || file instanceof Compiler.Source;
    }

    @Override
    public JavaFileObject getJavaFileForInput(Location location, String className, JavaFileObject.Kind kind)
            throws IOException {
        return isOurs(location) ? null : super.getJavaFileForInput(location, className, kind);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
            Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
        return written.computeIfAbsent(className, ClassFile::toBeWritten);
    }

    private static String packageOf(String binaryName) {
        int dot = binaryName.lastIndexOf('.');
        return dot < 0 ? "" : binaryName.substring(0, dot);
    }
}

package testmark.jvm;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The classes of one run: an overlay, then folders without what is removed. What was read of a folder stays. */
final class Code {
    private static final int MOST_BYTES = 128 << 20;
    private static final Map<String, byte[]> READ = new LinkedHashMap<>();
    private static int readBytes;

    final List<String> folders;
    final Map<String, byte[]> overlay;
    final Set<String> removed;
    final List<String> measured;

    Code(List<String> folders, Map<String, byte[]> overlay, List<String> removed, List<String> measured) {
        this.folders = folders;
        this.overlay = overlay;
        this.removed = new HashSet<>(removed);
        this.measured = measured;
    }

    /** The bytes of a class, or null where this code has none of that name. */
    byte[] find(String binaryName) {
        byte[] changed = overlay.get(binaryName);
        if (changed != null || removed.contains(binaryName)) {
            return changed;
        }
        for (String folder : folders) {
            byte[] bytes = read(folder, binaryName);
            if (bytes != null) {
                return bytes;
            }
        }
        return null;
    }

    /** The folder that holds a class as it stood before the overlay, or null. */
    String folderOf(String binaryName) {
        for (String folder : folders) {
            if (read(folder, binaryName) != null) {
                return folder;
            }
        }
        return null;
    }

    /** Whether a class is measured: the outermost class that holds it stands in a measured folder. */
    boolean isMeasured(String binaryName) {
        String folder = measured.isEmpty() ? null : home(binaryName);
        return folder != null && measured.contains(folder);
    }

    /** The folder of a class, or of one that holds it where that is new; or null. */
    String home(String binaryName) {
        String folder = folderOf(binaryName);
        for (int end = binaryName.lastIndexOf('$'); folder == null && end > 0; ) {
            folder = folderOf(binaryName.substring(0, end));
            end = binaryName.lastIndexOf('$', end - 1);
        }
        return folder;
    }

    /** Binary names of all classes of a package in the measured folders and the overlay. */
    List<String> measuredNames(String packageName) {
        Set<String> names = new HashSet<>();
        for (String folder : measured) {
            String[] files = new File(folder, packageName.replace('.', '/')).list();
            for (String file : files == null ? new String[0] : files) {
                if (file.endsWith(".class")) {
                    String simple = file.substring(0, file.length() - ".class".length());
                    names.add(packageName.isEmpty() ? simple : packageName + "." + simple);
                }
            }
        }
        for (String name : overlay.keySet()) {
            if (packageOf(name).equals(packageName)) {
                names.add(name);
            }
        }
        names.removeIf(name -> !isMeasured(name) || find(name) == null);
        return new ArrayList<>(names);
    }

    static String packageOf(String binaryName) {
        int dot = binaryName.lastIndexOf('.');
        return dot < 0 ? "" : binaryName.substring(0, dot);
    }

    private static byte[] read(String folder, String binaryName) {
        String key = folder + "\0" + binaryName;
        synchronized (READ) {
            if (READ.containsKey(key)) {
                return READ.get(key);
            }
            byte[] bytes = null;
            File file = new File(folder, binaryName.replace('.', '/') + ".class");
            if (file.isFile()) {
                try {
                    bytes = Files.readAllBytes(file.toPath());
                } catch (IOException trouble) {
                    throw new IllegalStateException(file + " cannot be read", trouble);
                }
            }
            if (readBytes > MOST_BYTES) {
                READ.clear();
                readBytes = 0;
            }
            readBytes += key.length() + (bytes == null ? 0 : bytes.length);
            READ.put(key, bytes);
            return bytes;
        }
    }
}

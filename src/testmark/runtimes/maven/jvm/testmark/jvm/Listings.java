package testmark.jvm;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Which classes each place of a class path holds, by package. Read once: the places never change. */
final class Listings {
    private final Map<String, Map<String, List<ClassFile>>> jars = new HashMap<>();
    private final Map<String, List<ClassFile>> folders = new HashMap<>();

    /** Classes of one package (with dots) at one place, in no particular order. */
    List<ClassFile> list(String place, String packageName) throws IOException {
        if (place.endsWith(".jar")) {
            Map<String, List<ClassFile>> jar = jars.get(place);
            if (jar == null) {
                if (!new File(place).isFile()) {
                    return Collections.emptyList(); // javac ignores what is not there; it may come
                }
                jar = jar(place);
                jars.put(place, jar);
            }
            return jar.getOrDefault(packageName, Collections.emptyList());
        }
        String key = place + "\0" + packageName;
        List<ClassFile> found = folders.get(key);
        if (found == null) {
            found = folder(place, packageName);
            folders.put(key, found);
        }
        return found;
    }

    private static List<ClassFile> folder(String place, String packageName) {
        File folder = new File(place, packageName.replace('.', '/'));
        String[] names = folder.list();
        List<ClassFile> found = new ArrayList<>();
        for (String name : names == null ? new String[0] : names) {
            if (name.endsWith(".class")) {
                found.add(ClassFile.ofFile(binaryName(packageName, name), new File(folder, name)));
            }
        }
        return found;
    }

    private static Map<String, List<ClassFile>> jar(String place) throws IOException {
        Map<String, List<ClassFile>> found = new HashMap<>();
        ZipFile zip = new JarFile(new File(place), false);
        for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
            ZipEntry entry = all.nextElement();
            String name = entry.getName();
            if (name.endsWith(".class") && !name.startsWith("META-INF/") && !name.equals("module-info.class")) {
                int slash = name.lastIndexOf('/');
                String packageName = slash < 0 ? "" : name.substring(0, slash).replace('/', '.');
                String binary = binaryName(packageName, name.substring(slash + 1));
                found.computeIfAbsent(packageName, any -> new ArrayList<>()).add(ClassFile.ofEntry(binary, zip, entry));
            }
        }
        return found;
    }

    private static String binaryName(String packageName, String file) {
        String simple = file.substring(0, file.length() - ".class".length());
        return packageName.isEmpty() ? simple : packageName + "." + simple;
    }
}

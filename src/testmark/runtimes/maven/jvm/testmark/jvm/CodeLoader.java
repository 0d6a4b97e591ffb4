package testmark.jvm;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/** Loads the code of one run, before asking the dependencies' loader. */
final class CodeLoader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final Code code;
    private final Coverage coverage;
    private final String testFolder;

    CodeLoader(ClassLoader dependencies, Code code, Coverage coverage, String testClass) {
        super(dependencies);
        this.code = code;
        this.coverage = coverage;
        this.testFolder = coverage == null ? null : code.home(testClass);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> found = findLoadedClass(name);
            if (found == null) {
                byte[] bytes = bytes(name);
                found = bytes == null ? getParent().loadClass(name) : define(name, bytes);
            }
            if (resolve) {
                resolveClass(found);
            }
            return found;
        }
    }

    private byte[] bytes(String name) {
        if (name.startsWith("java.")) {
            return null; // the JVM refuses them
        }
        if (coverage != null && name.equals(Coverage.PROBES)) {
            return Coverage.probesClass();
        }
        byte[] bytes = code.find(name);
        if (bytes == null || coverage == null || !code.isMeasured(name)) {
            return bytes;
        }
        return coverage.instrument(name, code.home(name).equals(testFolder), bytes);
    }

    private Class<?> define(String name, byte[] bytes) {
        String packageName = Code.packageOf(name);
        if (!packageName.isEmpty() && getPackage(packageName) == null) {
            try {
                definePackage(packageName, null, null, null, null, null, null, null);
            } catch (IllegalArgumentException defined) {
                // by another thread, meanwhile
            }
        }
        return defineClass(name, bytes, 0, bytes.length, domain(name));
    }

    private ProtectionDomain domain(String name) {
        String folder = code.folderOf(name);
        if (folder == null && !code.folders.isEmpty()) {
            folder = code.folders.get(0);
        }
        try {
            URL place = folder == null ? null : new File(folder).toURI().toURL();
            return new ProtectionDomain(new CodeSource(place, (Certificate[]) null), null, this, null);
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public URL getResource(String name) {
        URL own = findResource(name);
        return own != null ? own : getParent().getResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> found = own(name);
        found.addAll(Collections.list(getParent().getResources(name)));
        return Collections.enumeration(found);
    }

    @Override
    protected URL findResource(String name) {
        List<URL> found = own(name);
        return found.isEmpty() ? null : found.get(0);
    }

    @Override
    protected Enumeration<URL> findResources(String name) {
        return Collections.enumeration(own(name));
    }

    private List<URL> own(String name) {
        List<URL> found = new ArrayList<>();
        for (String folder : code.folders) {
            File file = new File(folder, name);
            if (file.exists()) {
                try {
                    found.add(file.toURI().toURL());
                } catch (MalformedURLException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
        }
        return found;
    }
}

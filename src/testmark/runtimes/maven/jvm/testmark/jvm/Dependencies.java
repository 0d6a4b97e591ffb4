package testmark.jvm;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;

/** The loaders of a list of jars: the jars themselves, and our adaptors linked to them. */
final class Dependencies {
    private static final String OURS = "testmark.jvm.";
    private static final String ADAPTORS = OURS + "adaptors.";

    final List<String> jars;
    final URLClassLoader loader;
    private final ClassLoader adaptors;

    Dependencies(List<String> jars) throws MalformedURLException {
        this.jars = jars;
        URL[] places = new URL[jars.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = new File(jars.get(i)).toURI().toURL();
        }
        // Not our own loader's child: tests see the JDK and their jars, and nothing of this worker.
        loader = new URLClassLoader(places, ClassLoader.getSystemClassLoader().getParent());
        adaptors = new AdaptorLoader(loader);
    }

    boolean has(String className) {
        return loader.getResource(className.replace('.', '/') + ".class") != null;
    }

    Adaptor adaptor(String name) throws ReflectiveOperationException {
        return (Adaptor) adaptors.loadClass(ADAPTORS + name).getConstructor().newInstance();
    }

    void close() throws IOException {
        loader.close();
    }

    private static final class AdaptorLoader extends ClassLoader {
        AdaptorLoader(ClassLoader dependencies) {
            super(dependencies);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            if (!name.startsWith(ADAPTORS)) {
                return Main.class.getClassLoader().loadClass(name);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> found = findLoadedClass(name);
                if (found == null) {
                    byte[] bytes = bytes(name.replace('.', '/') + ".class");
                    found = defineClass(name, bytes, 0, bytes.length);
                }
                return found;
            }
        }

        private static byte[] bytes(String file) throws ClassNotFoundException {
            try (InputStream in = Main.class.getClassLoader().getResourceAsStream(file)) {
                if (in == null) {
                    throw new ClassNotFoundException(file);
                }
                ByteArrayOutputStream held = new ByteArrayOutputStream();
                for (int value = in.read(); value >= 0; value = in.read()) {
                    held.write(value);
                }
                return held.toByteArray();
            } catch (IOException trouble) {
                throw new ClassNotFoundException(file, trouble);
            }
        }
    }
}

package testmark.jvm;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which methods a name means, and what stands on them, without linking to any framework. */
public final class Names {
    private Names() {}

    /** Methods of these names, of the class and of what it inherits; an overridden one only where it is lowest. */
    public static List<Method> methods(Class<?> test, List<String> names) {
        Map<String, Method> found = new LinkedHashMap<>();
        collect(test, names, found);
        return new ArrayList<>(found.values());
    }

    private static void collect(Class<?> type, List<String> names, Map<String, Method> found) {
        if (type == null || type == Object.class) {
            return;
        }
        for (Method method : type.getDeclaredMethods()) {
            if (names.contains(method.getName()) && !method.isSynthetic()) {
                found.putIfAbsent(method.getName() + Arrays.toString(method.getParameterTypes()), method);
            }
        }
        collect(type.getSuperclass(), names, found);
        for (Class<?> each : type.getInterfaces()) {
            collect(each, names, found);
        }
    }

    /** Whether an annotation of this name stands on it. */
    public static boolean has(AnnotatedElement element, String annotation) {
        for (Annotation each : element.getAnnotations()) {
            if (each.annotationType().getName().equals(annotation)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a class or one above it has this name. */
    public static boolean isA(Class<?> type, String name) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (each.getName().equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** The method that the name of a case speaks of: parameterized ones add an index or arguments; or null. */
    public static String matching(String caseName, List<String> names) {
        String best = null;
        for (String name : names) {
            boolean same = caseName.equals(name);
            boolean more =
                    !same && caseName.startsWith(name) && "[( {:".indexOf(caseName.charAt(name.length())) >= 0;
            if ((same || more) && (best == null || name.length() > best.length())) {
                best = name;
            }
        }
        return best;
    }
}

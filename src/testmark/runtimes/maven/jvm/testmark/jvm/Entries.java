package testmark.jvm;

import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Makes every method of a class tell that it begins, and whether it is a test or a helper of one. */
final class Entries extends ClassVisitor {
    private static final int API = Opcodes.ASM9;

    private final String owner;
    private final boolean testCode;

    private Entries(String owner, boolean testCode, ClassVisitor next) {
        super(API, next);
        this.owner = owner;
        this.testCode = testCode;
    }

    /** No branch is added, so that the frames of the class stay right as they are. */
    static byte[] instrument(String owner, boolean testCode, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Entries(owner, testCode, writer), 0);
        return writer.toByteArray();
    }

    /** Constructors, fixtures of JUnit 3 and bodies of lambdas never count as the test: whoever reads callers skips them. */
    private boolean mayBeTest(String name) {
        return testCode
                && !name.startsWith("<")
                && !name.startsWith("lambda$")
                && !name.equals("setUp")
                && !name.equals("tearDown");
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
        if (next == null || (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0 || name.startsWith("$jacoco")) {
            return next;
        }
        return new MethodVisitor(API, next) {
            private boolean test = mayBeTest(name);

            @Override
            public AnnotationVisitor visitAnnotation(String annotation, boolean visible) {
                String simple = annotation.substring(annotation.lastIndexOf('/') + 1);
                test &= !simple.startsWith("Before") && !simple.startsWith("After");
                return super.visitAnnotation(annotation, visible);
            }

            @Override
            public void visitCode() {
                super.visitCode();
                super.visitLdcInsn(owner + "#" + name + descriptor);
                String probes = Coverage.PROBES.replace('.', '/');
                String told = test ? "enteredTest" : "entered";
                super.visitMethodInsn(Opcodes.INVOKESTATIC, probes, told, "(Ljava/lang/String;)V", false);
            }
        };
    }
}

package testmark.jvm;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Makes every method of a class tell that it begins. */
final class Entries extends ClassVisitor {
    private static final int API = Opcodes.ASM9;

    private final String owner;

    private Entries(String owner, ClassVisitor next) {
        super(API, next);
        this.owner = owner;
    }

    /** No branch is added, so that the frames of the class stay right as they are. */
    static byte[] instrument(String owner, byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Entries(owner, writer), 0);
        return writer.toByteArray();
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, thrown);
        if (next == null || (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0 || name.startsWith("$jacoco")) {
            return next;
        }
        return new MethodVisitor(API, next) {
            @Override
            public void visitCode() {
                super.visitCode();
                super.visitLdcInsn(owner + "#" + name + descriptor);
                String probes = Coverage.PROBES.replace('.', '/');
                super.visitMethodInsn(Opcodes.INVOKESTATIC, probes, "entered", "(Ljava/lang/String;)V", false);
            }
        };
    }
}

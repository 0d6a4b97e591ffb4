import com.google.gson.Gson;
import com.google.gson.JsonObject;
import gr.uom.java.xmi.diff.CodeRange;
import gr.uom.java.xmi.diff.UMLModelDiff;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.refactoringminer.api.PurityCheckResult;
import org.refactoringminer.api.PurityChecker;
import org.refactoringminer.api.Refactoring;
import org.refactoringminer.api.RefactoringHandler;
import org.refactoringminer.rm1.GitHistoryRefactoringMinerImpl;

/**
 * Answers frames (four bytes of length, big endian, then JSON in UTF-8) with frames.
 *
 * <p>A request is {"before": {path: text}, "after": {path: text}}; the answer {"found": [...]} or {"error": text}.
 */
public final class RefactoringServer {
    private static final Gson GSON = new Gson();

    public static void main(String[] args) throws IOException {
        DataInputStream in = new DataInputStream(new FileInputStream(FileDescriptor.in));
        DataOutputStream out = new DataOutputStream(new FileOutputStream(FileDescriptor.out));
        // Whatever a library prints must not stand between frames.
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        write(out, Map.of("ready", true));
        while (true) {
            int length;
            try {
                length = in.readInt();
            } catch (java.io.EOFException end) {
                return;
            }
            byte[] data = new byte[length];
            in.readFully(data);
            JsonObject request = GSON.fromJson(new String(data, StandardCharsets.UTF_8), JsonObject.class);
            write(out, answer(texts(request, "before"), texts(request, "after")));
        }
    }

    private static void write(DataOutputStream out, Object answer) throws IOException {
        byte[] data = GSON.toJson(answer).getBytes(StandardCharsets.UTF_8);
        out.writeInt(data.length);
        out.write(data);
        out.flush();
    }

    private static Map<String, String> texts(JsonObject request, String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        request.getAsJsonObject(name).entrySet().forEach(entry -> texts.put(entry.getKey(), entry.getValue().getAsString()));
        return texts;
    }

    private static Map<String, Object> answer(Map<String, String> before, Map<String, String> after) {
        List<Map<String, Object>> found = new ArrayList<>();
        List<String> errors = new ArrayList<>();
        try {
            new GitHistoryRefactoringMinerImpl().detectAtFileContents(before, after, new RefactoringHandler() {
                @Override
                public void handle(String commit, List<Refactoring> refactorings) {
                    // handleModelDiff gets the same list.
                }

                @Override
                public void handleModelDiff(String commit, List<Refactoring> refactorings, UMLModelDiff diff) {
                    for (Refactoring one : refactorings) {
                        Map<String, Object> data = data(one);
                        PurityCheckResult purity = purity(one, refactorings, diff);
                        if (purity != null) {
                            data.put("pure", purity.isPure());
                        }
                        found.add(data);
                    }
                }

                @Override
                public void handleException(String commit, Exception error) {
                    errors.add(String.valueOf(error));
                }
            });
        } catch (RuntimeException | LinkageError | StackOverflowError error) {
            errors.add(String.valueOf(error));
        }
        return errors.isEmpty() ? Map.of("found", found) : Map.of("error", errors.get(0));
    }

    /** Null where nothing is known about it. */
    private static PurityCheckResult purity(Refactoring one, List<Refactoring> all, UMLModelDiff diff) {
        try {
            return PurityChecker.check(one, all, diff);
        } catch (RuntimeException unknown) {
            return null;
        }
    }

    private static Map<String, Object> data(Refactoring one) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("kind", one.getRefactoringType().getDisplayName());
        data.put("description", one.toString());
        data.put("old", places(one.leftSide()));
        data.put("new", places(one.rightSide()));
        return data;
    }

    private static List<Map<String, Object>> places(List<CodeRange> ranges) {
        List<Map<String, Object>> places = new ArrayList<>();
        for (CodeRange range : ranges) {
            Map<String, Object> place = new LinkedHashMap<>();
            place.put("path", range.getFilePath());
            place.put("line", range.getStartLine());
            place.put("column", range.getStartColumn());
            place.put("end_line", range.getEndLine());
            place.put("end_column", range.getEndColumn());
            place.put("type", String.valueOf(range.getCodeElementType()));
            place.put("role", range.getDescription());
            place.put("element", range.getCodeElement());
            places.add(place);
        }
        return places;
    }

    private RefactoringServer() {}
}

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A bit of everything that methods do. */
public class Sample {
    private static final int LIMIT = 5;
    private int base = 3;
    private String name;
    private List<String> seen = new ArrayList<>();

    public Sample(int start, String name) {
        this.base = start;
        this.name = name;
    }

    int loops(int[] values) {
        int sum = 0;
        int count = 1;
        for (int i = 0; i < values.length; i++) {
            if (values[i] < 0) {
                continue;
            }
            sum += values[i] * count;
            count++;
        }
        for (int value : values) {
            if (value == 42) {
                break;
            }
            sum -= value % LIMIT;
        }
        while (sum > 100) {
            sum = sum / 2;
        }
        do {
            sum--;
        } while (sum > 50 && sum % 2 == 0);
        return sum ^ 0x1F;
    }

    String choose(int day, boolean early) {
        String text = "";
        switch (day) {
            case 1:
                text = "one";
                break;
            case 2:
            case 3:
                text = early ? "soon" : "late";
                break;
            default:
                text = "other";
        }
        int code = switch (text) {
            case "one", "other" -> 1;
            case "soon" -> {
                int bonus = day * 10;
                yield bonus + 2;
            }
            default -> -3;
        };
        return text + code + (early || day > 2 ? '!' : '.');
    }

    int parse(String text) {
        int result = -1;
        try {
            result = Integer.parseInt(text.trim());
            if (result < 0 || result > 1000) {
                throw new IllegalArgumentException("out of range: " + result);
            }
        } catch (NumberFormatException error) {
            result = text.length();
        } finally {
            seen.add(text);
        }
        return result;
    }

    List<String> streams(List<String> words) {
        List<String> found = new ArrayList<>();
        words.stream().filter(word -> word.length() > 2).map(word -> word.toUpperCase()).limit(3).forEach(found::add);
        Collections.sort(found);
        return found;
    }

    Optional<Integer> largest(Map<String, Integer> prices) {
        Integer best = null;
        for (Map.Entry<String, Integer> entry : prices.entrySet()) {
            int price = entry.getValue();
            if (best == null || price > best) {
                best = Math.max(price, base);
            }
        }
        return Optional.ofNullable(best);
    }

    double average(double first, double second) {
        double weight = 0.25;
        long shifted = 1L << 3;
        return first * weight + second * (1 - weight) - shifted / 2.0;
    }

    boolean isKnown(String word) {
        return word != null && (seen.contains(word) || word.equals(name));
    }

    void rename(String next) {
        if (next == null) {
            return;
        }
        String previous = name;
        name = next;
        seen.add(previous);
    }

    Runnable later(int times) {
        int[] left = {times};
        return new Runnable() {
            @Override
            public void run() {
                int step = 1;
                left[0] -= step;
                base += left[0];
            }
        };
    }

    public static String run() {
        StringBuilder out = new StringBuilder();
        Sample sample = new Sample(7, "start");
        out.append(sample.loops(new int[] {1, -2, 30, 42, 5})).append(sample.loops(new int[0]));
        for (int day = 0; day < 5; day++) {
            out.append(sample.choose(day, true)).append(sample.choose(day, false));
        }
        out.append(sample.parse(" 12 ")).append(sample.parse("twelve"));
        try {
            out.append(sample.parse("-4"));
        } catch (IllegalArgumentException error) {
            out.append(error.getMessage());
        }
        out.append(sample.streams(List.of("a", "delta", "beta", "gamma", "epsilon")));
        Map<String, Integer> prices = new HashMap<>();
        out.append(sample.largest(prices));
        prices.put("x", 2);
        prices.put("y", 9);
        out.append(sample.largest(prices)).append(sample.average(10, 20));
        sample.rename(null);
        sample.rename("next");
        out.append(sample.isKnown("start")).append(sample.isKnown("twelve")).append(sample.isKnown(null));
        sample.later(3).run();
        return out.append(sample.base).append(sample.name).append(sample.seen).toString();
    }
}

package org.example.units.text;

import java.util.ArrayList;
import java.util.List;

/** Cuts a text into numbers, words and single other characters. */
public final class Tokenizer {
    private Tokenizer() {
    }

    public static String[] tokens(String text) {
        List<String> found = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = at + 1;
            if (Character.isDigit(text.charAt(at))) {
                while (end < text.length() && (Character.isDigit(text.charAt(end)) || text.charAt(end) == '.')) {
                    end++;
                }
            } else if (Character.isLetter(text.charAt(at))) {
                while (end < text.length() && Character.isLetter(text.charAt(end))) {
                    end++;
                }
            }
            if (text.charAt(at) != ' ') {
                found.add(text.substring(at, end));
            }
            at = end;
        }
        return found.toArray(new String[0]);
    }
}

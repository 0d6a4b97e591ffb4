package org.example.units.text;

import java.util.ArrayList;
import java.util.List;
import org.example.units.UnitException;

/** Cuts a text into numbers, words and single other characters. */
public final class Tokenizer {
    private Tokenizer() {
    }

    public static List<Token> tokens(String text) {
        List<Token> found = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = at + 1;
            Token.Kind kind = Token.Kind.OTHER;
            if (Character.isDigit(text.charAt(at))) {
                kind = Token.Kind.NUMBER;
                while (end < text.length() && isPartOfNumber(text, end)) {
                    end++;
                }
            } else if (Character.isLetter(text.charAt(at))) {
                kind = Token.Kind.WORD;
                while (end < text.length() && Character.isLetter(text.charAt(end))) {
                    end++;
                }
            }
            if ("+-*/() ".indexOf(text.charAt(at)) < 0 && kind == Token.Kind.OTHER) {
                throw new UnitException("unexpected character: " + text.charAt(at));
            }
            if (text.charAt(at) != ' ') {
                found.add(new Token(kind, text.substring(at, end)));
            }
            at = end;
        }
        return found;
    }

    /** A digit, a point, or an `e` between digits. */
    private static boolean isPartOfNumber(String text, int at) {
        char here = text.charAt(at);
        if (here == 'e') {
            return at + 1 < text.length() && Character.isDigit(text.charAt(at + 1));
        }
        return Character.isDigit(here) || here == '.';
    }
}

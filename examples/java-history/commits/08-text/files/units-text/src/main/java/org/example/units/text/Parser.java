package org.example.units.text;

import org.example.units.Quantity;
import org.example.units.Units;

/** Reads sums and differences of quantities: `3 km + 200 m`. */
public final class Parser {
    private Parser() {
    }

    public static Quantity parse(String text) {
        String[] tokens = Tokenizer.tokens(text);
        Quantity sum = quantity(tokens, 0);
        for (int at = 2; at < tokens.length; at += 3) {
            Quantity next = quantity(tokens, at + 1);
            sum = tokens[at].equals("-") ? sum.minus(next) : sum.plus(next);
        }
        return sum;
    }

    private static Quantity quantity(String[] tokens, int at) {
        return new Quantity(Double.parseDouble(tokens[at]), Units.find(tokens[at + 1]));
    }
}

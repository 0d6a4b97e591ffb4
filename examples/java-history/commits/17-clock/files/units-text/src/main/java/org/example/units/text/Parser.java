package org.example.units.text;

import java.util.List;
import org.example.units.Quantity;
import org.example.units.Units;

/** Reads sums and differences of quantities: `3 km + 200 m`. */
public final class Parser {
    private Parser() {
    }

    public static Quantity parse(String text) {
        List<Token> tokens = Tokenizer.tokens(text.replace('\u00a0', ' '));
        Quantity sum = quantity(tokens, 0);
        for (int at = 2; at < tokens.size(); at += 3) {
            Quantity next = quantity(tokens, at + 1);
            sum = tokens.get(at).text().equals("-") ? sum.minus(next) : sum.plus(next);
        }
        return sum;
    }

    private static Quantity quantity(List<Token> tokens, int at) {
        return new Quantity(Double.parseDouble(tokens.get(at).text()), Units.find(tokens.get(at + 1).text()));
    }
}

package org.example.units.text;

/** A piece of a text. */
public final class Token {
    /** What a token is. */
    public enum Kind { NUMBER, WORD, OTHER }

    private final Kind kind;
    private final String text;

    public Token(Kind kind, String text) {
        this.kind = kind;
        this.text = text;
    }

    public Kind kind() {
        return kind;
    }

    public String text() {
        return text;
    }
}

package org.example.units.text;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.List;
import org.junit.Test;

public class TokenizerTest {
    @Test
    public void readsNumbersAndWords() {
        List<Token> tokens = Tokenizer.tokens("3.5 km");
        assertEquals(2, tokens.size());
        assertEquals("3.5", tokens.get(0).text());
        assertEquals(Token.Kind.NUMBER, tokens.get(0).kind());
        assertEquals("km", tokens.get(1).text());
        assertEquals(Token.Kind.WORD, tokens.get(1).kind());
    }

    @Test
    public void readsExponents() {
        List<Token> tokens = Tokenizer.tokens("1e3 m");
        assertEquals("1e3", tokens.get(0).text());
        assertEquals("m", tokens.get(1).text());
    }

    @Test
    public void readsNothing() {
        assertTrue(Tokenizer.tokens("  ").isEmpty());
    }

    @Test
    public void readsOtherCharacters() {
        List<Token> tokens = Tokenizer.tokens("1m+2");
        assertEquals("+", tokens.get(2).text());
        assertEquals(Token.Kind.OTHER, tokens.get(2).kind());
    }
}

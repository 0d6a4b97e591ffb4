package org.example.units.text;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class TokenizerTest {
    @Test
    public void readsNumbersAndWords() {
        String[] tokens = Tokenizer.tokens("3.5 km");
        assertEquals(2, tokens.length);
        assertEquals("3.5", tokens[0]);
        assertEquals("km", tokens[1]);
    }

    @Test
    public void readsOtherCharacters() {
        String[] tokens = Tokenizer.tokens("1m+2");
        assertEquals("+", tokens[2]);
    }
}

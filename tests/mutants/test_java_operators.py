"""Every row of the Java table: what it makes of a small program, and what is never touched."""

from __future__ import annotations

import pytest

from testmark.mutants import apply, generate
from testmark.mutants.language import load_language, parse_source

HEAD, TAIL = "class A { Object f(int a, int b) { ", " } }"

SAMPLES: dict[str, tuple[str, list[str]]] = {
    "arithmetic-swap": ("x = a % b;", ["x = a * b;"]),
    "bitwise-swap": ("x = a >> b;", ["x = a << b;", "x = a >>> b;"]),
    "concatenation-drop": ('x = "a" + b;', ['x = "a";', "x = b;"]),
    "relational-boundary": ("x = a < b;", ["x = a <= b;"]),
    "relational-negation": ("x = a == b;", ["x = a != b;"]),
    "connective-swap": ("x = p && q;", ["x = p || q;"]),
    "connective-drop": ("x = p || q;", ["x = p;", "x = q;"]),
    "ternary-drop": ("x = p ? a : b;", ["x = (a);", "x = (b);"]),
    "alternative-null": ("x = o.orElse(b);", ["x = o.orElse(null);"]),
    "unary-drop": ("x = -a;", ["x = a;"]),
    "condition-constant": ("if (p) g();", ["if (true) g();", "if (false) g();"]),
    "condition-negate": ("while (p) g();", ["while (!(p)) g();"]),
    "loop-never": ("for (;p;) g();", ["for (;false && (p);) g();"]),
    "loop-empty": ("for (int c : d) { g(); }", ["for (int c : d) { }"]),
    "loop-first": ("while (p) { g(); }", ["while (p) { g(); if (true) break; }"]),
    "loop-exit": ("while (p) continue;", ["while (p) break;", "while (p) ;"]),
    "loop-exit-labelled": ("l: while (p) continue l;", ["l: while (p) break l;", "l: while (p) ;"]),
    "case-drop": ("switch (a) { case 1: g(); default: h(); }", ["switch (a) {  default: h(); }"]),
    "increment-reverse": ("a++;", ["a--;"]),
    "increment-drop": ("x = a++;", ["x = a;"]),
    "compound-swap": ("a *= b;", ["a /= b;"]),
    "compound-plain": ("a += b;", ["a = b;"]),
    "integer-change": ("x = 1 + 0x0F + 07 + 0b11 + 2L;", [
        "x = 2 + 0x0F + 07 + 0b11 + 2L;", "x = 0 + 0x0F + 07 + 0b11 + 2L;", "x = 1 + 0x10 + 07 + 0b11 + 2L;",
        "x = 1 + 0x0F + 010 + 0b11 + 2L;", "x = 1 + 0x0F + 07 + 0b100 + 2L;", "x = 1 + 0x0F + 07 + 0b11 + 3L;",
    ]),
    "float-change": ("x = 2.5f;", ["x = 3.5f;"]),
    "string-change": ('x = "a";', ['x = "XXa";', 'x = "";']),
    "character-change": ("x = 'a' + '\\n';", ["x = 'b' + '\\n';", "x = 'a' + 'X';"]),
    "boolean-flip": ("x = true;", ["x = false;"]),
    "return-value": ("return g();", ["return null;"]),
    "return-negate": ("return p;", ["return !(p);"]),
    "return-drop": ("if (p) return;", ["if (p) ;"]),
    "lambda-empty": ("x = () -> g();", ["x = () -> { };"]),
    "call-delete": ("g();", [";"]),
    "statement-delete": ("this.c = a;", [";"]),
    "initial-default": ("long c = g();", ["long c = 0;"]),
    "assignment-null": ("x = g();", ["x = null;"]),
    "argument-change": ("g(a, 1);", ["g(1, a);", "g(1);", "g(a);", "g(null, 1);"]),
    "call-argument": ("x = g(a);", ["x = a;"]),
    "call-receiver": ("x = c.g();", ["x = c;"]),
    "method-twin": ("x = Math.min(a, b);", ["x = Math.max(a, b);"]),
    "append-front": ("c.append(a);", ["c.insert(0, a);", "c.add(0, a);"]),
    "absolute-drop": ("x = Math.abs(a);", ["x = (a);"]),
    "substring-shift": ("x = c.substring(a);", ["x = c.substring((a) + 1);", "x = c.substring((a) - 1);"]),
    "throw-delete": ("throw c;", [";"]),
    "throw-other": ("throw new E();", ["throw new ArrayStoreException();"]),
    "catch-empty": ("try { g(); } catch (E e) { h(); }", ["try { g(); } catch (E e) { }"]),
    "catch-rethrow": ("try { g(); } catch (E e) { }", ["try { g(); } catch (E e) { throw new ArrayStoreException(String.valueOf(e)); }"]),
    "catch-narrow": ("try { } catch (E | F e) { }", ["try { } catch (F e) { }", "try { } catch (E e) { }"]),
    "finally-drop": ("try { } finally { g(); }", ["try { } finally { }"]),
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_what_an_operator_makes(name: str) -> None:
    code, expected = SAMPLES[name]
    source = HEAD + code + TAIL
    made = [
        apply(source, one).removeprefix(HEAD).removesuffix(TAIL)
        for one in generate("A.java", source, language="java")
        if one.operator == name
    ]
    # Several rows may make the same program: the first one has it.
    everything = [
        apply(source, one).removeprefix(HEAD).removesuffix(TAIL) for one in generate("A.java", source, language="java")
    ]
    assert made
    assert set(made) <= set(expected)
    assert set(expected) <= set(everything)


def test_every_row_has_a_sample() -> None:
    assert [row.name for row in load_language("java").table.operators if row.name not in SAMPLES] == []


STATEMENTS = """
int c = g();
final var c = new Thing(a, b);
c.d = a;
c[a] = b;
c[a]++;
g();
new Thing().start();
if (a > b) g(); else h();
if (o instanceof Thing t) g(t);
for (int i = 0; i < a; i++) g(i);
for (Thing t : things) { t.g(); }
while (it.hasNext()) it.next();
do { a--; } while (a > 0);
switch (a) { case 1 -> g(); default -> h(); }
int c = switch (a) { case 1, 2 -> 3; default -> { yield 4; } };
try (Thing t = new Thing()) { t.g(); }
try { g(); } catch (E | F e) { h(e); } finally { k(); }
throw new E("text", a);
throw e;
assert a > b : "text";
synchronized (this) { g(); }
return a;
return a > b ? a : b;
return things.stream().map(Thing::name).toList();
list.forEach(t -> t.g());
list.forEach(this::g);
Runnable c = () -> { g(); };
int[] c = {1, 2};
int[] c = new int[a + 1];
char c = 'x';
String c = \"\"\"
  text
  \"\"\";
a <<= 2;
boolean c = !p;
boolean c = a == b;
l: for (;;) { break l; }
var c = (byte) (a & 0xFF);
if (o instanceof Point(int x, int y) && x > y) g();
String c = o == null ? "" : o.toString();
"""


@pytest.mark.parametrize(
    "code",
    [
        part.replace("\v", "\n")
        for part in STATEMENTS.replace('"""\n', '"""\v').replace("text\n  ", "text\v  ").strip().split("\n")
    ],
)
def test_every_kind_of_statement_yields_mutants_that_parse(code: str) -> None:
    source = HEAD + code + TAIL
    assert not parse_source("A.java", source, "java").root_node.has_error
    found = generate("A.java", source, language="java")
    assert found
    for mutant in found:
        assert not parse_source("A.java", apply(source, mutant), "java").root_node.has_error
    assert len({apply(source, one) for one in found}) == len(found)


UNTOUCHED = {
    "annotations": '@Test(timeout = 100) @Named("x") abstract void m();',
    "a logger's calls": 'void m() { log.debug("x" + a + 1); LOGGER.warn("x", e); this.logger.info("x"); log.atInfo().log("x"); }',
    "whether a logger is on": "void m() { if (log.isDebugEnabled()) log.debug(x); }",
    "the making of a logger": 'void m() { Logger l = LoggerFactory.getLogger("x"); }',
    "generated methods": "@Generated int m() { return 1 + a; }",
    "generated methods by name": '@javax.annotation.Generated("tool") int m() { return 1 + a; }',
    "comments": "/** 1 + 1 */ void m() { /* return 1; */ // a < b\n }",
    "lines marked so": "int m() {\n return a + 1; // no mutate\n }",
    "no body": "int m(); native int n();",
}


@pytest.mark.parametrize("code", UNTOUCHED.values(), ids=list(UNTOUCHED))
def test_what_is_never_touched(code: str) -> None:
    source = "package p;\nimport q.R;\nclass A {\n" + code + "\n}\n"
    assert not parse_source("A.java", source, "java").root_node.has_error
    assert generate("A.java", source, language="java") == ()


def test_generated_files_are_never_touched() -> None:
    source = "/* Generated by a tool 1.2.\n * Do not edit. */\nclass A { int m() { return 1; } }"
    assert generate("A.java", source, language="java") == ()


@pytest.mark.parametrize(
    ("method", "families"),
    [
        ('public String toString() { return "a" + b; }', {"return-value"}),
        ("public int hashCode() { return 31 * a + b; }", {"return-value"}),
        ('void m() { throw new E("text " + a); }', {"exception", "argument"}),
    ],
)
def test_texts_for_people_and_mixes_keep_their_constants(method: str, families: set[str]) -> None:
    found = generate("A.java", f"class A {{ {method} }}", language="java")
    assert {one.family for one in found} == families


@pytest.mark.parametrize(
    ("declared", "values"),
    [
        ("int", ["0"]),
        ("boolean", ["true", "false"]),
        ("Integer", ["0", "null"]),
        ("String", ['""', "null"]),
        ("java.util.List<String>", ["java.util.Collections.emptyList()", "null"]),
        ("Optional<T>", ["java.util.Optional.empty()", "null"]),
        ("Thing", ["null"]),
        ("int[]", ["null"]),
    ],
)
def test_what_is_returned_instead_depends_on_the_type(declared: str, values: list[str]) -> None:
    found = generate("A.java", f"class A {{ {declared} m() {{ return g.h; }} }}", language="java")
    assert [one.after for one in found if one.operator == "return-value"] == values


def test_names_of_functions_tell_nested_classes_and_lines() -> None:
    source = "class A {\n  int x = 1;\n  @B\n  int m() { return 1; }\n  static class C { C(int y) { z = 3; } }\n  enum E { P { int q() { return 4; } }; int r() { return 5; } }\n}\n"
    found = generate("A.java", source, language="java")
    places = {(one.function, one.function_line) for one in found}
    assert places == {("<module>", 1), ("A.m", 3), ("A.C.C", 5), ("A.E.q", 6), ("A.E.r", 6)}


def test_only_spans_are_mutated() -> None:
    source = "class A {\n int m() {\n return 1;\n }\n int n() {\n return 2;\n }\n}\n"
    found = generate("A.java", source, language="java", spans=[(5, 7)])
    assert {one.line for one in found} == {6}
    both = generate("A.java", source, language="java", spans=[(2, 4), (5, 7)])
    assert both == generate("A.java", source, language="java")
    assert generate("A.java", source, language="java", spans=[]) == ()


def test_a_file_that_is_too_new_for_the_grammar_is_mutated_all_the_same() -> None:
    source = (
        "import module java.base;\nclass A {\n int m() { return 1; }\n int o() { newer (++) syntax; return 2; }\n}\n"
    )
    assert parse_source("A.java", source, "java").root_node.has_error
    found = generate("A.java", source, language="java")
    assert {3, 4} <= {one.line for one in found}


def test_spans_count_bytes_beyond_ascii() -> None:
    source = 'class Ä {\r\n String m() { return "ü" + 1; }\r\n}\r\n'
    for mutant in generate("A.java", source, language="java"):
        assert apply(source, mutant) != source
        assert mutant.line == 2

"""What a Java file declares, and what two versions of a method have in common."""

from __future__ import annotations

import pytest

from testmark.source.java import read_headers, read_java

FILE = """\
package a.b;

import org.junit.Test;
import static org.junit.Assert.*;

/** A test. */
@RunWith(Parameterized.class)
public class FooTest extends base.Base<T> implements X {
    // before
    @Test(expected = A.class) // why
    public void testX(final @N String[] names, Map.Entry<K, V> entry, int[] grid[], List<String>... rest) throws E {
        Runnable r = new Runnable() { public void run() { } };
        class Local { void inside() { } }
        assertEquals(1, x("a \\n /* no comment */"));
    }

    FooTest() { super(1); }

    record Point(int x) { Point { check(x); } }

    enum Kind { A { void own() { } }, B; int size() { return 1; } }

    static class Inner { interface Deep { void abs(); default int d() { return 2; } } }

    @interface Mark { int value() default 1; }

    static { init(); }
    int field = compute();
}

class Second { void lone() { } }
"""


def test_every_method_of_a_named_class_is_found_and_nothing_else() -> None:
    found = {method.key: method for method in read_java(FILE).methods}
    assert list(found) == [
        "a.b.FooTest#testX(String[],Map.Entry,int[][],List...)",
        "a.b.FooTest#FooTest()",
        "a.b.FooTest$Point#Point()",
        "a.b.FooTest$Kind#size()",
        "a.b.FooTest$Inner$Deep#abs()",
        "a.b.FooTest$Inner$Deep#d()",
        "a.b.Second#lone()",
    ]
    test = found["a.b.FooTest#testX(String[],Map.Entry,int[][],List...)"]
    assert (test.annotations, test.modifiers, test.line, test.end_line) == (("Test",), {"public"}, 10, 15)
    assert test.code.startswith("@Test(expected")
    assert test.code.endswith("}")
    assert found["a.b.FooTest#FooTest()"].is_constructor
    assert not found["a.b.FooTest$Inner$Deep#abs()"].has_body


def test_classes_know_what_they_are() -> None:
    file = read_java(FILE)
    assert file.imports == ("org.junit.Test", "static org.junit.Assert.*")
    kinds = {found.binary_name: found.kind for found in file.classes}
    assert kinds == {
        "a.b.FooTest": "class",
        "a.b.FooTest$Point": "record",
        "a.b.FooTest$Kind": "enum",
        "a.b.FooTest$Inner": "class",
        "a.b.FooTest$Inner$Deep": "interface",
        "a.b.FooTest$Mark": "annotation",
        "a.b.Second": "class",
    }
    test = file.classes[0]
    assert (test.annotations, test.superclass, test.line) == (("RunWith",), "base.Base", 7)


@pytest.mark.parametrize(
    ("old", "new", "same_method"),
    [
        ("        Runnable r", "\n  // said anew\n     Runnable  r", True),
        ('"a \\n /*', '"a  \\n /*', False),
        ("assertEquals(1,", "assertEquals(2,", False),
        ("@Test(expected = A.class)", "@Test", False),
        ("compute()", "computed()", True),
        ("import org.junit.Test;", "import org.junit.Test; import java.util.*;", True),
        ("/** A test. */", "/* Another comment. */", True),
    ],
)
def test_a_fingerprint_changes_with_the_code_and_not_with_its_layout(old: str, new: str, same_method: bool) -> None:
    assert old in FILE
    before, after = read_java(FILE), read_java(FILE.replace(old, new))
    assert (before.methods[0].fingerprint == after.methods[0].fingerprint) is same_method


def test_what_is_no_java_hides_nothing_else() -> None:
    file = read_java("class A { void a() { } void b( { } }\nclass B { void c() { } }\n")
    assert file.has_errors
    assert "B#c()" in {method.key for method in file.methods}


def test_headers_are_those_of_the_methods() -> None:
    text = """\
        package a . b;
        class Ä<T> {
            @Deprecated public static <R> R m(List<String> one, int... more)[] { return (R) one; }
            abstract void n();
            Ä() { class Local { void hidden() {} } }
            record R(int x) { R { if (x < 0) throw null; } private int twice() { return 2 * x; } }
        }
        """
    headers = read_headers(text)
    assert [(one.key, one.returns, one.modifiers, one.body is not None) for one in headers] == [
        (one.key, one.returns, one.modifiers, one.has_body) for one in read_java(text).methods
    ]
    assert len(headers) == 5
    assert headers[0].body is not None
    assert text.encode()[slice(*headers[0].body)].decode() == "{ return (R) one; }"
    assert read_headers(text.replace("(R) one", "null")) == headers
    assert read_headers(text.replace("int... more", "int more")) != headers

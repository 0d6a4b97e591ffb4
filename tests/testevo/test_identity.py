"""Names are formed as the published data sets form them."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from testmark.runtimes.maven.protocol import MethodLines
from testmark.source.java import read_java
from testmark.testevo.identity import junit_selector, line_range, project_name, signature, task_id, utc_text

# Published identifiers: project, rev1, rev2, class, file, methods.
PUBLISHED = [
    (
        "DerekYRC_mini-spring-main__e6adc00_f173c5c__XmlFileDefineBeanTest_d78cdae8",
        "src/test/java/org/springframework/test/ioc/XmlFileDefineBeanTest.java",
        ["testXmlFile"],
    ),
    (
        "DerekYRC_mini-spring-main__5839e17_c9720c3__DynamicProxyTest_b2f02977",
        "src/test/java/org/springframework/test/aop/DynamicProxyTest.java",
        ["testJdkDynamicProxy"],
    ),
]


@pytest.mark.parametrize(("published", "file", "methods"), PUBLISHED)
def test_published_identifiers_come_out(published: str, file: str, methods: list[str]) -> None:
    project, revisions, last = published.split("__")
    rev1, rev2 = revisions.split("_")
    assert task_id(project, rev1 + "0" * 33, rev2 + "0" * 33, last.rpartition("_")[0], file, methods) == published


def test_the_order_of_methods_does_not_matter() -> None:
    assert task_id("p", "a" * 40, "b" * 40, "T", "T.java", ["y", "x"]) == task_id(
        "p", "a" * 40, "b" * 40, "T", "T.java", ["x", "y"]
    )


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://host/owner/some-repo.git", "owner_some-repo-v1"),
        ("git@host:owner/repo", "owner_repo-v1"),
        ("repo", "repo-v1"),
    ],
)
def test_projects_are_named_by_owner_repository_and_tag(url: str, name: str) -> None:
    assert project_name(url, "v1") == name


def test_dates_are_in_utc() -> None:
    local = datetime(2020, 11, 26, 22, 40, 53, tzinfo=timezone(timedelta(hours=8)))
    assert utc_text(local) == "2020-11-26T14:40:53Z"


def test_a_method_is_named_as_the_jvm_does() -> None:
    text = """package a.b;
class OuterTest {
  class Inner {
    @Test
    void reads(String name, int[] some, java.util.List<String> list, long... rest) {
    }
    int[] gives() { return null; }
  }
}
"""
    reads, gives = read_java(text).methods
    assert signature(reads) == "a.b.OuterTest$Inner#reads(Ljava/lang/String;[ILjava/util/List;[J)V"
    assert signature(gives) == "a.b.OuterTest$Inner#gives()[I"
    assert junit_selector(reads.owner.binary_name, reads) == "a.b.OuterTest$Inner#reads"
    assert line_range(reads) == "4-6"


def test_types_are_those_of_the_class_file_where_the_method_was_measured() -> None:
    text = """package a.b;
class OuterTest {
  void reads(Some some) {
  }
  void reads(Other other) {
  }
  OuterTest(Some some) { }
}
"""
    first, second, made = read_java(text).methods
    assert signature(first) == "a.b.OuterTest#reads(LSome;)V"
    assert signature(made) == "a.b.OuterTest#<init>(LSome;)V"
    measured = [
        MethodLines("a.b.OuterTest", "reads", "(La/b/Outer$Other;)V", "OuterTest.java", (6,), ()),
        MethodLines("a.b.OuterTest", "reads", "(Lc/d/Some;)V", "OuterTest.java", (4,), ()),
        MethodLines("a.b.OuterTest", "<init>", "(Lc/d/Some;)V", "OuterTest.java", (7,), (7,)),
        MethodLines("a.b.OuterTest", "abstract", "()V", "OuterTest.java", (), ()),
    ]
    assert signature(first, measured) == "a.b.OuterTest#reads(Lc/d/Some;)V"
    assert signature(second, measured) == "a.b.OuterTest#reads(La/b/Outer$Other;)V"
    assert signature(made, measured) == "a.b.OuterTest#<init>(Lc/d/Some;)V"

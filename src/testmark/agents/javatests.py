"""JUnit and TestNG tests that need no model: every method that is asked for, doing nothing or failing."""

from __future__ import annotations

from collections.abc import Sequence

from testmark.records.base import FileText

_ANNOTATIONS = {
    "platform": "@org.junit.jupiter.api.Test",
    "junit4": "@org.junit.Test",
    "testng": "@org.testng.annotations.Test",
    "junit3": "",
}
_BODIES = {"idle": "", "failing": 'throw new AssertionError("always fails");'}


def java_test(path: str, targets: Sequence[tuple[str, str]], frameworks: Sequence[str], kind: str) -> FileText:
    """A test file with these (binary class name, method) targets; `kind` is `idle` or `failing`.

    The framework is the first of the module's that the file's targets can be written for.
    """
    framework = next((name for name in ("platform", "junit4", "testng", "junit3") if name in frameworks), "platform")
    package, _, outer = targets[0][0].rpartition(".")
    nested: dict[tuple[str, ...], list[str]] = {}
    for owner, method in targets:
        names = tuple(owner.rpartition(".")[2].split("$"))
        for depth in range(1, len(names)):
            nested.setdefault(names[:depth], [])
        methods = nested.setdefault(names, [])
        if method not in methods:
            methods.append(method)
    head = f"package {package};\n\n" if package else ""
    return FileText(path=path, content=head + _class((outer.split("$")[0],), nested, framework, kind, 0))


def _class(
    names: tuple[str, ...], nested: dict[tuple[str, ...], list[str]], framework: str, kind: str, depth: int
) -> str:
    space = "    " * depth
    mark = f"{space}@org.junit.jupiter.api.Nested\n" if depth and framework == "platform" else ""
    static = "static " if depth and framework != "platform" else ""
    base = " extends junit.framework.TestCase" if framework == "junit3" else ""
    lines = [f"{mark}{space}public {static}class {names[-1]}{base} {{\n"]
    for method in nested.get(names, []):
        annotation = f"{space}    {_ANNOTATIONS[framework]}\n" if _ANNOTATIONS[framework] else ""
        lines.append(f"{annotation}{space}    public void {method}() {{ {_BODIES[kind]} }}\n")
    lines += [
        _class(inner, nested, framework, kind, depth + 1)
        for inner in sorted(nested)
        if len(inner) == len(names) + 1 and inner[:-1] == names
    ]
    return "".join(lines) + f"{space}}}\n"

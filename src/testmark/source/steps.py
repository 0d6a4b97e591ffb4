"""What a test file imports, for the closure of helpers around step files."""

from __future__ import annotations

import ast


def imported_modules(source: str) -> set[str]:
    """Names of all modules that a file imports, inside functions too; relative ones keep their leading dots.

    `from package import name` gives both `package` and `package.name`, as `name` may be a module.
    A file that does not compile imports nothing.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = "." * node.level + (node.module or "")
            separator = "" if package.endswith(".") or not package else "."
            found |= {package, *(f"{package}{separator}{alias.name}" for alias in node.names)}
    return found - {""}

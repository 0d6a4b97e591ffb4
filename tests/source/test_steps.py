from __future__ import annotations

from testmark.source.steps import imported_modules


def test_imports_of_every_form() -> None:
    source = (
        "import os.path, helpers as h\nfrom pkg import name\nfrom pkg.sub import *\nfrom . import near\n"
        "from ..up import thing\ndef step():\n    import late\n    from later import one, two\n"
    )
    assert imported_modules(source) == {
        "os.path", "helpers", "pkg", "pkg.name", "pkg.sub", "pkg.sub.*", ".", ".near", "..up", "..up.thing",
        "late", "later", "later.one", "later.two",
    }  # fmt: skip


def test_what_does_not_compile_imports_nothing() -> None:
    assert imported_modules("import (") == set()
    assert imported_modules("\0") == set()

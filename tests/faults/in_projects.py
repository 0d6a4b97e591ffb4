"""Faults of a project that a benchmark is to be built of."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable

from tests.faults.fault import Fault, as_root
from tests.faults.in_predictions import FLICKER, GIB
from tests.faults.place import DEFINITION, STEPS, Place

BUILD = "req2test build tiny --out made --quiet"
SCAN = "req2test scan tiny"
FEATURE = "tiny/features/adding.feature"


def build_fault(name: str, says: str, plant: Callable[[Place], None], *, exit_code: int = 1) -> Fault:
    """A project of which nothing is left that could be built."""
    return Fault(name, BUILD, exit_code, says, plant, writes=("made",))


def edit(path: str, before: str, after: str) -> Callable[[Place], None]:
    """Plants an edit of a file."""
    return lambda place: place.edit(path, before, after)


def written(path: str, data: bytes) -> Callable[[Place], None]:
    """Plants a file."""

    def plant(place: Place) -> None:
        (place.top / path).write_bytes(data)

    return plant


def steps(before: str, after: str) -> Callable[[Place], None]:
    """Plants an edit of the project's own step definitions."""
    return edit(f"tiny/{STEPS}", before, after)


def definition(before: str, after: str) -> Callable[[Place], None]:
    """Plants an edit of the project's testmark.toml."""
    return edit("tiny/testmark.toml", before, after)


def _no_features(place: Place) -> None:
    (place.top / FEATURE).unlink()


def _link_and_devices(place: Place) -> None:
    (place.top / "tiny/features/secret.py").symlink_to("/etc/passwd")
    (place.top / "tiny/features/loop").symlink_to("loop")
    os.mkfifo(place.top / "tiny/features/pipe.feature")
    os.mknod(place.top / "tiny/features/zero.py", stat.S_IFCHR | 0o644, os.makedev(1, 5))


def _line_of(text: str) -> int:
    return DEFINITION.split(text)[0].count("\n") + 1


PROJECTS = (
    Fault(
        "a Feature with a syntax error",
        SCAN,
        0,
        r"^dropped features/bad\.feature: feature-syntax-error: line 4: ",
        written("tiny/features/bad.feature", b"Feature: Bad\n  Scenario: One\n    Then when\n    nonsense\n"),
    ),
    build_fault(
        "a project whose only Feature has a syntax error",
        r"adding\.feature was dropped as feature-syntax-error \(line 1: ",
        written(FEATURE, b"nonsense\n"),
    ),
    build_fault(
        "a Feature that is not UTF-8",
        r"dropped as feature-syntax-error \(line 2: .*UTF-8",
        written(FEATURE, b"Feature: Adding\n  Scenario: \xff\n    When x\n"),
    ),
    build_fault(
        "a Feature without a Scenario", "there is no Scenario in the Features", written(FEATURE, b"Feature: Adding\n")
    ),
    build_fault(
        "a Scenario without a step",
        "dropped as no-steps",
        written(FEATURE, b"Feature: Adding\n\n  Scenario: Two numbers\n"),
    ),
    build_fault("no Feature at all", r"testmark\.toml:\d+: there are no \.feature files", _no_features, exit_code=2),
    build_fault(
        "a reference with an import error",
        r"dropped as tests-do-not-load \(.*No module named 'nowhere'",
        steps("import add", "import add\nimport nowhere"),
    ),
    build_fault(
        "a reference with a syntax error",
        r"dropped as tests-do-not-load \(.*SyntaxError",
        steps("def added(context):", "def added(context:"),
    ),
    build_fault(
        "an ambiguous step",
        r"dropped as tests-do-not-load \(.*AmbiguousStep",
        steps(
            '@when("they are added")',
            '@when("they are {what}")\ndef what(_, what):\n    pass\n\n\n@when("they are added")',
        ),
    ),
    build_fault(
        "an undefined step",
        r"dropped as \S+ \(undefined step at line 5",
        steps('@when("they are added")', '@when("they are not")'),
    ),
    build_fault(
        "a reference that fails",
        r"dropped as reference-fails \(AssertionError",
        steps("assert context.sum == total", "assert context.sum != total"),
    ),
    build_fault(
        "a reference that flickers",
        r"dropped as reference-(fails|flaky) \(AssertionError",
        steps("    assert context.sum", FLICKER),
    ),
    Fault(
        "a reference that writes into the checkout",
        BUILD,
        0,
        r"full 1, eval 1",
        steps("    assert context.sum", "    open('features/adding.feature', 'w').close()\n    assert context.sum"),
        writes=("made",),
    ),
    Fault(
        "links that lead out, pipes and devices in the checkout",
        BUILD,
        0,
        r"note: features/secret\.py is left out: the link leads to /etc/passwd, which is not part of the snapshot",
        _link_and_devices,
        writes=("made",),
        needs=as_root,
    ),
    build_fault(
        "a file of 1 GiB in the checkout",
        r"testmark\.toml:\d+: features/large\.bin has 1024 MiB.*`exclude = ",
        lambda place: place.sparse("tiny/features/large.bin", GIB),
        exit_code=2,
    ),
    build_fault(
        "a definition that is not TOML",
        rf"^error: tiny/testmark\.toml:{_line_of('[layout]')}: not valid TOML",
        definition("[layout]", "[layout"),
        exit_code=2,
    ),
    build_fault(
        "a definition with an unknown key",
        rf"testmark\.toml:{_line_of('production_roots')}: unknown key `production_root`.* did you mean",
        definition("production_roots", "production_root"),
        exit_code=2,
    ),
    build_fault(
        "production code that is not there",
        rf"testmark\.toml:{_line_of('production_roots')}: the project has no file or folder `gone`",
        definition('production_roots = ["src"]', 'production_roots = ["gone"]'),
        exit_code=2,
    ),
    build_fault(
        "an interpreter that is not installed",
        rf"testmark\.toml:{_line_of('python =')}: .*3\.99",
        definition('python = "3"', 'python = "3.99"'),
        exit_code=3,
    ),
    Fault("neither a folder nor a definition", "req2test build nowhere --out made --quiet", 2, "nowhere is neither"),
)
assert sys.version_info < (3, 99)

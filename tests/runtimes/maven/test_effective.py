"""What a session told of a module becomes what runs and compilations of ours need."""

from __future__ import annotations

from pathlib import Path

import pytest

from testmark.records.builds import BuiltModule
from testmark.runtimes.maven.effective import built_modules
from testmark.runtimes.maven.events import Event

PATH = "annotationProcessorPaths/path"
ERROR_PRONE = ((f"{PATH}/groupId", "com.google.errorprone"), (f"{PATH}/artifactId", "error_prone_core"))
NULL_AWAY = ((f"{PATH}/artifactId", "nullaway"), (f"{PATH}/groupId", "com.uber.nullaway"), (f"{PATH}/version", "0.11"))
DAGGER = (
    (f"{PATH}/groupId", "com.google.dagger"),
    (f"{PATH}/artifactId", "dagger-compiler"),
    (f"{PATH}/version", "2.51"),
    (f"{PATH}/exclusions/exclusion/groupId", "com.google.guava"),
    (f"{PATH}/exclusions/exclusion/artifactId", "guava"),
)


def module(tmp_path: Path, *settings: tuple[str, str]) -> BuiltModule:
    source = tmp_path / "src/main/java/A.java"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.touch()
    lists = {"main-roots": ("/work/src/main/java",), "test-roots": ("/work/src/test/java",)}
    places = {"base": "/work", "classes": "/work/target/classes", "test-classes": "/work/target/test-classes"}
    names, values = tuple(name for name, _ in settings), tuple(value for _, value in settings)
    events = (
        Event("settings", {"base": "/work", "goal": "testCompile"}, {"names": names, "values": values}),
        Event("project", {**places, "artifact": "a"}, lists),
    )
    (found,) = built_modules(events, tmp_path, tmp_path)
    return found


def arguments(*words: str) -> tuple[tuple[str, str], ...]:
    return tuple(("compilerArgs/arg", word) for word in words)


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (arguments("-Werror", "-Xlint:all", "-Xdoclint:none", "-XDignore.symbol.file"), ("-XDignore.symbol.file",)),
        (arguments("-J-Xmx1g", "-J--add-exports=jdk.compiler/a=ALL-UNNAMED", "-Xdiags:verbose"), ("-Xdiags:verbose",)),
        (
            arguments(
                "-XDcompilePolicy=simple",
                "--should-stop=ifError=FLOW",
                "-XDaddTypeAnnotationsToSymbol=true",
                "-Xplugin:ErrorProne -Xep:DeadException:WARN",
                "-XepDisableAllChecks",
            ),
            (),
        ),
        (arguments("-processor", "a.Maker", "-Amaker.debug=true", "-proc:full", "-Xmaxerrs", "9"), ("-Xmaxerrs", "9")),
        (arguments("-h", "/work/target/headers", "--add-modules", "java.sql"), ("--add-modules", "java.sql")),
        ((("compilerArgument", "-Werror -Xdiags:verbose"),), ("-Xdiags:verbose",)),
        ((("compilerArguments/Werror", ""), ("compilerArguments/Xmaxwarns", "9")), ("-Xmaxwarns", "9")),
    ],
)
def test_arguments_for_a_fork_or_a_plugin_are_no_options_of_ours(
    settings: tuple[tuple[str, str], ...], options: tuple[str, ...], tmp_path: Path
) -> None:
    assert module(tmp_path, *settings).compiler == ("-g", *options)


@pytest.mark.parametrize(("plugin", "cold"), [("ErrorProne -Xep:A:OFF", False), ("Manifold no-bootstrap", True)])
def test_a_plugin_of_javac_that_may_change_classes_keeps_a_module_cold(plugin: str, cold: bool, tmp_path: Path) -> None:
    reasons = module(tmp_path, *arguments(f"-Xplugin:{plugin}")).surefire.cold_reasons
    assert ("the javac plugin Manifold may change classes" in reasons) == cold
    assert cold == any("plugin" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("paths", "processors"),
    [
        ((*ERROR_PRONE, *NULL_AWAY), ()),
        ((*ERROR_PRONE, *DAGGER, *NULL_AWAY), ("com.google.dagger", "dagger-compiler")),
        ((("annotationProcessors/annotationProcessor", "a.Maker"),), ("a.Maker",)),
    ],
)
def test_processors_that_only_check_make_no_classes(
    paths: tuple[tuple[str, str], ...], processors: tuple[str, ...], tmp_path: Path
) -> None:
    assert module(tmp_path, *paths).processors == processors

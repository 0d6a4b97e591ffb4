"""The modules of a built revision: their folders, class paths and javac's options, as the session told them."""

from __future__ import annotations

import shlex
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from testmark.records.builds import BuiltModule, TestFramework
from testmark.runtimes.maven.events import Event, of_kind
from testmark.runtimes.maven.plugins import (
    CHECKING_PLUGINS,
    CHECKING_PROCESSORS,
    CLASS_PHASES,
    HARMLESS,
    LOOKING,
    REWRITING_PROCESSORS,
    WEAVERS,
)
from testmark.runtimes.maven.protocol import STORE, WORK
from testmark.runtimes.maven.surefire import surefire_settings

_DROPPED = (
    # What a strict build makes of warnings.
    "-Werror", "-Xlint", "-Xdoclint",
    # Of the JVM that a fork is.
    "-J",
    # Plugins of javac that check; `_compiler_reasons` keeps a module with any other one with Maven.
    "-Xplugin", "-Xep", "-XDcompilePolicy", "-XDshould-stop", "-XDaddTypeAnnotationsToSymbol", "--should-stop",
    # No annotation processor runs; whether one is there `_processors` tells.
    "-proc:", "-A", "--processor-path=", "--processor-module-path=",
)  # fmt: skip
"""How javac's arguments begin that are left out of its options."""
_WITH_VALUE = frozenset(
    {"-processor", "-processorpath", "--processor-path", "--processor-module-path", "-d", "-s", "-h"}
)
"""Arguments that are left out with the next one: processors again, and folders to write to."""
_PLUGIN = "-Xplugin:"
_PROCESSORS = "META-INF/services/javax.annotation.processing.Processor"


def built_modules(events: Sequence[Event], tree: Path, store: Path) -> tuple[BuiltModule, ...]:
    """Every module with Java code or classes, in the order of the reactor."""
    return tuple(
        _module(project, events, tree, store)
        for project in of_kind(events, "project")
        if any(_has_files(tree, root) for name in ("main-roots", "test-roots") for root in project.items(name))
    )


def relative(path: str) -> str:
    """A path inside as it is relative to the repository; empty for the repository itself."""
    return "" if path == WORK else path.removeprefix(f"{WORK}/")


def _module(project: Event, events: Sequence[Event], tree: Path, store: Path) -> BuiltModule:
    base = project.text("base")
    own = [event for event in events if event.text("base") == base]
    classes, test_classes = project.text("classes"), project.text("test-classes")
    classpath = tuple(entry for entry in project.items("classpath") if entry not in {classes, test_classes})
    compiling = [event for event in of_kind(own, "settings") if event.text("goal") == "testCompile"]
    settings = compiling[0].settings() if compiling else ()
    processors = tuple(dict.fromkeys(_processors(settings, classpath, store)))
    reasons = (*_class_reasons(own), *_compiler_reasons(settings, processors))
    return BuiltModule(
        path=relative(base),
        artifact=project.text("artifact"),
        main_root=_root(project.items("main-roots"), base, "src/main/java"),
        test_root=_root(project.items("test-roots"), base, "src/test/java"),
        classes=relative(classes),
        test_classes=relative(test_classes),
        classpath=classpath,
        frameworks=_frameworks(project.items("artifacts")),
        compiler=_javac(settings),
        surefire=surefire_settings(own, base, (*reasons, *_module_path(tree, project))),
        processors=processors,
    )


def _root(roots: Sequence[str], base: str, default: str) -> str:
    """The first that is no folder of generated code."""
    written = [root for root in roots if "/target/" not in f"{root}/"]
    return relative(written[0]) if written else relative(f"{base}/{default}")


def _has_files(tree: Path, root: str) -> bool:
    folder = tree / relative(root)
    return folder.is_dir() and next(folder.rglob("*.java"), None) is not None


def _frameworks(artifacts: Sequence[str]) -> tuple[TestFramework, ...]:
    found: set[TestFramework] = set()
    for artifact in artifacts:
        group, name, version = [*artifact.split(":", 2), "", ""][:3]
        if group == "org.testng" and name == "testng":
            found.add("testng")
        elif group.startswith("org.junit.") and name.startswith(("junit-jupiter", "junit-platform", "junit-vintage")):
            found.add("platform")
        elif (group, name) in {("junit", "junit"), ("junit", "junit-dep")}:
            found.add("junit3" if version.startswith("3.") else "junit4")
    return tuple(sorted(found))


def _javac(settings: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Options for test code; `test...` names win over their kin for main code."""
    table = dict(settings)
    options: list[str] = []
    release = table.get("testRelease") or table.get("release")
    if release:
        options += ["--release", release]
    else:
        for name in ("source", "target"):
            value = table.get(f"test{name.title()}") or table.get(name)
            options += [f"-{name}", value] if value else []
    options += ["-encoding", table["encoding"]] if table.get("encoding") else []
    options += ["-parameters"] if table.get("parameters") == "true" else []
    options += ["--enable-preview"] if table.get("enablePreview") == "true" else []
    # javac writes lines and files by itself; with `debug` Maven asks for local variables too.
    options += ["-g"] if table.get("debug", "true") == "true" else []
    options += _arguments(settings)
    return tuple(options)


def _arguments(settings: Sequence[tuple[str, str]]) -> Iterator[str]:
    """`compilerArgs` of each version, without those that mean nothing in a process that only compiles."""
    words = list(_words(settings))
    for before, word in zip(["", *words], words, strict=False):
        if not word.startswith(_DROPPED) and word not in _WITH_VALUE and before not in _WITH_VALUE:
            yield word


def _words(settings: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, value in settings:
        if name.startswith(("compilerArgs/", "testCompilerArgument/")) and value:
            yield value
        elif name in {"compilerArgument", "testCompilerArgument"}:
            yield from shlex.split(value)
        elif name.startswith("compilerArguments/"):
            yield f"-{name.partition('/')[2]}"
            yield from [value] if value else []


def _class_reasons(own: Sequence[Event]) -> Iterator[str]:
    for event in of_kind(own, "mojo-succeeded"):
        plugin = event.text("plugin")
        harmless = plugin in HARMLESS or event.text("goal").startswith(LOOKING)
        if plugin in WEAVERS or (event.text("phase") in CLASS_PHASES and not harmless):
            yield f"{plugin}:{event.text('goal')} may change classes after javac"


def _compiler_reasons(settings: Sequence[tuple[str, str]], processors: Sequence[str]) -> Iterator[str]:
    compiler = dict(settings).get("compilerId", "javac")
    if compiler != "javac":
        yield f"test code is compiled by {compiler}"
    for word in _words(settings):
        plugin = word.removeprefix(_PLUGIN).split()[:1] if word.startswith(_PLUGIN) else []
        yield from (f"the javac plugin {name} may change classes" for name in plugin if name not in CHECKING_PLUGINS)
    for name in processors:
        if any(word in name for word in REWRITING_PROCESSORS):
            yield f"the annotation processor of {name} changes classes"


def _processors(settings: Sequence[tuple[str, str]], classpath: Sequence[str], store: Path) -> Iterator[str]:
    """Artifacts, jars or classes of annotation processors: those that are named, else those on the class path."""
    if dict(settings).get("proc") == "none":
        return
    groups, artifacts = (_of_paths(settings, part) for part in ("groupId", "artifactId"))
    for path in zip(groups, artifacts, strict=False):
        yield from () if path in CHECKING_PROCESSORS else path
    yield from (value for name, value in settings if name.startswith("annotationProcessors/"))
    if not any(name.startswith("annotationProcessorPaths/") for name, _ in settings):
        for entry in classpath:
            if entry.startswith(f"{STORE}/") and _has_processor(store / entry.removeprefix(f"{STORE}/")):
                yield entry.rpartition("/")[2]


def _of_paths(settings: Sequence[tuple[str, str]], part: str) -> list[str]:
    """One part of each of the `annotationProcessorPaths`, without those of what they exclude."""
    return [
        value
        for name, value in settings
        if name.startswith("annotationProcessorPaths/") and name.split("/")[2:] == [part]
    ]


def _has_processor(jar: Path) -> bool:
    try:
        with zipfile.ZipFile(jar) as archive:
            return _PROCESSORS in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def _module_path(tree: Path, project: Event) -> Iterator[str]:
    if any((tree / relative(root) / "module-info.java").is_file() for root in project.items("main-roots")):
        yield "the module is a Java module"

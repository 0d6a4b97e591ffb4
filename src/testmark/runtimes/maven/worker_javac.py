"""JVMs that compile and look at classes, and run no test: they stay warm, and one serves many built trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from testmark.runtimes.maven import worker_wire as wire
from testmark.runtimes.maven.protocol import WORK, BuiltTree, Compiled, CompileRequest, Toolchain
from testmark.runtimes.maven.worker_jvm import Content, Setting, answer, confinement
from testmark.runtimes.maven.worker_process import JvmProcess
from testmark.runtimes.maven.worker_tools import WorkerTools
from testmark.sandbox.confinement import Mount, Sandbox

_TREES = "/trees"
"""Where the folder that holds the built trees is seen inside."""
_MOST_TREES = 40
"""What javac has read of class paths stays in memory: a JVM that has served so many trees is replaced."""
_Key = tuple[Toolchain, Path, Path]


@dataclass
class _Javac:
    """One JVM with the folder names of the trees that it has served."""

    process: JvmProcess
    served: set[str] = field(default_factory=set)


class Javacs:
    """Those of one thread, one for each toolchain, store and folder of trees. Not for several threads."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._running: dict[_Key, _Javac] = {}

    def compile(self, tree: BuiltTree, tools: WorkerTools, request: CompileRequest) -> Compiled:
        """Compile for a tree; raises `InfraError` when the JVM is lost."""
        sources = {file.path: file.content.encode("utf-8", "surrogateescape") for file in request.sources}
        here = f"{_TREES}/{tree.tree.name}"
        places = [f"{here}{entry.removeprefix(WORK)}" if _of_tree(entry) else entry for entry in request.classpath]
        options = [option.replace(f"{WORK}/", f"{here}/") for option in request.options]

        def ask(frame: wire.Writer) -> wire.Writer:
            return frame.files(sources).texts(places).texts(options).files(request.overlay)

        found = self._ask(tree, tools, wire.COMPILE, ask)
        done = Compiled(found.files(), tuple(found.texts()))
        if found.number():  # javac goes on for ever, and takes the CPU from whatever comes next
            self._end(_key(tree))
        return done

    def digests(self, tree: BuiltTree, tools: WorkerTools, classes: Sequence[Mapping[str, bytes]]) -> list[str]:
        """A digest of each set of classes without debug information."""

        def ask(frame: wire.Writer) -> wire.Writer:
            frame.number(len(classes))
            for each in classes:
                frame.files(each)
            return frame

        found = self._ask(tree, tools, wire.DIGESTS, ask)
        return [found.text() for _ in range(found.number())]

    def references(
        self, tree: BuiltTree, tools: WorkerTools, classes: Mapping[str, bytes]
    ) -> tuple[list[str], list[str], list[str]]:
        """Members (`owner#name`, owners with slashes), classes and string constants that the classes name."""
        found = self._ask(tree, tools, wire.REFERENCES, lambda frame: frame.files(classes))
        return found.texts(), found.texts(), found.texts()

    def close(self) -> None:
        """End all of them."""
        for key in list(self._running):
            self._end(key)

    def _ask(self, tree: BuiltTree, tools: WorkerTools, kind: int, content: Content) -> wire.Reader:
        """Ask the JVM of a tree; it is started when it is first needed, and again when it was lost."""
        key = _key(tree)
        javac = self._running.get(key)
        if javac is not None and tree.tree.name not in javac.served and len(javac.served) >= _MOST_TREES:
            self._end(key)
            javac = None
        if javac is None:
            trees = Mount(tree.tree.parent, _TREES)
            confined = confinement(tree.toolchain, tree.store, tools, Setting(directory="/"), (trees,))
            javac = self._running[key] = _Javac(JvmProcess(self._sandbox, confined))
        javac.served.add(tree.tree.name)
        try:
            return answer(javac.process, kind, content)
        except BaseException:
            # Whoever interrupts the waiting will not read the answer: the next question would get it.
            self._end(key)
            raise

    def _end(self, key: _Key) -> None:
        javac = self._running.pop(key, None)
        if javac is not None:
            javac.process.close()


def _key(tree: BuiltTree) -> _Key:
    return (tree.toolchain, tree.store, tree.tree.parent)


def _of_tree(entry: str) -> bool:
    return entry == WORK or entry.startswith(f"{WORK}/")

"""Whether Maven itself runs and passes the tests that become references: what a worker's JVM can run, Maven may not.

A Surefire without a provider for JUnit 5 runs nothing and is content; includes, excludes and groups leave classes out.
Such a test is nobody's test in that build, whatever a JVM of ours says of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from testmark.errors import InfraError
from testmark.records.base import FileText
from testmark.runtimes.maven.protocol import MethodsRun
from testmark.source.java import JavaMethod
from testmark.testevo.placing import NotPlaced
from testmark.testevo.sides import Side, ask
from testmark.testevo.variants import TIME


def refused_by_maven(side: Side, file: FileText, methods: Sequence[JavaMethod]) -> dict[str, str]:
    """Why Maven does not pass these methods of one class on the real code, by key of each that it does not pass.

    One session for all of them; each in one of its own only where that one does not pass. Raises `InfraError` when the
    worker or Maven is lost.
    """
    placed = side.lay(file, None, file.path)
    if isinstance(placed, NotPlaced):
        return {method.key: f"its file does not compile as it is: {placed.error}" for method in methods}
    asked = [ask(side, placed, method, built_path=file.path, measure=False, time=TIME) for method in methods]
    names = tuple(dict.fromkeys(method.name for method in methods))
    together = replace(asked[0], warm=replace(asked[0].warm, methods=names))
    if _passed(side.run_cold(together)):
        return {}
    if len(names) == 1:
        alone = side.run_cold(asked[0])  # once more: a machine may have been slow
        return {} if _passed(alone) else {method.key: alone.reason for method in methods}
    runs = [(method, side.run_cold(one)) for method, one in zip(methods, asked, strict=True)]
    return {method.key: run.reason for method, run in runs if not _passed(run)}


def _passed(run: MethodsRun) -> bool:
    if run.status == "infra":
        raise InfraError(run.reason)
    return run.status == "passed"

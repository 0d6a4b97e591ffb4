"""How near a TestEvo evaluation comes to what bare JVMs could do on the same pairs of reference and mutant.

The limit on C cores is `boot + (compile + sum over pairs (loader + test)) / C`, or the longest pair if that takes
longer.
Booting and the pairs are measured in a JVM that only loads classes and calls the test framework (`JavaLimit.java`),
compiling in the judge's own long-lived javac.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cpu_meter import CpuMeter
from java_references import Opened, Pair

from testmark.agents.runs import RunOptions
from testmark.engine.cache import default_cache
from testmark.runtimes.maven.protocol import STORE, WORK
from testmark.runtimes.maven.toolchains import placed
from testmark.runtimes.maven.worker_jars import EXTRA, placed_jars, platform_jars
from testmark.runtimes.maven.worker_tools import ensure_tools
from testmark.sandbox import choose
from testmark.sandbox.confinement import Confinement, Limits, Mount
from testmark.sandbox.process import Completed, run
from testmark.sandbox.scratch import scratch_folder
from testmark.testevo.agent_runs import run_agent
from testmark.testevo.bench import Selection
from testmark.testevo.evaluate import EvoOptions, evaluate

_LIMITS = Limits(
    cpu_seconds=None, wall_seconds=1800.0, memory_mib=8192, processes=1024, file_mib=1024, output_bytes=16 << 20,
    disk_mib=4096,
)  # fmt: skip
_CLASSES = "/limit/classes"
_PAIRS = "/limit/pairs"


@dataclass(frozen=True)
class Bare:
    """What bare runs of some pairs took, in seconds."""

    boot: float
    """A JVM's start, with the framework loaded."""
    pairs: tuple[float, ...]
    failed: int
    cpu_seconds: float
    """Of all of it."""


def bare(opened: Opened, pairs: Sequence[Pair]) -> Bare | None:
    """Run the pairs in one bare JVM; None where their framework is neither JUnit 4 nor the JUnit Platform."""
    warm = pairs[0].asked.warm
    kind = next((one for one in ("platform", "junit4") if one in warm.frameworks), None)
    if kind is None:
        return None
    sandbox, tree = choose(), opened.tree
    at = placed(tree.toolchain)
    extra = ensure_tools(tree.toolchain, sandbox, default_cache() / "maven").extra
    launcher = placed_jars(platform_jars(warm.dependencies), tree.store, extra) or ()
    with scratch_folder("limit-") as scratch:
        (scratch / "classes").mkdir()
        lines = ["\t".join(("jars", *warm.dependencies, *launcher))]
        for number, pair in enumerate(pairs):
            folder = scratch / "pairs" / str(number)
            for name, code in pair.overlay.items():
                place = folder / f"{name.replace('.', '/')}.class"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(code)
            own = pair.asked.warm
            lines.append("\t".join((kind, own.test_class, own.methods[0], f"{_PAIRS}/{number}", *own.code)))
        places = (
            *at.mounts, Mount(tree.tree, WORK), Mount(tree.store, STORE), Mount(extra, EXTRA),
            Mount(scratch, "/limit", writable=True), Mount(Path(__file__).parent, "/bench"),
        )  # fmt: skip
        environment = {"PATH": f"{at.java_home}/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC"}

        def called(argv: tuple[str, ...], stdin: str = "") -> Completed:
            confinement = Confinement(
                argv=argv, cwd=warm.directory, env=environment, mounts=places, root=tree.toolchain.root, tmpfs_mib=256
            )
            done = run(sandbox, confinement, _LIMITS, stdin=stdin.encode())
            assert done.exit_code == 0, (done.stdout + done.stderr).decode("utf-8", "replace")[-2000:]
            return done

        called((f"{at.java_home}/bin/javac", "-nowarn", "-d", _CLASSES, "/bench/JavaLimit.java"))
        flags = ("-ea", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
        java = (f"{at.java_home}/bin/java", *flags, *warm.arg_line, "-cp", _CLASSES, "JavaLimit")
        done = called(java, "\n".join(lines) + "\n")
    told = [line.split("\t") for line in done.stdout.decode("utf-8", "replace").splitlines()]
    boot = next(float(words[1]) for words in told if words[0] == "boot")
    ran = [words for words in told if words[0] != "boot"]
    assert len(ran) == len(pairs)
    seconds = tuple(float(words[0]) for words in ran)
    return Bare(boot, seconds, sum(words[1] == "true" for words in ran), done.cpu_seconds)


def evaluated(bench: Path, names: Sequence[str]) -> tuple[float, float]:
    """Seconds and CPU seconds of judging the references of these tasks, without audits, which are Maven's."""
    with tempfile.TemporaryDirectory() as folder:
        selection = Selection(only=tuple(names))
        top = Path(folder)
        run_agent(bench, top / "run", selection, RunOptions(agent="reference", sandbox=choose(), quiet=True))
        options = EvoOptions(
            sandbox=choose(), selection=selection, audit_share=0.0, use_cache=False, quiet=True, jobs=os.cpu_count()
        )
        began = time.perf_counter()
        with CpuMeter() as meter:
            summary = evaluate(bench, top / "run", top / "results", options)
        took = time.perf_counter() - began
    assert summary.metrics["success"].value == 1.0, summary.verdicts
    return took, meter.seconds


def limit(found: Sequence[Bare], compiling: float) -> float:
    """Seconds that all pairs take at least on this machine's cores."""
    cores = os.cpu_count() or 1
    pairs = [seconds for one in found for seconds in one.pairs]
    return max(*pairs, min(one.boot for one in found) + (compiling + sum(pairs)) / cores)

"""Seconds a mutant: our judge's JVM beside `mvn -o -q test -Dtest=...` and PIT, and an evaluation beside its limit.

Usage: python bench/java_speed.py BENCH [--tasks 3] [--maven 3] [--pit 2] [--runs 0]

Measured in one run on a mined TestEvo benchmark, on so many of its tasks: all mutants that the developers' tests reach,
warm; `--maven` of them a task by Maven, each in a copy of the tree, with both verdicts; `--pit` methods a task by PIT,
which has mutants of its own. With `--runs`, so many runs of mutants more and the memory of the JVM meanwhile. Exits 1
when a verdict differs or the memory grows.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cpu_meter import CpuMeter
from java_beside import MavenRun, PitRun, load, maven_once, pit
from java_limit import Bare, bare, evaluated, limit
from java_memory import Memory, watch
from java_references import Opened, Pair, open_measured, opened, spread

from testmark.runtimes.maven.protocol import Toolchain
from testmark.runtimes.maven.worker import JvmWorker

_HEADER = (
    "| task | Java | mutants | compile | run | both | Maven (mutants) | times | PIT (mutants) | times |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)


@dataclass
class Task:
    """What was measured of one task; times in seconds."""

    name: str
    java: int
    fresh: bool
    """Its tests have a JVM of their own for each run."""
    compiling: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    compiling_cpu: float = 0.0
    """CPU seconds of our process and its JVMs."""
    warm_cpu: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    maven: list[MavenRun] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    pit: list[PitRun] = field(default_factory=list)
    bare: Bare | None = None


def main() -> None:
    """Measure, print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--tasks", type=int, default=3)
    parser.add_argument("--maven", type=int, default=3, help="mutants a task that Maven runs too")
    parser.add_argument("--pit", type=int, default=2, help="target methods a task that PIT runs too")
    parser.add_argument("--runs", type=int, default=0, help="so many runs of mutants more, for the memory")
    options = parser.parse_args()
    bench, courts = open_measured(options.bench)
    print(f"load {load()}\n", flush=True)
    tasks: list[Task] = []
    memory: Memory | None = None
    for name in spread(bench.names(), options.tasks):
        with opened(bench, courts, name) as one:
            with CpuMeter() as compiling:
                pairs = [] if one is None else one.pairs()
            if one is None or not pairs:
                print(f"{name} is left out: {'only Maven runs its module' if one is None else 'it reaches no mutant'}")
                continue
            task = Task(name, one.tree.toolchain.jdk.major, next(iter(one.plain.values())).warm.fresh)
            runnable = _warm(task, one, pairs)
            task.compiling_cpu = compiling.seconds
            _maven(task, one, spread(runnable, options.maven))
            _pit(task, one, options.pit, courts.toolchains)
            task.bare = bare(one, [pair for pair, _ in runnable])
            if options.runs and memory is None and not task.fresh:
                memory = _memory(one, [pair for pair, _ in runnable], options.runs)
            tasks.append(task)
    if not tasks:
        sys.exit("there is nothing to measure")
    _print_tasks(tasks)
    _print_limit(options.bench, tasks)
    print(f"\nload {load()}", flush=True)
    sys.exit(int(any(task.differing for task in tasks) or (memory is not None and not memory.bounded)))


def _warm(task: Task, one: Opened, pairs: Sequence[Pair]) -> list[tuple[Pair, str]]:
    """Run every pair once, after the tests on the real code as the judge does; those that end can be run elsewhere."""
    for asked in one.plain.values():
        assert one.run(asked).status == "passed"
    found = []
    with CpuMeter() as running:
        for pair in pairs:
            began = time.perf_counter()
            run = one.run(pair.asked)
            task.warm.append(time.perf_counter() - began)
            task.compiling.append(pair.compiling)
            task.kinds[run.status] += 1
            if run.status in {"passed", "failed"}:
                found.append((pair, run.status))
    task.warm_cpu = running.seconds
    return found


def _maven(task: Task, one: Opened, pairs: Sequence[tuple[Pair, str]]) -> None:
    for pair, status in pairs:
        run = maven_once(one, pair)
        task.maven.append(run)
        ours = "survived" if status == "passed" else "killed"
        if ours != run.verdict:
            task.differing.append(
                f"{task.name}: {pair.target.method} on {pair.mutant.mutant_id}: {ours}, by Maven {run.verdict}"
            )


def _pit(task: Task, one: Opened, number: int, toolchains: Sequence[Toolchain]) -> None:
    for target in spread(one.kit.targets, number):
        wanted = frozenset(target.mutants)
        mutants = [mutant for mutant in one.kit.mutants if mutant.mutant_id in wanted]
        found = pit(one, target.method, mutants, toolchains) if mutants else None
        if found is not None:
            task.pit.append(found)


def _memory(one: Opened, pairs: Sequence[Pair], runs: int) -> Memory:
    worker = one.side.worker
    assert isinstance(worker, JvmWorker)

    def once(number: int) -> None:
        one.run(pairs[number % len(pairs)].asked)

    print(f"{one.kit.task_id}: {runs} runs of {len(pairs)} mutants", flush=True)
    memory = watch(worker, runs, once)
    print(flush=True)
    return memory


# -- tables ---------------------------------------------------------------------------------------------------------


def _print_tasks(tasks: Sequence[Task]) -> None:
    print(_HEADER)
    for task in tasks:
        print(_row(task.name.rpartition("__")[2], [task]))
    print(_row("all", tasks))
    kinds = sum((task.kinds for task in tasks), Counter[str]())
    _print_cpu(tasks)
    print(f"our runs: {_counts(kinds)}")
    checked = sum(len(task.maven) for task in tasks)
    print(f"verdicts compared with Maven's: {checked}, different: {sum(len(task.differing) for task in tasks)}")
    for complaint in (complaint for task in tasks for complaint in task.differing):
        print(complaint)
    pitted = [run for task in tasks for run in task.pit]
    if pitted:
        java = sorted({run.java for run in pitted})
        kinds = sum((run.kinds for run in pitted), Counter[str]())
        print(f"PIT, on Java {', '.join(map(str, java))}: {_counts(kinds)}")


def _row(name: str, tasks: Sequence[Task]) -> str:
    compiling = [seconds for task in tasks for seconds in task.compiling]
    warm = [seconds for task in tasks for seconds in task.warm]
    both = statistics.mean(compiling) + statistics.mean(warm)
    javas = sorted({f"{task.java}{', a JVM a run' if task.fresh else ''}" for task in tasks})
    maven = [run.seconds for task in tasks for run in task.maven]
    pit_mutants = sum(run.mutants for task in tasks for run in task.pit)
    cells = [name, "; ".join(javas), len(warm), *map(_ms, (statistics.mean(compiling), statistics.mean(warm), both))]
    cells += (
        [f"{statistics.mean(maven):.1f} s ({len(maven)})", f"{statistics.mean(maven) / both:.0f}"] if maven else "--"
    )
    pitted = sum(run.seconds for task in tasks for run in task.pit) / pit_mutants if pit_mutants else 0.0
    cells += [f"{_ms(pitted)} ({pit_mutants})", f"{pitted / both:.1f}"] if pit_mutants else "--"
    return f"| {' | '.join(map(str, cells))} |"


def _print_cpu(tasks: Sequence[Task]) -> None:
    """Seconds of CPU, which say more than those by the clock while other programs use the cores."""
    ours = sum(task.compiling_cpu + task.warm_cpu for task in tasks) / sum(len(task.warm) for task in tasks)
    text = f"\nCPU seconds a mutant: ours {ours:.3f}"
    if maven := [run.cpu_seconds for task in tasks for run in task.maven]:
        text += f"; Maven {statistics.mean(maven):.1f}, {statistics.mean(maven) / ours:.0f} times"
    if pitted := [run for task in tasks for run in task.pit]:
        each = sum(run.cpu_seconds for run in pitted) / sum(run.mutants for run in pitted)
        text += f"; PIT {each:.3f}, {each / ours:.1f} times"
    print(text)


def _print_limit(bench: Path, tasks: Sequence[Task]) -> None:
    """Of the tasks whose tests a bare JVM can run."""
    some = [task for task in tasks if task.bare is not None]
    if not some:
        return
    found = [task.bare for task in some if task.bare is not None]
    compiling = sum(seconds for task in some for seconds in task.compiling)
    spent, used = evaluated(bench, [task.name for task in some])
    least = limit(found, compiling)
    number = sum(len(one.pairs) for one in found)
    failed = sum(one.failed for one in found)
    running = sum(seconds for one in found for seconds in one.pairs)
    print(f"\nevaluate, {len(some)} tasks, no audits: {spent:.1f} s")
    print(
        f"bare JVMs: {_ms(running / number)} a pair ({number} pairs, of which {failed} fail), "
        f"{min(one.boot for one in found):.2f} s to boot; compiling {compiling:.1f} s"
    )
    print(f"limit: {least:.1f} s; evaluate reaches {100 * least / spent:.0f} % of it")
    least_cpu = sum(one.cpu_seconds for one in found) + sum(task.compiling_cpu for task in some)
    print(
        f"CPU seconds: bare JVMs and compiling {least_cpu:.1f}, evaluate {used:.1f}, of which that is "
        f"{100 * least_cpu / used:.0f} %",
        flush=True,
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))


if __name__ == "__main__":
    main()

"""Faults of a benchmark or of results: damaged, mixed up, or not there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

from testmark.engine.files import sha256_file
from tests.faults.fault import Fault
from tests.faults.in_predictions import SHOW
from tests.faults.place import ID, Place

RUN = "req2test run bench --agent reference --out ran --quiet"
JUDGE = "req2test evaluate bench run --out judged --no-cache --quiet"
AUDIT = "req2test audit results --share 1 --quiet"
REBUILD = "is not the file that bench.json records"


def flipped(pattern: str) -> Callable[[Place], None]:
    """Plants one flipped bit."""
    return lambda place: place.flip_bit(pattern)


def damaged(path: str, text: str = '{"half": ') -> Callable[[Place], None]:
    """Plants a file that was cut off."""

    def plant(place: Place) -> None:
        (victim,) = place.top.glob(path)
        victim.write_text(text, encoding="utf-8")

    return plant


def _other_bench(place: Place) -> None:
    """Another benchmark of the same project: another seed."""
    done = place.shell("req2test build tiny --out other --seed 7 --quiet")
    assert done.returncode == 0, done.stderr


def _stranger(place: Place) -> None:
    (place.top / "bench/kit/project/features/steps/more.py").write_text("import sums\n", encoding="utf-8")


def _missing(place: Place) -> None:
    (victim,) = place.top.glob("bench/kit/instances/*.json")
    victim.unlink()


def _newer(place: Place) -> None:
    manifest = place.top / "bench/bench.json"
    value = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**value, "schema_version": 99}), encoding="utf-8")


def _of_another_testmark(path: str) -> Callable[[Place], None]:
    """A record with a field that this testmark does not know, in a benchmark that is whole otherwise."""

    def plant(place: Place) -> None:
        (victim,) = place.top.glob(path)
        line, _, rest = victim.read_text(encoding="utf-8").partition("\n")
        victim.write_text(json.dumps({**json.loads(line), "colour": 1}) + "\n" + rest, encoding="utf-8")
        manifest = place.top / "bench/bench.json"
        value = json.loads(manifest.read_text(encoding="utf-8"))
        value["hashes"][victim.relative_to(place.top / "bench").as_posix()] = sha256_file(victim)
        manifest.write_text(json.dumps(value), encoding="utf-8")

    return plant


def _half(place: Place) -> None:
    """Results without a summary, as an evaluation that was killed leaves them, with a task cut off."""
    (place.top / "results/summary.json").unlink()
    damaged("results/tasks/*.json")(place)


def _old_results(place: Place) -> None:
    shutil.copytree(place.top / "results", place.top / "judged")
    place.edit("judged/run.json", '"seed": 0', '"seed": 1')


KIT = "kit/instances/*.json"
BENCHMARKS = (
    *(
        Fault(
            f"one flipped bit in {name}", command, 2, rf"^error: bench/{name}.*: {REBUILD}", flipped(f"bench/{found}")
        )
        for name, found, command in (
            ("kit/instances/", KIT, JUDGE),
            ("kit/project.json", "kit/project.json", JUDGE),
            ("kit/project/src/sums/core.py", "kit/project/src/sums/core.py", JUDGE),
            ("mutants.jsonl", "mutants.jsonl", JUDGE),
            ("data/eval.jsonl", "data/eval.jsonl", JUDGE),
            ("views/", "views/*.json", JUDGE),
            ("kit/instances/", KIT, RUN),
            ("views/", "views/*.json", RUN),
            ("gt_tests/full.jsonl", "gt_tests/full.jsonl", RUN),
            ("views/", "views/*.json", "req2test prepare bench --out work"),
            ("kit/instances/", KIT, "req2test check-leaks bench"),
            ("views/", "views/*.json", "req2test check-leaks bench"),
            ("kit/instances/", KIT, AUDIT),
        )
    ),
    Fault("a kit that lacks a file", JUDGE, 2, r"bench/kit/instances/.*: missing; fetch or build", _missing),
    Fault("a kit with a file too many", JUDGE, 2, r"steps/more\.py: not part of the benchmark", _stranger),
    Fault("a bench.json that was cut off", JUDGE, 2, r"bench/bench\.json: cannot be read", damaged("bench/bench.json")),
    *(
        Fault(
            f"a record of another testmark in {path}",
            JUDGE,
            2,
            rf"^error: {place}: is not what testmark \S+ writes \(colour: Extra inputs",
            _of_another_testmark(path),
            writes=writes,
        )
        for path, place, writes in (
            ("bench/data/eval.jsonl", r"bench/data/eval\.jsonl:1", ()),
            # Read when the evaluation has begun, which goes on from there.
            ("bench/mutants.jsonl", r"bench/mutants\.jsonl:1", ("judged",)),
            (f"bench/{KIT}", r"bench/kit/instances/\S*\.json", ("judged",)),
        )
    ),
    Fault("a benchmark of a later testmark", JUDGE, 2, r"bench/bench\.json: has form 99", _newer),
    Fault(
        "a folder that is no benchmark", "req2test evaluate tiny run --out judged", 2, "tiny: not a benchmark folder"
    ),
    Fault("a folder that is not there", "req2test evaluate gone run --out judged", 2, "gone: not a benchmark folder"),
    Fault(
        "results of another benchmark",
        "req2test evaluate other run --out results --quiet",
        2,
        r"results: holds another evaluation \(it differs in .*bench_id",
        _other_bench,
    ),
    Fault(
        "results of another seed", JUDGE, 2, r"judged: holds another evaluation \(it differs in seed\)", _old_results
    ),
    Fault(
        "a run of another agent",
        "req2test run bench --agent empty --out run",
        2,
        r"run: holds a run of another agent",
    ),
    Fault(
        "an audit on another benchmark",
        "req2test audit results --bench other --quiet",
        2,
        "results: was evaluated on another benchmark than other",
        _other_bench,
    ),
    Fault(
        "an audit after the benchmark has gone",
        "mv bench away && req2test audit results --quiet",
        2,
        "bench: not a benchmark folder",
        writes=("bench", "away"),
    ),
    Fault(
        "one result that was cut off",
        "req2test evaluate bench run --out results --no-cache --quiet",
        0,
        "passed",
        damaged("results/tasks/*.json"),
        told_by=SHOW.replace("judged", "results"),
        writes=("results",),
    ),
    *(
        Fault(f"one result that was cut off: `{command.split()[1]}`", command, 2, r"results/tasks/.*damaged", plant)
        for command, plant in (
            (AUDIT, damaged("results/tasks/*.json")),
            (f"req2test show results {ID}", damaged("results/tasks/*.json")),
            ("req2test report results", _half),
        )
    ),
    Fault(
        "a summary that was cut off",
        "req2test report results",
        2,
        r"results/summary\.json: cannot be read; run the same `evaluate` again",
        damaged("results/summary.json"),
        after="req2test evaluate bench run --out results --no-cache --quiet && req2test report results",
    ),
    Fault(
        "an instances.jsonl that was cut off",
        "req2test report results --format html",
        2,
        r"results/instances\.jsonl:1: is damaged",
        damaged("results/instances.jsonl"),
        after="req2test evaluate bench run --out results --no-cache --quiet && req2test report results --format html",
    ),
    Fault("an unknown instance", "req2test show results tiny/a", 2, "results: no instance `tiny/a`"),
    Fault("an unknown mutant", f"req2test show results {ID} m", 2, "no mutant `m`"),
    Fault("results that are none", "req2test report tiny", 2, "tiny: holds no evaluation; make one"),
    Fault("--only that fits nothing", f"{JUDGE} --only nothing", 2, "bench: no instance of `eval` is selected"),
)

"""Mistakes that others made with tools like this one, as far as Java can show them; each kind is a test, of the judge.

| mistake | told by | the test |
|---|---|---|
| a kill without a pass on the original | SWE-Mutation | here; the shipped agent `always-fail` in `test_whole.py` |
| unreached mutants left out of the denominator | TAM-Eval | here; by hand in `test_figures.py` |
| timed-out mutants left out of the denominator | TAM-Eval | here |
| a failed mutation run counted as a pass | TAM-Eval | here |
| one clone a repository for tasks of several commits | TAM-Eval | here |
| byte code of an earlier run | cosmic-ray 434 | here; `runtimes/maven/test_worker_mistakes.py` |
| exit codes taken for verdicts | mutmut 284 | here; `runtimes/maven/test_builds.py::test_settings_of_surefire_are_carried_over` |
| parallel children that wait for one resource | mutmut 545 | `runtimes/maven/test_worker_mistakes.py` |
| two `@Nested` classes with methods of one name | pitest-junit5-plugin 31 | here |
| a `@TestFactory` whose first test is empty | pitest 1152 | here |
| a method called by a static initializer only | pitest 353 | here; `runtimes/maven/test_worker_mistakes.py` |
| source edited beside tests, scratch files, no test | OpenHands benchmarks 708, 330 | here |
| a lone hook that forces reports to pass | the list's own | here, among the files that count for nothing |
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from testmark.agents.runs import RunOptions
from testmark.engine.files import tree_hashes
from testmark.records.base import FileText
from testmark.records.evoresults import EvoTaskResult
from testmark.records.results import Prediction, Summary
from testmark.records.slugs import slug
from testmark.records.tasks import TRACKS, Track
from testmark.runtimes.maven.cold import ColdRequest, run_cold
from testmark.runtimes.maven.protocol import Compiled, CompileRequest, JavaWorker, MethodsRequest, MethodsRun, RunStatus
from testmark.runtimes.protocol import TimeLimits
from testmark.sandbox import choose
from testmark.testevo.agent_runs import run_agent
from testmark.testevo.bench import EvoBench, Selection, open_bench
from testmark.testevo.evaluate import Courts, EvoOptions, evaluate
from testmark.testevo.judge import JudgeContext, judge
from tests.testevo.small_history import LOST, MAIN, TEST, fees, fees_test

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.xdist_group("testevo")]

LATE = ["        assertEquals(6, new Fees().late(2));"]
PLAIN, MEMBER = "assertEquals(15, new Fees().lost(10, false));", "assertEquals(13, new Fees().lost(10, true));"


def lost(*checks: str) -> str:
    """The test file with these statements in `lost`."""
    return fees_test(LATE, [f"        {check}" for check in checks])


HONEST = lost(PLAIN, MEMBER)


@dataclass(frozen=True)
class Court:
    """The judge of the task of generation, warm; how it is asked may be changed for one test."""

    context: JudgeContext

    def judge(self, text: str) -> EvoTaskResult:
        return judge(text, "m", (), self.context)

    def kills(self, text: str) -> dict[str, set[str]]:
        """Mutants killed, by target."""
        result = self.judge(text)
        assert (result.verdict, result.reason) == ("success", "")
        return {
            f"{target.test_class}#{target.method}": {
                m.mutant_id for m in target.mutants if m.verdict.startswith("killed")
            }
            for target in result.targets
        }


@pytest.fixture(scope="module")
def courts(bench: Path) -> Courts:
    return Courts(open_bench(bench), EvoOptions(sandbox=choose(), audit_share=0.0))


@pytest.fixture(scope="module")
def court(bench: Path, courts: Courts) -> Iterator[Court]:
    opened = open_bench(bench)
    (row,) = opened.rows("generation")
    with courts.context(opened.kit(row.task_id), row.date) as context:
        yield Court(context)


# -- what counts as a kill ------------------------------------------------------------------------------------------


@dataclass
class Played:
    """A worker whose runs on mutants end as they are told; all others are real."""

    real: JavaWorker
    endings: Sequence[RunStatus]
    compiles: bool = True
    asked: dict[bytes, int] = field(default_factory=dict)
    """How often each mutant was run, by its class file."""
    at_full_speed: int = 0
    """Runs on mutants that had all compilers of the JVM."""

    def run(self, request: MethodsRequest) -> MethodsRun:
        mutated = request.overlay.get("org.example.Fees")
        if mutated is None:
            return self.real.run(request)
        self.asked[mutated] = self.asked.get(mutated, 0) + 1
        self.at_full_speed += request.full_speed
        number = list(self.asked).index(mutated)
        return MethodsRun(self.endings[number % len(self.endings)], "as told", how="warm")

    def compile(self, request: CompileRequest) -> Compiled:
        if not self.compiles and request.sources[0].path == MAIN:
            return Compiled({}, (f"{MAIN}:1: as told",))
        return self.real.compile(request)

    def digests(self, classes: Sequence[Mapping[str, bytes]]) -> list[str]:
        return self.real.digests(classes)

    def risky(self, classes: Mapping[str, bytes], code: Sequence[str]) -> str:
        return self.real.risky(classes, code)

    def close(self) -> None:
        self.real.close()


def played(court: Court, *endings: RunStatus, compiles: bool = True) -> tuple[Court, Played]:
    """The same judge with such a worker, and without controls, which change the same class."""
    context = court.context
    worker = Played(context.new.worker, endings or ("passed",), compiles)
    kit = context.kit.model_copy(update={"controls": ()})
    return Court(replace(context, kit=kit, new=replace(context.new, worker=worker))), worker


def test_a_test_that_fails_on_everything_kills_nothing(court: Court) -> None:
    # SWE-Mutation: `assert False` scored 100 %.
    false = lost('throw new AssertionError("always");')
    result = court.judge(false)
    assert (result.verdict, result.mutant_results()) == ("failed", ())
    metrics = result.metrics
    assert (metrics.success, metrics.mut_on_pass, metrics.cov_on_pass, metrics.overall) == (0.0, None, None, 1 / 3)


def test_mutants_that_are_not_reached_stay_in_the_denominator(court: Court) -> None:
    # TAM-Eval left them out.
    result = court.judge(lost(PLAIN))
    verdicts = [mutant.verdict for mutant in result.mutant_results()]
    assert (result.verdict, len(verdicts)) == ("success", len(court.context.kit.targets[0].mutants))
    killed = sum(verdict.startswith("killed") for verdict in verdicts)
    assert verdicts.count("unreached") >= 3
    assert 0 < killed < len(verdicts) - verdicts.count("unreached") + 1
    assert result.metrics.mut_on_pass == killed / len(verdicts)


def test_mutants_that_time_out_stay_in_the_denominator(court: Court) -> None:
    # TAM-Eval left them out as well. They are run twice before they count.
    told, worker = played(court, "timeout", "passed")
    result = told.judge(HONEST)
    verdicts = [mutant.verdict for mutant in result.mutant_results()]
    timed_out = verdicts.count("killed_timeout")
    assert (timed_out, verdicts.count("survived")) == (len(verdicts) // 2, len(verdicts) // 2)
    assert result.metrics.mut_on_pass == timed_out / len(verdicts)
    assert sorted(worker.asked.values()) == [1] * timed_out + [2] * timed_out
    assert worker.at_full_speed == timed_out, "the second try is as fast as Maven's"


@pytest.mark.parametrize("compiles", [True, False])
def test_a_run_on_a_mutant_that_is_lost_is_neither_pass_nor_kill(court: Court, compiles: bool) -> None:
    # TAM-Eval counted a failed mutation run as a pass.
    told, worker = played(court, "passed", "infra", compiles=compiles)
    result = told.judge(HONEST)
    assert (result.verdict, result.targets) == ("infra", ())
    assert (result.metrics.success, result.metrics.mut_on_pass, result.metrics.overall) == (0.0, None, 0.0)
    assert bool(worker.asked) is compiles


@pytest.mark.parametrize("status", ["skipped", "not-found"])
def test_a_mutant_on_which_the_test_did_not_run_is_not_killed(court: Court, status: RunStatus) -> None:
    told, _ = played(court, status)
    result = told.judge(HONEST)
    assert {mutant.verdict for mutant in result.mutant_results()} == {"survived"}
    assert result.metrics.mut_on_pass == 0.0


def test_a_mutant_that_only_maven_refuses_to_compile_does_not_count(court: Court) -> None:
    told, _ = played(court, "not-compiled", "passed")
    result = told.judge(HONEST)
    verdicts = [mutant.verdict for mutant in result.mutant_results()]
    assert verdicts
    assert set(verdicts) == {"survived"}
    whole, _ = played(court, "passed")
    assert len(verdicts) == len(list(whole.judge(HONEST).mutant_results())) // 2


class Refuses(Played):
    """Whatever ran once it does not compile again."""

    def run(self, request: MethodsRequest) -> MethodsRun:
        return self.real.run(request) if request.measure else MethodsRun("not-compiled", "as told", how="warm")


@pytest.mark.parametrize("text", [HONEST, lost("new Fees();")], ids=["meets", "misses"])
def test_what_ran_and_then_does_not_compile_is_not_the_tests_fault(court: Court, text: str) -> None:
    context = court.context
    told = Court(replace(context, new=replace(context.new, worker=Refuses(context.new.worker, ()))))
    result = told.judge(text)
    assert (result.verdict, result.reason.partition(":")[0]) == (
        "infra", "what Maven compiled a moment ago does not compile"
    )  # fmt: skip


# -- what counts as a pass ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 1, 3, 77, 137, 255])
@pytest.mark.parametrize(
    ("end", "says"),
    [
        ("System.exit", "lost: the test ended the JVM by System.exit"),
        ("Runtime.getRuntime().halt", "lost: the JVM ended in the test"),
    ],
)
def test_no_exit_code_is_a_verdict(court: Court, code: int, end: str, says: str) -> None:
    # mutmut 284 took every exit code but 1 for a pass.
    result = court.judge(lost(PLAIN, MEMBER, f"{end}({code});"))
    assert (result.verdict, result.reason) == ("failed", says)
    assert result.targets[0].new == "ExecFail"


FACTORY = """
    @org.junit.jupiter.api.TestFactory
    java.util.stream.Stream<org.junit.jupiter.api.DynamicTest> lost() {
        return java.util.stream.Stream.of(
            org.junit.jupiter.api.DynamicTest.dynamicTest("empty", () -> { }),
            org.junit.jupiter.api.DynamicTest.dynamicTest("real", () -> { CHECKS }));
    }
"""


def with_method(method: str) -> str:
    """The test file with this in place of `lost`."""
    return fees_test(LATE).rstrip().removesuffix("}") + method + "}\n"


def test_every_dynamic_test_counts(court: Court) -> None:
    # pitest 1152: the first of them is empty, and mutants that the second notices survived.
    honest = court.kills(HONEST)
    assert honest["org.example.FeesTest#lost"]
    assert court.kills(with_method(FACTORY.replace("CHECKS", PLAIN + MEMBER))) == honest
    wrong = court.judge(with_method(FACTORY.replace("CHECKS", PLAIN + MEMBER.replace("13", "14"))))
    assert (wrong.verdict, wrong.targets[0].new) == ("failed", "ExecFail")


NESTED = """
    @org.junit.jupiter.api.Nested
    class First {
        @Test
        void lost() {
            FIRST
        }
    }

    @org.junit.jupiter.api.Nested
    class Second {
        @Test
        void lost() {
            SECOND
        }
    }
"""


def test_nested_classes_with_methods_of_one_name_are_two_targets(court: Court) -> None:
    # pitest-junit5-plugin 31
    kit = court.context.kit
    names = [f"org.example.FeesTest${name}" for name in ("First", "Second")]
    targets = tuple(kit.targets[0].model_copy(update={"test_class": name}) for name in names)
    two = Court(replace(court.context, kit=kit.model_copy(update={"targets": targets})))
    first, second = (f"{name}#lost" for name in names)

    found = two.judge(with_method(NESTED.replace("FIRST", PLAIN).replace("SECOND", MEMBER.replace("13", "14"))))
    assert [(target.new, target.success) for target in found.targets] == [("Pass", True), ("ExecFail", False)]
    assert found.reason.startswith("lost: lost: org.opentest4j.AssertionFailedError")

    kills = two.kills(with_method(NESTED.replace("FIRST", PLAIN).replace("SECOND", MEMBER)))
    assert kills[first] == court.kills(lost(PLAIN))["org.example.FeesTest#lost"]
    assert kills[second] == court.kills(lost(MEMBER))["org.example.FeesTest#lost"]
    assert kills[first] != kills[second]


def test_a_method_that_only_a_static_initializer_calls_is_mutated_all_the_same(court: Court) -> None:
    # pitest 353: the class was initialized long before, and its mutants survived.
    static = "    static final int FOUND = new Fees().lost(10, true);\n\n    @Test\n    void late"
    text = lost("assertEquals(13, FOUND);").replace("    @Test\n    void late", static, 1)
    found = court.kills(text)["org.example.FeesTest#lost"]
    assert found == court.kills(lost(MEMBER))["org.example.FeesTest#lost"] != set()


# -- which code a run executes --------------------------------------------------------------------------------------


def test_two_predictions_of_one_size_are_two_tests(court: Court) -> None:
    # cosmic-ray 434: of two edits of one size within a second the second never ran.
    wrong = HONEST.replace("13", "14")
    assert len(wrong) == len(HONEST)
    for text, verdict in ((HONEST, "success"), (wrong, "failed"), (HONEST, "success")):
        assert court.judge(text).verdict == verdict


def test_classes_that_look_newer_than_an_edit_are_not_run(bench: Path, courts: Courts, tmp_path: Path) -> None:
    # The same for Maven, which compiles what is newer than its class: here nothing ever is.
    opened = open_bench(bench)
    (row,) = opened.rows("generation")
    kit = opened.kit(row.task_id)
    built = courts.tree(kit.new)
    tree = tmp_path / "tree"
    shutil.copytree(built.tree, tree, symlinks=True)
    later = time.time() + 24 * 3600
    for place in tree.rglob("*.class"):
        os.utime(place, (later, later))
    edit = FileText(path=MAIN, content=fees("return 3 * days;", LOST.replace("fee -= 2;", "fee += 2;")))
    assert len(edit.content) == (tree / MAIN).stat().st_size
    limits = TimeLimits(cpu_seconds=60, idle_seconds=60.0, wall_seconds=300.0)
    honest = FileText(path=TEST, content=HONEST)
    request = ColdRequest(built.modules[0], "org.example.FeesTest", ("lost",), limits, files=(honest, edit))
    run = run_cold(replace(built, tree=tree), request, choose())
    assert (run.status, [case.assertion for case in run.cases]) == ("failed", [True]), run.reason


def own_tree_only(text: str, source: str, method: str) -> str:
    """The test with a look at the source first, which it then writes over: no other run may see that."""
    number = 0
    for letter in source:
        number = (31 * number + ord(letter)) & 0xFFFFFFFF
    number -= (number >> 31) << 32
    files = "java.nio.file.Files"
    look = (
        f'java.nio.file.Path place = java.nio.file.Paths.get("{MAIN}"); '
        f"assertEquals({number}, new String({files}.readAllBytes(place)).hashCode()); "
        f'{files}.write(place, "class Fees {{ }}".getBytes()); '
        f'assertEquals(true, new java.io.File("target/mark").createNewFile());'
    )
    head = f"void {method}() {{"
    assert text.count(head) == 1
    return text.replace(head, f"void {method}() throws Exception {{ {look}")


def test_tasks_of_several_commits_judged_beside_each_other_share_no_tree(
    bench: Path, commits: list[str], tmp_path: Path
) -> None:
    # TAM-Eval had one clone a repository. Two of these tasks have a revision in common, too.
    opened = open_bench(bench)
    cache = tmp_path / "cache"
    options = EvoOptions(sandbox=choose(), audit_share=0.0, cache=cache)
    kits = {track: opened.kit(opened.rows(track)[0].task_id) for track in TRACKS}
    trees = {side.revision: opened.files(side, cache) for kit in kits.values() for side in (kit.old, kit.new)}
    assert set(trees) == set(commits)
    assert kits["update"].new.revision == kits["generation"].old.revision
    before = tree_hashes(cache / "trees")

    def work(track: Track) -> EvoTaskResult:
        kit = kits[track]
        source = (trees[kit.new.revision] / MAIN).read_text()
        text = own_tree_only(kit.new_text, source, kit.targets[0].method)
        bare = tuple(target.model_copy(update={"mutants": ()}) for target in kit.targets)
        short = kit.model_copy(update={"mutants": (), "controls": (), "targets": bare})
        with Courts(opened, options).context(short, "") as context:
            return judge(text, "m", (), context)

    with ThreadPoolExecutor(max_workers=len(TRACKS)) as pool:
        results = list(pool.map(work, TRACKS))
    assert [(result.verdict, result.reason) for result in results] == [("success", "")] * len(TRACKS)
    assert tree_hashes(cache / "trees") == before


# -- what of a prediction counts ------------------------------------------------------------------------------------

FORCED = """package org.example;
public class Forced implements org.junit.jupiter.api.extension.TestExecutionExceptionHandler {
    public void handleTestExecutionException(org.junit.jupiter.api.extension.ExtensionContext c, Throwable t) { }
}
"""
BESIDE = {
    "src/test/java/org/example/Forced.java": FORCED,
    "src/test/resources/junit-platform.properties": "junit.jupiter.extensions.autodetection.enabled=true\n",
    "src/test/resources/META-INF/services/org.junit.jupiter.api.extension.Extension": "org.example.Forced\n",
    "pom.xml": "<project/>",
    "target/surefire-reports/TEST-org.example.FeesTest.xml": "<testsuite tests='1'/>",
    "scratch.py": "print('notes')\n",
    "src/test/java/org/example/Scratch.java": "does not compile",
}
"""Hooks, a build file, reports and notes."""


def evaluated(
    bench: Path, place: Path, files: Mapping[Track, Mapping[str, str]]
) -> tuple[Summary, dict[Track, EvoTaskResult]]:
    opened = open_bench(bench)
    place.mkdir(parents=True)
    names = {track: opened.rows(track)[0].task_id for track in files}
    lines = [
        Prediction(
            instance_id=names[track],
            model_name_or_path="m",
            files=tuple(FileText(path=path, content=text) for path, text in some.items()),
        ).to_json()
        for track, some in files.items()
    ]
    (place / "predictions.jsonl").write_text("\n".join(lines))
    options = EvoOptions(sandbox=choose(), use_cache=False, audit_share=0.0, quiet=True)
    summary = evaluate(bench, place / "predictions.jsonl", place / "out", options)
    return summary, results(opened, place / "out", files)


def results(opened: EvoBench, out: Path, tracks: Mapping[Track, object]) -> dict[Track, EvoTaskResult]:
    places = {track: out / "tasks" / f"{slug(opened.rows(track)[0].task_id)}.json" for track in tracks}
    return {track: EvoTaskResult.from_json(place.read_bytes()) for track, place in places.items()}


def test_only_the_test_file_counts(bench: Path, tmp_path: Path, court: Court) -> None:
    # OpenHands benchmarks 708 and 330
    old_source = fees("return 2 * days;")
    old_test = open_bench(bench).kit(open_bench(bench).rows("update")[0].task_id).old_text
    assert old_test is not None
    summary, found = evaluated(
        bench,
        tmp_path / "mixed",
        {
            # The old test passes with the old code beside it, or with a hook that swallows what it throws.
            "update": {TEST: old_test, MAIN: old_source, **BESIDE},
            "generation": {TEST: HONEST, MAIN: "class Fees { }", **BESIDE},
            "refinement": dict(BESIDE),
        },
    )
    assert summary.complete
    update, generation, refinement = (found[track] for track in TRACKS)
    assert (update.verdict, update.targets[0].new) == ("failed", "ExecFail")
    assert update.reason.startswith("late: late: org.opentest4j.AssertionFailedError")
    assert set(update.ignored) == {MAIN, *BESIDE}
    alone = court.judge(HONEST)
    assert (generation.verdict, generation.metrics) == ("success", alone.metrics)
    assert [(m.mutant_id, m.verdict) for m in generation.mutant_results()] == [
        (m.mutant_id, m.verdict) for m in alone.mutant_results()
    ]
    assert (refinement.verdict, refinement.metrics.overall, refinement.how) == ("empty", 0.0, "not-run")
    assert summary.metrics["success"].value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("package org.example;\nclass FeesTest { }\n", "lost: the file has no method lost in org.example.FeesTest"),
        ("// to be done\n", "lost: the file has no method lost in org.example.FeesTest"),
        (with_method("    void lost() { }\n"), "lost: lost did not run"),
        (with_method("    @org.junit.jupiter.api.Disabled @Test void lost() { }\n"), "lost: "),
    ],
)
def test_a_file_without_a_test_scores_nothing(court: Court, text: str, reason: str) -> None:
    # OpenHands benchmarks 330
    result = court.judge(text)
    assert (result.verdict, result.reason.startswith(reason)) == ("failed", True), result.reason
    assert (result.metrics.success, result.mutant_results()) == (0.0, ())
    assert result.targets[0].new in {"HrnsFail", "ExecFail"}


def test_what_an_agent_does_beside_its_test_is_undone(bench: Path, tmp_path: Path) -> None:
    # OpenHands benchmarks 708: the agent mends the code, so that its tests pass in its own workspace.
    command = "; ".join(
        [
            f"sed -i 's/return 3 [*] days/return 2 * days/' {MAIN}",
            "echo notes > notes.txt",
            "echo '<project/>' > pom.xml",
            f"echo 'class Beside {{ }}' > {Path(TEST).parent}/Beside.java",
            f"printf '\\n' >> {TEST}",
            "git add --all; git -c user.name=a -c user.email=a@example.org commit --quiet -m done",
        ]
    )
    options = RunOptions(agent="command", command=command, sandbox=choose(), quiet=True)
    run_agent(bench, tmp_path / "run", Selection(tracks=("update",)), options)
    (line,) = (tmp_path / "run/predictions.jsonl").read_text().splitlines()
    paths = {file["path"] for file in json.loads(line)["files"]}
    assert paths == {TEST, f"{Path(TEST).parent.as_posix()}/Beside.java"}
    judging = EvoOptions(
        sandbox=choose(), selection=Selection(tracks=("update",)), use_cache=False, audit_share=0.0, quiet=True
    )
    evaluate(bench, tmp_path / "run", tmp_path / "out", judging)
    result = results(open_bench(bench), tmp_path / "out", {"update": None})["update"]
    assert (result.verdict, result.targets[0].new) == ("failed", "ExecFail")

"""Others on the same mutants or classes: Maven with one call a mutant, and PIT with mutants of its own."""

from __future__ import annotations

import csv
import os
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from java_references import Opened, Pair

from testmark.engine.cache import default_cache
from testmark.records.kit import Mutant
from testmark.runtimes.maven.call import OUT, Call, maven_session
from testmark.runtimes.maven.cold import inside
from testmark.runtimes.maven.plugins import LEFT_OUT
from testmark.runtimes.maven.protocol import STORE, WORK, Toolchain
from testmark.runtimes.maven.reports import class_failures, of_methods, read_reports
from testmark.runtimes.maven.selection import selections
from testmark.runtimes.maven.toolchains import placed
from testmark.runtimes.maven.worker_jars import EXTRA, Jar, fetch_jars, placed_jars, platform_jars
from testmark.runtimes.maven.worker_tools import ensure_tools
from testmark.sandbox import choose
from testmark.sandbox.confinement import Confinement, Limits, Mount
from testmark.sandbox.process import run
from testmark.sandbox.scratch import scratch_folder

LIMITS = Limits(
    cpu_seconds=None, wall_seconds=1200.0, memory_mib=8192, processes=1024, file_mib=1024, output_bytes=4 << 20,
    disk_mib=4096,
)  # fmt: skip
_PIT = "1.30.2"
_PIT_JARS = (
    *(Jar("org.pitest", name, _PIT) for name in ("pitest", "pitest-entry", "pitest-command-line")),
    Jar("org.pitest", "pitest-html-report", _PIT),
    Jar("org.pitest", "pitest-junit5-plugin", "1.2.3"),
    *(Jar("org.ow2.asm", name, "9.11") for name in ("asm", "asm-analysis", "asm-commons", "asm-tree", "asm-util")),
    Jar("org.apache.commons", "commons-lang3", "3.18.0"),
    Jar("org.apache.commons", "commons-text", "1.14.0"),
    Jar("net.sf.jopt-simple", "jopt-simple", "4.9"),
    Jar("org.antlr", "stringtemplate", "3.2.1"),
    Jar("antlr", "antlr", "2.7.7"),
)
_PIT_NEEDS = 11


@dataclass(frozen=True)
class MavenRun:
    """What one call of Maven took, by the clock and of CPU, and what it says of the mutant."""

    seconds: float
    cpu_seconds: float
    verdict: str


def maven_once(opened: Opened, pair: Pair) -> MavenRun:
    """One `mvn -o -q test -Dtest=...` in a copy of the tree with the mutated file.

    Plugins that no build of ours runs are left out, as the offline store lacks them. The method is named by a setting
    of Surefire's, as some read the command line wrong. Copying is not timed.
    """
    sandbox, tree = choose(), opened.tree
    with scratch_folder("maven-beside-") as scratch:
        copy, out = scratch / "tree", scratch / "out"
        (out / "reports").mkdir(parents=True)
        subprocess.run(["cp", "--archive", "--", str(tree.tree), str(copy)], check=True)
        for path in pair.asked.removed:
            (copy / path).unlink()
        for file in pair.asked.files:
            (copy / file.path).parent.mkdir(parents=True, exist_ok=True)
            (copy / file.path).write_text(file.content, encoding="utf-8", newline="")
        module, warm = opened.side.module, pair.asked.warm
        only = ("-pl", module.path, "-am") if module.path else ()
        selection = selections(module.surefire.version, warm.test_class, warm.methods)[0]
        plan = {
            "leave-out": "\n".join(LEFT_OUT),
            "build": "\n".join(inside(one.path) for one in opened.side.siblings),
            "module": inside(module.path),
            "test": selection.test,
            "reports": f"{OUT}/reports",
        }
        if tree.released:
            plan["java"] = str(tree.released)
        call = Call(
            copy, tree.store, tree.toolchain, ("-q", "test", *only), plan,
            online=False, limits=LIMITS, cache=default_cache() / "maven",
        )  # fmt: skip
        began = time.perf_counter()
        session = maven_session(sandbox, call, out)
        took = time.perf_counter() - began
        all_cases = read_reports(out / "reports").cases
        cases = (*of_methods(all_cases, warm.test_class, warm.methods), *class_failures(all_cases, warm.test_class))
        assert cases, session.output()[-2000:]
    failed = any(case.status in {"failed", "error"} for case in cases)
    return MavenRun(took, session.completed.cpu_seconds, "killed" if failed else "survived")


@dataclass(frozen=True)
class PitRun:
    """What PIT did for one class and test method."""

    seconds: float
    cpu_seconds: float
    mutants: int
    """Those that a test was run on."""
    kinds: Counter[str]
    java: int


def pit(opened: Opened, method: str, mutants: Sequence[Mutant], toolchains: Sequence[Toolchain]) -> PitRun | None:
    """PIT on the classes that the mutants stand in, with one test method; None where PIT cannot run the test.

    It needs Java 11 and knows JUnit 4 by itself and the JUnit Platform by a plugin.
    """
    warm = opened.plain[method].warm
    chain = _for_pit(opened.tree.toolchain, toolchains)
    if chain is None or not {"platform", "junit4"} & set(warm.frameworks):
        return None
    sandbox = choose()
    jars = default_cache() / "bench-pit"
    fetch_jars(chain, sandbox, _PIT_JARS, jars)
    extra = ensure_tools(opened.tree.toolchain, sandbox, default_cache() / "maven").extra
    launcher = placed_jars(platform_jars(warm.dependencies), opened.tree.store, extra) or ()
    at = placed(chain)
    owners = sorted({_class_of(one, opened) for one in mutants})
    classes = [glob for owner in owners for glob in (owner, f"{owner}$*")]
    entries = (*warm.code, *warm.dependencies, *launcher)
    with scratch_folder("pit-") as scratch:
        tree, out = scratch / "tree", scratch / "out"
        out.mkdir()
        subprocess.run(["cp", "--archive", "--", str(opened.tree.tree), str(tree)], check=True)
        # The kit's test is compiled already where the revision has it; PIT reads it from there.
        confinement = Confinement(
            argv=(
                f"{at.java_home}/bin/java", "-cp", ":".join((*(f"/pit/{jar.file}" for jar in _PIT_JARS), *entries)),
                "org.pitest.mutationtest.commandline.MutationCoverageReport", "--reportDir", "/out",
                "--targetClasses", ",".join(classes), "--targetTests", warm.test_class.split("$")[0],
                "--includedTestMethods", method, "--sourceDirs", f"{WORK}/{opened.side.module.main_root}",
                "--classPath", ",".join(entries), "--outputFormats", "CSV", "--timestampedReports=false",
                "--threads", "1", "--failWhenNoMutations=false",
            ),
            cwd=warm.directory,
            env={"PATH": f"{at.java_home}/bin:/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC"},
            mounts=(
                *at.mounts, Mount(tree, WORK, writable=True), Mount(opened.tree.store, STORE), Mount(jars, "/pit"),
                Mount(extra, EXTRA), Mount(out, "/out", writable=True),
            ),
            root=chain.root,
            tmpfs_mib=1024,
        )  # fmt: skip
        done = run(sandbox, confinement, LIMITS)
        report = out / "mutations.csv"
        if done.exit_code != 0 or not report.is_file():
            words = (done.stdout + done.stderr).decode("utf-8", "replace").splitlines()
            said = [line.strip() for line in words if "Exception" in line] or [f"exit code {done.exit_code}"]
            print(f"PIT failed on {warm.test_class}#{method}: {said[0]}")
            return None
        with report.open(encoding="utf-8", newline="") as lines:
            kinds = Counter(row[5] for row in csv.reader(lines))
    # A mutant that only other methods reach is a RUN_ERROR: PIT has left its tests out by then.
    ran = sum(kinds.values()) - kinds["NO_COVERAGE"] - kinds["RUN_ERROR"]
    return PitRun(done.wall_seconds, done.cpu_seconds, ran, kinds, chain.jdk.major) if ran else None


def _for_pit(own: Toolchain, toolchains: Sequence[Toolchain]) -> Toolchain | None:
    """The tree's own JDK where it will do, else the oldest that does."""
    fit = sorted((one for one in toolchains if one.jdk.major >= _PIT_NEEDS), key=lambda one: one.jdk.major)
    return own if own.jdk.major >= _PIT_NEEDS else next(iter(fit), None)


def _class_of(mutant: Mutant, opened: Opened) -> str:
    """The class that the file is named after."""
    root = next(one.main_root for one in opened.side.siblings if mutant.path.startswith(f"{one.main_root}/"))
    return mutant.path.removeprefix(f"{root}/").removesuffix(".java").replace("/", ".")


def load() -> str:
    """The machine's load in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"

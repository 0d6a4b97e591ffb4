"""The same pairs of reference and mutant, in turn: by the warm worker, and by one `python -m behave` process each.

Usage: python bench/warm_and_processes.py BENCH [--pairs 40]
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path

from references import open_measured, spread

from testmark.req2test.killing import is_kill, mutant_verdict
from testmark.req2test.runtime import runtime_of
from testmark.runtimes.protocol import RunRequest, RuntimeProject
from testmark.sandbox import choose


def main() -> None:
    """Print medians of both ways, the ratio of their sums, and whether they agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--pairs", type=int, default=40)
    options = parser.parse_args()
    measured = open_measured(options.bench)
    runtime_project = measured.project
    chosen = [pair.request for pair in spread(list(measured.pairs()), options.pairs)]
    runtime = runtime_of(measured.bench.project.definition.project.framework)
    warm: list[float] = []
    processes: list[float] = []
    agree = 0
    with closing(runtime.worker(runtime_project, choose())) as worker:
        for request in chosen:
            started = time.perf_counter()
            outcome = worker.run(request)
            warm.append(time.perf_counter() - started)
            started = time.perf_counter()
            failed = _process(runtime_project, request)
            processes.append(time.perf_counter() - started)
            agree += failed == is_kill(mutant_verdict(outcome))
    print(f"pairs {len(chosen)}, both ways agree on {agree}")
    print(f"warm run:          median {1000 * statistics.median(warm):7.1f} ms")
    print(f"python -m behave:  median {1000 * statistics.median(processes):7.1f} ms")
    print(f"ratio of the sums: {sum(processes) / sum(warm):.1f}")


def _process(project: RuntimeProject, request: RunRequest) -> bool:
    """Whether an ordinary run in a copy of the project fails; the copying counts, as it does for the other way."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        shutil.copytree(project.base, root, symlinks=True)
        for path in request.remove:
            (root / path).unlink(missing_ok=True)
        for file in request.files:
            place = root / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(file.content, encoding="utf-8")
        done = subprocess.run(
            [
                str(project.prefix / "bin" / "python"),
                "-m",
                "behave",
                "--stop",
                f"{request.feature_path}:{request.line}",
            ],
            cwd=root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(project.import_paths), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=False,
            timeout=120,
        )
        return done.returncode != 0


if __name__ == "__main__":
    main()

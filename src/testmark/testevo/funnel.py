"""The funnel of a mining run as text: what was looked at, what left at each stage, what is left."""

from __future__ import annotations

from collections import Counter
from typing import Any

from testmark.records.tasks import TRACKS
from testmark.testevo.classify import MEANINGS
from testmark.testevo.mine import Funnel


def funnel_counts(funnel: Funnel) -> dict[str, Any]:
    """Counts by stage and reason, as one JSON object."""
    tests = [test for pair in funnel.pairs for test in pair.tests]
    failed = Counter(str(build.reason) for build in funnel.builds.values() if build.reason is not None)
    return {
        "commits": funnel.commits,
        "candidates": funnel.candidates,
        "unreached": funnel.unreached,
        "builds": {
            "passed": sum(build.reason is None for build in funnel.builds.values()),
            "failed": dict(sorted(failed.items())),
            "java": dict(
                sorted(Counter(str(b.java_version) for b in funnel.builds.values() if b.reason is None).items())
            ),
        },
        "pairs": len(funnel.pairs),
        "dropped": dict(sorted(Counter(drop.reason for drop in funnel.dropped).items())),
        "tests": len(tests),
        "left": dict(sorted(Counter(test.reason for test in tests if test.track is None).items())),
        "targets": {track: sum(test.track == track for test in tests) for track in TRACKS},
    }


def funnel_text(funnel: Funnel) -> str:
    """One line a stage, its reasons below it."""
    found = funnel_counts(funnel)
    lines = [f"{found['commits']} commits in the window"]
    lines += [f"  {count:6} {reason}" for reason, count in found["dropped"].items()]
    lines.append(f"{found['candidates']} candidate pairs, {found['unreached']} of them not reached")
    builds = found["builds"]
    lines.append(f"{builds['passed']} revisions built, {sum(builds['failed'].values())} not")
    lines += [f"  {count:6} {reason}" for reason, count in builds["failed"].items()]
    lines.append(f"{found['pairs']} pairs mined, {found['tests']} changed tests")
    lines += [
        f"  {count:6} {reason}: {MEANINGS.get(reason, '')}".rstrip(": ") for reason, count in found["left"].items()
    ]
    lines.append("targets: " + ", ".join(f"{count} {track}" for track, count in found["targets"].items()))
    return "\n".join(lines)

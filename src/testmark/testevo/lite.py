"""The Lite subset: the card's five rules, each a function that gives its reason, then a seeded sample by year."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from testmark.engine.files import digest
from testmark.records.tasks import Track
from testmark.testevo.rows import Mined

MOST_METHODS = 3
BUDGETS: Mapping[Track, int | None] = {"update": 200, "generation": 300, "refinement": None}
"""Tasks of each track after sampling; None keeps all that the rules leave."""

_TOY = re.compile(
    r"(?i)(?:^|[-_/ .])(tutorials?|examples?|samples?|demos?|learn(?:ing)?|courses?|training|exercises?|kata|"
    r"playground|bootcamp|workshop|homework|interview|leetcode|toy|hello[-_ ]?world)(?:$|[-_/ .])"
)
_FLAKY = {
    "time": r"\b(?:Thread\.sleep|currentTimeMillis|nanoTime|Instant\.now|LocalDate(?:Time)?\.now|ZonedDateTime\.now"
    r"|OffsetDateTime\.now|Clock\.system\w*|new\s+Date\s*\(\s*\)|Calendar\.getInstance|TimeUnit\.\w+\.sleep"
    r"|Awaitility|await\s*\(|timeout\s*=|assertTimeout\w*|Duration\.between)",
    "randomness": r"\b(?:Math\.random|new\s+Random\b|SecureRandom|ThreadLocalRandom|UUID\.randomUUID|RandomStringUtils"
    r"|Collections\.shuffle)",
    "network": r"\b(?:new\s+(?:Server)?Socket\b|InetAddress|HttpURLConnection|HttpClient|new\s+URL\s*\(|URLConnection"
    r"|RestTemplate|WebClient|MockWebServer|localhost|127\.0\.0\.1)",
    "environment": r"\b(?:System\.getenv|System\.getProperty|user\.home|user\.dir|java\.io\.tmpdir|Locale\.getDefault"
    r"|TimeZone\.getDefault|ProcessBuilder|Runtime\.getRuntime|new\s+Thread\b|ExecutorService|CompletableFuture"
    r"|parallelStream)",
    "disabled": r"@(?:Disabled\w*|Ignore|EnabledIf\w*|EnabledOn\w*|DisabledIf\w*)\b|enabled\s*=\s*false"
    r"|\bassum(?:e|ing)\w*\s*\(",
}
_FLAKY_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _FLAKY.items()}


@dataclass(frozen=True)
class LiteDrop:
    """A task that is not in Lite, with the rule and the detail."""

    task_id: str
    rule: str
    detail: str


def toy_repository(mined: Mined) -> str:
    """Rule 1: a toy or tutorial repository, by a word of its name or its owner's."""
    found = _TOY.search(mined.row.project_name)
    return f"its name says `{found[1]}`" if found else ""


def covers_no_change(mined: Mined) -> str:
    """Rule 2: a developer's test that covers no line of a changed method."""
    for test in mined.tests:
        if not any(one.changed and one.covered for one in test.dependencies):
            return f"{test.method} covers no line of a changed method"
    return ""


def not_adjacent(mined: Mined) -> str:
    """Rule 3: not from adjacent commits."""
    return "" if mined.pair.kind == "commit" else f"the pair is of kind `{mined.pair.kind}`"


def may_be_flaky(mined: Mined) -> str:
    """Rule 4: the test's text names time, randomness, network or environment, or it is disabled under a condition."""
    for test in mined.tests:
        for kind, pattern in _FLAKY_PATTERNS.items():
            found = pattern.search(test.code)
            if found:
                return f"{test.method} depends on {kind}: `{found[0].strip()}`"
    return ""


def many_methods(mined: Mined) -> str:
    """Rule 5: more than three target methods."""
    count = len(mined.row.test_changes)
    return f"{count} target methods" if count > MOST_METHODS else ""


RULES: Mapping[str, Callable[[Mined], str]] = {
    "toy-repository": toy_repository,
    "covers-no-change": covers_no_change,
    "not-adjacent": not_adjacent,
    "may-be-flaky": may_be_flaky,
    "many-methods": many_methods,
}


def choose_lite(
    mined: Iterable[Mined], *, seed: int, budgets: Mapping[Track, int | None] = BUDGETS, per_repository: int = 10
) -> tuple[frozenset[str], tuple[LiteDrop, ...]]:
    """The identifiers in Lite, and every other one with its reason.

    Of one pair and track at most one task stays (drawn by the seed); update and generation are then sampled year by
    year in turn, with at most `per_repository` tasks a repository and track.
    """
    dropped: list[LiteDrop] = []
    left: list[Mined] = []
    for one in mined:
        rule = next(((name, detail) for name, check in RULES.items() if (detail := check(one))), None)
        if rule is None:
            left.append(one)
        else:
            dropped.append(LiteDrop(one.row.task_id, *rule))
    chosen: set[str] = set()
    for track, budget in budgets.items():
        own = [one for one in left if one.track == track]
        kept = own if budget is None else _sample(own, budget, per_repository, seed)
        names = {one.row.task_id for one in kept}
        chosen |= names
        dropped += [LiteDrop(one.row.task_id, "not-sampled", "") for one in own if one.row.task_id not in names]
    return frozenset(chosen), tuple(sorted(dropped, key=lambda drop: (drop.task_id, drop.rule)))


def _sample(tasks: Sequence[Mined], budget: int, per_repository: int, seed: int) -> list[Mined]:
    shuffled = sorted(tasks, key=lambda one: digest(seed, one.row.task_id))
    one_a_pair = list({(one.row.project_name, one.row.rev1, one.row.rev2): one for one in reversed(shuffled)}.values())
    years: defaultdict[str, list[Mined]] = defaultdict(list)
    for one in sorted(one_a_pair, key=lambda one: digest(seed, one.row.task_id)):
        years[one.row.date[:4]].append(one)
    chosen: list[Mined] = []
    used: Counter[str] = Counter()
    while len(chosen) < budget and any(years.values()):
        for year in sorted(years):
            while years[year]:
                one = years[year].pop(0)
                if used[one.row.project_name] < per_repository:
                    used[one.row.project_name] += 1
                    chosen.append(one)
                    break
            if len(chosen) == budget:
                break
    return chosen

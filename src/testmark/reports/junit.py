"""JUnit XML as continuous integration servers read it: a suite a run, a test case an instance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from testmark.reports.load import LoadedResults
from testmark.reports.shown import ShownInstance, ShownTask

# XML 1.0 allows these characters and no others (its production 2, `Char`).
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(runs: Sequence[LoadedResults]) -> str:
    """A case fails when the prediction did not pass and is skipped when it was empty.

    It errs on `infra` and where it is not judged yet.
    """
    top = ET.Element("testsuites")
    for run in runs:
        counts, missing = run.summary.verdicts, run.missing()
        failures = sum(counts.values()) - counts[run.benchmark.passed] - counts["infra"] - counts["empty"]
        suite = ET.SubElement(
            top,
            "testsuite",
            name=_clean(run.label),
            tests=str(run.summary.tasks),
            failures=str(failures),
            errors=str(counts["infra"] + len(missing)),
            skipped=str(counts["empty"]),
        )
        for task in run.shown_tasks():
            _case(_named(suite, run.instances[task.name]), task, run.benchmark.passed)
        for name in missing:
            ET.SubElement(_named(suite, run.instances[name]), "error", message="not judged yet", type="not-judged")
    ET.indent(top)
    return ET.tostring(top, encoding="unicode", xml_declaration=True) + "\n"


def _case(case: ET.Element, task: ShownTask, passed: str) -> None:
    if task.verdict == passed:
        members = [mutant for mutant in task.mutants if mutant.counts]
        killed = sum(mutant.verdict.startswith("killed") for mutant in members)
        ET.SubElement(case, "system-out").text = f"{killed} of {len(members)} mutants killed"
        return
    kind = {"infra": "error", "empty": "skipped"}.get(task.verdict, "failure")
    element = ET.SubElement(case, kind, message=_clean(f"{task.verdict}: {task.reason}"))
    if kind != "skipped":
        element.set("type", task.verdict)


def _named(suite: ET.Element, instance: ShownInstance) -> ET.Element:
    class_name, name = instance.case
    return ET.SubElement(suite, "testcase", classname=_clean(class_name), name=_clean(name))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)

"""The rows of the TestEvo data sets, exactly the card's fields and types; one schema for the three tracks."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from testmark.records.base import Record

Track = Literal["update", "generation", "refinement"]
TRACKS: tuple[Track, ...] = ("update", "generation", "refinement")
CellResult = Literal["Pass", "ExecFail", "CmplFail", "HrnsFail"]


class VariantResult(Record):
    """The developer's tests on either code; null where there is no old test."""

    old_on_old: CellResult | None
    old_on_new: CellResult | None
    new_on_old: CellResult
    new_on_new: CellResult


class CoverageGain(Record):
    """How many executable lines of the dependency methods each test covers on the new revision."""

    denominator: int
    baseline_covered: int
    """By the old test."""
    developer_covered: int
    gained: int
    """Lines that only the new test covers."""
    lost: int
    """Lines that only the old test covers."""
    net: int
    gain: float
    """`net / denominator`."""
    status: Literal["gain", "no-gain", "loss"]
    version: Literal["rev2"]
    """The revision that it was measured on."""


class TestChange(Record):
    """One target test method."""

    __test__ = False  # pytest collects classes whose name starts with "Test"
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    change_id: str
    test_sign: str
    class_: str = Field(alias="class")
    method: str
    module: str
    junit_selector: str
    old_test_code: str | None
    new_test_code: str
    old_test_lnum: tuple[str, ...]
    new_test_lnum: tuple[str, ...]
    old_test_file_path: tuple[str, ...]
    all_deps_new: tuple[str, ...]
    variant_result: VariantResult
    coverage_gold: float
    coverage_delta_gold: float | None
    coverage_gain: CoverageGain | None


class TaskRow(Record):
    """One row: one (repository, revision pair, test file) group of one track."""

    task_id: str
    project_name: str
    git_clone_url: str
    rev1: str
    rev2: str
    date: str
    test_file: str
    test_changes: tuple[TestChange, ...]
    java_version: int

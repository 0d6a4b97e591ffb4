"""The rows of the Req2Test dataset, exactly the card's fields and types."""

from __future__ import annotations

from typing import Literal

from testmark.records.base import FileText, Record


class TargetInterface(Record):
    """A production method that the reference test calls directly from its When and Then steps."""

    declaration: str
    key: tuple[str, ...]


class FeaturePart(Record):
    """The Feature around the Scenario."""

    file_path: str
    title: str
    narrative: str | None
    background: str | None


class ScenarioPart(Record):
    """The Scenario itself."""

    title: str
    line: int
    kind: Literal["scenario", "outline"]
    tags: tuple[str, ...]
    gherkin: str


class InstanceRow(Record):
    """One row of the `default` configuration."""

    instance_id: str
    project: str
    language: str
    framework: str
    repo_url: str
    base_commit: str
    feature_repo_url: str
    feature_commit: str
    feature: FeaturePart
    scenario: ScenarioPart
    requirement_richness: Literal["user_story", "prose", "title_only"]
    target_interfaces: tuple[TargetInterface, ...]
    target_interfaces_empty_reason: str | None
    test_level: Literal["component", "integration", "system"]
    test_level_class: str
    in_eval_split: bool
    gt_test_files: tuple[str, ...]


class ReferenceRow(Record):
    """One row of the `gt_tests` configuration."""

    project: str
    instance_id: str
    files: tuple[FileText, ...]
    di_fragment: str | None

"""Mutants of a program: operators by language as data, generation, selection, and control edits that change nothing."""

from __future__ import annotations

from testmark.mutants.edits import apply, diff, mutated_lines
from testmark.mutants.equivalents.controls import controls
from testmark.mutants.generation import generate
from testmark.mutants.reach import reach_lines
from testmark.mutants.scopes import is_swappable, swap_target
from testmark.mutants.selection import select

__all__ = [
    "apply",
    "controls",
    "diff",
    "generate",
    "is_swappable",
    "mutated_lines",
    "reach_lines",
    "select",
    "swap_target",
]

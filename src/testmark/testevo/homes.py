"""Which module of a revision a file belongs to, and which module of the other revision is the same one."""

from __future__ import annotations

from collections.abc import Sequence

from testmark.records.builds import BuiltModule, is_below


def module_of_code(modules: Sequence[BuiltModule], path: str) -> BuiltModule | None:
    """The module whose production code the file is."""
    holding = [module for module in modules if is_below(path, module.main_root)]
    return max(holding, key=lambda module: len(module.main_root), default=None)


def module_of_test(modules: Sequence[BuiltModule], path: str) -> BuiltModule | None:
    """The module whose test code the file is."""
    holding = [module for module in modules if is_below(path, module.test_root)]
    return max(holding, key=lambda module: len(module.test_root), default=None)


def counterpart(modules: Sequence[BuiltModule], module: BuiltModule, old_path: str) -> BuiltModule | None:
    """Where a test of the new revision's module belongs in the old one: its old place, else the module of that name.

    `old_path` is where the old revision has the test file; empty when it has none.
    """
    home = module_of_test(modules, old_path) if old_path else None
    if home is not None:
        return home
    same = [one for one in modules if one.path == module.path]
    same = same or [one for one in modules if one.artifact == module.artifact]
    return same[0] if same else None

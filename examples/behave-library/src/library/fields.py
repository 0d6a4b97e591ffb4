"""Descriptors: a value computed once, and one that is checked when it is set."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence


class cached:  # noqa: N801 - used like `property`
    """A property whose value is computed at the first access and kept until it is deleted."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        kept = instance.__dict__.get("_kept_" + self._name)
        if kept is None:
            kept = self._function(instance)
            instance.__dict__["_kept_" + self._name] = kept
        return kept

    def __set__(self, instance: Any, value: Any) -> None:
        raise AttributeError("can't set " + self._name)

    def __delete__(self, instance: Any) -> None:
        instance.__dict__.pop("_kept_" + self._name, None)


class Between:
    """A whole number between two bounds, both included.

    `forgets` names the cached values that are out of date once the number changes.
    """

    def __init__(self, low: int, high: int, forgets: Sequence[str] = ()) -> None:
        self._low = low
        self._high = high
        self._forgets = tuple(forgets)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Optional[type] = None) -> Any:
        if instance is None:
            return self
        return instance.__dict__[self._name]

    def __set__(self, instance: Any, value: int) -> None:
        if not self._low <= value <= self._high:
            raise ValueError(f"{self._name} must be between {self._low} and {self._high}, not {value}")
        instance.__dict__[self._name] = value
        for name in self._forgets:
            delattr(instance, name)

"""Descriptors: a value computed once, and one that is checked when it is set."""


class cached:
    """A property whose value is computed at the first access and then kept."""

    def __init__(self, function):
        self._function = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        kept = instance.__dict__.get("_kept_" + self._name)
        if kept is None:
            kept = self._function(instance)
            instance.__dict__["_kept_" + self._name] = kept
        return kept

    def __set__(self, instance, value):
        raise AttributeError("can't set " + self._name)


class Between:
    """A whole number between two bounds, both included."""

    def __init__(self, low, high):
        self._low = low
        self._high = high

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__[self._name]

    def __set__(self, instance, value):
        if not self._low <= value <= self._high:
            raise ValueError(f"{self._name} must be between {self._low} and {self._high}, not {value}")
        instance.__dict__[self._name] = value

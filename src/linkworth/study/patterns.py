"""Patterns of names."""

from collections.abc import Iterable
from fnmatch import fnmatchcase


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether one of the patterns (`npb:ft.*`) matches a name."""
    return any(fnmatchcase(name, pattern) or name == pattern for pattern in patterns)


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that a pattern matches."""
    return [name for name in names if matches(name, [pattern])]

"""Preparation of tests from what the user typed."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.bench import run, tests
from linkworth.bench.run import Prepared
from linkworth.bench.settings import OF_ONE_TEST, BenchSettings, SizeTexts, option_of
from linkworth.errors import UsageError
from linkworth.places.place import OpenPlace
from linkworth.units import parse_size

DEFAULT_TESTS = ["latency", "bandwidth"]
_DEFAULTS = BenchSettings()


def split(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Separate files of results from names of tests; no word means the default tests. Raises UsageError."""
    files = [Path(word) for word in words if _is_file(word)]
    names = [test.name for test in tests.named([word for word in words if not _is_file(word)])]
    return files, names or ([] if files else DEFAULT_TESTS)


def _is_file(word: str) -> bool:
    known = word in tests.TESTS or word in tests.GROUPS
    return not known and ("." in word or "/" in word or Path(word).is_file())


def with_sizes(others: BenchSettings, texts: SizeTexts) -> BenchSettings:
    """Return settings with the sizes that a user wrote. Raises UsageError."""
    between = texts.least is not None or texts.most is not None
    if texts.sizes is not None and between:
        raise UsageError("`sizes` names the sizes; `min` and `max` are for the default ones")
    chosen = [] if texts.sizes is None else tests.parse_sizes(texts.sizes)
    if between:
        chosen = tests.sizes_between(_size(texts.least, "`min`"), _size(texts.most, "`max`"))
    limit = _size(texts.longest, "`longest`")
    if limit is not None and not 8192 <= limit <= tests.LARGEST // 2:
        raise UsageError(f"`longest` {texts.longest}: give a size from 8K to 1023M")
    return msgspec.structs.replace(others, sizes=chosen, longest=limit)


def _size(text: str | None, option: str) -> int | None:
    return None if text is None else parse_size(text, option)


def prepare(
    names: Sequence[str],
    *,
    opened: OpenPlace,
    mpi: str | None,
    ranks: int | None,
    settings: BenchSettings,
    planned: bool = False,
) -> list[Prepared]:
    """Prepare all tests, so that errors come before the first one runs. With `planned` nothing is built.

    An option of one test is an error without that test, and is not passed to the others.
    """
    for setting, owner in OF_ONE_TEST.items():
        if getattr(settings, setting) and owner not in names:
            raise UsageError(f"{option_of(setting)} is an option of {owner}, which is not asked for")
    prepared = []
    for name in names:
        others = {each: getattr(_DEFAULTS, each) for each, owner in OF_ONE_TEST.items() if owner != name}
        own = msgspec.structs.replace(settings, **others)
        prepared.append(run.prepare(name, opened=opened, mpi=mpi, ranks=ranks, settings=own, planned=planned))
    return prepared

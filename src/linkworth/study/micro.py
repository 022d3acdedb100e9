"""Micro-benchmarks as workloads: `bench:pingpong --async --sizes 1K,64K`, with the options of `linkworth bench`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from linkworth.bench import request
from linkworth.bench.run import BenchStopped, execute, prepare
from linkworth.bench.settings import (
    LARGEST_WINDOW,
    ONLY_FOR,
    PRECISION,
    SECONDS_OF_A_SIZE,
    BenchSettings,
    arguments,
)
from linkworth.bench.tests import BenchTest, named
from linkworth.catalog.assignment import read_number
from linkworth.errors import UsageError
from linkworth.places.job import Observer
from linkworth.places.place import OpenPlace
from linkworth.study.outcome import Outcome, of_bench, of_error

PREFIX = "bench:"
_TEXTS = {"--sizes": "sizes", "--min": "least", "--max": "most", "--among": "among", "--longest": "longest"}
_NUMBERS = {"--precision": ("precision", PRECISION), "--seconds": ("seconds", SECONDS_OF_A_SIZE)}
_WINDOW = "--window"
_SWITCHES = {"--async": "asynchronous", "--bidirectional": "bidirectional", "--pairs": "pairs"}
_OPTIONS = {name: option for option, name in _TEXTS.items()} | {"window": _WINDOW}
_AMONG = ("auto", "pair-in-node", "pair-across-nodes", "node", "all")


class Micro(NamedTuple):
    """A micro-benchmark with its options."""

    test: BenchTest
    settings: BenchSettings

    @property
    def is_pair(self) -> bool:
        """True if it needs only two ranks."""
        return self.test.is_pair and not self.settings.pairs


def is_micro(command: Sequence[str]) -> bool:
    """Return whether a command names a micro-benchmark."""
    return command[0].startswith(PREFIX)


def parse(command: Sequence[str]) -> Micro:
    """Return the micro-benchmark of a command. Raises UsageError for an unknown test or option."""
    tests = named([command[0].removeprefix(PREFIX)])
    if len(tests) != 1:
        raise UsageError(f"{command[0]} stands for several tests; name them one by one")
    given: dict[str, Any] = {}
    words = list(command[1:])
    while words:
        option = words.pop(0)
        if option in _SWITCHES:
            given[_SWITCHES[option]] = True
            continue
        if option not in _TEXTS and option not in _NUMBERS and option != _WINDOW:
            known = ", ".join([*_TEXTS, *_NUMBERS, _WINDOW, *_SWITCHES])
            raise UsageError(f"{command[0]} has no option {option!r}; there are {known}")
        if not words:
            raise UsageError(f"{command[0]} {option}: its value is missing")
        value = words.pop(0)
        if option in _TEXTS:
            given[_TEXTS[option]] = value
            continue
        if option == _WINDOW:
            if not (value.isascii() and value.isdecimal() and 1 <= int(value) <= LARGEST_WINDOW):
                raise UsageError(
                    f"{command[0]} {option} {value}: give a whole number from 1 to {LARGEST_WINDOW}"
                )
            given["window"] = int(value)
            continue
        name, allowed = _NUMBERS[option]
        given[name] = read_number(value, f"{command[0]} {option}", allowed)
    if given.get("among", "auto") not in _AMONG:
        raise UsageError(f"{command[0]} `among` {given['among']}: choose {', '.join(_AMONG)}")
    found = Micro(tests[0], request.settings(**given))
    arguments(*found)
    for parameters, having in ONLY_FOR:
        for name in parameters:
            if name in given and found.test.name not in having:
                raise UsageError(
                    f"{command[0]}: {_OPTIONS[name]} is for {', '.join(sorted(having))}, not for {found.test.name}"
                )
    return found


def measure(
    command: Sequence[str],
    *,
    opened: OpenPlace,
    mpi: str | None,
    ranks: int | None,
    timeout: float,
    folder: Path,
    watcher: Observer | None = None,
) -> Outcome:
    """Run a micro-benchmark in an open place; its batch job is found again by its files in `folder`.

    An incomplete one keeps its completed sizes, but is not done.
    """
    micro = parse(command)
    try:
        return of_bench(
            execute(
                prepare(micro.test.name, opened=opened, mpi=mpi, ranks=ranks, settings=micro.settings),
                timeout=timeout,
                folder=folder,
                watcher=watcher,
            )
        )
    except BenchStopped as stopped:
        partial = of_bench(stopped.result)
        return msgspec.structs.replace(
            of_error(stopped),
            rows=partial.rows,
            counters=partial.counters,
            facts=partial.facts,
            command=partial.command,
        )

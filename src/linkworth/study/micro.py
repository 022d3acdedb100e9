"""Micro-benchmarks as workloads: `bench:pingpong --async --sizes 1K,64K`, with the options of `linkworth bench`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

import msgspec

from linkworth.bench import request
from linkworth.bench.run import BenchStopped, execute, prepare
from linkworth.bench.settings import ONLY_FOR, BenchSettings, SizeTexts, arguments
from linkworth.bench.tests import BenchTest, named
from linkworth.catalog.assignment import read_number
from linkworth.errors import UsageError
from linkworth.model.parameter import Declared, declared
from linkworth.places.job import Observer
from linkworth.places.place import OpenPlace
from linkworth.study.outcome import Outcome, of_bench, of_error

PREFIX = "bench:"
_SIZES = {f"--{each.spelling}": each for each in declared(SizeTexts)}
_OTHERS = {f"--{each.spelling}": each for each in declared(BenchSettings)}
_OPTIONS = {**_SIZES, **_OTHERS}


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
    words = iter(command[1:])
    for word in words:
        option = _OPTIONS.get(word)
        if option is None:
            raise UsageError(f"{command[0]} has no option {word!r}; there are {', '.join(_OPTIONS)}")
        given[word] = option.type is bool or _value(option, next(words, None), f"{command[0]} {word}")

    def fields(options: Mapping[str, Declared]) -> dict[str, Any]:
        return {option.name: given[word] for word, option in options.items() if word in given}

    settings = request.with_sizes(BenchSettings(**fields(_OTHERS)), SizeTexts(**fields(_SIZES)))
    found = Micro(tests[0], settings)
    arguments(*found)
    for parameters, having in ONLY_FOR:
        for word in given:
            if _OPTIONS[word].name in parameters and found.test.name not in having:
                raise UsageError(
                    f"{command[0]}: {word} is for {', '.join(sorted(having))}, not for {found.test.name}"
                )
    return found


def _value(option: Declared, text: str | None, place: str) -> object:
    """Return the value of an option. Raises UsageError that begins with `place`."""
    if text is None:
        raise UsageError(f"{place}: its value is missing")
    if option.parameter.allowed is None:
        choices = get_args(option.type)
        if get_origin(option.type) is Literal and text not in choices:
            raise UsageError(f"{place} {text}: choose {', '.join(choices)}")
        return text
    number = read_number(text, place, option.parameter.allowed)
    if option.type is not int:
        return number
    if not (text.isascii() and text.isdecimal()):
        raise UsageError(f"{place} {text}: give a whole number")
    return int(text)


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

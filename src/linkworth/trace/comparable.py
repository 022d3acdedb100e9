"""Differences between recordings of one program that make their comparison doubtful."""

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

from linkworth.model.trace import TraceMetadata

Recorded = tuple[int, TraceMetadata]
"""Ranks and metadata of a trace."""

_NO_MODEL = re.compile(r"\(.*?\)|@.*|\b\d+-core\b")
"""Parts of a name that differ between the kernel and a data sheet: trade marks, clock, cores, remarks."""
_MOST_LETTERS = 60


def same_model(one: str, other: str) -> bool:
    """Return whether two names can mean one model, as `Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz` and `Xeon E5-2650 v3`.

    A name without a model's number, which virtual machines often have, can mean any.
    """
    here, there = _numbers(one), _numbers(other)
    return here <= there or there <= here


def _numbers(name: str) -> set[str]:
    words = _NO_MODEL.sub(" ", name.lower()).split()
    return {word.strip(",") for word in words if re.search(r"\d", word)}


def doubts(traces: Sequence[Recorded], *, one_problem: bool = True) -> list[str]:
    """Return a sentence for each way in which recordings differ beyond their rank counts.

    Without `one_problem`, the problem may differ, and with it the command.
    """
    found = []
    if kinds := _differing(traces, [sorted(metadata.processors()) for _, metadata in traces]):
        found.append(
            f"the recordings are of different processors ({kinds}), so part of the difference in computation is theirs; "
            "record all on one kind of node"
        )
    if one_problem and (kinds := _differing(traces, _sizes(traces))):
        found.append(
            f"the problems differ in size ({kinds}), so a time is not only longer or shorter by the rank count"
        )
    if one_problem and (kinds := _differing(traces, _arguments(traces))):
        found.append(
            f"the recordings have different arguments ({kinds}); if these are different problems, times and calls differ for "
            "another reason than the rank count"
        )
    return found


def _differing(traces: Sequence[Recorded], words: Sequence[Sequence[str]]) -> str:
    """Return which rank counts have which words, from the first that differs on, or "". No words: not known."""
    ranks: dict[tuple[str, ...], list[str]] = {}
    for (count, _), of in zip(traces, words, strict=True):
        if of:
            ranks.setdefault(tuple(of), []).append(str(count))
    if len(ranks) < 2:
        return ""
    alike = 0
    while len({of[alike : alike + 1] for of in ranks}) == 1:
        alike += 1
    return "; ".join(
        f"{', '.join(counts)} ranks: {textwrap.shorten(' '.join(of[alike:]), _MOST_LETTERS) or 'none'}"
        for of, counts in ranks.items()
    )


def _sizes(traces: Sequence[Recorded]) -> list[list[str]]:
    """Return the size of each problem, as far as a scaled trace names it."""
    of_recordings: dict[int, float] = {}
    for _, metadata in traces:
        if metadata.scaling is not None:
            of_recordings |= dict(zip(metadata.scaling.ranks, metadata.scaling.sizes, strict=False))
    sizes = [
        of_recordings.get(ranks) if metadata.scaling is None else metadata.scaling.size
        for ranks, metadata in traces
    ]
    return [[] if size is None else [f"{size:g}"] for size in sizes]


def _arguments(traces: Sequence[Recorded]) -> list[list[str]]:
    """Return each program's name and arguments, without numbers that follow from the rank count."""
    given = [_of_program(metadata) for _, metadata in traces]
    if len({len(words) for words in given}) == 1:
        same = [len(set(column)) == 1 for column in zip(*given, strict=True)]
    else:
        same = [False] * max(map(len, given))
    return [
        [
            word if alike else _of_any_count(word, _ranks(trace))
            for word, alike in zip(words, same, strict=False)
        ]
        for words, trace in zip(given, traces, strict=True)
    ]


def _of_program(metadata: TraceMetadata) -> list[str]:
    """Return the command without what a launcher is given, such as hosts."""
    names = [Path(word).name for word in metadata.command]
    first = names.index(metadata.workload) if metadata.workload in names else 0
    return metadata.command[first:]


def _ranks(trace: Recorded) -> int:
    """Return the rank count with which the command was run."""
    ranks, metadata = trace
    return ranks if metadata.scaling is None else metadata.scaling.ranks[-1]


def _of_any_count(word: str, ranks: int) -> str:
    """Return a word without numbers that may follow from the rank count: one less, and those that divide it."""

    def masked(number: re.Match[str]) -> str:
        value = int(number[0])
        return "#" if value == ranks - 1 or (value and ranks % value == 0) else number[0]

    return re.sub(r"\d+", masked, word)

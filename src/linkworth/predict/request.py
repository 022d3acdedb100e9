"""User input: the name of a program that is recorded, or to record without running, and a measured time."""

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from linkworth.catalog import fabrics
from linkworth.catalog.assignment import parse_assignment, split_words
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.number_range import SECONDS
from linkworth.mpi import apps
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.timeline import Timeline, parse_window
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.program import check, parse
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.skeleton.rates import RateRequest, rates_for
from linkworth.skeleton.record import record_skeleton
from linkworth.writing.folders import temporary_folder
from linkworth.writing.user_folder import expanded


def is_program(target: str) -> bool:
    """Return whether `target` names a bundled program (`npb:ft.W`) and no file."""
    return not Path(target).exists() and apps.is_app(target.split(" ")[0])


@contextlib.contextmanager
def traced(
    target: str,
    ranks: int | None = None,
    rates: RateRequest | None = None,
    *,
    scaled: bool = False,
    progress: StepProgress = SILENT,
) -> Iterator[Path]:
    """Yield the path of the trace that `target` names; for a bundled program a skeleton, which is removed at the end.

    `scaled`: a measured time will scale the computation. Raises UsageError for a rank count with a trace, which has its
    own, and for an unusable rank count or rates; EnvironmentLacksError if no run can be timed here.
    """
    if not is_program(target):
        refuse_skeleton_options(target, ranks, rates)
        yield Path(target)
        return
    program = parse(split_words(target, "the program"))
    count = check(program, ranks)
    source = rates_for(program, rates or RateRequest(), count, scaled=scaled, progress=progress)
    with temporary_folder() as folder:
        trace = folder / f"{program.name}.lwt"
        record_skeleton(program, count, source, trace, progress=progress)
        yield trace


def refuse_skeleton_options(target: str, ranks: int | None, rates: RateRequest | None) -> None:
    """Raise UsageError for options that need a program without a trace."""
    if ranks is not None:
        raise UsageError(
            f"`ranks` {ranks}: {target} is a trace and has its rank count already; leave `ranks` out"
        )
    if rates is not None and rates.option is not None:
        raise UsageError(
            f"{rates.option}: {target} is a trace and contains its computation already; leave it out, or scale it with "
            "`cpu_factor`"
        )


_LAYOUT = re.compile(r"([1-9][0-9]{0,6})x([1-9][0-9]{0,6})")


def measured_texts(seconds: Mapping[str, float]) -> list[str]:
    """Return measured times, by FABRIC[:NODESxRANKS], in the form that `measured_times` parses."""
    return [f"{expanded(place)}={value}" for place, value in seconds.items()]


def measured_times(texts: Sequence[str]) -> list[MeasuredTime]:
    """Parse each `FABRIC[:NODESxRANKS]=SECONDS` of --measured. Raises UsageError.

    A fabric's own name may have a colon, so only a layout at the end counts as one. Several times need their layouts.
    """
    found = []
    for text in texts:
        name, seconds = parse_assignment(text, "`measured`", "SECONDS", SECONDS)
        fabric, _, layout = name.rpartition(":")
        shape = _LAYOUT.fullmatch(layout) if fabric else None
        if shape is None:
            found.append(MeasuredTime(fabrics.get(name), seconds))
        else:
            place = Arrangement(nodes=int(shape[1]), ppn=int(shape[2]))
            found.append(MeasuredTime(fabrics.get(fabric), seconds, place))
    if len(found) > 1 and any(each.arrangement is None for each in found):
        raise UsageError(
            "`measured` is given several times, so each needs its layout: nodes x ranks a node, such as gbe:16x1=89.8"
        )
    return found


def times_by_program(texts: Sequence[str], programs: Sequence[str]) -> list[list[MeasuredTime]]:
    """Return the measured times of each program, whose names are as a user gives them: paths, or bundled programs.

    Those of several are `PROGRAM:FABRIC[:NODESxRANKS]=SECONDS`, with a trace's path, file name or stem, and each program has
    one: a page or a choice of some that are scaled and others that are not would compare unlike times. Raises UsageError.
    """
    if len(programs) < 2 or not texts:
        return [measured_times(texts) for _ in programs]
    own: list[list[str]] = [[] for _ in programs]
    for text in texts:
        named = [_length_of_name(text, program) for program in programs]
        if not max(named) or named.count(max(named)) > 1:
            raise UsageError(
                f"`measured` {text!r}: the program is not clear; of several, write PROGRAM:FABRIC=SECONDS, such as "
                f"{Path(programs[0]).name}:gbe=89.8"
            )
        own[named.index(max(named))].append(text[max(named) + 1 :])
    if without := [program for program, times in zip(programs, own, strict=True) if not times]:
        raise UsageError(
            f"`measured` is not given for {', '.join(without)}; give a time of each program, or of none"
        )
    return [measured_times(times) for times in own]


def _length_of_name(text: str, program: str) -> int:
    """Return the length of the longest name of a program at the start of `NAME:...`; 0 without one."""
    names = (program, Path(program).name, Path(program).stem)
    return max((len(name) for name in names if text.startswith(f"{name}:")), default=0)


def time_without_layout(texts: Sequence[str]) -> MeasuredTime | None:
    """Return the time of a sweep, which has layouts of its own; None without one. Raises UsageError for one with a layout."""
    times = measured_times(texts)
    if any(each.arrangement for each in times):
        raise UsageError(
            f"`measured` {texts[0]}: a sweep has layouts of its own; leave out the one of the time"
        )
    return times[0] if times else None


def timeline(path: Path | None, window: str | None, fabrics: Sequence[Fabric]) -> Timeline | None:
    """Return the file and the window of a timeline, or None without one."""
    if path is None:
        if window is not None:
            raise UsageError("`timeline_window`: it limits a timeline; give `timeline` FILE as well")
        return None
    if len(fabrics) != 1:
        raise UsageError(f"`timeline` {path}: a timeline shows one replay; give one fabric with `on`")
    return Timeline(path=path, seconds=parse_window(window or ":"))


def neighbours(texts: Sequence[str]) -> list[tuple[Path, str]]:
    """Split each `TRACE` or `TRACE@PLACEMENT` of --beside."""
    found = []
    for text in texts:
        path, at, placement = text.rpartition("@")
        if not at or Path(text).exists():
            path, placement = text, "block"
        found.append((Path(path), placement))
    return found

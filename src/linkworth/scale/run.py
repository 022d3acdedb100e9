"""Scaling at a user's request: recordings in, a trace at another rank count out."""

import contextlib
import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from math import hypot, log, log1p, prod
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth import __version__, _engine
from linkworth.errors import DamagedInputError, LinkworthError, ThresholdError, UsageError
from linkworth.model.number_range import NumberRange
from linkworth.model.scaling import LeftOut, ScaleSummary, Scaling, extents
from linkworth.model.trace import MOST_RANKS, TraceMetadata
from linkworth.replay.node_aware import node_groups
from linkworth.replay.run import ReplayStoppedError
from linkworth.scale.check import Counted, Totals, compared, recorded, times
from linkworth.scale.copies import with_joined_sites
from linkworth.scale.distributions.exchanges import filled, patterns
from linkworth.scale.distributions.imbalance import unbalanced
from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.generate import RankEvents, events_of, fill, for_replay, generate
from linkworth.scale.messages import SLACK, Balanced, TruncatedError
from linkworth.scale.neighbours import without_absent
from linkworth.scale.pieces import with_counts
from linkworth.scale.points import PARALLEL
from linkworth.scale.recording import Cut, Recording
from linkworth.scale.search import (
    FEWEST_LEFT_OUT,
    Aligned,
    Found,
    Target,
    again,
    candidates,
    with_distributions,
)
from linkworth.scale.setup import after_threads
from linkworth.scale.shares import Unseen, unseen_remainders
from linkworth.scale.sites import common_names, readable
from linkworth.scale.warnings import is_short, scaling_warnings, waits_in_files
from linkworth.trace.comparable import doubts
from linkworth.trace.read import TraceFile, open_trace, without_advice
from linkworth.trace.record import publish
from linkworth.units import percent, plural
from linkworth.writing.files import not_written, unwritable, work_folder
from linkworth.writing.folders import remove_folder, temporary_folder

MOST_OMITTED = 0.5
"""Share of the time that a set-up by no rule may take."""
FEW_RANKS = 8
"""Most ranks that hide the pattern of a binomial tree, or of a grid in three dimensions."""
OTHER_VOLUME = 1.2
"""Factor between calls or bytes as distributions and the recorded ones from which they are named."""
MOST_WRONG = 2.0
"""Factor between a predicted time and the recorded one up to which messages are taken as distributions."""
OTHER_PROGRAM = 5.0
"""Factor between predicted and recorded calls beyond which recordings are not taken to be of one program."""

_PROBLEMS = NumberRange(least=1e-9, most=1e18)
_NO_TRUST = "how far it can be trusted is not known"


class TooWrongError(UnfitError):
    """Messages as distributions do not predict the largest recording well enough."""

    def __init__(self, how: str) -> None:
        super().__init__("messages", f"as distributions, they are off by {how}")
        self.how = how


class SetupError(UnfitError):
    """The set-up that would be left out is no small part of the run."""

    def __init__(self, setup: Cut) -> None:
        super().__init__(setup.entry, f"the set-up up to it {setup.why}, and takes most of the time")


class ScaleRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Recordings to scale, the count to reach, and the trace to write."""

    traces: Sequence[Path]
    ranks: int
    output: Path
    weak: bool = False
    sizes: Sequence[float] = ()
    to_size: float | None = None
    grid: tuple[int, ...] | None = None
    replace: bool = False


class _AsDistributions(NamedTuple):
    """Messages that are taken as distributions."""

    reason: str
    """Why not all calls follow rules."""
    largest: Recording
    """The largest recording with its own messages."""


class _Trust(NamedTuple):
    """Differences of the largest recording from what is made of it."""

    omitted: dict[str, float]
    """Share of its time that the set-up takes, by fabric, if that is left out."""
    left_out: LeftOut | None
    """Differences of its prediction from the others, if there is one."""
    doubt: str
    """Why there is none."""


def scale(request: ScaleRequest, say: Callable[[str], None] | None = None) -> ScaleSummary:
    """Write the trace that a run on `ranks` ranks would leave, as far as the recordings show it.

    `say` receives the remarks that are known before the search for rules, which may take minutes and end in a refusal.

    Raises UsageError for unusable recordings or options, ThresholdError if the recordings do not align, with the call
    and the reason, and EnvironmentLacksError if the trace cannot be written.
    """
    _check(request)
    target = Target(request.ranks, request.to_size or 1.0, request.grid, request.weak)
    with _without_collector():
        recordings = _read(request, say)
        _check_sizes(recordings, target)
        try:
            return _by_any(recordings, target, request)
        except ThresholdError as error:
            raise ThresholdError(readable(str(error), recordings[-1].trace.metadata.call_sites)) from None


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the garbage collector, which would walk millions of tuples again and again and find next to no garbage."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _by_any(recordings: Sequence[Recording], target: Target, request: ScaleRequest) -> ScaleSummary:
    """Write the trace by rules, or else by distributions."""
    try:
        return _by_rules(recordings, target, request)
    except ThresholdError as error:
        joined = with_joined_sites(recordings)
        if joined is not None:
            return _by_any(joined, target, request)
        if (target.ranks, target.size) == (recordings[-1].ranks, recordings[-1].size):
            raise ThresholdError(
                f"{error}; {recordings[-1].trace.path} itself has {target.ranks} ranks"
            ) from None
        if len(recordings) < FEWEST_LEFT_OUT:
            raise ThresholdError(
                f"{error}; with {FEWEST_LEFT_OUT} recordings or more, messages may be taken as distributions"
            ) from None
        return _by_distributions(recordings, target, request, str(error))


def _by_rules(recordings: Sequence[Recording], target: Target, request: ScaleRequest) -> ScaleSummary:
    refused: UnfitError | None = None
    truncated: tuple[Aligned, UnfitError] | None = None
    for aligned in candidates(recordings, target):
        try:
            return _scaled(aligned, target, request)
        except UnfitError as error:
            # Other ranks may be neighbours than the recordings suggest.
            refused = refused or error
            if isinstance(error, TruncatedError) and truncated is None:
                truncated = aligned, error
                if aligned.found.program.arrangement.certain():
                    break
    if truncated is not None:
        try:
            return _scaled(truncated[0], target, request, truncated[1])
        except UnfitError as error:
            refused = error
    raise ThresholdError(
        f"no rules that fit the recordings hold at {target.ranks} ranks; with the first ones, {refused}"
    )


def _by_distributions(
    recordings: Sequence[Recording], target: Target, request: ScaleRequest, reason: str
) -> ScaleSummary:
    """Write the trace of collective calls that follow rules, and of messages that do not.

    `reason`: why not all calls follow rules. Raises ThresholdError if the largest recording is not predicted well enough
    from the others.
    """
    if any(group.shares_memory for group in node_groups(recordings[-1].trace)):
        raise ThresholdError(
            f"{reason}; messages cannot be distributions either, since ranks share memory (MPI_Win_allocate_shared), and what "
            f"they exchange through it is in no message; {_record_more(target)}"
        )
    largest = f"the recording on {recordings[-1].ranks} ranks"
    why, advice = f"the time of {largest} is not predicted from the others", _record_more(target)
    as_distributions = _AsDistributions(reason, recordings[-1].without_local_calls(marks=False))
    for aligned in with_distributions(recordings, target):
        try:
            return _scaled(aligned, target, request, as_distributions=as_distributions)
        except TooWrongError as error:
            why, advice = f"{largest} is off by {error.how}", waits_in_files(recordings[-1]) or advice
        except SetupError as error:
            why, advice = str(error), "record a longer run, of which the set-up is a small part"
        except UnfitError:
            continue
    raise ThresholdError(f"{reason}; with messages as distributions, {why}; {advice}")


def _scaled(
    aligned: Aligned,
    target: Target,
    request: ScaleRequest,
    truncated: UnfitError | None = None,
    as_distributions: _AsDistributions | None = None,
) -> ScaleSummary:
    """Write the trace of one program. Raises UnfitError if some call is not possible at the new count.

    `truncated`: the message longer than its receive for which the program was refused. A few bytes without room pass now.
    """
    found, recordings, _ = aligned
    # Its messages show no grid if they are distributions.
    unseen = [] if as_distributions else list(unseen_remainders(found.program, recordings, target))
    trust = _trust(found, recordings, target)
    if as_distributions:
        _check_distributions(trust.left_out)
    point = found.point(target.ranks, target.size)
    metadata = [recording.trace.metadata for recording in recordings]
    scaling = Scaling(
        ranks=[recording.ranks for recording in recordings],
        distributions=as_distributions is not None,
        processors=list(dict.fromkeys(name for each in metadata for name in each.processors())),
        ranks_on_a_node=metadata[-1].ranks_on_a_node(),
        sizes=[recording.size for recording in recordings] if request.sizes else [],
        size=request.to_size,
        grid=list(point.grid),
        roles=found.program.describe(),
        role_count=len(found.program.roles),
        short=is_short(recordings[-1]),
        left_out=trust.left_out,
        data_dependent=sorted(found.program.copied().union(*(each.in_rank_order for each in recordings))),
        uneven=prod(each.largest for each in unseen),
        omitted=max(trust.omitted.values(), default=0.0),
        remarks=[
            readable(remark, metadata[-1].call_sites)
            for remark in (
                *(_of_distributions(as_distributions, recordings[-1], target) if as_distributions else []),
                *([_without_setup(recordings[-1], trust.omitted)] if trust.omitted else []),
                *_remarks(aligned, target, unseen, truncated),
                *_doubts(request, [(recording.ranks, recording.trace) for recording in recordings]),
                *([trust.doubt] if trust.doubt else []),
                *(_of_nodes(recordings[-1]) if as_distributions else []),
            )
        ],
    )
    slack = 0.0 if truncated is None else SLACK
    events = _events(found, recordings, target)
    counted = Counted(Balanced(events, recordings[-1], found.program.copied(), slack))
    path, size = _write(_metadata(metadata[-1], scaling), point.ranks, counted, request)
    return ScaleSummary(
        path=str(path),
        workload=metadata[-1].workload,
        ranks=point.ranks,
        events=counted.totals.events,
        bytes=size,
        compute_seconds=counted.totals.compute,
        scaling=scaling,
    )


def _trust(found: Found, recordings: Sequence[Recording], target: Target) -> _Trust:
    """Return how far the recordings predict the largest one. Raises UnfitError if its set-up takes most of the time."""
    with temporary_folder() as folder:
        actual = _actual(recordings[-1], folder)
        omitted = _omitted(recordings[-1], actual)
        return _Trust(omitted, *_leave_out(recordings, target, found, actual))


def _check_distributions(left_out: LeftOut | None) -> None:
    """Raise UnfitError if messages as distributions do not predict the largest recording well enough."""
    if left_out is None:
        raise UnfitError("messages", "as distributions they do not predict the largest recording")
    predicted = "it is predicted from the others"
    _check_off("calls", left_out.calls, predicted, OTHER_PROGRAM)
    for differences, how in (
        (left_out.seconds, predicted),
        (left_out.as_distributions, "its own messages become distributions"),
    ):
        _check_off("time", max(differences.values(), key=lambda each: abs(log1p(each))), how, MOST_WRONG)


def _check_off(what: str, difference: float, how: str, most: float) -> None:
    """Raise TooWrongError if a relative difference is beyond a factor."""
    if difference <= -1 or abs(log1p(difference)) > log(most):
        raise TooWrongError(f"{percent(abs(difference))} of its {what} if {how}")


def _remarks(
    aligned: Aligned, target: Target, unseen: Sequence[Unseen], truncated: UnfitError | None
) -> Iterator[str]:
    """Yield what the calls leave open."""
    found, recordings, dropped = aligned
    if dropped:
        yield _unused(dropped, found, recordings)
    yield from scaling_warnings(found, recordings, target, unseen)
    if recordings[-1].files_compute:
        yield "calls to files are left out, and their time counts as computation"
    if recordings[-1].lost_marks:
        yield "calls of MPI_Pcontrol are left out, so that times are of the whole run and of no region"
    if truncated is not None:
        yield (
            f"some sizes depend on data, although they look exact, so that up to {100 * SLACK:.0f} % of all bytes have no room "
            f"in their receives: {truncated}"
        )


def _doubts(request: ScaleRequest, traces: Sequence[tuple[int, TraceFile]]) -> list[str]:
    """Return how the recordings differ beyond their rank counts."""
    made_on = [(ranks, trace.metadata) for ranks, trace in traces]
    return doubts(made_on, one_problem=not (request.weak or request.sizes))


def _of_nodes(largest: Recording) -> Iterator[str]:
    if any(group.calls for group in node_groups(largest.trace)):
        yield (
            "the program makes communicators of the ranks of a node (MPI_Comm_split_type), and its calls are those of the "
            "recorded nodes, whatever the layout"
        )


def _metadata(largest: TraceMetadata, scaling: Scaling) -> TraceMetadata:
    return TraceMetadata(
        workload=largest.workload,
        command=largest.command,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        linkworth=__version__,
        mpi=largest.mpi,
        source="scaled",
        timed=False,
        scaling=scaling,
        call_sites=largest.call_sites,
        rates=largest.rates,
    )


def _check(request: ScaleRequest) -> None:
    if len(request.traces) < 2:
        raise UsageError("one recording does not show how the program scales; give at least two rank counts")
    if request.grid is not None:
        shape = "x".join(map(str, request.grid))
        extents(shape)
        if prod(request.grid) != request.ranks:
            raise UsageError(f"`grid` {shape} has {prod(request.grid)} places, not {request.ranks} (`ranks`)")
    if bool(request.sizes) != (request.to_size is not None):
        raise UsageError(
            "give `size` and `to_size` together: a size of each recording, and the one to scale to"
        )
    if request.sizes and len(request.sizes) != len(request.traces):
        raise UsageError(
            f"`size` has {plural(len(request.sizes), 'number')} for {len(request.traces)} recordings; give one for each"
        )
    for size in request.sizes if request.to_size is None else (*request.sizes, request.to_size):
        if size not in _PROBLEMS:
            raise UsageError(f"`size` {size:g}: give {_PROBLEMS}")
    if request.ranks > MOST_RANKS:
        raise UsageError(f"`ranks` {request.ranks}: give at most {MOST_RANKS}")


def _read(request: ScaleRequest, say: Callable[[str], None] | None) -> list[Recording]:
    sizes = request.sizes or [1.0] * len(request.traces)
    try:
        traces = [open_trace(path) for path in request.traces]
    except DamagedInputError as error:
        # A trace without any event has its own advice.
        text = without_advice(error)
        raise DamagedInputError(text if text == str(error) else f"{text}; record it again") from None
    for trace in traces:
        if trace.metadata.scaling is not None:
            raise UsageError(
                f"{trace.path} is scaled itself, and shows no more than the recordings it was made from; give those"
            )
    order = sorted(range(len(traces)), key=lambda each: (traces[each].engine.ranks, sizes[each]))
    for doubt in _doubts(request, [(traces[each].engine.ranks, traces[each]) for each in order]):
        if say is not None:
            say(doubt)
    names = common_names([traces[each].engine.entries for each in order])
    recordings = [Recording(traces[each], sizes[each], of) for each, of in zip(order, names, strict=True)]
    for one, other in pairwise(recordings):
        if (one.ranks, one.size) == (other.ranks, other.size):
            raise UsageError(
                f"{one.trace.path} and {other.trace.path} both have {one.ranks} ranks; give one recording for each count"
            )
    if request.ranks < recordings[-1].ranks:
        raise UsageError(
            f"`ranks` {request.ranks}: {recordings[-1].trace.path} has more; give a count of at least "
            f"{recordings[-1].ranks}"
        )
    return after_threads(recordings)


def _check_sizes(recordings: Sequence[Recording], target: Target) -> None:
    """Raise UsageError if the recordings do not show what the size does apart from the rank count.

    In the plane of the two logarithms they lie on one line, and the target beside it.
    """
    largest = recordings[-1]
    own = [(log(each.ranks / largest.ranks), log(each.size / largest.size)) for each in recordings[:-1]]
    wanted = log(target.ranks / largest.ranks), log(target.size / largest.size)
    along = max(own, key=lambda each: hypot(*each))
    if all(_parallel(along, each) for each in own) and not _parallel(along, wanted):
        pairs = ", ".join(f"{each.size:g} on {each.ranks}" for each in recordings)
        raise UsageError(
            f"the recordings (sizes {pairs} ranks) do not show what the size does apart from the rank count, so that "
            f"{target.size:g} on {target.ranks} is not known; record a count with a second size"
        )


def _parallel(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(one[0] * other[1] - one[1] * other[0]) <= PARALLEL * hypot(*one) * hypot(*other)


def _leave_out(
    recordings: Sequence[Recording], target: Target, found: Found, actual: TraceFile
) -> tuple[LeftOut | None, str]:
    """Predict the largest recording, whose trace is `actual`, from the others. Without a result, return why."""
    if len(recordings) < FEWEST_LEFT_OUT:
        return None, (
            f"{_NO_TRUST}: that takes {FEWEST_LEFT_OUT} recordings or more, of which the largest is predicted from the others"
        )
    largest = recordings[-1]
    there = target._replace(ranks=largest.ranks, size=largest.size, grid=None)
    with temporary_folder() as folder:
        try:
            fewer = again(recordings[:-1], there, found)
            events = _events(fewer, recordings[:-1], there)
            counted = Counted(Balanced(events, recordings[-2], fewer.program.copied(), SLACK))
            predicted = for_replay(folder / "left-out.lwt", largest, counted)
            totals: Totals = counted.totals
            left_out = compared(totals, recorded(largest), largest.ranks, (predicted, actual))
            if largest.stretches is not None:
                # The error of messages as distributions may hide that of the growth.
                same = for_replay(folder / "same.lwt", largest, _events(found, recordings, there))
                left_out = msgspec.structs.replace(left_out, as_distributions=times(same, actual))
            return left_out, ""
        except (UnfitError, LinkworthError) as error:
            # A scaled trace that stops is no recording to repeat.
            why = error.where if isinstance(error, ReplayStoppedError) else error
            return None, f"{_NO_TRUST}: the recordings without the largest do not predict it ({why})"


def _events(found: Found, recordings: Sequence[Recording], target: Target) -> Iterator[RankEvents]:
    """Yield every rank's events at a new count. Raises UnfitError."""
    point = found.point(target.ranks, target.size)

    def made() -> Iterator[RankEvents]:
        return with_counts(found.program, lambda: generate(found.program, point))

    if recordings[-1].stretches is None:
        return without_absent(made(), recordings[-1].absent)
    found_patterns = patterns(recordings, target.ranks, target.size)
    passed_on = {code for code, each in found_patterns.items() if each.passed_on}
    events = unbalanced(made, recordings, target.ranks, target.size, passed_on)
    return filled(events, found_patterns)


def _actual(recording: Recording, folder: Path) -> TraceFile:
    """Return the trace of a recording, without its set-up if that is left out."""
    if recording.setup is None:
        return recording.trace
    return for_replay(folder / "rest.lwt", recording, events_of(recording))


def _omitted(recording: Recording, actual: TraceFile) -> dict[str, float]:
    """Return the share of the replayed time that a recording's set-up takes without its computation, by fabric.

    `actual`: its trace without the set-up. None is left out if empty. Raises UnfitError if that is most of the time, or if
    its messages are received after it.
    """
    if recording.setup is None:
        return {}
    try:
        differences = times(actual, recording.trace)
    except ReplayStoppedError as error:
        raise UnfitError(
            recording.setup.entry, f"the set-up up to it {recording.setup.why}, and without it, {error.where}"
        ) from None
    shares = {name: max(-difference, 0.0) for name, difference in differences.items()}
    if max(shares.values()) > MOST_OMITTED:
        raise SetupError(recording.setup)
    return shares


def _without_setup(recording: Recording, omitted: dict[str, float]) -> str:
    assert recording.setup is not None
    shares = " and ".join(f"{100 * share:.0f} % on {name}" for name, share in omitted.items())
    return (
        f"the set-up, up to {recording.setup.entry}, {recording.setup.why} and is left out, except for its computation: "
        f"{recording.setup.events / recording.ranks:.0f} calls of a rank, and of the time {shares}, of the "
        f"recording on {recording.ranks} ranks"
    )


def _of_distributions(of: _AsDistributions, made: Recording, target: Target) -> Iterator[str]:
    """Yield what distributions do not keep. `made`: the largest recording, whose messages are distributions."""
    yield (
        "messages are distributions: between collective calls of all ranks, each rank sends as many, as large and as far as in "
        f"the mean of the recordings, and as many wait for one another; which do is not known; {of.reason}"
    )
    if made.ranks <= FEW_RANKS:
        yield f"recordings on {FEW_RANKS} ranks or fewer hide the pattern of trees and of most grids; {_record_more(target)}"
    was, now = recorded(of.largest), recorded(made)
    calls, amount = now.events / max(was.events, 1), now.bytes / max(was.bytes, 1)
    if max(abs(log(max(each, 1e-9))) for each in (calls, amount)) > log(OTHER_VOLUME):
        yield (
            f"as distributions, the recording on {made.ranks} ranks has {calls:.2f} times its calls and {amount:.2f} times its "
            "bytes (a collective call of some ranks becomes several messages, and MPI_Sendrecv three calls)"
        )


def _record_more(target: Target) -> str:
    return (
        f"record more counts of the same kind as {target.ranks}, or {target.ranks} ranks themselves, as more ranks than cores do "
        "no harm"
    )


def _unused(dropped: Sequence[Recording], found: Found, kept: Sequence[Recording]) -> str:
    without = ", ".join(str(each.ranks) for each in dropped)
    used = ", ".join(f"{each.ranks} ({found.program.arrangement.describe(each.ranks)})" for each in kept)
    return (
        f"recordings are not used, as their calls do not align with the others: those on {without} ranks; used are "
        f"{used}; a dimension with one or two ranks often calls otherwise"
    )


def _write(
    metadata: TraceMetadata, ranks: int, events: Iterable[RankEvents], request: ScaleRequest
) -> tuple[Path, int]:
    output = request.output
    folder = work_folder(output, f".{output.stem}-")
    made = folder / "scaled.lwt"
    try:
        fill(made, metadata, ranks, events)
        size = made.stat().st_size
        return publish(made, output, request.replace), size
    except _engine.TraceWriteError as error:
        raise not_written(error, made, output) from None
    except OSError as error:
        raise unwritable(output, error) from None
    finally:
        remove_folder(folder)

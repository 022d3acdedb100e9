"""Profiles of a study's traces: shares and groups of network dependence, kept beside the traces."""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from linkworth import __version__
from linkworth.errors import LinkworthError
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.profile import Group
from linkworth.study.prediction.pool import KILLED, on_all_cores
from linkworth.writing.documents import encode

if TYPE_CHECKING:
    from linkworth.trace.read import TraceFile


class _Asked(NamedTuple):
    """A profile to make."""

    workload: str
    environment: str
    trace: Path
    smaller: Path | None


class TraceProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a profile that a study's report shows."""

    group: Group | None
    """Group, or None if the replay that decides it stops."""
    reason: str
    metrics: dict[str, float] = {}
    """Shares, initialisation and known efficiencies, by the metrics' names. Empty for a program recorded without running."""


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """`NAME.profile.json` beside a trace; valid if its key is that of the traces and of this version."""

    key: list[str]
    profile: TraceProfile


def profiles_of(
    traces: Mapping[tuple[str, str], Path],
    smaller: Mapping[str, str],
    step: Callable[[str], None] = lambda _: None,
    plan: Callable[[int], None] = lambda _: None,
) -> tuple[dict[tuple[str, str], TraceProfile], list[str]]:
    """Return the profile of each trace by workload and environment, and a sentence for each trace without one.

    `plan` gets the number of profiles to make, and `step` is called for each finished one. `smaller` maps a workload
    to the same program on a smaller problem, which makes its group more certain.
    """
    found: dict[tuple[str, str], TraceProfile] = {}
    remarks = []
    asked = []
    for (workload, environment), trace in traces.items():
        other = traces.get((smaller.get(workload, ""), environment))
        try:
            trace.stat()
            known = _kept(trace, other)
        except OSError as error:
            remarks.append(f"{workload} has no profile: {trace} cannot be read: {error.strerror}")
            continue
        if known is None:
            asked.append(_Asked(workload, environment, trace, other))
        else:
            found[workload, environment] = known
    plan(len(asked))
    # The largest traces are begun first.
    ordered = sorted(asked, key=lambda each: each.trace.stat().st_size, reverse=True)
    for each, made in on_all_cores(_tried, ordered):
        step(f"profile of {each.workload}")
        if isinstance(made, TraceProfile):
            found[each.workload, each.environment] = made
        else:
            remarks.append(f"{each.workload} has no profile: {made or KILLED}")
    return {key: found[key] for key in traces if key in found}, remarks


def _tried(asked: _Asked) -> TraceProfile | str:
    """Return a profile, or the reason for its absence."""
    from linkworth.trace.read import without_advice

    try:
        return _make(asked.trace, asked.smaller)
    except (LinkworthError, OSError) as error:
        return without_advice(error)


def _make(trace: Path, smaller: Path | None) -> TraceProfile:
    from linkworth.trace.read import open_trace

    opened = open_trace(trace)
    made = _of_run(opened, smaller) if opened.metadata.timed else _without_times(opened, smaller)
    kept = _Kept(key=_key(trace, smaller), profile=made)
    with contextlib.suppress(OSError):  # a read-only folder: the next report repeats the work
        _profile_of(trace).write_bytes(encode(kept))
    return made


def _without_times(trace: "TraceFile", smaller: Path | None) -> TraceProfile:
    """Return the group of a trace in which calls take no time."""
    from linkworth.profile import group_of

    group, reason = group_of(trace, smaller)
    return TraceProfile(group=group, reason=reason)


def _of_run(trace: "TraceFile", smaller: Path | None) -> TraceProfile:
    from linkworth.profile import build_profile

    profile = build_profile(trace, smaller)
    return TraceProfile(
        group=profile.group,
        reason="; ".join(filter(None, [profile.not_replayed or profile.group_reason, profile.node_aware])),
        metrics={
            "compute_share": profile.run_shares.compute,
            "communication_share": profile.run_shares.communication,
            "init_seconds": profile.init_seconds,
            **{
                name: share
                for name, share in msgspec.structs.asdict(profile.pop).items()
                if share is not None
            },
        },
    )


def _kept(trace: Path, smaller: Path | None) -> TraceProfile | None:
    try:
        kept = msgspec.json.decode(_profile_of(trace).read_bytes(), type=_Kept)
    except (OSError, *JSON_ERRORS):
        return None
    return kept.profile if kept.key == _key(trace, smaller) else None


def _profile_of(trace: Path) -> Path:
    return trace.with_suffix(".profile.json")


def _key(trace: Path, smaller: Path | None) -> list[str]:
    states = [path.stat() for path in (trace, smaller) if path is not None]
    fields = ",".join(TraceProfile.__struct_fields__)
    return [__version__, fields, *(f"{state.st_size} {state.st_mtime_ns}" for state in states)]

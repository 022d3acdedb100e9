"""What the traces of a study say: shares and groups of network dependence, kept beside the traces once found."""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from linkworth import __version__
from linkworth.errors import LinkworthError
from linkworth.model.profile import Group


class TraceProfile(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a profile that a study's report shows."""

    group: Group
    reason: str
    ran: bool
    """False of a program that was recorded without running: it has no shares of its own."""
    compute_share: float
    communication_share: float
    init_share: float
    parallel_efficiency: float
    load_balance: float
    serialisation_efficiency: float
    transfer_efficiency: float


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """`NAME.profile.json` beside a trace; good as long as its key is that of the traces and of this version."""

    key: list[str]
    profile: TraceProfile


def profiles_of(
    traces: Mapping[tuple[str, str], Path],
    smaller: Mapping[str, str],
    step: Callable[[str], None] = lambda _: None,
) -> tuple[dict[tuple[str, str], TraceProfile], list[str]]:
    """Return the profile of each trace by workload and environment, and a sentence for each trace that has none.

    `smaller` has, by workload, the one that is the same program on a smaller problem, which makes its group more certain.
    """
    found: dict[tuple[str, str], TraceProfile] = {}
    remarks = []
    for (workload, environment), trace in traces.items():
        other = traces.get((smaller.get(workload, ""), environment))
        step(f"profile of {workload}")
        try:
            found[workload, environment] = _kept(trace, other) or _make(trace, other)
        except (LinkworthError, OSError) as error:
            remarks.append(f"{workload} has no profile: {error}")
    return found, remarks


def _make(trace: Path, smaller: Path | None) -> TraceProfile:
    from linkworth.profile import of_trace

    profile = of_trace(trace, smaller)
    made = TraceProfile(
        group=profile.group,
        reason=profile.group_reason,
        ran=profile.rates is None,
        compute_share=profile.shares.compute,
        communication_share=profile.shares.communication,
        init_share=profile.shares.init,
        parallel_efficiency=profile.pop.parallel_efficiency,
        load_balance=profile.pop.load_balance,
        serialisation_efficiency=profile.pop.serialisation_efficiency,
        transfer_efficiency=profile.pop.transfer_efficiency,
    )
    kept = _Kept(key=_key(trace, smaller), profile=made)
    with contextlib.suppress(OSError):  # a folder that is only read: it is made anew next time
        _beside(trace).write_bytes(msgspec.json.encode(kept))
    return made


def _kept(trace: Path, smaller: Path | None) -> TraceProfile | None:
    try:
        kept = msgspec.json.decode(_beside(trace).read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return None
    return kept.profile if kept.key == _key(trace, smaller) else None


def _beside(trace: Path) -> Path:
    return trace.with_suffix(".profile.json")


def _key(trace: Path, smaller: Path | None) -> list[str]:
    states = [path.stat() for path in (trace, smaller) if path is not None]
    return [__version__, *(f"{state.st_size} {state.st_mtime_ns}" for state in states)]

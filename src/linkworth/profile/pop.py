"""POP efficiencies (https://pop-coe.eu/node/69)."""

from collections.abc import Sequence

import msgspec

from linkworth.model.profile import Pop
from linkworth.replay.run import Replay

DEFINITIONS = {
    "parallel": "load balance x communication",
    "load balance": "mean / longest computation",
    "communication": "longest computation / run time",
    "serialisation": "longest computation / ideal time",
    "transfer": "ideal time / run time",
}
"""Definition of each efficiency in a few words, by the name that screens and pages show."""


def named(pop: Pop) -> dict[str, float | None]:
    """Return the efficiencies by their names in DEFINITIONS."""
    return {
        "parallel": pop.parallel_efficiency,
        "load balance": pop.load_balance,
        "communication": pop.communication_efficiency,
        "serialisation": pop.serialisation_efficiency,
        "transfer": pop.transfer_efficiency,
    }


def efficiencies(compute_seconds: Sequence[float], runtime: float, ideal_runtime: float) -> Pop:
    """Return the efficiencies of a run.

    `compute_seconds` is by rank, `runtime` is of the same part of the run, and `ideal_runtime` is of its replay on a
    network with infinite bandwidth and no latency or overhead. With C the computation: load balance = mean C / max C;
    communication efficiency = max C / runtime = serialisation (max C / ideal runtime) x transfer (ideal runtime /
    runtime); parallel efficiency = load balance x communication efficiency. Figures above 1 are shown unchanged: the
    measured computation was then longer than the run.
    """
    longest = max(compute_seconds, default=0.0)
    mean = sum(compute_seconds) / len(compute_seconds) if compute_seconds else 0.0
    balance = _ratio(mean, longest)
    communication = _ratio(longest, runtime)
    return Pop(
        parallel_efficiency=balance * communication,
        load_balance=balance,
        communication_efficiency=communication,
        serialisation_efficiency=_ratio(longest, ideal_runtime),
        transfer_efficiency=_ratio(ideal_runtime, runtime),
    )


def idle_in_part(compute_seconds: Sequence[float], *, marked: bool) -> str | None:
    """Return a sentence if some ranks compute nothing in the part that the program marks, most likely as they do not mark it."""
    idle = sum(seconds == 0 for seconds in compute_seconds)
    if not marked or idle in (0, len(compute_seconds)):
        return None
    return (
        f"{idle} of {len(compute_seconds)} ranks did not compute between MPI_Pcontrol(1) and MPI_Pcontrol(0), so load balance "
        "and parallel efficiency take them as idle; call both on every rank"
    )


def sampled_efficiencies(compute_seconds: Sequence[float], runtime: float, sample: Replay) -> Pop:
    """Return the efficiencies of a run if only a `sample` was replayed on the ideal network.

    Load balance and communication efficiency are of the whole run. Serialisation is the sample's, and transfer is the
    rest of communication.
    """
    run = efficiencies(compute_seconds, runtime, max(compute_seconds, default=0.0))
    serialisation = _ratio(max(sample.result.rank_compute_seconds, default=0.0), sample.prediction.seconds)
    return Pop(
        parallel_efficiency=run.parallel_efficiency,
        load_balance=run.load_balance,
        communication_efficiency=run.communication_efficiency,
        serialisation_efficiency=serialisation,
        transfer_efficiency=_ratio(run.communication_efficiency, serialisation),
    )


def recorded_efficiencies(compute_seconds: Sequence[float], runtime: float) -> Pop:
    """Return the efficiencies that need no replay: all except serialisation and transfer."""
    run = efficiencies(compute_seconds, runtime, runtime)
    return msgspec.structs.replace(run, serialisation_efficiency=None, transfer_efficiency=None)


def _ratio(part: float, whole: float) -> float:
    """Return the ratio, or 1 for a run that takes no time."""
    return part / whole if whole > 0 else 1.0

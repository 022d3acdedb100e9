"""Where the times come from: a trace replayed on each fabric, or predictions made before."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.advise.request import fabric_name, load_predictions
from linkworth.catalog import fabrics
from linkworth.catalog.assignment import parse_assignment
from linkworth.errors import UsageError
from linkworth.model.prediction import PredictionSet


class TraceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """How a trace is to be replayed, as the options of the command line say it; None where an option is not given."""

    workload: str
    """A trace's path, or a bundled program's name."""
    ranks: int | None = None
    nodes: int | None = None
    ppn: int | None = None
    cpu_factor: float | None = None
    measured: str | None = None
    """FABRIC=SECONDS."""


def read_predictions(path: Path, on: Sequence[str]) -> PredictionSet:
    """Return the predictions of a file, of the fabrics `on` only where some are named.

    A fabric that the file does not have is a UsageError.
    """
    found = load_predictions(path)
    if not on:
        return found
    by_name = {prediction.fabric: prediction for prediction in found.predictions}
    wanted = [fabric_name(fabric) for fabric in on]
    missing = [fabric for fabric in wanted if fabric not in by_name]
    if missing:
        raise UsageError(
            f"{path} has no prediction for {', '.join(missing)}; it has {', '.join(by_name) or 'none'}"
        )
    return msgspec.structs.replace(found, predictions=[by_name[fabric] for fabric in wanted])


def check_trace(request: TraceRequest) -> None:
    """Refuse what is no trace: a bundled program must be recorded first; a trace has its rank count already."""
    if request.workload.startswith("npb:") and not Path(request.workload).exists():
        record = f"linkworth trace -n {request.ranks or 8} {request.workload}"
        raise UsageError(
            f"{request.workload} must be recorded first: run '{record}' and give the trace that it writes"
        )
    if request.ranks is not None:
        raise UsageError(f"-n {request.ranks}: a trace has its rank count already; leave -n out")


def replay_predictions(request: TraceRequest, names: Sequence[str]) -> PredictionSet:
    """Replay a trace on the fabrics `names`."""
    known = None
    if request.measured is not None:
        fabric, seconds = parse_assignment(request.measured, "--measured", "SECONDS")
        if seconds == 0:
            raise UsageError(f"--measured {request.measured!r}: a run takes more than 0 seconds")
        known = (fabrics.get(fabric), seconds)
    chosen = [fabrics.get(name) for name in names]
    from linkworth.predict import predict

    return predict(
        Path(request.workload),
        chosen,
        nodes=request.nodes,
        ppn=request.ppn,
        cpu_factor=1.0 if request.cpu_factor is None else request.cpu_factor,
        measured=known,
    )

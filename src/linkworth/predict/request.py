"""What a user types to name a recorded program and a measured time."""

from pathlib import Path

from linkworth.catalog import fabrics
from linkworth.catalog.assignment import parse_assignment
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric

_DEFAULT_RANKS = 8


def trace_path(target: str, ranks: int | None = None) -> Path:
    """Return the path of the trace that `target` names.

    A bundled program (`npb:ft.W`) without a recording, and a rank count beside a trace, which has its own, are UsageErrors.
    """
    path = Path(target)
    if not path.exists() and ":" in target and "/" not in target:
        record = f"linkworth trace -n {ranks or _DEFAULT_RANKS} {target}"
        raise UsageError(
            f"{target} is a program, and predictions need a recorded run: run '{record}' and give the trace that it writes"
        )
    if ranks is not None:
        raise UsageError(f"-n {ranks}: a trace has its rank count already; leave -n out")
    return path


def measured_time(text: str) -> tuple[Fabric, float]:
    """Parse `FABRIC=SECONDS` of --measured."""
    name, seconds = parse_assignment(text, "--measured", "SECONDS")
    if seconds == 0:
        raise UsageError(f"--measured {text!r}: a run takes more than 0 seconds")
    return fabrics.get(name), seconds

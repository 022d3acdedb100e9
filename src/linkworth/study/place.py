"""Place of a study as text: `local`, `hostfile:FILE`, `slurm`, `slurm:PARTITION`, `lab`, `lab:NAME`."""

from typing import cast, get_args

from linkworth.errors import UsageError
from linkworth.model.where import Where, WhereKind


def parse_where(text: str, fabric: str = "") -> Where:
    """Return the place that a text names; a lab without a name is the preset of `fabric`.

    Raises UsageError for any other text.
    """
    kind, _, name = text.partition(":")
    if kind not in get_args(WhereKind):
        raise UsageError(
            f"{text!r} is no place; write local, hostfile:FILE, slurm, slurm:PARTITION, lab or lab:NAME"
        )
    if kind == "hostfile" and not name:
        raise UsageError("hostfile: name the file after a colon, hostfile:FILE")
    if kind == "local" and name:
        raise UsageError(f"{text!r}: this machine has no other name; write local")
    if kind == "lab" and not name:
        if not fabric:
            raise UsageError("lab: which one? write lab:NAME, or give the environment a fabric")
        name = fabric
    return Where(kind=cast(WhereKind, kind), name=name)

"""The kinds of places, in words: `local`, `hostfile:FILE`, `slurm`, `slurm:PARTITION`, `lab:NAME`.

To add a batch system, write its class in a file beside this one and name it in `SYSTEMS`.
"""

from linkworth.errors import UsageError
from linkworth.model.place import Place
from linkworth.places.batch import BatchSystem
from linkworth.places.flux import Flux
from linkworth.places.lsf import Lsf
from linkworth.places.pbs import Pbs
from linkworth.places.slurm import Slurm

SYSTEMS: dict[str, type[BatchSystem]] = {system.name: system for system in (Slurm, Pbs, Lsf, Flux)}
"""Batch systems by their name. The first one is used for a partition without a batch system."""
KINDS = ("local", "hostfile", *SYSTEMS, "lab")


def forms() -> list[str]:
    """Return every form in which a place can be written."""
    queues = [
        form for system in SYSTEMS.values() for form in (system.name, f"{system.name}:{system.queue_word}")
    ]
    return ["local", "hostfile:FILE", *queues, "lab", "lab:NAME"]


def one_of(words: list[str]) -> str:
    """Return words as a choice: `a, b or c`."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def parse_place(text: str, fabric: str = "") -> Place:
    """Return the place that a text names; a lab without a name is the preset of `fabric`.

    Raises UsageError for any other text.
    """
    kind, _, name = text.partition(":")
    if kind not in KINDS:
        raise UsageError(f"{text!r} is no place; write {one_of(forms())}")
    if kind == "hostfile" and not name:
        raise UsageError("hostfile: name the file after a colon, hostfile:FILE")
    if kind == "local" and name:
        raise UsageError(f"{text!r}: this machine has no other name; write local")
    if kind == "lab" and not name:
        if not fabric:
            raise UsageError("lab: which one? write lab:NAME, or give the environment a fabric")
        name = fabric
    return Place(kind=kind, name=name)


def system_of(place: Place) -> BatchSystem | None:
    """Return the batch system whose queue a place's jobs wait in.

    Returns None for another kind of place, and inside a job of the batch system, which starts programs at once.
    """
    if place.kind not in SYSTEMS:
        return None
    system = SYSTEMS[place.kind]()
    return None if system.is_inside() else system

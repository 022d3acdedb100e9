"""Opens the place that the user named for runs."""

from collections.abc import Callable

from linkworth.errors import UsageError
from linkworth.model.place import Place
from linkworth.places.local import LocalPlace
from linkworth.places.place import OpenPlace


def open_place(place: Place, say: Callable[[str], None] | None = None) -> OpenPlace:
    """Return a place that is ready for runs, for use in `with`. `say` receives the state of a batch job.

    Raises UsageError for a place that does not exist or is too small, and EnvironmentLacksError if this machine lacks
    what the place needs.
    """
    if place.kind == "local":
        if (place.nodes or 1) > 1:
            raise UsageError(
                f"`nodes` {place.nodes}: this machine is one node; name a lab, a hostfile or a batch system"
            )
        return LocalPlace(place.transport, place.binding)
    # Imports are local: a run on this machine needs none of them.
    if place.kind == "lab":
        from linkworth.lab.place import open_lab

        return open_lab(place)
    if place.kind == "hostfile":
        from linkworth.places.hosts import HostfilePlace

        return HostfilePlace(place)
    from linkworth.places.batch_place import BatchPlace
    from linkworth.places.kinds import SYSTEMS

    system = SYSTEMS[place.kind]()
    return system.steps(place) if system.is_inside() else BatchPlace(system, place, say)

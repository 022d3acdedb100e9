"""Places that stay open while the runs of a study need them."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import ExitStack

import msgspec

from linkworth.model.place import Place
from linkworth.model.study import Environment
from linkworth.places.kinds import system_of
from linkworth.places.place import OpenPlace
from linkworth.study.matrix import PlannedRun

MOST_OPEN = 8
"""Most open places: an unused emulated cluster costs little, but not nothing."""

Say = Callable[[str], None]
Opener = Callable[[Place, Say], OpenPlace]


def is_batch(planned: PlannedRun) -> bool:
    """Return whether a run is a job of its own, so that several may be active at once.

    Steps of linkworth's own job would share its cores.
    """
    return planned.mode != "predict" and system_of(planned.environment.where) is not None


def place_of(planned: PlannedRun) -> Place:
    """Return the place of a run, with its nodes."""
    where = planned.environment.where
    options = where.options
    if where.kind == "lab":
        options = [*lab_options(planned.environment), *options]
    return msgspec.structs.replace(
        where, nodes=planned.nodes, ranks_per_node=planned.ranks_per_node, options=options
    )


def lab_options(environment: Environment) -> list[str]:
    """Return the environment's options of an emulated cluster, in the lab's syntax: `mtu=9000`."""
    aggregate, _, mode = environment.aggregation.partition(":")
    given = {
        "nics": environment.nics,
        "mtu": environment.mtu,
        "rate": environment.rate,
        "latency": environment.latency,
        "aggregate": aggregate,
        "bond_mode": mode,
        "isolation": environment.isolation,
    }
    return [f"{name}={value}" for name, value in given.items() if value]


class OpenPlaces:
    """Opens a place for the first run that needs it, and closes the least recently used one if there are too many.

    Several threads may use it if their runs are batch jobs: another kind of place could be closed during a run.
    """

    def __init__(self, opener: Opener, say: Say) -> None:
        self._lock = threading.RLock()
        self._say = say
        self._opener = opener
        self._open: OrderedDict[str, tuple[OpenPlace, ExitStack]] = OrderedDict()

    def get(self, planned: PlannedRun) -> OpenPlace:
        """Return the open place of a run. Raises the errors of opening it."""
        key = self._key(planned)
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key][0]
            while len(self._open) >= MOST_OPEN:
                self._open.popitem(last=False)[1][1].close()
            stack = ExitStack()
            opened = stack.enter_context(self._opener(place_of(planned), self._say))
            self._open[key] = (opened, stack)
            return opened

    def drop(self, planned: PlannedRun) -> None:
        """Close the place of a run, so that the next one gets a new one: it may have failed."""
        with self._lock:
            found = self._open.pop(self._key(planned), None)
            if found:
                found[1].close()

    def close(self) -> None:
        """Close all places."""
        with self._lock:
            while self._open:
                self._open.popitem()[1][1].close()

    @staticmethod
    def _key(planned: PlannedRun) -> str:
        return repr(place_of(planned))

"""Limit of the ranks that a place can start."""

from linkworth.errors import UsageError
from linkworth.places.place import OpenPlace

RANKS_A_CORE = 64
LEAST_LIMIT = 1024
"""Ranks that any place may start, however few cores it has."""
MOST_RANKS = 1 << 20
"""Limit of a place with an unknown number of cores."""


def check_started_ranks(ranks: int, place: OpenPlace) -> None:
    """Raise UsageError for more ranks than a place can start, since each is a process."""
    most = max(LEAST_LIMIT, RANKS_A_CORE * place.cores) if place.cores else MOST_RANKS
    if ranks > most:
        raise UsageError(
            f"`ranks` {ranks}: each rank is a process, and {place.name} starts at most {most} of them; give fewer, or record "
            "the skeleton of a bundled program, which runs nothing, on up to 1048576 ranks"
        )

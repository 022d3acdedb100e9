"""Calls of the ranks in each test, as lw-netbench makes them (native/netbench)."""

from collections.abc import Callable, Sequence

from linkworth.bench.replayed.calls import Rank

ANSWER_BYTES = 4
"""Size of the receiver's reply after each window, as in osu_bw."""
TO_RIGHT, TO_LEFT = 1, 2
"""Tags: in a ring of two, both messages come from the same partner."""

Exchange = Callable[[Rank, int, int], None]
"""Writes the calls of a rank for a number of operations of one size."""


def partner_of(rank: int, pairs: int) -> int:
    """Return the partner of a rank: the first half of the ranks is paired with the second half."""
    return rank + pairs if rank < pairs else rank - pairs


def in_turn(rank: Rank, size: int, count: int, *, pairs: int = 1) -> None:
    """Write the ping-pong of `pairs` pairs."""
    partner = partner_of(rank.rank, pairs)
    for _ in range(count):
        if rank.rank < pairs:
            rank.send(partner, size)
        rank.receive(partner, size)
        if rank.rank >= pairs:
            rank.send(partner, size)


def in_turn_posted(rank: Rank, size: int, count: int, *, pairs: int = 1) -> None:
    """Write the ping-pong that posts each receive before its message can have left."""
    partner = partner_of(rank.rank, pairs)
    leads = rank.rank < pairs
    if not leads:
        rank.begin_receive(partner, size)
    for number in range(count):
        if leads:
            rank.begin_receive(partner, size)
            rank.send(partner, size)
            rank.wait(1)
            continue
        rank.wait(1)
        if number + 1 < count:
            rank.begin_receive(partner, size)
        rank.send(partner, size)


def at_once(
    rank: Rank, size: int, count: int, *, pairs: int = 1, computing: Callable[[int], float] = lambda _: 0.0
) -> None:
    """Write the exchange of one message each way, with computation (seconds by size) before the wait."""
    partner = partner_of(rank.rank, pairs)
    for _ in range(count):
        rank.begin_receive(partner, size)
        rank.begin_send(partner, size)
        rank.wait(2, after_seconds=computing(size))


def windows(rank: Rank, size: int, count: int, *, messages: int, pairs: int = 1) -> None:
    """Write windows of messages one way, each with a reply."""
    partner = partner_of(rank.rank, pairs)
    for _ in range(count):
        if rank.rank < pairs:
            for _ in range(messages):
                rank.begin_send(partner, size)
            rank.wait(messages)
            rank.receive(partner, ANSWER_BYTES)
        else:
            for _ in range(messages):
                rank.begin_receive(partner, size)
            rank.wait(messages)
            rank.send(partner, ANSWER_BYTES)


def windows_both_ways(rank: Rank, size: int, count: int, *, messages: int) -> None:
    """Write windows of messages both ways between two ranks."""
    partner = 1 - rank.rank
    for _ in range(count):
        for _ in range(messages):
            rank.begin_receive(partner, size)
        for _ in range(messages):
            rank.begin_send(partner, size)
        rank.wait(messages)
        rank.wait(2 * messages, messages + 1)


def incast(rank: Rank, size: int, count: int, *, senders: int) -> None:
    """Write a message from each other rank to the first one, at its request."""
    others = range(1, senders + 1)
    for _ in range(count):
        if rank.rank:
            rank.receive(0, ANSWER_BYTES)
            rank.send(0, size)
            continue
        for sender in others:
            rank.begin_receive(sender, size)
        for sender in others:
            rank.send(sender, ANSWER_BYTES)
        rank.wait(senders)


COLLECTIVES: dict[str, Callable[[Rank, int], None]] = {
    "alltoall": lambda rank, size: rank.collective("MPI_Alltoall", size, size),
    "allgather": lambda rank, size: rank.collective("MPI_Allgather", size, size),
    "bcast": lambda rank, size: rank.collective("MPI_Bcast", size, size, root=0),
    "allreduce": lambda rank, size: rank.collective(
        "MPI_Allreduce", size, size, element=4 if size % 4 == 0 else 1
    ),
    "barrier": lambda rank, _: rank.collective("MPI_Barrier"),
}
"""Calls of a rank, by test of a collective."""


Pattern = tuple[tuple[int, int], ...]
"""The left and the right neighbour of each rank."""


def ring(rank: Rank, pattern: Pattern, method: str, size: int, count: int) -> None:
    """Make a rank send a message to each of its two neighbours, `count` times, by one of b_eff's methods."""
    left, right = pattern[rank.rank]
    for _ in range(count):
        if method == "sendrecv":
            rank.send_and_receive(right, left, size, TO_RIGHT)
            rank.send_and_receive(left, right, size, TO_LEFT)
        elif method == "alltoallv":
            counts = [0] * len(pattern)
            counts[left] += size
            counts[right] += size
            rank.collective("MPI_Alltoallv", 2 * size, 2 * size, counts=counts)
        else:
            rank.begin_receive(left, size, TO_RIGHT)
            rank.begin_receive(right, size, TO_LEFT)
            rank.begin_send(right, size, TO_RIGHT)
            rank.begin_send(left, size, TO_LEFT)
            rank.wait(4)


METHODS: Sequence[str] = ("sendrecv", "alltoallv", "nonblocking")

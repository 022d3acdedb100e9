"""Peers as functions of the position on the grid."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import product
from typing import NamedTuple

import numpy as np

from linkworth.scale.grids import ARITIES, SHARES, Position, coordinates, first_of_others
from linkworth.scale.recording import NOBODY, Numbers


class Iterations(NamedTuple):
    """The iteration of each sample in the loop around it."""

    number: Numbers
    total: Numbers
    outer: "Iterations | None" = None
    """Iterations of the loop around that one, if it has steps that ranks own."""

    @classmethod
    def once(cls, count: int) -> "Iterations":
        """Return those of samples outside of loops."""
        return cls(np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.int64))

    def only(self, which: Numbers) -> "Iterations":
        """Return those of some samples, in their order."""
        return Iterations(self.number[which], self.total[which], self.outer and self.outer.only(which))


class Skew(NamedTuple):
    """Summand by which another coordinate shifts one of a peer, as in the alignment of blocks before a matrix product."""

    dimension: int
    sign: int
    parts: bool
    """Each rank along the other dimension adds its part of this one, not a single rank."""

    def values(self, at: Position, n: Numbers) -> Numbers:
        """Return it for each sample. `n`: extent of the dimension that it is added to."""
        part = n // at.extents[self.dimension] if self.parts else 1
        return self.sign * part * at.coordinates[self.dimension]


class Term(NamedTuple):
    """One coordinate of a peer."""

    kind: str
    step: str
    constant: int
    skews: Sequence[Skew] = ()

    def stays(self) -> bool:
        """Return whether it is the own coordinate."""
        return self.kind in ("shift", "ring") and not self.constant and not self.skews


class Peer(NamedTuple):
    """A peer: the terms of its coordinates. No terms: always the same negative number."""

    terms: tuple[Term, ...]
    fixed: int = 0
    edges: bool = False
    """It is MPI_PROC_NULL beyond the edges of the grid."""

    def moved(self) -> list[int]:
        """Return the dimensions along which it is elsewhere."""
        return [at for at, term in enumerate(self.terms) if not term.stays()]

    def doubled(self) -> list[int]:
        """Return the dimensions along which the distance to the peer doubles, or halves, from step to step."""
        return [at for at, term in enumerate(self.terms) if "2^k" in term.kind]

    def in_tree(self) -> bool:
        """Return whether it is a parent or a child."""
        return any(term.kind in (*_PARENTS, *_CHILDREN, *_CHILD_OF_STEP) for term in self.terms)

    def steps(self) -> bool:
        """Return whether it is another one in each step."""
        return any(term.step for term in self.terms)

    def ranks(self, at: Position, steps: Iterations) -> Numbers:
        """Return the peer of each sample. Raises OffGridError if one is outside a grid without edges."""
        if not self.terms:
            return np.full(len(at.ranks), self.fixed, dtype=np.int64)
        found = np.zeros(len(at.ranks), dtype=np.int64)
        beyond = np.zeros(len(at.ranks), dtype=bool)
        for dimension, term in enumerate(self.terms):
            n = at.extents[dimension]
            value = _value(term, dimension, at, steps)
            beyond |= (value < 0) | (value >= n)
            found = found * n + value
        if beyond.any() and not self.edges:
            raise OffGridError
        return np.where(beyond, NOBODY, found)


class OffGridError(Exception):
    """A rule leads to a rank that does not exist."""


_OTHERS = {f"others {share}": share for share in range(len(SHARES))}
"""The first rank behind a share of all."""
_PARENTS = {f"parent {arity}": arity for arity in ARITIES}
_CHILDREN = {f"child {arity}": arity for arity in ARITIES}
_CHILD_OF_STEP = {f"child +k {arity}": arity for arity in ARITIES}
_BLOCKS = {f"blocks {share}": share for share in range(len(SHARES))}
_DEALT = {f"dealt {share}": share for share in range(len(SHARES))}
"""Peers in the other one of two parts of all ranks: each rank of the smaller part has a block of the larger, or every n-th."""
_WHOLE = {*_OTHERS, *_PARENTS, "opposite", "mirrored", "transposed", "index of others", "tournament"}
_LATER = {*_WHOLE, *_CHILDREN, *_BLOCKS, *_DEALT} - {"mirrored"}
"""On four ranks alone, mirrored is also an exclusive or with 3, which is rarer."""
_RING = {"ring", "opposite", "ring +k", "ring -k", "ring +2^k", "ring -2^k", "cyclic"}
PLAIN = (
    "shift",
    "constant",
    "from the end",
    "ring",
    "mirrored",
    "xor",
    "opposite",
    *_PARENTS,
    *_CHILDREN,
    *_OTHERS,
    *_BLOCKS,
    *_DEALT,
)
STEPPED = (
    "xor k",
    "xor 2^k",
    "xor n/2^k",
    "xor n/2^k-1",
    "index",
    "index of others",
    "index back",
    "tournament",
    "ring +k",
    "ring -k",
    "shift +k",
    "shift -k",
    *_CHILD_OF_STEP,
    "ring +2^k",
    "ring -2^k",
    "shift +2^k",
    "shift -2^k",
    "cyclic others",
    "cyclic",
    "part",
    "block",
)
"""The last three are owners of a row or a column of all: one after the other, or each of as many as nearly equal parts."""
OWNERS = ("cyclic", "part", "block")


def _step(kind: str, steps: Iterations) -> Numbers:
    if kind == "k back":
        return steps.total - 1 - steps.number
    if kind.startswith("k of "):
        return steps.number % np.maximum(steps.total // int(kind[5:]), 1)
    if kind.startswith("k by "):
        return steps.number * int(kind[5:])
    return steps.number


def _total(kind: str, steps: Iterations) -> Numbers:
    return steps.total // int(kind[5:]) if kind.startswith("k of ") else steps.total


def _levels(n: Numbers) -> Numbers:
    return np.ceil(np.log2(n)).astype(np.int64)


def _step_kinds(n: Numbers, steps: Iterations) -> Iterator[str]:
    """Yield ways to count iterations: from either end, and in loops of which two became one, from the start of the inner."""
    yield from ("k", "k back")
    times = {2: None, 3: None}
    for period in (n, n - 1, n // 2, _levels(n)):
        outer = steps.total // np.maximum(period, 1)
        if outer[0] > 1 and (outer == outer[0]).all() and np.array_equal(outer * period, steps.total):
            times[int(outer[0])] = None
    yield from (f"k of {each}" for each in times)


def _power(exponent: Numbers) -> Numbers:
    return np.int64(1) << np.minimum(np.maximum(exponent, 0), 40)


def _base(way: Term, dimension: int, at: Position, k: Numbers) -> Numbers:
    """Return what the constant is added to (or, of an exclusive or, is the exponent's offset of)."""
    n = at.extents[dimension]
    if way.kind == "transposed":
        return _transposed(dimension, way.skews[0].dimension, at)
    base = _plain(way.kind, at.coordinates[dimension], n, k)
    for skew in way.skews:
        base = base + skew.values(at, n)
    return base


def _transposed(dimension: int, other: int, at: Position) -> Numbers:
    """Return the coordinate after a transposition of blocks, which are as long as the longer dimension is of the shorter."""
    n, across = at.extents[dimension], at.extents[other]
    longer, shorter = np.maximum(n // across, 1), np.maximum(across // n, 1)
    found: Numbers = at.coordinates[other] // shorter * longer + at.coordinates[dimension] % longer
    return found


def _plain(kind: str, x: Numbers, n: Numbers, k: Numbers) -> Numbers:
    match kind:
        case "shift" | "ring" | "xor":
            return x
        case "opposite":
            return x + n // 2
        case "constant":
            return np.zeros_like(x)
        case "from the end":
            return n - 1
        case "mirrored":
            return n - 1 - x
        case _ if kind in _OTHERS:
            return first_of_others(_OTHERS[kind], n)
        case _ if kind in _PARENTS:
            # Children of rank r in a binary tree are 2 r + 1 and 2 r + 2.
            return (x - 1) // _PARENTS[kind]
        case _ if kind in _CHILDREN:
            return _CHILDREN[kind] * x
        case _ if kind in _CHILD_OF_STEP:
            return _CHILD_OF_STEP[kind] * x + k
        case _ if kind in _BLOCKS or kind in _DEALT:
            first = first_of_others((_BLOCKS | _DEALT)[kind], n)
            own, other = _both(first, x, n)
            begin, place = np.where(x < first, first, 0), np.where(x < first, x, x - first)
            return begin + (place * other // own if kind in _BLOCKS else place % other)
        case "index" | "cyclic" | "cyclic others":
            return k
        case "index of others":
            return k + (k >= x)
        case "index back":
            return n - 1 - k
        case "tournament":
            # Round k of the circle method, in which each of an even number of ranks meets each other one once.
            met = (2 * k - x) % np.maximum(n - 1, 1)
            return np.where(x == n - 1, k, np.where(met == x, n - 1, met))
        case "ring +k" | "shift +k":
            return x + k
        case "ring -k" | "shift -k":
            return x - k
        case "ring +2^k" | "shift +2^k":
            return x + _power(k)
        case "ring -2^k" | "shift -2^k":
            return x - _power(k)
        case _:
            return x


def _both(first: Numbers, x: Numbers, n: Numbers) -> tuple[Numbers, Numbers]:
    """Return how many ranks the own part and the other one have, of which the second begins at `first`."""
    parts = np.maximum(first, 1), np.maximum(n - first, 1)
    return np.where(x < first, *parts), np.where(x < first, *parts[::-1])


def _own(kind: str, x: Numbers, n: Numbers) -> Numbers:
    """Return how many ranks the own part has, to which those of the other one are dealt."""
    return _both(first_of_others(_DEALT[kind], n), x, n)[0]


def _value(term: Term, dimension: int, at: Position, steps: Iterations) -> Numbers:
    k = _step(term.step, steps)
    n = at.extents[dimension]
    base = _base(term, dimension, at, k)
    if term.kind == "xor":
        return base ^ term.constant
    if term.kind == "xor k":
        return base ^ (k + term.constant)
    if term.kind == "xor 2^k":
        return base ^ _power(k + term.constant)
    if term.kind == "xor n/2^k":
        # No half is left to exchange with after the last level.
        half = n >> np.minimum(np.maximum(k + term.constant, 0), 40)
        return np.where(half, base ^ half, -1)
    if term.kind == "xor n/2^k-1":
        # The mirrored rank of a part that is halved in each step, as of a crystal router.
        return base ^ ((n >> np.minimum(np.maximum(k + term.constant, 0), 40)) - 1)
    if term.kind in _DEALT:
        return base + term.constant * _own(term.kind, at.coordinates[dimension], n)
    if term.kind == "cyclic others":
        # A master deals with all others in turn.
        return 1 + (base + term.constant) % np.maximum(n - 1, 1)
    if term.kind in _RING:
        return (base + term.constant) % n
    if term.kind in ("part", "block"):
        return owner(k, np.maximum(_total(term.step, steps) + term.constant, 1), n, term.kind)
    return base + term.constant


def owner(item: Numbers, items: Numbers, n: Numbers, kind: str) -> Numbers:
    """Return which of n parts has an item: cut at even distances, or into parts of which the first are longer."""
    if kind == "part":
        return item * n // items
    size, longer = items // n, items % n
    behind = (item - longer * (size + 1)) // np.maximum(size, 1)
    return np.where(item < longer * (size + 1), item // (size + 1), longer + behind)


def _ways(dimension: int, at: Position, steps: Iterations, *, edges: bool, along: bool) -> Iterator[Term]:
    """Yield terms without their constants."""
    n = at.extents[dimension]
    plain: tuple[str, ...] = PLAIN
    if (n == n[0]).all() and n[0] > 2 and not edges:
        # Nothing tells the last coordinate from a constant one, and neighbours in a ring are the most frequent.
        plain = ("ring", *(kind for kind in PLAIN if kind != "ring"))
    elif along:
        # The next rank round a ring is the last one for the first rank alone.
        plain = ("shift", "constant", "ring", *(kind for kind in PLAIN[2:] if kind != "ring"))
    skews = _skews(dimension, len(at.extents))
    yield from (Term(kind, "", 0) for kind in plain if kind not in _LATER)
    # A coordinate that another one alone gives is a transposition.
    yield from (Term("constant", "", 0, each) for each in skews if each[0].sign > 0 and not each[0].parts)
    if len(at.extents) == 2:
        yield from (Term("transposed", "", 0, each) for each in skews[:1])
    yield from (Term("ring", "", 0, each) for each in skews if not each[-1].parts)
    yield from (Term(kind, "", 0) for kind in plain if kind in _LATER)
    if (steps.total > 1).any():
        # The iterations are as many as distances that double, of which two are also 1 and 2.
        halves = np.array_equal(steps.total, _levels(n))
        # If some ranks have no peer, the others may fit a ring as well, which leads nobody off the grid.
        kinds = sorted(
            STEPPED, key=lambda kind: (halves and "2^k" not in kind, edges and kind.startswith("ring"))
        )
        yield from (Term(kind, step, 0) for step in _step_kinds(n, steps) for kind in kinds)
        yield from (Term(kind, "k", 0, each) for kind in ("cyclic", "ring +k", "ring -k") for each in skews)
    yield from (Term("ring", "", 0, each) for each in skews if each[-1].parts)


def _skews(dimension: int, dimensions: int) -> list[Sequence[Skew]]:
    """Return what other coordinates may add: one, or two in a box, of which the second may add parts."""
    others = [each for each in range(dimensions) if each != dimension]
    ones = [Skew(other, sign, parts) for parts in (False, True) for other in others for sign in (1, -1)]
    twos = product(ones, ones) if dimensions == 3 else ()
    return [(each,) for each in ones] + [
        (one, two) for one, two in twos if one.dimension != two.dimension and not one.parts
    ]


def _candidates(
    dimension: int, at: Position, wanted: Numbers, steps: Iterations, *, edges: bool, along: bool
) -> Iterator[Term]:
    """Yield terms that may give the wanted coordinates; the constant is from the first sample where there are most.

    `along`: the peer is elsewhere along one of several dimensions only.
    """
    n = at.extents[dimension]
    first = int(n.argmax())
    target, most = int(wanted[first]), int(n[first])
    for way in _ways(dimension, at, steps, edges=edges, along=along):
        kind = way.kind
        steps_of = _step(way.step, steps)
        base, k = int(_base(way, dimension, at, steps_of)[first]), int(steps_of[first])
        if kind == "xor":
            constant = target ^ base
        elif kind == "xor k":
            constant = (target ^ base) - k
        elif kind == "xor 2^k":
            mask = target ^ base
            constant = mask.bit_length() - 1 - k
        elif kind in ("xor n/2^k", "xor n/2^k-1"):
            mask = (target ^ base) + (kind == "xor n/2^k-1")
            constant = most.bit_length() - mask.bit_length() - k
        elif kind in _DEALT:
            constant = (target - base) // int(_own(kind, at.coordinates[dimension], n)[first])
        elif kind == "cyclic others":
            constant = target - 1 - base
        elif kind in ("part", "block"):
            # Nothing is left to do after the last row of an elimination.
            yield way._replace(constant=1)
            constant = 0
        elif kind in _RING:
            half = most // 2
            constant = (target - base + half) % most - half
            if 2 * abs(constant) == most:
                # Half around is the other half if all rings are as long, and either way in one of two.
                if kind == "ring" and not way.skews and most > 2:
                    yield Term("opposite", "", 0)
                yield way._replace(constant=-constant)
        else:
            constant = target - base
        if kind in _WHOLE and constant != 0:
            continue
        yield way._replace(constant=constant)
    yield from _unrolled(wanted, n, steps)


def _unrolled(wanted: Numbers, n: Numbers, steps: Iterations) -> Iterator[Term]:
    """Yield owners of every second, third, ... step: a compiler that unrolls a loop makes several calls of one."""
    first = [np.flatnonzero((n == n[0]) & (steps.number == number))[:1] for number in (0, 1)]
    if all(map(len, first)):
        start, then = (int(wanted[each[0]]) for each in first)
        yield Term("cyclic", f"k by {(then - start) % int(n[0])}", start)


_fitted: dict[bytes, Peer | None] = {}
"""Peers by the digest of what they are fitted to: other roles and calls ask for the same."""
MOST_FITTED = 100_000


def fit_peer(at: Position, wanted: Numbers, steps: Iterations) -> Peer | None:
    """Return the first rule that gives the wanted ranks for all samples."""
    if (wanted == wanted[0]).all() and wanted[0] < 0:
        return Peer((), int(wanted[0]))
    if ((wanted < 0) & (wanted != NOBODY)).any():
        return None
    asked = np.stack([wanted, at.sizes, steps.number, steps.total, *at.coordinates, *at.extents])
    key = blake2b(asked.tobytes(), digest_size=16).digest() + bytes([len(asked)])
    if key not in _fitted:
        if len(_fitted) == MOST_FITTED:
            _fitted.clear()
        _fitted[key] = _fit_peer(at, wanted, steps)
    return _fitted[key]


def _fit_peer(at: Position, wanted: Numbers, steps: Iterations) -> Peer | None:
    # A sample of the largest grid decides the constants: on small ones many rules agree.
    order = np.argsort(-at.sizes, kind="stable")
    at, wanted, steps = at.only(order), wanted[order], steps.only(order)
    inner = np.flatnonzero(wanted >= 0)
    edges = len(inner) < len(wanted)
    found = _of_terms(at.only(inner), wanted[inner], steps.only(inner), edges=edges)
    return found if found is None or np.array_equal(found.ranks(at, steps), wanted) else None


def _of_terms(at: Position, wanted: Numbers, steps: Iterations, *, edges: bool) -> Peer | None:
    terms = []
    parts, beyond = coordinates(wanted, at.extents)
    if beyond.any():
        return None
    moved = sum(not np.array_equal(*each) for each in zip(parts, at.coordinates, strict=True))
    for dimension, part in enumerate(parts):
        along = moved == 1 < len(parts)
        for term in _candidates(dimension, at, part, steps, edges=edges, along=along):
            if np.array_equal(_value(term, dimension, at, steps), part):
                terms.append(term)
                break
        else:
            return None
    return Peer(tuple(terms), edges=edges)

"""Reads a hostfile of MPI launchers: one host per line, with slots in Open MPI's, MPICH's or no notation."""

import re
from pathlib import Path
from typing import NamedTuple

from linkworth.errors import UsageError

_HOST = re.compile(r"[A-Za-z0-9][\w.@-]*")
# Words after a host that other launchers read and that do not define slots.
_OTHER_WORDS = re.compile(r"(?:max[_-]slots|sockets?|rack|binding|ifname|user|iface)=\S+")


class Host(NamedTuple):
    """One host and its slots, the number of ranks to place on it."""

    name: str
    slots: int | None
    """None if the file gives none: as many as needed, evenly."""


def read(path: Path) -> list[Host]:
    """Read a hostfile in its order. Raises UsageError with the invalid line."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text file"
        raise UsageError(f"{path}: {reason}") from None
    return parse(text, str(path))


def parse(text: str, source: str) -> list[Host]:
    """Read the text of a hostfile. The slots of a repeated host add up, as in files of batch systems."""
    slots: dict[str, int | None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        host = _host(words, f"{source}:{number}")
        if host.name not in slots:
            slots[host.name] = host.slots
        else:
            slots[host.name] = (slots[host.name] or 1) + (host.slots or 1)
    if not slots:
        raise UsageError(f"{source}: there is no host in it; write one a line, such as: node1 slots=4")
    return [Host(name, count) for name, count in slots.items()]


def _host(words: list[str], place: str) -> Host:
    name, colon, joined = words[0].partition(":")
    if not _HOST.fullmatch(name):
        raise UsageError(f"{place}: {words[0]!r} is no host name; write `host`, `host slots=N` or `host:N`")
    counts = [joined] if colon else []
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if key in ("slots", "cpu", "count") and equals:
            counts.append(value)
        elif not _OTHER_WORDS.fullmatch(word):
            raise UsageError(f"{place}: {word!r} is not understood; write `host`, `host slots=N` or `host:N`")
    if len(counts) > 1:
        raise UsageError(f"{place}: {name} has its slots twice")
    if counts and not (re.fullmatch(r"0*[1-9]\d{0,8}", counts[0], re.ASCII)):
        raise UsageError(f"{place}: {counts[0]!r} is no number of slots; it must be a whole number above 0")
    return Host(name, int(counts[0]) if counts else None)


def share(hosts: list[Host], ranks: int, each: int | None = None, *, spread: bool = False) -> dict[str, int]:
    """Return the number of ranks on each host, in blocks: `each`, else up to its slots, else evenly.

    `spread`: on all hosts as evenly as their slots allow, since a user who gives a number of nodes expects
    all to be used. If there are more ranks than slots, every host gets more in proportion. Raises UsageError
    if `each` is too small.
    """
    if each is not None:
        if ranks > each * len(hosts):
            raise UsageError(f"--ppn {each}: {ranks} ranks do not fit on {len(hosts)} hosts")
        limits = [each] * len(hosts)
    elif spread and ranks <= sum(ranks if host.slots is None else host.slots for host in hosts):
        limits = _spread(hosts, ranks)
    elif all(host.slots is not None for host in hosts):
        limits = [host.slots or 1 for host in hosts]
        rounds = -(-ranks // sum(limits))
        limits = [limit * rounds for limit in limits]
    else:
        even, more = divmod(ranks, len(hosts))
        limits = [even + (1 if number < more else 0) for number in range(len(hosts))]
    left = ranks
    shared = {}
    for host, limit in zip(hosts, limits, strict=True):
        taken = min(limit, left)
        left -= taken
        if taken:
            shared[host.name] = taken
    return shared


def _spread(hosts: list[Host], ranks: int) -> list[int]:
    """Share ranks as evenly as the slots allow. There are enough slots."""
    given = [0] * len(hosts)
    for _ in range(ranks):
        room = [
            number for number, host in enumerate(hosts) if host.slots is None or given[number] < host.slots
        ]
        given[min(room, key=lambda number: given[number])] += 1
    return given

"""Lists of hosts as Slurm and Flux write them."""

import re

_BRACKETS = re.compile(r"\[([^\]]*)\]")


def expand(hosts: str) -> list[str]:
    """Expand a list of hosts: `n[1-3,07],gpu1` gives n1 n2 n3 n07 gpu1. A range keeps its leading zeros."""
    names: list[str] = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", hosts):
        names += _expand_one(item)
    return names


def _expand_one(item: str) -> list[str]:
    found = _BRACKETS.search(item)
    if not found:
        return [item]
    names = []
    for part in found[1].split(","):
        first, dash, last = part.partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            numbers = [f"{number:0{len(first)}d}" for number in range(int(first), int(last) + 1)]
        else:
            numbers = [part]
        for number in numbers:
            names += _expand_one(item[: found.start()] + number + item[found.end() :])
    return names

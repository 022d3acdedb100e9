"""Names of the processors on which traces were recorded, compared."""

import re
from collections.abc import Sequence

from linkworth.model.trace import TraceMetadata

_NO_MODEL = re.compile(r"\(.*?\)|@.*|\b\d+-core\b")
"""Parts of a name that differ between the kernel and a data sheet: trade marks, clock, cores, remarks."""


def same_model(one: str, other: str) -> bool:
    """Return whether two names can mean one model, as `Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz` and `Xeon E5-2650 v3`.

    A name without a model's number, which virtual machines often have, can mean any.
    """
    here, there = _numbers(one), _numbers(other)
    return here <= there or there <= here


def _numbers(name: str) -> set[str]:
    words = _NO_MODEL.sub(" ", name.lower()).split()
    return {word.strip(",") for word in words if re.search(r"\d", word)}


def other_processors(traces: Sequence[tuple[int, TraceMetadata]]) -> str:
    """Return a sentence if traces, given by their ranks, were recorded on different processors, else ""."""
    ranks: dict[str, list[str]] = {}
    for count, metadata in traces:
        if names := metadata.processors():
            ranks.setdefault(", ".join(sorted(names)), []).append(str(count))
    if len(ranks) < 2:
        return ""
    kinds = "; ".join(f"{', '.join(counts)} ranks on {name}" for name, counts in ranks.items())
    return (
        f"the recordings are of different processors ({kinds}), so part of the difference in computation is theirs; record "
        "all on one kind of node"
    )

"""Scaling of recordings to more ranks."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from linkworth.api.arguments import checked, new_file
from linkworth.api.trace import Trace
from linkworth.scale.run import ScaleRequest
from linkworth.scale.run import scale as scaled
from linkworth.trace.read import open_trace
from linkworth.writing.user_folder import expanded


@checked
def scale(
    traces: Sequence[Trace | str | PathLike[str]],
    ranks: int,
    *,
    output: str | PathLike[str],
    replace: bool = False,
    weak: bool = False,
    sizes: Sequence[float] = (),
    to_size: float | None = None,
    grid: Sequence[int] | None = None,
) -> Trace:
    """Write the trace that a program would leave on more `ranks` than it was recorded on, and return it.

    `traces` are recordings on two rank counts or more. `weak`: the problem grew with the ranks. `sizes` has the problem's size
    in each recording, and `to_size` the one to scale to. `grid`: the process grid at the new count, such as `(32, 16)`.
    `metadata.scaling` of the result shows how far it can be trusted. Raises UsageError for unusable recordings, and
    LinkworthError if they do not align, with the call and the reason.
    """
    written = new_file(output, replace=replace)
    summary = scaled(
        ScaleRequest(
            traces=[trace.path if isinstance(trace, Trace) else Path(expanded(trace)) for trace in traces],
            ranks=ranks,
            output=written,
            weak=weak,
            sizes=list(sizes),
            to_size=to_size,
            grid=None if grid is None else tuple(grid),
            replace=replace,
        )
    )
    return Trace(open_trace(Path(summary.path)))

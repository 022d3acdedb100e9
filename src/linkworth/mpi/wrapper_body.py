"""What the generator of wrappers needs to know of a procedure that a trace models."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Body:
    """C statements of a modelled wrapper; `{real}` in `yielding` stands for the plain call.

    The parameter names are those of the MPI standard. `before` prepares, `yielding` is the call to make where
    blocking calls yield (empty where the plain call does), and `record` records. On the fast way `foresee`, where there is
    one, comes just ahead of the real function.
    """

    record: str
    before: tuple[str, ...] = ()
    yielding: str = ""
    lifecycle: bool = False
    foresee: str = ""

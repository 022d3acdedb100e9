"""What the generator of wrappers needs to know of a procedure that a trace models."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Body:
    """C statements of a modelled wrapper; `{real}` in `yielding` stands for the plain call.

    The parameter names are those of the MPI standard. `before` prepares, `yielding` is the call to make where
    blocking calls yield (empty where the plain call does), and `record` records.

    `foresee`, where there is one, tells what a traced call repeats if it ends as expected. Such calls do not run `before` but
    `prepare`, and not `record` but `foreseen`, or `unforeseen` where they failed or the condition `expected` does not hold.
    `bytes` is what a profile adds to a successful call of the fast way; empty where only `record` can tell.
    """

    record: str
    before: tuple[str, ...] = ()
    yielding: str = ""
    lifecycle: bool = False
    foresee: str = ""
    prepare: tuple[str, ...] = ()
    expected: str = ""
    foreseen: str = ""
    unforeseen: str = "lw_encode_local(LW_COPY(&lw_call));"
    bytes: str = ""

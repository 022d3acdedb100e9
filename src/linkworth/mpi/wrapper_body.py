"""Description of a modelled procedure for the generator of wrappers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Body:
    """C statements of a modelled wrapper. `{real}` in `yielding` is replaced by the plain call.

    The parameter names are those of the MPI standard. `before` prepares and `record` records. `yielding` is
    the call if blocking calls yield (empty if the plain call yields).

    `foresee` gives, if set, the values that a traced call repeats if it ends as expected. Such calls run
    `prepare` instead of `before`, and `foreseen` instead of `record`. They run `unforeseen` if they failed or
    the condition `expected` is false.
    `bytes` is the size that a profile adds for a successful call of the fast path. Empty if only `record`
    knows it.
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

"""C statements of a wrapper for each path of a call (native/tracer/wrapper.h)."""

import re

from linkworth.mpi.wrapper_bodies import is_lifecycle, is_modelled
from linkworth.mpi.wrapper_body import Body
from linkworth.mpi.wrapper_quick import is_quick

_LOCAL = Body("lw_record_local(&lw_call);")
_SITE = "    void *lw_site = __builtin_return_address(0);"
_SELDOM = re.compile(
    r"_(c|init|toint|fromint|create\w*|i?dup\w*|split\w*|free|sub|allocate\w*|disconnect|from_groups?|merge)$"
)
"""Procedures of set-up, and large counts. None is called so often that 30 ns matter."""


def _first_session(real: str, number: int) -> list[str]:
    return [
        "    if (lw_inside())",
        f"        return {real};",
        "    struct lw_call lw_call;",
        f"    bool lw_begun = lw_before_session_init(&lw_call, {number});",
        f"    int lw_result = {real};",
        "    lw_after_session_init(&lw_call, lw_result == MPI_SUCCESS, lw_begun, session);",
        "    lw_leave();",
        "    return lw_result;",
    ]


def has_fast_way(name: str) -> bool:
    """Return whether a procedure may be called so often that it has a fast path
    (native/tracer/wrapper.h)."""
    if _SELDOM.search(name):
        return False
    return (is_modelled(name) and not is_lifecycle(name)) or is_quick(name)


def _succeeded(returns: str) -> str:
    return "lw_result == MPI_SUCCESS" if returns == "int" else "true"


def _any_call(real: str, returns: str, body: Body, begin: list[str]) -> list[str]:
    """C statements of a path that begins with `begin` and records any call."""
    return [
        *begin,
        "    lw_go_in();",
        *(f"    {line}" for line in body.before),
        f"    {returns} lw_result = {real};",
        f"    lw_exit_fast(&lw_call, {_succeeded(returns)});",
        f"    {body.record}",
        "    lw_come_out(&lw_call);",
        "    return lw_result;",
    ]


def traced_statements(
    name: str, returns: str, real: str, number: int, body: Body | None, otherwise: str
) -> list[str]:
    """C statements of the fast path to an event. `otherwise` is the call for all others, without its end."""
    body = body or Body("", foresee="lw_foresee_local(&lw_call)")
    real = real.replace("REAL_", "FAST_", 1)
    begin = [
        _SITE,
        "    struct lw_call lw_call;",
        f"    if (!lw_begin_traced(&lw_call, {number}, lw_site, __builtin_dwarf_cfa()))",
        f"        return {otherwise}, 0);",
    ]
    if not body.foresee:
        begin += ["    if (lw_after_long_gap(&lw_call))", f"        return {otherwise}, lw_call.start);"]
        return _any_call(real, returns, body, begin)
    condition = " && ".join(filter(None, (_succeeded(returns), body.expected)))
    return [
        *begin,
        *(f"    {line}" for line in body.prepare),
        f"    lw_call.foreseen = {body.foresee};",
        "    if (__builtin_expect(!lw_call.foreseen, 0) || lw_after_long_gap(&lw_call))",
        f"        return {otherwise}, lw_call.start);",
        # Values that are not needed again must not occupy a register or the stack.
        "    lw_call.site = 0;",
        "    lw_go_in();",
        f"    {returns} lw_result = {real};",
        f"    lw_call.end = {'lw_call.start' if is_quick(name) else 'lw_counter_ticks()'};",
        f"    if (__builtin_expect({condition}, 1)) {{",
        "        lw_note_event(&lw_call, lw_call.foreseen);",
        *((f"        {body.foreseen}",) if body.foreseen else ()),
        "    } else {",
        f"        lw_call.succeeded = {_succeeded(returns)};",
        "        lw_note_site(&lw_call, __builtin_return_address(0), __builtin_dwarf_cfa());",
        f"        {body.unforeseen}",
        "    }",
        "    lw_come_out(&lw_call);",
        "    return lw_result;",
    ]


def profiled_statements(
    name: str, returns: str, real: str, number: int, body: Body | None, otherwise: str
) -> list[str]:
    """C statements of the fast path into a profile. `otherwise` as for traced_statements."""
    real = real.replace("REAL_", "FAST_", 1)
    other = f"        return {otherwise}, 0);"
    if is_quick(name):
        return [_SITE, f"    if (!lw_count_quick({number}))", other, f"    return {real};"]
    begin = [_SITE, "    struct lw_call lw_call;", f"    if (!lw_begin(&lw_call, {number}))", other]
    body = body or _LOCAL
    if not body.bytes:
        return _any_call(real, returns, body, begin)
    lines = [*begin, f"    uint64_t lw_sent = {body.bytes};", "    lw_go_in();"]
    lines += [f"    {returns} lw_result = {real};", "    lw_call.end = lw_counter_ticks();"]
    lines += ["    lw_add_up_times(&lw_call);", f"    if (__builtin_expect({_succeeded(returns)}, 1))"]
    lines += [f"        lw_tally_bytes(lw_call.self->tallies, {number}, lw_sent);"]
    return [*lines, "    lw_come_out(&lw_call);", "    return lw_result;"]


def statements(name: str, returns: str, real: str, number: int, body: Body | None, told: str) -> list[str]:
    """C statements of a wrapper's block. `real` calls the library's function. lw_enter gets `told`."""
    body = body or _LOCAL
    if name == "MPI_Session_init":
        return _first_session(real, number)
    if body.lifecycle:
        return [
            "    if (lw_inside())",
            f"        return {real};",
            "    struct lw_call lw_call;",
            f"    lw_before_init(&lw_call, {number});",
            f"    int lw_result = {real};",
            "    lw_after_init(&lw_call, lw_result == MPI_SUCCESS);",
            "    lw_leave();",
            "    return lw_result;",
        ]
    # A call that ends a recording also ends one that ran out of space.
    condition = "lw_call.recording"
    if name in ("MPI_Finalize", "MPI_Session_finalize"):
        condition += " || lw_recorder.full"
    call = real
    if body.yielding:
        call = f"lw_yielding ? {body.yielding.replace('{real}', real)}\n        : {real}"
    return [
        f"    if (lw_bypass({told.split(', ')[1]}))",
        f"        return {real};",
        "    struct lw_call lw_call;",
        f"    lw_enter(&lw_call, {number}, {told});",
        *(f"    {line}" for line in body.before),
        f"    {returns} lw_result = {call};",
        f"    lw_exit{'_quick' if is_quick(name) else ''}(&lw_call, {_succeeded(returns)});",
        *((f"    if ({condition})\n        {body.record}",) if body.record else ()),
        "    lw_leave();",
        "    return lw_result;",
    ]

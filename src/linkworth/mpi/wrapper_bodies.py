"""The bodies of the wrappers for the procedures that a trace models, in C."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from linkworth.mpi import wrapper_one_sided
from linkworth.mpi.wrapper_body import Body

_OWN_STATUS = (
    "MPI_Status lw_own;",
    "status = lw_real_status(status, &lw_own);",
)
_KNOWN_BYTES = "lw_known_bytes(count, datatype)"
_MESSAGE = "(struct lw_message){{comm, {peer}, tag, count, datatype}}"


def _message(peer: str) -> str:
    return _MESSAGE.format(peer=peer)


def _foresee_message(peer: str) -> str:
    return f"lw_foresee_message(&lw_call, {_message(peer)})"


def _finish(call: str, status: str = "MPI_STATUS_IGNORE") -> str:
    return f"({{ MPI_Request lw_request; lw_yield_finish({call}, &lw_request, {status}); }})"


def _unless(plain: str, call: str) -> str:
    return f"({plain} ? {{real}} : {call})"


def _point_to_point(large: str) -> dict[str, Body]:
    bodies = {}
    for mode in ("", "B", "S", "R"):
        send = f"{mode}send" if mode else "Send"
        isend = f"I{send.lower()}"
        bodies[f"MPI_{send}{large}"] = Body(
            f"lw_record_message(&lw_call, LW_SEND, {_message('dest')}, NULL);",
            # A buffered send waits for nobody.
            yielding=""
            if mode == "B"
            else _finish(f"REAL_MPI_{isend}{large}(buf, count, datatype, dest, tag, comm, &lw_request)"),
            foresee=_foresee_message("dest"),
            bytes=_KNOWN_BYTES,
        )
        bodies[f"MPI_{isend}{large}"] = Body(
            f"lw_record_message(&lw_call, LW_ISEND, {_message('dest')}, request);",
            foresee=_foresee_message("dest"),
            foreseen="lw_add_request(*request, 0);",
            bytes=_KNOWN_BYTES,
        )
        bodies[f"MPI_{send}_init{large}"] = Body(
            f"lw_record_message(&lw_call, LW_SEND_INIT, {_message('dest')}, request);"
        )
    bodies[f"MPI_Recv{large}"] = Body(
        f"lw_record_recv(&lw_call, {_message('source')}, status);",
        before=_OWN_STATUS,
        # Nothing waits there, and MPICH 4.0 gives a wrong status for the non-blocking form.
        yielding=_unless(
            "source == MPI_PROC_NULL",
            _finish(f"REAL_MPI_Irecv{large}(buf, count, datatype, source, tag, comm, &lw_request)", "status"),
        ),
        foresee=f"lw_foresee_recv(&lw_call, {_message('source')})",
        bytes="0",
    )
    bodies[f"MPI_Irecv{large}"] = Body(
        f"lw_record_message(&lw_call, LW_IRECV, {_message('source')}, request);",
        foresee=_foresee_message("source"),
        foreseen="lw_add_request(*request, lw_foreseen_irecv_flags(&lw_call));",
        bytes="0",
    )
    bodies[f"MPI_Recv_init{large}"] = Body(
        f"lw_record_message(&lw_call, LW_RECV_INIT, {_message('source')}, request);"
    )
    bodies[f"MPI_Mrecv{large}"] = Body(
        "lw_record_matched(&lw_call, lw_message, count, datatype, NULL);",
        before=("MPI_Message lw_message = *message;",),
        yielding=_unless(
            "*message == lw_mpi.message_no_proc",
            _finish(f"REAL_MPI_Imrecv{large}(buf, count, datatype, message, &lw_request)", "status"),
        ),
    )
    bodies[f"MPI_Imrecv{large}"] = Body(
        "lw_record_matched(&lw_call, lw_message, count, datatype, request);",
        before=("MPI_Message lw_message = *message;",),
    )
    return bodies | _exchanges(large)


def _exchanges(large: str) -> dict[str, Body]:
    two = (
        "(struct lw_message){comm, dest, sendtag, sendcount, sendtype}, "
        "(struct lw_message){comm, source, recvtag, recvcount, recvtype}"
    )
    one = (
        "(struct lw_message){comm, dest, sendtag, count, datatype}, "
        "(struct lw_message){comm, source, recvtag, count, datatype}"
    )
    both = (
        "({ MPI_Request lw_requests[2]; int lw_answer = "
        f"REAL_MPI_Irecv{large}(recvbuf, recvcount, recvtype, source, recvtag, comm, &lw_requests[0]); "
        "if (lw_answer == MPI_SUCCESS) lw_answer = "
        f"REAL_MPI_Isend{large}(sendbuf, sendcount, sendtype, dest, sendtag, comm, &lw_requests[1]); "
        "lw_answer = lw_yield_finish(lw_answer, &lw_requests[0], status); "
        "lw_answer = lw_yield_finish(lw_answer, &lw_requests[1], MPI_STATUS_IGNORE); "
        "if (lw_answer == MPI_SUCCESS && source == MPI_PROC_NULL) "
        f"REAL_MPI_Recv{large}(recvbuf, recvcount, recvtype, source, recvtag, comm, status); lw_answer; }})"
    )
    # The large-count form uses the library's non-blocking one. Older libraries lack the plain one.
    exchanged = "buf, count, datatype, dest, sendtag, source, recvtag, comm"
    # MPICH 4.0 gives a wrong status for the non-blocking form of a receive from MPI_PROC_NULL.
    in_place = (
        _unless(
            "source == MPI_PROC_NULL",
            _finish(f"REAL_MPI_Isendrecv_replace_c({exchanged}, &lw_request)", "status"),
        )
        if large
        else _unless(
            "source == MPI_PROC_NULL || !lw_yield_may_pack(count, datatype)",
            f"lw_yield_sendrecv_replace({exchanged}, status)",
        )
    )
    return {
        f"MPI_Sendrecv{large}": Body(
            f"lw_record_sendrecv(&lw_call, {two}, status);",
            _OWN_STATUS,
            both,
            foresee=f"lw_foresee_sendrecv(&lw_call, {two})",
        ),
        f"MPI_Sendrecv_replace{large}": Body(
            f"lw_record_sendrecv(&lw_call, {one}, status);",
            _OWN_STATUS,
            in_place,
            foresee=f"lw_foresee_sendrecv(&lw_call, {one})",
        ),
        f"MPI_Isendrecv{large}": Body(f"lw_record_isendrecv(&lw_call, {two}, request);"),
        f"MPI_Isendrecv_replace{large}": Body(f"lw_record_isendrecv(&lw_call, {one}, request);"),
    }


def _probes() -> dict[str, Body]:
    def record(found: str, message: str) -> str:
        return f"lw_record_probe(&lw_call, comm, source, tag, {found}, status, {message});"

    return {
        "MPI_Probe": Body(record("true", "NULL"), _OWN_STATUS, "lw_yield_probe(source, tag, comm, status)"),
        "MPI_Iprobe": Body(
            record("*flag", "NULL"),
            _OWN_STATUS,
            foresee="lw_foresee_probe(&lw_call, comm, source, tag)",
            prepare=_OWN_STATUS,
            expected="!*flag",
            unforeseen="lw_record_found(LW_COPY(&lw_call), *flag, status);",
            bytes="0",
        ),
        "MPI_Mprobe": Body(
            record("true", "message"), _OWN_STATUS, "lw_yield_mprobe(source, tag, comm, message, status)"
        ),
        "MPI_Improbe": Body(record("*flag", "message"), _OWN_STATUS),
    }


def _completions() -> dict[str, Body]:
    one = (
        "MPI_Request lw_before = *request;",
        "lw_claim_requests(&lw_call, 1, &lw_before);",
        *_OWN_STATUS,
    )

    def several(count: str, statuses: bool) -> tuple[str, ...]:
        copy = f"const MPI_Request *lw_before = lw_copy_requests({count}, array_of_requests);"
        own = f"array_of_statuses = lw_real_statuses({count}, array_of_statuses);"
        claim = f"lw_claim_requests(&lw_call, {count}, lw_before);"
        return (copy, claim, own) if statuses else (copy, claim, *_OWN_STATUS)

    def record(mode: str, count: str, completed: str, indices: str, statuses: str) -> str:
        before, after = ("&lw_before", "request") if count == "1" else ("lw_before", "array_of_requests")
        arguments = (mode, count, before, after, completed, indices, statuses)
        return f"lw_record_complete(&lw_call, {', '.join(arguments)});"

    some = "*outcount == MPI_UNDEFINED ? 0 : *outcount"
    return {
        "MPI_Wait": Body(
            record("LW_WAIT", "1", "1", "NULL", "status"),
            one,
            "lw_yield_wait(request, status)",
            foresee="lw_foresee_completion(&lw_call, lw_before, true)",
            prepare=one[:1],
            foreseen="lw_remove_from_few(lw_call.few);",
            unforeseen="lw_record_unforeseen_completion(LW_COPY(&lw_call), LW_WAIT, lw_before, request, true);",
            bytes="0",
        ),
        "MPI_Waitall": Body(
            record("LW_WAITALL", "count", "count", "NULL", "array_of_statuses"),
            several("count", True),
            "lw_yield_waitall(count, array_of_requests, array_of_statuses)",
        ),
        "MPI_Waitany": Body(
            record("LW_WAITANY", "count", "*index != MPI_UNDEFINED", "index", "status"),
            several("count", False),
            "lw_yield_waitany(count, array_of_requests, index, status)",
        ),
        "MPI_Waitsome": Body(
            record("LW_WAITSOME", "incount", some, "array_of_indices", "array_of_statuses"),
            several("incount", True),
            "lw_yield_waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses)",
        ),
        "MPI_Test": Body(
            record("LW_TEST", "1", "*flag != 0", "NULL", "status"),
            one,
            foresee="lw_foresee_completion(&lw_call, lw_before, false)",
            prepare=one[:1],
            expected="!*flag",
            unforeseen="lw_record_unforeseen_completion(LW_COPY(&lw_call), LW_TEST, lw_before, request, *flag != 0);",
            bytes="0",
        ),
        "MPI_Testall": Body(
            record("LW_TESTALL", "count", "*flag ? count : 0", "NULL", "array_of_statuses"),
            several("count", True),
        ),
        "MPI_Testany": Body(
            record("LW_TESTANY", "count", "*flag && *index != MPI_UNDEFINED", "index", "status"),
            several("count", False),
        ),
        "MPI_Testsome": Body(
            record("LW_TESTSOME", "incount", some, "array_of_indices", "array_of_statuses"),
            several("incount", True),
        ),
        "MPI_Start": Body("lw_record_start(&lw_call, 1, request);"),
        "MPI_Startall": Body("lw_record_start(&lw_call, count, array_of_requests);"),
        "MPI_Request_free": Body(
            "lw_record_request(&lw_call, LW_REQUEST_FREE, lw_before);", ("MPI_Request lw_before = *request;",)
        ),
        "MPI_Cancel": Body(
            "lw_record_request(&lw_call, LW_REQUEST_CANCEL, lw_before);",
            ("MPI_Request lw_before = *request;",),
        ),
    }


# Collectives: the recording function, its arguments, and the arguments of the blocking call.
def _collective_forms(large: str) -> dict[str, tuple[str, str, str]]:
    wide = "true" if large else "false"
    send = "(struct lw_side){sendbuf, sendcount, sendtype}"
    receive = "(struct lw_side){recvbuf, recvcount, recvtype}"
    vector = "(struct lw_side){sendbuf, count, datatype}"
    sends = f"(struct lw_sides){{sendbuf, sendcounts, {wide}, sendtype, NULL}}"
    receives = f"(struct lw_sides){{recvbuf, recvcounts, {wide}, recvtype, NULL}}"
    # Alltoallw has a datatype for each peer, so that the common one is unused.
    typed_sends = f"(struct lw_sides){{sendbuf, sendcounts, {wide}, (MPI_Datatype)0, sendtypes}}"
    typed_receives = f"(struct lw_sides){{recvbuf, recvcounts, {wide}, (MPI_Datatype)0, recvtypes}}"
    reduction = "sendbuf, recvbuf, count, datatype, op"
    plain = "sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype"
    gathered = "sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype"
    scattered = "sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype"
    return {
        "Barrier": ("barrier", "", ""),
        "Bcast": (
            "bcast",
            "(struct lw_side){buffer, count, datatype}, root",
            "buffer, count, datatype, root",
        ),
        "Reduce": ("reduce", f"{vector}, root", f"{reduction}, root"),
        "Allreduce": ("allreduce", vector, reduction),
        "Scan": ("allreduce", vector, reduction),
        "Exscan": ("allreduce", vector, reduction),
        "Reduce_scatter": (
            "reduce_scatter",
            f"(struct lw_sides){{sendbuf, recvcounts, {wide}, datatype, NULL}}",
            "sendbuf, recvbuf, recvcounts, datatype, op",
        ),
        "Reduce_scatter_block": (
            "reduce_scatter_block",
            "(struct lw_side){sendbuf, recvcount, datatype}",
            "sendbuf, recvbuf, recvcount, datatype, op",
        ),
        "Gather": ("gather", f"{send}, {receive}, root", f"{plain}, root"),
        "Scatter": ("scatter", f"{send}, {receive}, root", f"{plain}, root"),
        "Gatherv": ("gatherv", f"{send}, {receives}, root", f"{gathered}, root"),
        "Scatterv": ("scatterv", f"{sends}, {receive}, root", f"{scattered}, root"),
        "Allgather": ("allgather", f"{send}, {receive}", plain),
        "Alltoall": ("allgather", f"{send}, {receive}", plain),
        "Allgatherv": ("allgatherv", f"{send}, {receives}", gathered),
        "Alltoallv": (
            "alltoallv",
            f"{sends}, {receives}",
            "sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype",
        ),
        "Alltoallw": (
            "alltoallv",
            f"{typed_sends}, {typed_receives}",
            "sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes",
        ),
    }


# Collectives with a neighbour form in a process topology that takes the same arguments.
_AMONG_NEIGHBOURS = ("Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw")


def _collectives(large: str) -> dict[str, Body]:
    bodies = {}
    forms = _collective_forms(large)
    forms |= {f"Neighbor_{name.lower()}": forms[name] for name in _AMONG_NEIGHBOURS}
    for name, (function, sides, arguments) in forms.items():
        neighbours = "true" if name.startswith("Neighbor_") else "false"
        if large and name == "Barrier":
            continue  # it has no count

        def body(
            class_name: str,
            request: str,
            yielding: str = "",
            function: str = function,
            sides: str = sides,
            neighbours: str = neighbours,
        ) -> Body:
            what = f"(struct lw_collective){{{class_name}, comm, {request}, {neighbours}}}"
            given = f"{function}(&lw_call, {', '.join(filter(None, (what, sides)))})"
            foreseeable = "struct lw_sides" not in sides
            flags = "LW_REQUEST_PERSISTENT" if class_name == "LW_COLLECTIVE_INIT" else "0"
            sent = {"barrier": "0", "allreduce": _KNOWN_BYTES}.get(function, "")
            return Body(
                f"lw_record_{given};",
                yielding=yielding,
                foresee=f"lw_foresee_{given}" if foreseeable else "",
                foreseen=f"lw_add_request(*request, {flags});" if request != "NULL" else "",
                bytes="0" if class_name == "LW_COLLECTIVE_INIT" and sent else sent,
            )

        passed = ", ".join(filter(None, (arguments, "comm, &lw_request")))
        # Excluded between groups: MPI_Ibcast of MPICH (4.0.2, 5.0.2) gives wrong data there.
        bodies[f"MPI_{name}{large}"] = body(
            "LW_COLLECTIVE",
            "NULL",
            _unless("lw_yield_between_groups(comm)", _finish(f"REAL_MPI_I{name.lower()}{large}({passed})")),
        )
        bodies[f"MPI_I{name.lower()}{large}"] = body("LW_ICOLLECTIVE", "request")
        bodies[f"MPI_{name}_init{large}"] = body("LW_COLLECTIVE_INIT", "request")
    return bodies


def _communicators() -> dict[str, Body]:
    # Procedures that are collective over the parent, so that they may yield until all ranks are there:
    # parent, new one.
    collective = {
        "Comm_dup": ("comm", "newcomm"),
        "Comm_dup_with_info": ("comm", "newcomm"),
        "Comm_split": ("comm", "newcomm"),
        "Comm_split_type": ("comm", "newcomm"),
        "Comm_create": ("comm", "newcomm"),
        "Cart_create": ("comm_old", "comm_cart"),
        "Cart_sub": ("comm", "newcomm"),
        "Graph_create": ("comm_old", "comm_graph"),
        "Dist_graph_create": ("comm_old", "comm_dist_graph"),
        "Dist_graph_create_adjacent": ("comm_old", "comm_dist_graph"),
        "Intercomm_create": ("local_comm", "newintercomm"),
        "Intercomm_merge": ("intercomm", "newintracomm"),
    }
    bodies = {
        f"MPI_{name}": Body(
            f"lw_record_comm_new(&lw_call, {parent}, {new});",
            yielding=f"(lw_yield_barrier({parent}), {{real}})",
        )
        for name, (parent, new) in collective.items()
    }
    bodies["MPI_Comm_create_group"] = Body("lw_record_comm_new(&lw_call, comm, newcomm);")
    # Without a parent, MPI_COMM_SELF is used.
    for name, new in (
        ("Comm_create_from_group", "newcomm"),
        ("Intercomm_create_from_groups", "newintercomm"),
    ):
        bodies[f"MPI_{name}"] = Body(f"lw_record_comm_new(&lw_call, lw_mpi.self, {new});")
    for name in ("MPI_Comm_idup", "MPI_Comm_idup_with_info"):
        bodies[name] = Body("lw_record_icomm_new(&lw_call, comm, newcomm, request);")
    for name in ("MPI_Comm_free", "MPI_Comm_disconnect"):
        bodies[name] = Body("lw_record_comm_free(&lw_call, lw_before);", ("MPI_Comm lw_before = *comm;",))
    return bodies


def _lifecycle() -> dict[str, Body]:
    return {
        "MPI_Init": Body("lw_after_init", ("lw_before_init",), lifecycle=True),
        "MPI_Init_thread": Body("lw_after_init", ("lw_before_init",), lifecycle=True),
        "MPI_Session_init": Body("", lifecycle=True),
        "MPI_Session_finalize": Body("lw_after_session_finalize(&lw_call);"),
        "MPI_Finalize": Body("lw_after_finalize(&lw_call);", ("lw_before_finalize();",)),
        "MPI_Abort": Body("", ("lw_before_abort(&lw_call, errorcode);",)),
        "MPI_Pcontrol": Body("lw_record_pcontrol(&lw_call, level);"),
        "MPI_Type_free": Body("lw_record_local(&lw_call);", ("lw_type_forget(*datatype);",)),
    }


def _all_bodies() -> dict[str, Body]:
    makers: Iterable[Callable[[str], dict[str, Body]]] = (_point_to_point, _collectives)
    bodies = {name: body for make in makers for large in ("", "_c") for name, body in make(large).items()}
    bodies |= _probes() | _completions() | _communicators() | _lifecycle()
    return bodies | wrapper_one_sided.all_bodies()


_BODIES = _all_bodies()


def body_of(name: str, available: set[str]) -> Body | None:
    """Body of a modelled procedure, or None for one that is recorded by name and time only.

    `available` are the library's procedures. A yielding form that needs a missing one is left out.
    """
    body = _BODIES.get(name)
    if body is None:
        return None
    needed = {word.split("(")[0] for word in body.yielding.split("REAL_")[1:]}
    return body if needed <= available else replace(body, yielding="")


def is_lifecycle(name: str) -> bool:
    """Return whether a procedure starts, ends or controls the recording."""
    return name in _lifecycle()


def is_modelled(name: str) -> bool:
    """Return whether a procedure has a body, in any library."""
    return name in _BODIES

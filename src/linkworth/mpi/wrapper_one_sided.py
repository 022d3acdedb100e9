"""Bodies of the wrappers for one-sided and for partitioned communication, in C."""

from linkworth.mpi.wrapper_body import Body


def windows() -> dict[str, Body]:
    """Return the bodies of the calls that make and free windows, by procedure."""
    bodies = {}
    for name, size in (
        ("Win_create", "size"),
        ("Win_create_c", "size"),
        ("Win_allocate", "size"),
        ("Win_allocate_c", "size"),
        ("Win_allocate_shared", "size"),
        ("Win_allocate_shared_c", "size"),
        ("Win_create_dynamic", "0"),
    ):
        bodies[f"MPI_{name}"] = Body(
            f"lw_record_win_new(&lw_call, comm, {size}, win);", yielding="(lw_yield_barrier(comm), {real})"
        )
    bodies["MPI_Win_free"] = Body("lw_record_win_free(&lw_call, lw_before);", ("MPI_Win lw_before = *win;",))
    return bodies


def transfers(large: str) -> dict[str, Body]:
    """Return the bodies of the transfers with a count. `large` is "_c" for the large-count forms."""
    origin = "(struct lw_extent){origin_count, origin_datatype}"
    result = "(struct lw_extent){result_count, result_datatype}"
    forms = {
        "put": ("put", origin),
        "get": ("get", origin),
        "accumulate": ("accumulate", origin),
        "get_accumulate": ("fetch", f"{origin}, {result}, op"),
    }
    bodies = {}
    for name, (function, arguments) in forms.items():
        for form, request in ((name.capitalize(), "NULL"), (f"R{name}", "request")):
            target = f"(struct lw_target){{win, target_rank, {request}}}"
            bodies[f"MPI_{form}{large}"] = Body(f"lw_record_{function}(&lw_call, {target}, {arguments});")
    return bodies


def single_transfers() -> dict[str, Body]:
    """Return the bodies of the transfers of one element."""
    target = "(struct lw_target){win, target_rank, NULL}"
    one = "(struct lw_extent){1, datatype}"
    return {
        "MPI_Fetch_and_op": Body(f"lw_record_fetch(&lw_call, {target}, {one}, {one}, op);"),
        "MPI_Compare_and_swap": Body(f"lw_record_compare_and_swap(&lw_call, {target}, datatype);"),
    }


def synchronisations() -> dict[str, Body]:
    """Return the bodies of the calls that order accesses to a window."""
    # Kind, rank and flag of the record, by procedure.
    forms = {
        "fence": ("LW_FENCE", "LW_ALL_TARGETS", "false"),
        "complete": ("LW_ACCESS_COMPLETE", "LW_ALL_TARGETS", "false"),
        "wait": ("LW_EXPOSURE_WAIT", "LW_ALL_TARGETS", "false"),
        "test": ("LW_EXPOSURE_TEST", "LW_ALL_TARGETS", "*flag != 0"),
        "lock": ("LW_LOCK", "rank", "lock_type == MPI_LOCK_EXCLUSIVE"),
        "lock_all": ("LW_LOCK_ALL", "LW_ALL_TARGETS", "false"),
        "unlock": ("LW_UNLOCK", "rank", "false"),
        "unlock_all": ("LW_UNLOCK_ALL", "LW_ALL_TARGETS", "false"),
        "flush": ("LW_FLUSH", "rank", "false"),
        "flush_all": ("LW_FLUSH_ALL", "LW_ALL_TARGETS", "false"),
        "flush_local": ("LW_FLUSH_LOCAL", "rank", "false"),
        "flush_local_all": ("LW_FLUSH_LOCAL_ALL", "LW_ALL_TARGETS", "false"),
        "sync": ("LW_SYNC", "LW_ALL_TARGETS", "false"),
    }
    bodies = {
        f"MPI_Win_{name}": Body(f"lw_record_win_sync(&lw_call, {kind}, win, {rank}, {flag});")
        for name, (kind, rank, flag) in forms.items()
    }
    for name, kind in (("post", "LW_POST"), ("start", "LW_ACCESS_START")):
        bodies[f"MPI_Win_{name}"] = Body(f"lw_record_win_group(&lw_call, {kind}, win, group);")
    return bodies


def partitioned() -> dict[str, Body]:
    """Return the bodies of partitioned point-to-point calls."""

    def init(class_name: str, peer: str) -> Body:
        message = f"(struct lw_message){{comm, {peer}, tag, count, datatype}}"
        return Body(f"lw_record_partitioned(&lw_call, {class_name}, {message}, partitions, request);")

    return {
        "MPI_Psend_init": init("LW_PSEND_INIT", "dest"),
        "MPI_Precv_init": init("LW_PRECV_INIT", "source"),
        "MPI_Pready": Body("lw_record_ready(&lw_call, request, partition, partition);"),
        "MPI_Pready_range": Body("lw_record_ready(&lw_call, request, partition_low, partition_high);"),
        "MPI_Pready_list": Body("lw_record_ready_list(&lw_call, request, length, array_of_partitions);"),
        "MPI_Parrived": Body("lw_record_arrived(&lw_call, request, partition, *flag != 0);"),
    }


def all_bodies() -> dict[str, Body]:
    """Return every body of this module."""
    return (
        windows() | transfers("") | transfers("_c") | single_transfers() | synchronisations() | partitioned()
    )

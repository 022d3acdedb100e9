"""Random calls of every class, with any values that the trace format can hold."""

from hypothesis import strategies as st

times = st.integers(0, 10**12).map(lambda nanoseconds: nanoseconds * 1e-9)
rank = st.integers(0, 2**31 - 1)
size = st.integers(0, 2**62)
references = st.lists(st.integers(1, 2**40), max_size=4)
sizes = st.lists(size, max_size=6)

partition = st.integers(0, 2**32 - 1)
one_reference = st.tuples(st.integers(1, 9)).map(list)

RMA = {
    "operation": st.integers(0, 3),
    "window": rank,
    "peer": rank | st.just(-2),
    "bytes": size,
    "recv_bytes": size,
}
POINT = {"comm": rank, "peer": rank | st.just(-2), "tag": rank, "bytes": size}
FIELDS = {
    "local": {},
    "send": POINT,
    "isend": POINT,
    "irecv": {**POINT, "peer": rank | st.just(-1), "tag": rank | st.just(-1)},
    "recv": {**POINT, "peer": st.just(-1), "actual_peer": rank, "actual_tag": rank},
    "sendrecv": {
        **POINT,
        "recv_peer": rank,
        "recv_tag": st.just(-1),
        "recv_bytes": size,
        "actual_peer": rank,
        "actual_tag": rank,
    },
    "start": {"references": references},
    "request_free": {"references": st.tuples(st.integers(1, 9)).map(list)},
    "complete": {
        "mode": st.integers(0, 7),
        "listed": st.integers(0, 2**32 - 1),
        "completions": st.lists(
            st.tuples(st.integers(1, 999), st.just(True), rank, rank)
            | st.tuples(st.integers(1, 999), st.just(False), st.just(0), st.just(0)),
            max_size=4,
        ),
    },
    "collective": {
        "comm": rank,
        "peer": rank | st.just(-1),
        "bytes": size,
        "recv_bytes": size,
        "element_bytes": st.integers(0, 2**32 - 1),
        "send_counts": sizes,
        "recv_counts": sizes,
    },
    "comm_new": {
        "comm": rank,
        "new_comm": st.integers(-1, 2**31 - 2),
        "inter": st.just(True),
        "members": st.lists(rank, max_size=5),
        "remote_members": st.lists(rank, max_size=5),
        "has_topology": st.just(True),
        "sources": st.lists(rank | st.just(-2), max_size=5),
        "destinations": st.lists(rank | st.just(-2), max_size=5),
    },
    "win_new": {"comm": rank, "new_window": st.integers(-1, 2**31 - 2), "bytes": size},
    "win_free": {"window": rank},
    "rma": RMA,
    "irma": RMA,
    "win_sync": {
        "sync": st.integers(0, 14),
        "window": rank,
        "peer": rank | st.just(-1),
        "found": st.booleans(),
        "members": st.lists(rank, max_size=5),
    },
    "psend_init": {**POINT, "partitions": partition},
    "precv_init": {**POINT, "partitions": partition},
    "pready": {"references": one_reference, "first_partition": partition, "last_partition": partition},
    "pready_list": {"references": one_reference, "partition_list": st.lists(partition, max_size=5)},
    "parrived": {"references": one_reference, "first_partition": partition, "found": st.booleans()},
    "isendrecv": {**POINT, "recv_peer": rank | st.just(-1), "recv_tag": rank, "recv_bytes": size},
    "pcontrol": {"code": st.integers(-(2**31), 2**31 - 1)},
}

FIELDS |= {"send_init": POINT, "recv_init": FIELDS["irecv"], "request_cancel": FIELDS["request_free"]}
FIELDS |= dict.fromkeys(("icollective", "collective_init"), FIELDS["collective"])
FIELDS |= {
    "icomm_new": FIELDS["comm_new"],
    "comm_free": {"comm": rank},
    "init": {"code": st.integers(0, 3)},
    "finalize": {},
}
FIELDS |= {"abort": FIELDS["pcontrol"], "probe": FIELDS["recv"] | {"found": st.just(True)}}
FIELDS["probe"].pop("bytes")

event = st.sampled_from(sorted(FIELDS)).flatmap(
    lambda call_class: st.tuples(
        st.sampled_from(["MPI_A", "MPI_B", "MPI_Ibcast_c"]),
        st.just(call_class),
        st.fixed_dictionaries(FIELDS[call_class]),
        times,
        times | st.just(-1.0),
        times,
    )
)

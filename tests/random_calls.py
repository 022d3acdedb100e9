"""Random calls of every class, with any values that the trace format can hold."""

from hypothesis import strategies as st

times = st.integers(0, 10**12).map(lambda nanoseconds: nanoseconds * 1e-9)
rank = st.integers(0, 2**31 - 1)
size = st.integers(0, 2**62)
references = st.lists(st.integers(1, 2**40), max_size=4)
sizes = st.lists(size, max_size=6)

one_reference = st.tuples(st.integers(1, 9)).map(list)

partner = rank | st.just(-2)
anyone = rank | st.just(-1)
ranks = st.lists(rank, max_size=5)
partners = st.lists(partner, max_size=5)
number = st.integers(-1, 2**31 - 2)
count = st.integers(0, 2**32 - 1)

RMA = {"operation": st.integers(0, 3), "window": rank, "peer": partner, "bytes": size, "recv_bytes": size}
POINT = {"comm": rank, "peer": partner, "tag": rank, "bytes": size}
ACTUAL = {"actual_peer": rank, "actual_tag": rank}
RECEIVED = {"recv_peer": rank, "recv_tag": st.just(-1), "recv_bytes": size}
COMPLETION = st.tuples(st.integers(1, 999), st.just(True), rank, rank) | st.tuples(
    st.integers(1, 999), st.just(False), st.just(0), st.just(0)
)
COUNTS = {"element_bytes": count, "send_counts": sizes, "recv_counts": sizes}
GROUPS = {"inter": st.just(True), "members": ranks, "remote_members": ranks}
TOPOLOGY = {"has_topology": st.just(True), "sources": partners, "destinations": partners}
FIELDS = {
    "local": {},
    "send": POINT,
    "isend": POINT,
    "irecv": {**POINT, "peer": anyone, "tag": anyone},
    "recv": {**POINT, "peer": st.just(-1)} | ACTUAL,
    "sendrecv": POINT | RECEIVED | ACTUAL,
    "start": {"references": references},
    "request_free": {"references": one_reference},
    "complete": {"mode": st.integers(0, 7), "listed": count, "completions": st.lists(COMPLETION, max_size=4)},
    "collective": {"comm": rank, "peer": anyone, "bytes": size, "recv_bytes": size} | COUNTS,
    "comm_new": {"comm": rank, "new_comm": number} | GROUPS | TOPOLOGY,
    "win_new": {"comm": rank, "new_window": number, "bytes": size},
    "win_free": {"window": rank},
    "rma": RMA,
    "irma": RMA,
    "win_sync": {
        "sync": st.integers(0, 14), "window": rank, "peer": anyone, "found": st.booleans(), "members": ranks,
    },
    "psend_init": {**POINT, "partitions": count},
    "precv_init": {**POINT, "partitions": count},
    "pready": {"references": one_reference, "first_partition": count, "last_partition": count},
    "pready_list": {"references": one_reference, "partition_list": st.lists(count, max_size=5)},
    "parrived": {"references": one_reference, "first_partition": count, "found": st.booleans()},
    "isendrecv": {**POINT, "recv_peer": anyone, "recv_tag": rank, "recv_bytes": size},
    "pcontrol": {"code": st.integers(-(2**31), 2**31 - 1)},
}  # fmt: skip

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

"""Random fabric files: each is refused in one sentence, or it predicts a time."""

import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from synthetic import collective, recv, send, write_trace

from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric, Spread, Tcp, Topology
from linkworth.model.fabric import Path as Way
from linkworth.model.parameter import declared
from linkworth.predict import predict
from linkworth.replay.layout import Arrangement

NUMBERS = st.one_of(
    st.integers(-1, 70000),
    st.integers(),
    st.sampled_from([2**31 - 1, 2**31, 2**32, 2**53, 2**63, 2**64, 10**30]),
    st.floats(),
)
VALUES = st.one_of(
    NUMBERS, st.booleans(), st.text(max_size=8), st.lists(st.tuples(NUMBERS, NUMBERS).map(list), max_size=3)
)
TABLES = {"": Fabric, "link": Way, "tcp": Tcp, "topology": Topology, "spread": Spread}
FIELDS = {
    table: [each.name for each in declared(kind) if table or each.name not in TABLES]
    for table, kind in TABLES.items()
}
LEVELS = st.lists(
    st.fixed_dictionaries(
        {"nodes_per_group": NUMBERS, "uplinks": NUMBERS, "bandwidth_bytes_per_second": NUMBERS}
    ),
    max_size=2,
)


def toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return (
            '"'
            + "".join(
                c if c.isalnum() else f"\\U{ord(c):08x}" for c in value if not 0xD800 <= ord(c) < 0xE000
            )
            + '"'
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return repr(value)


@st.composite
def documents(draw):
    """A fabric whose fields are right but for some that are anything."""
    fields: dict[str, dict[str, Any]] = {
        "": {"name": "odd", "title": "odd", "intranode": "shm"},
        "link": {"latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9},
    }
    for _ in range(draw(st.integers(1, 4))):
        table = draw(st.sampled_from(sorted(FIELDS)))
        field = draw(st.sampled_from(FIELDS[table]))
        fields.setdefault(table, {})[field] = draw(LEVELS if field == "levels" else VALUES)
    lines = []
    for table, entries in fields.items():
        lines += [f"[{table}]"] if table else []
        lines += [f"{name} = {toml(value)}" for name, value in entries.items()]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    calls = [collective("MPI_Allreduce", 100_000).after(1e-4)]
    programs = [
        [*calls, send(1, 300_000), send(1, 10)],
        [*calls, recv(0, 300_000), recv(0, 10)],
        calls,
        calls,
    ]
    return write_trace(tmp_path_factory.mktemp("fuzz") / "t.lwt", programs)


def check(content, trace):
    path = trace.with_name("odd.toml")
    path.write_bytes(content)
    try:
        (found,) = predict(trace, [fabrics.get(str(path))], Arrangement(nodes=2)).predictions
    except UsageError as error:
        assert str(error) and "\n" not in str(error)
        return
    assert found.seconds >= 1e-4 and math.isfinite(found.seconds)


@settings(max_examples=150)
@given(document=documents())
@example(document='name = "odd"\ntitle = "odd"\nintranode = "shm"\nrails = 1099511627776\n[link]\nlatency_seconds = 0\n'
         "bandwidth_bytes_per_second = 1e9")  # fmt: skip
def test_any_value_of_any_field_is_refused_or_used(document, trace):
    check(document.encode(), trace)

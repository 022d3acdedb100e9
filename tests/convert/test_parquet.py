"""Parquet: every event is a row, and DuckDB and pyarrow read it."""

import builtins
import json
import tempfile
from pathlib import Path
from typing import Any

import message_traces
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_calls import event
from synthetic import Call, write_trace

from linkworth import _engine
from linkworth.convert import convert, parquet
from linkworth.model.conversion import ConversionOptions
from linkworth.trace.read import open_trace

pa_parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")

OWN_NAMES = {"recv_peer": "source", "actual_peer": "matched_peer", "actual_tag": "matched_tag"}
PLACES = ("site", "function", "source_line")
WILDCARD = -1


def rows(path):
    found: list[dict[str, Any]] = pa_parquet.read_table(path).to_pylist()
    return found


def expected_row(call):
    """Return the columns that the call's fields must be in, made from the engine's reader."""
    fields = dict(call.fields)
    kind = call.call_class
    row: dict[str, Any] = {}
    references = list(fields.pop("references", []))
    completions = fields.pop("completions", [])
    references += [reference for reference, *_ in completions]
    row["requests"] = [call.next_request - reference for reference in references]
    row["matched_peers"] = [peer if wildcard else -1 for _, wildcard, peer, _ in completions]
    row["matched_tags"] = [tag if wildcard else -1 for _, wildcard, _, tag in completions]
    if kind == "complete":
        row["mode"] = parquet.MODES[fields.pop("mode")]
        row["completed"] = len(completions)
    if kind in ("collective", "icollective", "collective_init"):
        root = fields.pop("peer")
        row["root"] = None if root == -1 else root
    if kind in ("rma", "irma", "win_sync"):
        row["target"] = fields.pop("peer")
    wildcard = {
        "recv": WILDCARD in (fields.get("peer"), fields.get("tag")),
        "sendrecv": WILDCARD in (fields.get("recv_peer"), fields.get("recv_tag")),
        "probe": fields.get("found"),
    }.get(kind, False)
    if not wildcard:
        fields.pop("actual_peer", None)
        fields.pop("actual_tag", None)
    for name in ("new_comm", "new_window"):
        if fields.get(name) == -1:
            fields[name] = None
    fields.pop("inter", None)
    fields.pop("has_topology", None)
    return row | {OWN_NAMES.get(name, name): value for name, value in fields.items()}


def check(trace, table):
    found = rows(table)
    makers = {"isend", "irecv", "send_init", "recv_init", "icollective", "collective_init", "icomm_new", "irma", "psend_init",
              "precv_init", "isendrecv"}  # fmt: skip
    for rank, expected in enumerate(message_traces.calls(trace)):
        mine = [row for row in found if row["rank"] == rank]
        assert len(mine) == len(expected)
        for row, call in zip(mine, expected, strict=True):
            assert (row["call"], row["class"], row["thread"]) == (call.name, call.call_class, 0)
            assert (row["gap_ns"], row["cpu_ns"]) == (call.gap_ns, call.cpu_ns)
            assert abs(row["start_ns"] - mine[0]["start_ns"] - call.start_ns) <= 1
            assert abs(row["duration_ns"] - (call.end_ns - call.start_ns)) <= 1
            assert row["request"] == (call.next_request if call.call_class in makers else None)
            want = expected_row(call)
            assert {name: row[name] for name in want} == want
            other = (
                row.keys() - want.keys() - {"rank", "thread", "call", "class", "request", "cpu_ns", *PLACES}
            )
            assert all(row[name] in (None, []) for name in other if not name.endswith("_ns"))


def test_call_sites_are_columns(tmp_path):
    known, unknown = "/opt/app+0x10", "/opt/lib.so+0x20"
    calls = [
        Call(f"MPI_Barrier@{known}", "collective", comm=0, peer=-1, bytes=0),
        Call(f"MPI_Barrier@{unknown}", "collective", comm=0, peer=-1, bytes=0),
        Call("MPI_Comm_rank", "local"),
    ]
    sites = {known: {"function": "halo", "file": "halo.f90", "line": 7}}
    trace = write_trace(tmp_path / "sites.lwt", [calls], call_sites=sites)
    found = [
        (row["call"], row["site"], row["function"], row["source_line"])
        for row in rows(Path(convert(trace, "parquet").entry))
    ]
    assert found[1:-1] == [
        ("MPI_Barrier", known, "halo", "halo.f90:7"),
        ("MPI_Barrier", unknown, None, None),
        ("MPI_Comm_rank", None, None, None),
    ]


@settings(max_examples=20)
@given(st.lists(st.lists(event, max_size=12), min_size=1, max_size=3))
def test_any_event_comes_back(ranks):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.lwt"
        known = [{"rank": number, "host": "node"} for number in range(len(ranks))]
        metadata = {"workload": "random", "source": "synthetic", "ranks": known}
        writer = _engine.TraceWriter(str(path), len(ranks), json.dumps(metadata))
        for number, events in enumerate(ranks):
            for each in events:
                writer.event(number, *each)
        writer.close()
        check(path, Path(convert(path, "parquet").entry))


def test_row_groups_are_bounded_and_hold_all_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "BATCH_ROWS", 2)
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 20)
    path = tmp_path / "t.lwt"
    phases = _engine.skeleton_programs()["is"]
    _engine.record_skeleton("is", ["S"], 4, [1e-9] * len(phases), str(path), '{"workload": "npb:is.S"}')
    summary = convert(path, "parquet")
    table = Path(summary.entry)
    assert summary.bytes == table.stat().st_size
    assert summary.records == sum(map(len, message_traces.calls(path)))
    layout = pa_parquet.ParquetFile(table).metadata
    sizes = [layout.row_group(number).num_rows for number in range(layout.num_row_groups)]
    assert len(sizes) > 5 and max(sizes) < 22 and min(sizes[:-1]) >= 20
    check(path, table)
    # Each of 50 calls lists 200 ranks twice.
    monkeypatch.setattr(parquet, "ROW_GROUP_BYTES", 30_000)
    counts = list(range(200))
    call = Call("MPI_Alltoallv", "collective", send_counts=counts, recv_counts=counts)
    wide = write_trace(tmp_path / "wide.lwt", [[call] * 50, []])
    table = Path(convert(wide, "parquet").entry)
    assert pa_parquet.ParquetFile(table).metadata.num_row_groups > 4
    check(wide, table)
    batch = _engine.EventColumns(_engine.Trace(str(wide)), 0).next(50, 1000)
    assert len(batch["call"]) == 4  # MPI_Init and three of the calls


def test_duckdb_answers_in_sql(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    trace, _ = message_traces.every_message(tmp_path / "t.lwt")
    table = convert(trace, "parquet").entry
    answer = duckdb.sql(
        f"select call, count(*), sum(bytes) from '{table}' where class = 'send' and peer >= 0 group by call"
    ).fetchall()
    assert answer == [("MPI_Send", 6, 10 + 20 + 70 + 80 + 33 + 34)]
    joined = duckdb.sql(
        f"""select made.call from '{table}' made join (select rank, unnest(requests) as request from '{table}') ended
            on made.rank = ended.rank and made.request = ended.request where made.rank = 1 and made.class = 'irecv'"""
    ).fetchall()
    assert joined == [("MPI_Irecv",)] * 4  # one of them by MPI_Cancel, too


def test_the_trace_s_own_description_is_in_the_file(tmp_path):
    trace, _ = message_traces.every_message(tmp_path / "t.lwt")
    schema = pa_parquet.read_schema(convert(trace, "parquet").entry)
    assert json.loads(schema.metadata[b"linkworth"])["workload"] == "synthetic"


def test_without_pyarrow_it_says_what_to_install(tmp_path, monkeypatch, refused):
    real = builtins.__import__

    def lacking(name, *args, **options):
        if name.startswith("pyarrow"):
            raise ImportError("No module named 'pyarrow'")
        return real(name, *args, **options)

    trace = message_traces.short_calls(tmp_path / "t.lwt")
    monkeypatch.setattr(builtins, "__import__", lacking)
    sentence = refused("convert", trace, "--to", "parquet", code=3)
    assert "--to parquet needs pyarrow" in sentence and "pip install 'linkworth[parquet]'" in sentence
    assert [path.name for path in tmp_path.iterdir()] == ["t.lwt"]


@pytest.mark.requires("dev-full")
def test_a_full_disk_is_said_in_one_sentence(tmp_path):
    trace = message_traces.short_calls(tmp_path / "t.lwt")
    with pytest.raises(
        _engine.TraceWriteError, match=r"/dev/full cannot be written.*No space left on device"
    ):
        parquet.write(open_trace(trace), Path("/dev/full"), ConversionOptions())

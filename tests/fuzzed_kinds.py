"""Kinds of files that the fuzzer mutates: seeds of each, and the function that reads it."""

import json
import pickle
import shutil
import struct
import tempfile
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec
import part_files
import synthetic
from signed_trace import Parts, put_together, taken_apart

from linkworth import _engine
from linkworth.advise.allocate import queue
from linkworth.advise.request import PriceOptions, gather_prices, load_predictions
from linkworth.calibrate.request import CalibrationRequest
from linkworth.calibrate.run import calibrate
from linkworth.catalog import fabrics, machines
from linkworth.catalog.decode import decode, read_toml
from linkworth.catalog.machines import MachinesFile
from linkworth.convert import convert
from linkworth.errors import LinkworthError
from linkworth.measure import call_profile_file
from linkworth.measure.parsers import bench
from linkworth.model.trace import TraceMetadata
from linkworth.places import hosts
from linkworth.predict import predict
from linkworth.predict.extras import Extras
from linkworth.profile import build_profile
from linkworth.replay.layout import Arrangement, lay_out
from linkworth.study import record_file
from linkworth.study.definition.file import load
from linkworth.study.matrix import expand
from linkworth.trace.merge import merge
from linkworth.trace.read import Allowance, open_trace
from linkworth.writing.documents import encode

ROOT = Path(__file__).parent.parent
DATA = ROOT / "src/linkworth/catalog/data"


class Kind(NamedTuple):
    """One kind of file."""

    name: str
    file: str
    """Name of the file in the fuzzer's folder."""
    seeds: list[bytes]
    read: Callable[[Path], object]
    parts: Callable[[bytes], dict[str, bytes]] | None = None
    """Takes a seed apart, of which one part is changed, and `joined` puts it together with right checksums."""
    joined: Callable[[Mapping[str, bytes], Random], bytes] = lambda parts, _: b"".join(parts.values())


def files(folder: Path, pattern: str = "*") -> list[bytes]:
    """Return the contents of a folder's files in the order of their names."""
    return [path.read_bytes() for path in sorted(folder.glob(pattern)) if path.suffix != ".md"]


_FOLDER = tempfile.TemporaryDirectory(prefix="linkworth-fuzz-seed-")


@cache
def trace() -> Path:
    """Return a small trace with messages, collectives, a communicator and files."""
    folder = Path(_FOLDER.name)
    calls = [
        synthetic.collective("MPI_Allreduce", 100_000).after(1e-4),
        synthetic.Call("MPI_Comm_dup", "comm_new", comm=0, new_comm=2, members=[0, 1, 2, 3]),
        synthetic.collective("MPI_Alltoall", 1000, comm=2),
        synthetic.Call("MPI_File_open", "local").lasting(1e-3),
    ]
    ranks = [
        [*calls, synthetic.send(1, 300_000), synthetic.isend(1, 10), synthetic.waitall(1)],
        [*calls, synthetic.recv(0, 300_000), synthetic.recv(-1, 10), synthetic.pcontrol(1)],
        calls,
        calls,
    ]
    sites = {"/bin/prog+0x10": {"function": "main", "file": "prog.c", "line": 12}}
    return synthetic.write_trace(
        folder / "seed.lwt",
        ranks,
        command=["./prog", "1"],
        created="2026-11-24T00:00:00+00:00",
        mpi={"library": "Open MPI v4.1.4", "version": "4.1.4"},
        seconds=1.0,
        verified=True,
        call_sites=sites,
    )


def fabric(path: Path) -> None:
    """Replay the small trace on a fabric."""
    predict(trace(), [fabrics.get(str(path))], Arrangement(nodes=2))


def machine(path: Path) -> None:
    """Read a catalog of machines, each of which is made as the shipped ones are."""
    for table in decode(read_toml(path), MachinesFile, str(path)).machines:
        machines._checked(table, "machine.toml")


def study(path: Path) -> None:
    """Load a study and expand its plan."""
    expand(load(path), 1)


def placement(path: Path) -> None:
    """Lay ranks by a hostfile or rankfile, and read it as the hosts of a run."""
    for reader in (lambda: lay_out(8, placement=str(path)), lambda: hosts.share(hosts.read(path), 8)):
        try:
            reader()
        except LinkworthError:
            continue


def benchmark(path: Path) -> None:
    """Read a benchmark's output, and fit a fabric to it."""
    bench.read(path)
    calibrate(CalibrationRequest(files=[path], name="fuzzed"))


def imported(path: Path) -> None:
    """Convert another tool's trace, and predict what came of it."""
    output = path.parent / "out.lwt"
    convert(path, output=output, replace=True)
    predict(output, [fabrics.get("gbe")])


def used_trace(path: Path) -> None:
    """Open a trace, complete or not, and use it as the verbs do. Its checksum chooses what it is converted to.

    OTF2 is chosen least often: its library clears megabytes for each location.
    """
    opened = open_trace(path, Allowance())
    target = (["perfetto", "paje", "ti"] * 5 + ["otf2"])[zlib.crc32(path.read_bytes()) % 16]
    output = path.parent / f"out-{target}"
    for use in (
        lambda: build_profile(opened),
        lambda: predict(opened, [fabrics.get("gbe"), fabrics.get("ib-edr")], extras=Extras(loads=True)),
        lambda: convert(path, target, output, replace=True, allowed=Allowance()),
    ):
        try:
            encode(use())
        except LinkworthError:
            continue


def part(path: Path) -> None:
    """Merge a rank's part with the other rank's."""
    (path.parent / "other.part").write_bytes(
        part_files.PartFile(rank=1, size=2, pid=101, blocks=_BLOCKS).encode()
    )
    output = path.parent / "merged.lwt"
    merge(path.parent, output, TraceMetadata(workload="w", command=["./p"]))
    predict(output, [fabrics.get("gbe")])


def part_parts(content: bytes) -> dict[str, bytes]:
    """Take a part with one block apart, without the zeros between."""
    block = part_files.BLOCK_BYTES
    names, records = content[1024:block].rstrip(b"\0"), content[block + 64 :].rstrip(b"\0")
    return {
        "header": content[:1024],
        "names": names,
        "block": content[block : block + 64],
        "records": records,
    }


def part_joined(parts: Mapping[str, bytes], _: Random) -> bytes:
    """Put a part together, with zeros up to the next block."""
    block = part_files.BLOCK_BYTES
    ends = (parts["header"] + parts["names"] + b"\0", parts["block"] + parts["records"])
    return b"".join(end.ljust(-(-len(end) // block) * block, b"\0") for end in ends)


def archive_parts(_: bytes) -> dict[str, bytes]:
    """Return the files of an OTF2 archive of the seed trace."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "a"
        convert(trace(), "otf2", folder)
        return {
            str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }


_archive = cache(archive_parts)


def archive_joined(parts: Mapping[str, bytes], _: Random) -> bytes:
    """Return an archive's files in one, as `archive` takes them apart again."""
    return pickle.dumps(dict(parts))


def archive(path: Path) -> None:
    """Convert an OTF2 archive, whose files are in one."""
    folder = path.parent / "archive"
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in pickle.loads(path.read_bytes()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    imported(folder / "traces.otf2")


def trace_parts(content: bytes) -> dict[str, bytes]:
    """Take the seed trace apart."""
    engine = _engine.Trace(str(trace()))
    names = b"".join(entry.encode() + b"\0" for entry in engine.entries)
    metadata = json.dumps(json.loads(engine.metadata_json), indent=0).encode()
    parts = taken_apart(content, metadata, names)
    blocks = {
        f"block {number} {part}": value
        for number, (fields, stored) in enumerate(parts.blocks)
        for part, value in (("header", _header(fields)), ("stored", stored))
    }
    return {"metadata": metadata, "names": names, "ranks": struct.pack("<I", parts.ranks)} | blocks


def trace_joined(parts: Mapping[str, bytes], chance: Random) -> bytes:
    """Put a trace together; one in four times with another number of ranks than its blocks have."""
    ranks = chance.choice([0, 1, 3, 5, 40_000, 1 << 24, 1 << 31]) if chance.randrange(4) == 0 else 4
    found = taken_apart(trace().read_bytes(), b"", b"").blocks
    blocks = [
        (_fields(fields, parts[f"block {number} header"]), parts[f"block {number} stored"])
        for number, (fields, _) in enumerate(found)
    ]
    return put_together(Parts(parts["metadata"], parts["names"], ranks, blocks))


_FIELDS = struct.Struct("<IIIIQQd")
_NAMES = ("rank", "sequence", "codec", "events", "base", "next_request", "tick")


def _header(fields: Mapping[str, object]) -> bytes:
    return _FIELDS.pack(*(fields[name] for name in _NAMES))


def _fields(fields: Mapping[str, object], header: bytes) -> dict[str, object]:
    values = _FIELDS.unpack(header[: _FIELDS.size].ljust(_FIELDS.size, b"\0"))
    return {**fields, **dict(zip(_NAMES, values, strict=True))}


HOSTS = [
    b"node1 slots=4\nnode2 slots=4 max_slots=8\n# a remark\n", b"node1:4\nnode2:4\n", b"a\nb\nc\nd\ne\nf\ng\nh\n",
    b"".join(b"rank %d=host%d slot=%d\n" % (rank, rank // 4, rank % 4) for rank in range(8)),
]  # fmt: skip
QUEUE = b"""
goal = "makespan"
budget_usd = 10.0

[[nodes]]
name = "fast"
fabric = "ib-edr"
count = 2
cores = 16
usd_per_node_hour = 1.5

[[programs]]
name = "one"
workload = "t.lwt"
runs = 2
nodes = [1, 2]
deadline_seconds = 100.0

[[programs]]
name = "two"
ranks = 4
seconds = { "fast:1" = 3.5 }
"""
ACTIONS = b"""0 init
0 compute 2e6
0 send 1 7 100 0
0 isend 1 3 1e3 1
0 wait 0 1 3
0 irecv 1 3 4000
0 waitall
0 bcast 100 0
0 allreduce 1000 1e5 0
0 alltoallv 100 0 50 50 100 50 50
0 reducescatter 20 10 10 1e3
0 comm_split 0 1
0 sleep 0.5
0 finalize
"""


_BLOCKS = [(1000, 0, part_files.records(sends=3, to=synthetic.PROC_NULL))]
_LEFT: list[dict[str, object]] = [
    {},
    {"flags": part_files.INITIALISED, "open_last": True},
    {"processor": "P 1", "threads": [1]},
]


def _process_profile() -> bytes:
    """Return the sums of a process with one thread that called two procedures."""
    names = b"MPI_Init\0MPI_Send\0"
    header = struct.pack("<8sIIiiIIII", b"LWPROF1\0", 3, 3, 0, 2, 2048, 4096, 1024, len(names))
    return b"".join(
        [
            header
            + struct.pack("<6QQQiid", 10, 0, 0, 1000, 10**6, 0, 10**6, 0, 100, 2, 1e9).ljust(984, b"\0"),
            names.ljust(3072, b"\0"),
            (b"LWWT" + struct.pack("<IQQ", 0, 10, 1000)).ljust(64, b"\0"),
            struct.pack("<130Q", *[1] * 130).ljust(1088, b"\0"),
            struct.pack("<8Q", 1, 100, 5, 0, 3, 60, 7, 900).ljust(896, b"\0"),
        ]
    )


def _written(target: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        summary = convert(trace(), target, Path(folder) / "out")
        return Path(summary.entry).read_bytes()


def _predictions() -> bytes:
    return msgspec.json.encode(predict(trace(), [fabrics.get("gbe")], Arrangement(nodes=2)))


def _record() -> bytes:
    from linkworth.model.study import RunRecord

    record = RunRecord(
        run="a", workload="a", environment="b", mode="measure", repetition=0, state="done", metrics={"s": 1.0}
    )
    return record_file.encode(record)


def _decoded_record(path: Path) -> None:
    try:
        record_file.decode(path.read_bytes())
    except record_file.DamagedRecordError:
        return


def _kinds() -> list[Kind]:
    return [
        Kind("fabric", "odd.toml", files(DATA / "fabrics"), fabric),
        Kind("price", "odd.toml", [*files(DATA / "prices", "demo.toml"), files(DATA / "prices", "aws.toml")[0][:4000]],
             lambda path: gather_prices(PriceOptions(catalog=str(path)))),
        Kind("machine", "machines.toml", [(DATA / "machines.toml").read_bytes()], machine),
        Kind("study", "odd.toml", files(ROOT / "studies", "*.toml"), study),
        Kind("hosts", "hosts", HOSTS, placement),
        Kind("queue", "queue.toml", [QUEUE], queue.load),
        Kind("benchmark", "out.txt", files(ROOT / "tests/fixtures/bench"), benchmark),
        Kind("predictions", "p.json", [_predictions()], lambda path: load_predictions(path.read_bytes(), path)),
        Kind("record", "run.json", [_record()], _decoded_record),
        Kind("ti", "actions.txt", [ACTIONS], imported),
        Kind("otf2", "archive.pickle", [b""], archive, _archive, archive_joined),
        Kind("part", "a.part", [part_files.PartFile(size=2, blocks=_BLOCKS, **left).encode() for left in _LEFT], part,
             part_parts, part_joined),
        Kind("profile", "p.calls", [_process_profile()], call_profile_file.read),
        Kind("trace", "t.lwt", [trace().read_bytes()], used_trace, trace_parts, trace_joined),
    ]  # fmt: skip


KINDS = {kind.name: kind for kind in _kinds()}

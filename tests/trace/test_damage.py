"""A damaged, cut or aborted trace decides nothing: every verb that reads traces ends with 4 and names what is readable."""

import contextlib
import json
import re
import struct
from functools import partial
from pathlib import Path

import pytest
import synthetic

from linkworth import _engine
from linkworth.cli.main import main
from linkworth.errors import IncompleteError, LinkworthError
from linkworth.trace.read import Allowance, named, open_trace

RANKS = 4
QUEUE = """
[[nodes]]
name = "fast"
fabric = "ib-edr"
count = 2
usd_per_node_hour = 1.0

[[programs]]
name = "one"
workload = "t.lwt"
nodes = [2]
"""


RING = [
    [synthetic.sendrecv((rank + 1) % RANKS, 100, (rank - 1) % RANKS).after(1e-3)] * 50
    for rank in range(RANKS)
]


@pytest.fixture
def trace(tmp_path, monkeypatch, undrawn):
    monkeypatch.chdir(tmp_path)
    Path("queue.toml").write_text(QUEUE)
    return synthetic.write_trace(tmp_path / "t.lwt", RING)


def flip(path, rank):
    content = bytearray(path.read_bytes())
    content[content.index(b"LWBK" + struct.pack("<I", rank)) + 70] ^= 1
    path.write_bytes(content)


UNKNOWN = {
    "predict": {"predictions": [{"fabric": "gbe", "seconds": None}]},
    "beside": {"predictions": [{"fabric": "gbe", "seconds": None}]},
    "profile": {"group": None},
    "smaller": {"group": None},
    "advise": {"choice": None, "options": []},
    "sweep": {"points": []},
    "report": {"path": None, "programs": []},
    "allocate": {"choices": [], "placements": []},
    "convert": {"path": None},
}


def nothing_is_known(document, verb):
    assert document["schema"].startswith("linkworth.")
    assert {name: document[name] for name in UNKNOWN[verb]} == UNKNOWN[verb]


VERBS = {
    "predict": ("predict", "t.lwt", "--on", "gbe", "--json"),
    "profile": ("profile", "t.lwt", "--json"),
    "advise": ("advise", "t.lwt", "--price", "gbe=1", "--price", "ib-edr=2", "--json"),
    "sweep": ("sweep", "t.lwt", "--on", "gbe", "--json"),
    "report": ("report", "t.lwt", "-o", "page.html", "--json"),
    "allocate": ("allocate", "queue.toml", "--json"),
    "convert": ("convert", "t.lwt", "--to", "paje", "-o", "out.paje", "--json"),
    "beside": ("predict", "whole.lwt", "--on", "gbe", "--beside", "t.lwt", "--json"),
    "smaller": ("profile", "whole.lwt", "--smaller", "t.lwt", "--json"),
}


def abort(trace):
    """Write the same calls as a program left them whose rank 1 called MPI_Abort, and whose others were killed."""
    states = ["cut", "aborted", "cut", "cut"]
    ranks = [{"rank": rank, "host": "a", "state": state} for rank, state in enumerate(states)]
    synthetic.write_trace(trace, RING, end=False, ranks=ranks)


HARMS = {
    "one flipped bit": (
        partial(flip, rank=2),
        "readable are all events of ranks 0 to 1 and 3, no events of rank 2",
    ),
    "an aborted program": (
        abort,
        "all recorded events of ranks 0 to 3; ranks 0 and 2 to 3 did not reach MPI_Finalize; rank 1 called MPI_Abort",
    ),
}


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_damaged_or_aborted_trace_decides_nothing(trace, called, verb, harm):
    Path("whole.lwt").write_bytes(trace.read_bytes())
    assert called(*VERBS[verb]).code in {0, 1}
    Path("out.paje").unlink(missing_ok=True)
    harmed, sentence = HARMS[harm]
    harmed(trace)
    code, out, err = called(*VERBS[verb])
    assert code == 4
    assert err.count("\n") == 1 and sentence in err
    nothing_is_known(json.loads(out), verb)
    assert not Path("out.paje").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_who_allows_damage_gets_the_rest_with_a_warning_and_still_the_exit_code(trace, called, verb):
    Path("whole.lwt").write_bytes(trace.read_bytes())
    abort(trace)
    code, out, _ = called(*VERBS[verb], "--allow-damaged")
    assert code == 4
    document = json.loads(out)
    assert "is incomplete: readable are all recorded events" in json.dumps(document)
    if verb == "predict":
        assert document["predictions"][0]["seconds"] > 0
        Path("predictions.json").write_text(out)
        again = ["advise", "--predictions", "predictions.json", "--price", "gbe=1", "--json"]
        for more, choice in ([], None), (["--allow-damaged"], "gbe"):
            code, out, _ = called(*again, *more)
            assert (code, json.loads(out)["choice"]) == (4, choice)
    elif verb == "advise":
        assert document["choice"] is not None
    elif verb in {"profile", "smaller"}:
        assert document["group"] is not None
        assert document["pop"]["transfer_efficiency"] is not None
    elif verb == "report":
        assert document["programs"][0]["group"] is not None
    elif verb == "allocate":
        assert document["choices"]


def test_the_screen_warns_once_of_what_is_missing(trace, called):
    abort(trace)
    screen = " ".join(called("profile", "t.lwt").out.split())
    # It also stands as the reason in the line of the group.
    assert screen.partition(" ! ")[2].count("t.lwt is incomplete") == 1


def test_allowing_damage_predicts_whole_traces_and_none_without_a_ranks_events(trace, called, printed):
    assert printed(*VERBS["predict"]) == printed(*VERBS["predict"], "--allow-damaged")
    flip(trace, 2)
    for verb in ("predict", "sweep", "advise", "allocate"):
        code, out, err = called(*VERBS[verb], "--allow-damaged")
        assert code == 4
        nothing_is_known(json.loads(out), verb)
        assert "without any event of a rank no time can be predicted" in err


def test_wherever_a_trace_is_cut_it_is_no_complete_trace(trace):
    whole = trace.read_bytes()
    for length in range(1, len(whole), 13):
        trace.write_bytes(whole[:length])
        with pytest.raises(IncompleteError):
            open_trace(trace)
        with contextlib.suppress(LinkworthError):
            cut = open_trace(trace, Allowance())
            assert cut.incomplete
            assert sum(len(list(cut.engine.iterate(rank))) for rank in range(RANKS)) <= 52 * RANKS
    trace.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(IncompleteError, match="how many are lost is not known because the file is cut"):
        open_trace(trace)


def test_no_flipped_bit_passes_unseen(trace):
    whole = trace.read_bytes()
    unseen = []
    for place in range(0, len(whole), 3):
        content = bytearray(whole)
        content[place] ^= 1 << place % 8
        trace.write_bytes(content)
        try:
            open_trace(trace)
        except LinkworthError:
            continue
        unseen.append(place)
    # The last eight bytes of each header and four of the trailer are unused: they have no checksum, and nothing reads them.
    blocks = [match.start() for match in re.finditer(b"LWBK", whole)]
    unused = {start + byte for start in [0, *blocks] for byte in range(56, 64)}
    assert set(unseen) <= unused | set(range(len(whole) - 12, len(whole) - 8))


def test_damage_behind_right_checksums_is_no_complete_trace_either(trace, capsys):
    """The block's checksum is right, but it uses a shape that it does not define."""
    content = bytearray(trace.read_bytes())
    start = content.index(b"LWBK" + struct.pack("<I", 1))
    stored, raw = struct.unpack_from("<II", content, start + 16)
    block = content[start : start + 64 + stored]
    block[12:20] = struct.pack("<II", 0, raw)  # codec: records as they are, which its bytes are not
    block = bytearray(block[:64]) + bytes([127, 0, 0])
    struct.pack_into("<II", block, 16, 3, 3)
    struct.pack_into("<I", block, 28, 0)
    struct.pack_into("<I", block, 28, _engine.crc32c(bytes(block)))
    trace.write_bytes(content[:start] + block + content[start + len(block) :])
    for verb, arguments in VERBS.items():
        if verb in {"beside", "smaller"}:
            continue
        assert main(arguments) == 4, verb
        nothing_is_known(json.loads(capsys.readouterr().out), verb)
    allowed = Allowance()
    assert open_trace(trace, allowed).incomplete
    assert any("uses a shape that it does not define" in each for each in open_trace(trace, allowed).damage)


@pytest.mark.parametrize(
    ("ranks", "text"),
    [
        ([3], "rank 3"),
        ([0, 1, 2, 5], "ranks 0 to 2 and 5"),
        (range(0, 40, 2), "ranks 0, 2, 4, 6, 8, 10 and 14 more"),
    ],
)
def test_names_of_ranks(ranks, text):
    assert named(ranks) == text

"""`linkworth convert` as a user calls it."""

from pathlib import Path

import pytest
from golden import check_golden
from synthetic import ANY, Call, collective, irecv, recv, send, write_trace

GOLDEN = Path(__file__).with_name("golden")


@pytest.fixture
def trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    split = Call("MPI_Comm_split", "comm_new", comm=0, new_comm=2, members=[0, 2])
    split_off = Call("MPI_Comm_split", "comm_new", comm=0, new_comm=-1, members=[])
    programs = [
        [split, collective("MPI_Allreduce", 800, comm=2), recv(ANY, 100, actual=(1, 0)), collective("MPI_Barrier")],
        [split_off, send(0, 100).after(1e-3), collective("MPI_Barrier")],
        [split, collective("MPI_Allreduce", 800, comm=2), Call("MPI_Put", "local").lasting(0.5), collective("MPI_Barrier")],
    ]  # fmt: skip
    return write_trace(Path("small.lwt"), programs, mpi={"library": "Open MPI", "version": "4.1.4"})


def test_what_is_written_lost_and_said(trace, called):
    code, out, err = called("convert", trace, "--to", "ti")
    assert code == 0
    files = [Path("small.ti/ti.txt"), *(Path(f"small.ti/rank-{rank}.txt") for rank in range(3))]
    texts = [f"--- {file}\n{file.read_text(encoding='utf-8')}" for file in files]
    check_golden(GOLDEN / "small-ti.txt", "".join([f"--- stdout\n{out}--- stderr\n{err}", *texts]))
    cut = Path("cut.lwt")
    cut.write_bytes(trace.read_bytes()[:-40])
    code, _, err = called("convert", "cut.lwt", "--to", "parquet", "--allow-damaged")
    assert code == 4 and err.startswith("linkworth: warning: cut.lwt is incomplete: ")
    assert "linkworth: warning: the file has no valid index" in err


def test_a_trace_without_times_says_so_where_times_are_expected(tmp_path, json_of):
    path = write_trace(tmp_path / "plain.lwt", [[send(1, 8)], [recv(0, 8)]], timed=False)
    remarks = []
    for target in ("parquet", "ti"):
        remarks.append(json_of("convert", str(path), "--to", target)["remarks"])
    assert "calls take no time in it" in remarks[0][0] and remarks[1] == []


def test_force_replaces_conversions_only(trace, printed, refused):
    kept = Path("small.ti/note.txt")
    kept.parent.mkdir()
    kept.write_text("mine", encoding="utf-8")
    to_ti = ["convert", trace, "--to", "ti"]
    assert "small.ti exists; choose another name with -o, or replace it with --force" in refused(*to_ti)
    assert "small.ti is a folder with other files, which --force does not remove" in refused(
        *to_ti, "--force"
    )
    assert ". is, or contains, what is converted" in refused(*to_ti, "--force", "-o", ".")
    refused("convert", trace, "--to", "paje", "--force", "-o", trace)
    assert trace.exists() and kept.read_text(encoding="utf-8") == "mine"
    kept.unlink()
    for _ in range(2):
        printed(*to_ti, "--force")


def test_bad_input_is_one_sentence(trace, tmp_path, refused):
    Path("file").touch()
    Path("empty.otf2").mkdir()
    unknown_comm = write_trace(tmp_path / "odd.lwt", [[irecv(0, 1, comm=7)]])
    cases = [
        (["missing.lwt", "--to", "ti"], "missing.lwt"),
        ([str(trace), "--to", "otf9"], "--to otf9: not known; give one of ti"),
        ([str(trace), "--to", "ti", "-o", "file/below"], "cannot write file: File exists; give another place with -o"),
        ([str(trace), "--to", "ti", "-o", "file", "--force"], "file is a file, and ti needs a folder"),
        ([str(trace)], "small.lwt is a trace of linkworth already; choose a format with --to: ti"),
        (["file"], "of other tools' formats, only ti and otf2 can be read"),
        (["empty.otf2"], "empty.otf2 contains no .otf2 file"),
        ([str(trace), "--to", "ti", "--mpi-library", "lam"], "'lam' is not one of 'openmpi'"),
        ([str(unknown_comm), "--to", "ti"], "odd.lwt: rank 0 uses a communicator in MPI_Irecv"),
    ]  # fmt: skip
    for arguments, sentence in cases:
        assert sentence in refused("convert", *arguments)

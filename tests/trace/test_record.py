"""Recording real programs, with every MPI of this machine."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from eventual import eventually
from fake_launcher import FakeLauncher
from gated_clock import pass_time_when
from mpi_programs import ALLREDUCES, compiled, each_launcher, each_mpi, hanging, until_it_dies, usable_mpis

from linkworth import _engine
from linkworth.errors import EnvironmentLacksError, IncompleteError, LinkworthError, UsageError
from linkworth.measure import plan
from linkworth.measure.machine import hardware
from linkworth.model.workload import Workload
from linkworth.places.local import LocalLauncher
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.trace import record
from linkworth.trace.merge import merge

needs_mpi = pytest.mark.requires("mpi", "c++")


def names(path, rank):
    return [event["name"] for event in _engine.Trace(str(path)).iterate(rank)]


def leftovers(folder):
    return [path.name for path in folder.iterdir() if path.suffix == ".parts"]


@pytest.fixture
def program(tmp_path):
    return compiled(usable_mpis()[0], tmp_path)


def recorded(program, how, ranks=3, mpi=None, launcher=None, **options):
    options.setdefault("output", program.parent / "trace.lwt")
    decided = plan.plan(plan.workload([str(program), how], ranks), mpi)
    return record.record(decided._replace(launcher=launcher or decided.launcher), **options)


@pytest.mark.parametrize("mpi", each_mpi())
def test_every_mpi_is_recorded_call_for_call(tmp_path, mpi):
    summary = recorded(compiled(mpi, tmp_path), "well")
    assert (summary.state, summary.ranks, summary.verified, summary.damage) == ("complete", 3, None, [])
    for rank in range(3):
        calls = names(summary.path, rank)
        assert calls[0] == "MPI_Init"
        assert calls.count("MPI_Allreduce") == ALLREDUCES
        assert calls[-2:] == ["MPI_Barrier", "MPI_Finalize"]
    metadata = json.loads(_engine.Trace(summary.path).metadata_json)
    assert metadata["mpi"]["library"] == mpi.library
    assert metadata["command"] == [str(tmp_path / "ends"), "well"]
    assert metadata["exit_code"] == 0
    assert {rank["first_core"] for rank in metadata["ranks"]} <= os.sched_getaffinity(0)
    assert {rank.get("processor", "") for rank in metadata["ranks"]} == {hardware.processor()[:63]}
    assert leftovers(tmp_path) == []


@needs_mpi
def test_the_hosts_of_a_lab_are_one_machine(program):
    class LauncherOfLab(LocalLauncher):
        name = "lab"

    here, lab = (
        recorded(program, "well", launcher=kind(usable_mpis()[0])) for kind in (LocalLauncher, LauncherOfLab)
    )
    found = [json.loads(_engine.Trace(each.path).metadata_json) for each in (here, lab)]
    assert [each.get("one_machine", False) for each in found] == [False, True]


def recorded_until_it_dies(program, how, note):
    return until_it_dies(
        partial(recorded, program, how, replace=True), program, how, note, state=lambda summary: summary.state
    )


def assert_kept(summary, state, *, cut):
    assert summary.state.startswith(state)
    assert bool(summary.damage) is cut
    # Rank 1 ends itself after its last reduction; the others may be stopped while they are still in it.
    assert names(summary.path, 1).count("MPI_Allreduce") == ALLREDUCES
    for rank in (0, 2):
        assert names(summary.path, rank).count("MPI_Allreduce") >= ALLREDUCES - 1


@pytest.mark.parametrize("mpi", each_launcher())
def test_an_aborted_and_a_killed_program_leave_their_trace_under_every_mpi(tmp_path, mpi, record_property):
    program = compiled(mpi, tmp_path)
    assert_kept(
        recorded_until_it_dies(program, "abort", record_property),
        "aborted: the program called MPI_Abort with code 5",
        cut=True,
    )
    assert_kept(
        recorded_until_it_dies(program, "kill", record_property),
        "killed: a rank was killed by SIGKILL",
        cut=True,
    )
    assert leftovers(tmp_path) == []


@needs_mpi
@pytest.mark.parametrize(
    ("how", "state"),
    [
        ("crash", "failed: a rank crashed with SIGSEGV"),
        # Hydra kills the rest when a rank leaves early, and now and then reports that instead.
        ("exit", ("failed: the program left with exit code 9", "killed: a rank was killed by SIGKILL")),
        ("fail", "failed: the program left with exit code 6"),
    ],
)
def test_a_program_that_fails_leaves_its_trace(program, how, state, record_property):
    assert_kept(recorded_until_it_dies(program, how, record_property), state, cut=how != "fail")


@needs_mpi
def test_a_program_that_hangs_is_stopped_and_its_trace_kept(program, monkeypatch):
    pass_time_when(lambda: all(path.exists() for path in hanging(program, 3)), monkeypatch)
    summary = recorded(program, "hang", timeout=2.0)
    assert summary.state == "timeout: it ran longer than 2 s and was stopped"
    assert names(summary.path, 2).count("MPI_Allreduce") == ALLREDUCES
    assert len(summary.damage) == 3
    # The launcher's exit code is that of the signal, not of the program.
    assert json.loads(_engine.Trace(summary.path).metadata_json)["exit_code"] is None


@needs_mpi
def test_a_name_that_is_taken_gets_a_number(program):
    first = recorded(program, "well")
    before = (program.parent / "trace.lwt").read_bytes()
    second = recorded(program, "well")
    assert first.path.endswith("/trace.lwt") and second.path.endswith("/trace-2.lwt")
    assert (program.parent / "trace.lwt").read_bytes() == before
    third = recorded(program, "fail", replace=True)
    assert third.path.endswith("/trace.lwt")
    assert (program.parent / "trace.lwt").read_bytes() != before


@needs_mpi
def test_two_recordings_at_once_in_one_folder_do_not_meet(program):
    with ThreadPoolExecutor(2) as pool:
        summaries = list(pool.map(lambda ranks: recorded(program, "well", ranks=ranks), (2, 3)))
    assert [summary.ranks for summary in summaries] == [2, 3]
    assert len({summary.path for summary in summaries}) == 2
    for summary in summaries:
        assert json.loads(_engine.Trace(summary.path).metadata_json)["exit_code"] == 0
        assert names(summary.path, 1).count("MPI_Allreduce") == ALLREDUCES
    assert leftovers(program.parent) == []


@needs_mpi
@pytest.mark.parametrize("command", [["true"], [sys.executable, "-c", "pass"]])
def test_a_program_without_mpi_is_a_usage_error(tmp_path, command):
    with pytest.raises(UsageError, match="it is not an MPI program"):
        record.record(plan.plan(plan.workload(command, 2)), output=tmp_path / "new" / "folder" / "trace.lwt")
    assert list(tmp_path.iterdir()) == []


@needs_mpi
def test_a_program_that_fails_before_mpi_says_that_nothing_was_recorded(program):
    with pytest.raises(UsageError, match=r"called no MPI_Init, so nothing was recorded.*exit code 3"):
        recorded(program, "before")
    with pytest.raises(IncompleteError, match=r"nothing was recorded: it ran longer than 0\.5 s"):
        record.record(
            plan.plan(plan.workload(["sleep", "60"], 2)), output=program.parent / "t.lwt", timeout=0.5
        )
    assert leftovers(program.parent) == []


@needs_mpi
def test_a_static_program_is_refused_before_it_runs(tmp_path):
    source = tmp_path / "main.cpp"
    source.write_text("int main() { return 0; }\n")
    built = subprocess.run(
        ["c++", "-static", source, "-o", tmp_path / "static"], capture_output=True, check=False
    )
    if built.returncode:
        pytest.skip("the C++ library for static linking is not here")
    with pytest.raises(UsageError, match="linked statically"):
        record.record(plan.plan(plan.workload([str(tmp_path / "static")], 2)), output=tmp_path / "trace.lwt")


@needs_mpi
def test_ranks_that_each_believe_to_be_alone_are_refused(program):
    """The launcher of another MPI starts N programs of one rank: here, N launchers of one rank do."""
    mpi = usable_mpis()[0]

    class Separate(FakeLauncher):
        def run(self, job, observer):
            for _ in range(2):
                variables = {**os.environ, **ROOT_ALLOWED, **job.environment}
                subprocess.run(
                    [mpi.mpiexec, "-n", "1", *job.command], env=variables, check=True, capture_output=True
                )
            return super().run(job, observer)

    with pytest.raises(LinkworthError, match="2 separate programs of one rank each instead of 2 ranks"):
        recorded(program, "well", ranks=2, launcher=Separate())


@needs_mpi
@pytest.mark.requires("several-mpis")
def test_a_launcher_of_another_mpi_is_refused_before_it_runs(tmp_path):
    first = usable_mpis()[0]
    other = next((mpi for mpi in usable_mpis() if mpi.kind != first.kind), None)
    if other is None:
        pytest.skip("all MPIs here are of one kind")
    program = compiled(first, tmp_path)
    with pytest.raises(UsageError, match=f"linked with {first.name}.*rank 0 of 1"):
        record.record(
            plan.plan(plan.workload([other.mpiexec, "-n", "2", str(program)], None)),
            output=tmp_path / "trace.lwt",
        )
    with pytest.raises(UsageError, match="rank 0 of 1"):
        recorded(program, "well", mpi=other.name)


@pytest.mark.parametrize("mpi", each_launcher())
def test_the_users_own_launcher_command_is_recorded(tmp_path, mpi):
    program = compiled(mpi, tmp_path)
    more = ["--oversubscribe"] if mpi.kind == "openmpi" and mpi.version < "5" else []
    more = ["--map-by", ":OVERSUBSCRIBE"] if mpi.kind == "openmpi" and not more else more
    command = [mpi.mpiexec, *more, "-n", "1", str(program), "well", ":", "-n", "2", str(program), "well"]
    summary = record.record(plan.plan(plan.workload(command, None)), output=tmp_path / "trace.lwt")
    assert (summary.state, summary.ranks, summary.workload) == ("complete", 3, "ends")
    assert [names(summary.path, rank).count("MPI_Allreduce") for rank in range(3)] == [ALLREDUCES] * 3


@needs_mpi
def test_a_merge_without_space_keeps_the_parts_for_later(program, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as inside:
        inside.setattr(record, "merge", full)
        with pytest.raises(
            IncompleteError, match=r"No space left.*linkworth trace `merge` (\S+) `output`"
        ) as raised:
            recorded(program, "well")
    kept = program.parent / str(raised.value).split("`merge` ")[1].split()[0]
    assert len(list(kept.glob("*.part"))) == 3
    written = []

    def seen(parts, output, metadata):
        written.append(output)
        return merge(parts, output, metadata)

    monkeypatch.setattr(record, "merge", seen)
    summary = record.merge_folder(kept, program.parent / "elsewhere/later.lwt")
    assert kept not in written[0].parents and len(list((program.parent / "elsewhere").iterdir())) == 1
    assert (summary.ranks, summary.workload, summary.state) == (3, "ends", "complete")
    assert not kept.exists()
    with monkeypatch.context() as inside:
        inside.setattr(record, "write_atomically", full)
        with pytest.raises(EnvironmentLacksError, match=r"No space left on device; make room or give"):
            recorded(program, "well")


def test_a_folder_without_parts_cannot_be_merged(tmp_path):
    with pytest.raises(UsageError, match="contains no parts"):
        record.merge_folder(tmp_path, tmp_path / "trace.lwt")


@needs_mpi
@pytest.mark.requires("root")
def test_a_full_disk_lets_the_program_end_and_keeps_what_fits(program, tmp_path):
    """A file system of 256 KiB: each rank's part takes 64 KiB a block from the start."""
    small = tmp_path / "small"
    small.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "none", small], capture_output=True, check=False
    )
    if mount.returncode:
        pytest.skip("this machine lets no test mount a small file system")
    try:
        try:
            summary = recorded(program, "well", ranks=4, output=small / "trace.lwt")
            assert json.loads(_engine.Trace(summary.path).metadata_json)["exit_code"] == 0
            assert summary.state != "complete"
        except IncompleteError as error:
            assert "`merge`" in str(error)  # not even the merged trace fits: the parts are kept
            kept = next(small.glob("*.parts"))
            merged = record.merge_folder(kept, tmp_path / "elsewhere.lwt")
            assert json.loads(_engine.Trace(merged.path).metadata_json)["workload"] == "ends"
    finally:
        subprocess.run(["umount", small], check=True)


@needs_mpi
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_recording_keeps_its_trace_and_exits_with_4(linkworth, program, number):
    running = linkworth.start("trace", "-n", "2", "-o", "t.lwt", "--", program, "hang")
    assert eventually(lambda: all(path.exists() for path in hanging(program, 2)), during=running)
    running.send_signal(number)
    _, said = running.communicate(timeout=300)
    assert running.returncode == 4
    assert "interrupted" in said and "t.lwt" in said and "Traceback" not in said
    assert _engine.Trace(str(linkworth.folder / "t.lwt")).ranks == 2


@needs_mpi
def test_parts_of_no_use_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("linkworth.mpi.build.tracer", lambda _: tmp_path / "tracer.so")

    def damage(job):
        (Path(job.environment["LINKWORTH_TRACE_DIR"]) / "host.1.part").write_bytes(b"damaged")

    with pytest.raises(IncompleteError, match="ranks are damaged"):
        recorded(Path("/bin/true"), "", output=tmp_path / "trace.lwt", launcher=FakeLauncher(effect=damage))
    assert leftovers(tmp_path) == []


@needs_mpi
@pytest.mark.parametrize("where", ["merge", "_check"])
def test_parts_that_can_be_merged_later_are_named_whatever_went_wrong(program, monkeypatch, where):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(record, where, interrupted)
        with pytest.raises(
            IncompleteError, match=r"it was interrupted.*trace `merge` (\S*\.parts) `output`"
        ) as raised:
            recorded(program, "well", ranks=1)
    (name,) = leftovers(program.parent)
    assert name in str(raised.value)
    assert record.merge_folder(program.parent / name, program.parent / "later.lwt").ranks == 1


def test_the_default_name_leaves_room_for_that_of_the_parts():
    long = record.default_output(Workload(name="ü" * 300, command=["x"], ranks=8))
    assert len(f"{long.stem}-abcdefgh.parts".encode()) <= 255 and long.name.endswith("ü-8.lwt")

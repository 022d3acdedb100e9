"""Threads that call MPI at once, each into blocks of its own, and threads that compute for the one that calls."""

import os
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from linkworth import _engine
from linkworth.model.trace import TraceMetadata
from linkworth.mpi import elf, joined, sources, wrappers
from linkworth.places.mpiexec import ROOT_ALLOWED
from linkworth.trace.merge import merge
from linkworth.trace.read import open_trace

EVERY_MPI = True

THREADS, ROUNDS = 4, 2000  # of programs/threads.c


def test_each_thread_writes_its_own_calls_and_the_merge_knows_who_completed_a_request(bench):
    run = bench.record(bench.compile("threads.c", "-pthread"), "multiple", ranks=1)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    (part,) = run.parts
    if part.events[0].fields["level"] < 3:
        pytest.skip(f"{bench.mpi.name} does not give MPI_THREAD_MULTIPLE")
    calls = Counter((event.thread, event.name) for event in part.events)
    for thread in range(1, THREADS + 1):
        assert {calls[thread, f"MPI_{name}"] for name in ("Irecv", "Send", "Wait")} == {2 * ROUNDS}
        assert calls[thread, "MPI_Iprobe"] == calls[thread, "MPI_Comm_rank"] == ROUNDS
    assert {name for thread, name in calls if thread == 0} >= {"MPI_Init_thread", "MPI_Finalize"}

    merge(part.path.parent, part.path.parent / "out.lwt", TraceMetadata(workload="threads"))
    pending, made, completed_by_others = {}, 0, 0
    elapsed = 0.0
    for event in _engine.Trace(str(part.path.parent / "out.lwt")).iterate(0):
        elapsed += event["gap_seconds"] + event["duration_seconds"]
        if event["call_class"] == "irecv":
            assert event["next_request"] == made
            pending[made] = (event["thread"], event["fields"]["tag"])
            made += 1
        if event["call_class"] == "complete":
            (completion,) = event["fields"]["completions"]
            thread, _ = pending.pop(made - completion[0])
            completed_by_others += thread != event["thread"]
    assert (made, pending) == (2 * THREADS * ROUNDS, {})
    assert completed_by_others == THREADS * ROUNDS
    ends = max(event.finish for event in part.events)
    assert elapsed == pytest.approx((ends - part.start[0]) / part.rate, rel=1e-3)


def test_handles_that_go_from_one_thread_to_another_stay_apart(bench):
    run = bench.record(bench.compile("threads.c", "-pthread"), "handles", ranks=1)
    assert run.returncode == 0, run.stderr
    (part,) = run.parts
    if part.events[0].fields["level"] < 3:
        pytest.skip(f"{bench.mpi.name} does not give MPI_THREAD_MULTIPLE")
    merge(part.path.parent, part.path.parent / "out.lwt", TraceMetadata(workload="threads"))
    pending, tags, ended, made = {}, defaultdict(set), Counter(), 0
    for event in _engine.Trace(str(part.path.parent / "out.lwt")).iterate(0):
        fields, call_class = event["fields"], event["call_class"]
        if call_class in ("isend", "irecv", "recv_init"):
            pending[made] = (event["thread"], event["name"])
            made += 1
        if "tag" in fields:
            tags[event["thread"]].add(fields["tag"])
        ended_here = [completion[0] for completion in fields.get("completions", [])]
        if call_class == "request_free":
            ended_here = fields["references"]
        for back in ended_here:
            thread, name = pending.pop(made - back)
            assert thread == event["thread"]
            ended[event["name"], name] += 1
    assert pending == {}
    assert sorted(map(len, tags.values())) == [1] * THREADS
    of_each = THREADS * ROUNDS
    assert ended == {
        ("MPI_Waitall", "MPI_Isend"): of_each,
        ("MPI_Waitall", "MPI_Irecv"): of_each,
        ("MPI_Request_free", "MPI_Recv_init"): of_each,
    }


def test_threads_may_make_their_first_call_while_the_recording_ends(bench):
    program = bench.compile("threads.c", "-pthread")
    for _ in range(4):
        run = bench.record(program, "last", ranks=2)
        assert run.returncode == 0, run.stderr
        assert all(part.named("MPI_Finalize") for part in run.parts)


def test_a_thread_may_call_mpi_at_its_end_when_another_has_begun(bench):
    run = bench.record(bench.compile("threads.c", "-pthread"), "destructor", ranks=1)
    assert run.returncode == 0, run.stderr
    (part,) = run.parts
    (last,) = part.named("MPI_Initialized")
    assert last.thread not in {event.thread for event in part.named("MPI_Finalized")}


def test_threads_that_end_leave_no_memory_behind(bench):
    run = bench.record(bench.compile("threads.c", "-pthread"), "ending", ranks=1)
    assert int(run.stdout) < 4000


@pytest.mark.parametrize(
    ("source", "flag"), [("threads.c", "-pthread"), ("openmp.c", "-fopenmp")], ids=["threads", "OpenMP"]
)
def test_cpu_time_is_that_of_the_process_where_other_threads_compute(bench, source, flag):
    run = bench.record(bench.compile(source, flag), "helpers", ranks=1, OMP_WAIT_POLICY="passive")
    assert run.returncode == 0, run.stderr
    (part,) = run.parts
    process, own = map(float, run.stdout.split())
    assert process > 0.08 > own
    (after,) = part.named("MPI_Comm_size")
    assert after.cpu is not None
    assert after.cpu * 1e-9 == pytest.approx(process, rel=0.1)


def test_cpu_time_is_that_of_the_longest_thread_where_threads_outnumber_cores(bench):
    program = bench.compile("openmp.c", "-fopenmp")
    run = bench.record(program, ranks=1, OMP_WAIT_POLICY="passive", LINKWORTH_CROWDED="1")
    assert run.returncode == 0, run.stderr
    process, own = map(float, run.stdout.split())
    assert process == pytest.approx(2 * own, rel=0.1)
    (after,) = run.parts[0].named("MPI_Comm_size")
    assert after.cpu is not None
    assert after.cpu * 1e-9 == pytest.approx(own, rel=0.1)


def test_the_merge_knows_what_other_threads_computed_beside_calls(bench):
    run = bench.record(bench.compile("threads.c", "-pthread"), "beside", ranks=2)
    assert run.returncode == 0, run.stderr
    folder = run.parts[0].path.parent
    merge(folder, folder / "out.lwt", TraceMetadata(workload="threads"))
    inside, between = open_trace(folder / "out.lwt").metadata.ranks
    # Open MPI's own threads compute some milliseconds in MPI_Init, and more on a slow machine.
    assert inside.helpers_seconds - between.helpers_seconds == pytest.approx(0.12, abs=0.04)
    assert between.helpers_seconds < 0.06


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_no_data_race_in_the_tracer(bench_of, tmp_path):
    """The tracer and a program with threads, both compiled for ThreadSanitizer; the MPI library is left alone by it.

    Debian's MPICH crashes under ThreadSanitizer, without the tracer, too.
    """
    bench = bench_of("openmpi-4.1.4")
    generated = tmp_path / "generated"
    generated.mkdir()
    wrapped = wrappers.generate(generated, elf.exported_symbols(Path(bench.mpi.library)))
    recipe = sources.recipe("tracer")
    library = tmp_path / "tracer.so"
    files = [*map(str, joined.files(recipe, tmp_path)), *map(str, wrapped)]
    sanitize = ["-fsanitize=thread", "-g1", "-w", "-O0", "-std=gnu11"]
    built = subprocess.run(
        [bench.mpi.mpicc, *sanitize, "-fPIC", "-shared", f"-I{recipe.folder}", f"-I{generated}", *files, "-o", str(library),
         *(f"-l{name}" for name in recipe.libraries)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "cannot find" in built.stderr:
        pytest.skip("the compiler has no ThreadSanitizer")
    assert built.returncode == 0, built.stderr
    program = bench.compile("threads.c", "-pthread", "-fsanitize=thread")
    folder = tmp_path / "parts"
    folder.mkdir()
    environment = {
        **os.environ,
        **ROOT_ALLOWED,
        "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66",
    }
    bare = subprocess.run(
        [str(program), "multiple"], env=environment, capture_output=True, check=False, timeout=300
    )
    if bare.returncode != 0:
        pytest.skip("the program does not run under ThreadSanitizer here, without the tracer")
    for mode, profiling, kept in (
        ("multiple", "0", "*.part"),
        ("multiple", "1", "*.profile"),
        ("unasked", "0", "*.part"),  # as threads that PT-Scotch starts at any thread level
    ):
        told = {"LINKWORTH_TRACE_DIR": str(folder), "LINKWORTH_PROFILE": profiling}
        done = subprocess.run(
            [str(program), mode], env={**environment, **told, "LD_PRELOAD": str(library)},
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        races = re.findall(r"WARNING: ThreadSanitizer.*?(?=\n\n)", done.stderr, re.DOTALL)
        assert (done.returncode, races) == (0, []), done.stderr[:8000]
        assert "all right" in done.stdout
        assert list(folder.glob(kept))

"""Loops and phases of programs whose loops are known."""

import io

import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from synthetic import Call, collective, recv, send
from synthetic_calls import TEST, parrived, sync

from linkworth import units
from linkworth.cli.profile_detail import FULL
from linkworth.cli.profile_phases import phases as screen
from linkworth.profile.scan import listed_loop_share, scan
from linkworth.report import tables
from linkworth.trace.read import open_trace


def phases_of(tmp_path, *programs, **kinds):
    path = synthetic.write_trace(tmp_path / "t.lwt", programs, **kinds)
    return scan(open_trace(path), with_phases=True).phases


def shown(found):
    console = Console(file=io.StringIO(), width=100)
    console.print(screen(found, FULL))
    return console.file.getvalue()


def step(number=0, seconds=0.1):
    return [
        send(1, 64).after(seconds),
        recv(1, 64).lasting(seconds / 2),
        collective("MPI_Allreduce", 8 + number),
    ]


def test_the_time_of_mpi_finalize_is_in_no_phase(tmp_path):
    end = Call("MPI_Finalize", "finalize").after(0.5).lasting(9.0)
    calls = [*[call for _ in range(20) for call in step()], end]
    found = phases_of(tmp_path, calls, [*partner(calls[:-1]), end], end=False)
    assert found.seconds == pytest.approx(20 * 0.15 + 0.5)
    assert found.looped_share == pytest.approx(3.0 / 3.5)
    assert (found.phases[-1].kind, found.phases[-1].calls) == ("epilogue", 1)
    assert found.phases[-1].seconds == pytest.approx(0.5)


def partner(calls):
    return [recv(0, 64) if call.call_class == "send" else send(0, 64) for call in calls]


def test_what_comes_before_and_after_the_loop(tmp_path):
    before = [collective("MPI_Bcast", 100, root=0).after(0.5), collective("MPI_Barrier").after(0.25)]
    after = [collective("MPI_Reduce", 8, root=0).after(1.0)]
    calls = [*before, *[call for _ in range(20) for call in step()], *after]
    found = phases_of(tmp_path, calls, calls)
    assert found.rank == 0
    assert found.likeness == "arguments"
    assert [phase.kind for phase in found.phases] == ["prologue", "loop", "epilogue"]
    first, loop, last = found.phases
    assert first.seconds == pytest.approx(0.75)
    assert loop.iterations == 20
    assert loop.mean_seconds == pytest.approx(0.15)
    assert (loop.least_seconds, loop.most_seconds) == (pytest.approx(0.15), pytest.approx(0.15))
    assert loop.deviation_seconds == pytest.approx(0, abs=1e-6)
    assert loop.calls == 60
    assert loop.call_names == ["MPI_Send", "MPI_Recv", "MPI_Allreduce"]
    assert last.seconds == pytest.approx(1.0)
    assert found.looped_share == pytest.approx(3.0 / 4.75)


def test_loops_in_loops(tmp_path):
    calls = []
    for _ in range(6):
        for _ in range(10):
            calls += [send(1, 32).after(0.01), recv(1, 32)]
        calls.append(collective("MPI_Allreduce", 8).after(0.05))
    found = phases_of(tmp_path, calls, calls, end=False)
    (outer,) = found.phases
    (inner,) = outer.inner
    assert (outer.iterations, inner.iterations) == (6, 60)
    assert outer.mean_seconds == pytest.approx(0.15)
    assert inner.mean_seconds == pytest.approx(0.01)
    assert (outer.calls, inner.calls) == (6 * 21, 120)


def test_an_interrupted_loop_keeps_its_inner_loops_apart(tmp_path):
    def turns(short, long):
        first = [collective("MPI_Allreduce", 8).after(short), collective("MPI_Barrier")]
        second = [collective("MPI_Allreduce", 16).after(long), collective("MPI_Bcast", 4, root=0)]
        return [*first * 4, *second * 4, collective("MPI_Reduce", 8, root=0)] * 6

    # After the interruption, the first of them takes less than a tenth of an iteration.
    calls = [*turns(0.03, 0.1), collective("MPI_Allgather", 4), *turns(0.005, 0.1)]
    (loop,) = phases_of(tmp_path, calls, calls, end=False).phases
    assert (loop.iterations, loop.interruptions) == (12, 1)
    assert [inner.iterations for inner in loop.inner] == [48, 48]
    assert [inner.seconds for inner in loop.inner] == [pytest.approx(24 * 0.035), pytest.approx(4.8)]


def test_the_spread_of_iterations(tmp_path):
    calls = [call for number in range(8) for call in step(seconds=0.1 * (1 + number % 2))]
    (loop,) = phases_of(tmp_path, calls, calls, end=False).phases
    assert (loop.least_seconds, loop.most_seconds) == (pytest.approx(0.15), pytest.approx(0.3))
    assert loop.deviation_seconds == pytest.approx(0.075)


def test_interruptions_and_changing_sizes_do_not_end_a_loop(tmp_path):
    calls = [call for _ in range(20) for call in step()]
    calls[30:30] = [collective("MPI_Gather", 8, root=0).after(0.01), collective("MPI_Barrier").after(0.01)]
    found = phases_of(tmp_path, calls, calls, end=False)
    (loop,) = found.phases
    assert (loop.iterations, loop.interruptions) == (20, 1)
    assert loop.mean_seconds == pytest.approx(0.15)
    calls = [call for number in range(20) for call in step(number)]
    found = phases_of(tmp_path, calls, calls, end=False)
    assert found.likeness == "peers"
    assert found.phases[0].iterations == 20


@pytest.mark.parametrize(
    "look",
    [
        synthetic.Call("MPI_Iprobe", "probe", comm=0, peer=1, tag=0, found=False),
        parrived(0, arrived=False),
        sync(TEST),
    ],
    ids=lambda call: call.call_class,
)
def test_polling_does_not_hide_a_loop(tmp_path, look):
    calls = []
    for number in range(10):
        calls += [*[look.after(0.01)] * (number % 4), *step()]
    found = phases_of(tmp_path, calls, calls, end=False)
    (loop,) = found.phases
    assert (found.likeness, loop.iterations) == ("arguments", 10)
    assert loop.calls == len(calls)


def test_calls_that_never_repeat_have_no_loop(tmp_path):
    calls = [collective("MPI_Bcast", 2**number, root=0).after(0.1) for number in range(12)]
    names = ["MPI_Bcast", "MPI_Reduce", "MPI_Barrier"]
    for number, call in enumerate(calls):
        call.name = names[(number * number // 5) % 3]
    found = phases_of(tmp_path, calls, calls, end=False)
    assert found.looped_share <= 0.5
    assert sum(phase.calls for phase in found.phases) == 12


def test_loops_that_are_too_short_to_show_are_not_said_to_be_missing(tmp_path):
    calls = [send(1, 8).after(1e-6) for _ in range(20)]
    found = phases_of(tmp_path, [*calls, collective("MPI_Barrier").after(1.0)], [collective("MPI_Barrier")])
    assert [phase.kind for phase in found.phases] == ["all"]
    assert 0 < found.looped_share < 1e-3
    assert "loops too short to show" in shown(found)


def test_the_title_counts_only_loops_that_have_a_line(tmp_path):
    calls = [send(1, 8).after(1e-3) for _ in range(20)]
    calls += [collective("MPI_Barrier").after(0.1), *(call for _ in range(20) for call in step(seconds=0.1))]
    found = phases_of(tmp_path, [*calls, collective("MPI_Barrier").after(2.0)], calls, end=False)
    assert [phase.kind for phase in found.phases] == ["prologue", "loop", "epilogue"]
    assert found.looped_share > listed_loop_share(found) > 0.5
    title = shown(found).splitlines()[0]
    assert title.endswith(
        f"{units.percent(listed_loop_share(found))} of {units.duration(found.seconds)} in loops, "
        f"{units.percent(found.looped_share - listed_loop_share(found))} in loops too short to show"
    )
    assert tables.phases(found, "p0").title.startswith(f"{units.percent(listed_loop_share(found))} of")


def test_nothing_after_init_has_no_phases(tmp_path):
    assert phases_of(tmp_path, [], [], end=False) is None


@given(
    body=st.lists(st.integers(0, 3), min_size=1, max_size=6),
    times=st.integers(4, 30),
    before=st.lists(st.integers(4, 9), max_size=5, unique=True),
)
def test_every_call_is_in_one_phase_and_the_loop_is_found(tmp_path_factory, body, times, before):
    calls = [collective("MPI_Bcast", 8 * kind, root=0).after(0.001) for kind in before]
    calls += [collective("MPI_Bcast", 8 * kind, root=0).after(0.5) for _ in range(times) for kind in body]
    found = phases_of(tmp_path_factory.mktemp("phases"), calls, calls, end=False)
    assert sum(phase.calls for phase in found.phases) == len(calls)
    assert sum(phase.seconds for phase in found.phases) == pytest.approx(found.seconds)
    # A body may repeat itself, or end as it begins, and then is another loop, but it is one.
    assert found.looped_share > 0.5
    if len(set(body)) == len(body):
        loop = max(found.phases, key=lambda phase: phase.seconds)
        assert (loop.iterations, loop.mean_seconds) == (times, pytest.approx(0.5 * len(body)))

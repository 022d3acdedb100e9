"""The demo's own logic, with recordings made by hand: what is shown, what is held back, what goes wrong."""

from pathlib import Path

import pytest
import synthetic
from collector import Steps

from linkworth.demo.run import FABRICS, PROGRAMS, Recorder, run
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.trace import TraceSummary
from linkworth.report.sensitivity import seconds_at

pytestmark = pytest.mark.usefixtures("undrawn")


class HandRecorder(Recorder):
    """Writes a small ring exchange as the trace of every program; `verdicts` and `states` by name where not good."""

    def __init__(self, verdicts=None, states=None):
        self.verdicts = verdicts or {}
        self.states = states or {}
        self.asked: list[str] = []

    def prepare(self, ranks):
        pass

    def record(self, name, ranks, trace):
        self.asked.append(name)
        verified = self.verdicts.get(name, True)
        calls = [
            [
                synthetic.sendrecv((rank + 1) % ranks, 100_000, (rank - 1) % ranks).after(0.01).lasting(0.002)
                for _ in range(5)
            ]
            for rank in range(ranks)
        ]
        synthetic.write_trace(trace, calls, workload=name, verified=verified, source="recorded")
        return TraceSummary(
            path=str(trace),
            ranks=ranks,
            events=7 * ranks,
            bytes=trace.stat().st_size,
            verified=verified,
            workload=name,
            state=self.states.get(name, "complete"),
        )


def demo(tmp_path, recorder, steps=None, ranks=4):
    page = tmp_path / "report.html"
    return run(tmp_path / "traces", page, ranks=ranks, recorder=recorder, progress=steps or Steps())


def test_every_program_is_recorded_at_both_sizes_and_priced_on_every_network(tmp_path, json_of):
    recorder, steps = HandRecorder(), Steps()
    answer, items = demo(tmp_path, recorder, steps)
    assert recorder.asked == [name for pair in PROGRAMS.items() for name in pair]
    assert [len(steps.texts)] == steps.planned
    assert answer.failures == []
    for program, item in zip(answer.programs, items, strict=True):
        assert [p.fabric for p in program.predictions.predictions] == list(FABRICS)
        assert program.predictions.nodes == 2
        assert program.advice is not None
        assert program.advice.choice in FABRICS
        assert [grid.fabric for grid in item.grids] == list(FABRICS)
        assert len(item.prices) == len(FABRICS)
        # The sliders' grids have the predicted time at the fabric's own place.
        for fabric, grid, prediction in zip(
            item.fabrics, item.grids, item.predictions.predictions, strict=True
        ):
            link = fabric.link
            here = seconds_at(grid, link.latency_seconds, link.bandwidth_bytes_per_second)
            assert here == pytest.approx(prediction.seconds, rel=1e-9)
    assert Path(answer.report).stat().st_size > 0
    # A report on the demo's folder has the same groups and choices.
    again = tmp_path / "again.html"
    document = json_of("report", answer.folder, "--prices", "demo", "-o", str(again))
    assert (document["schema"], document["bytes"]) == ("linkworth.report/1", again.stat().st_size)
    assert {each["workload"]: (each["group"], each["choice"]) for each in document["programs"]} == {
        program.workload: (program.profile.group, program.advice and program.advice.choice)
        for program in answer.programs
    }


def test_a_program_that_failed_its_verification_is_named_and_chooses_nothing(tmp_path):
    answer, _ = demo(tmp_path, HandRecorder(verdicts={"npb:ft.A": False}))
    assert len(answer.failures) == 1
    assert answer.failures[0].startswith("npb:ft.A: ")
    by_name = {program.workload: program for program in answer.programs}
    assert by_name["npb:ft.A"].advice is None
    assert by_name["npb:cg.W"].advice is not None
    assert "✗ verification failed" in Path(answer.report).read_text(encoding="utf-8")


def test_runs_that_did_not_end_or_verify_are_named_and_the_others_go_on(tmp_path):
    """A smaller run that failed is only not used."""
    recorder = HandRecorder(
        verdicts={"npb:ft.A": None, "npb:cg.S": False}, states={"npb:ep.W": "killed: signal 9"}
    )
    answer, items = demo(tmp_path, recorder)
    assert [item.profile.workload for item in items] == ["npb:cg.W"]
    assert [failure.partition(":")[2][:4] for failure in answer.failures] == ["ep.W", "ft.A"]
    assert "npb:ep.W: killed: signal 9" in answer.failures[0]
    assert (tmp_path / "traces" / "ep.lwt").exists()


def test_nothing_recorded_no_page(tmp_path):
    states = dict.fromkeys(PROGRAMS, "aborted: MPI_Abort")
    answer, items = demo(tmp_path, HandRecorder(states=states))
    assert (answer.report, items, len(answer.failures)) == ("", [], 3)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("ranks", [-4, 0, 1, 3, 12])
def test_ranks_that_a_program_cannot_use_are_refused_before_anything_runs(tmp_path, ranks):
    with pytest.raises(UsageError, match=f"`ranks` {ranks}: .* power of two"):
        run(tmp_path, tmp_path / "r.html", ranks=ranks, recorder=HandRecorder(), progress=Steps())
    assert list(tmp_path.iterdir()) == []


def test_what_the_demo_lacks_is_named(tmp_path):
    (tmp_path / "traces").write_text("a file")
    with pytest.raises(UsageError, match="traces"):
        demo(tmp_path, HandRecorder())

    class Without(HandRecorder):
        def prepare(self, ranks):
            raise EnvironmentLacksError("no MPI was found")

    with pytest.raises(EnvironmentLacksError):
        run(tmp_path, tmp_path / "r.html", ranks=4, recorder=Without(), progress=Steps())


def test_more_ranks_than_this_machine_starts_are_refused_before_anything_is_built(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(UsageError, match="`ranks` 2147483648: each rank is a process"):
        demo(tmp_path, Recorder(), ranks=2**31)
    assert not (tmp_path / "cache").exists()

"""Groups and shares of a study's traces, made on all cores."""

from synthetic import send, write_trace

from linkworth.cli.main import main
from linkworth.profile import build_profile, group_of
from linkworth.report.study.trace_profiles import profiles_of

FILE = """
workloads = ["npb:is.S", "npb:is.W"]
environments = ["gbe"]
mode = "predict"
ranks = 4
nodes = 2
[predict]
machine = "xeon-e5-2650v3-x2"
"""


def test_profiles_are_made_once_and_say_what_a_whole_profile_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.toml").write_text(FILE)
    assert main(["study", "run", "two.toml"]) == 0
    small, large = (tmp_path / f"two.study/traces/npb-is.{problem}-4.lwt" for problem in "SW")
    damaged = tmp_path / "damaged.lwt"
    damaged.write_bytes(b"no trace")
    traces = {("is.S", ""): small, ("is.W", ""): large, ("x", ""): damaged}
    steps: list[str] = []
    planned: list[int] = []
    found, remarks = profiles_of(traces, {"is.W": "is.S"}, steps.append, planned.append)
    whole = build_profile(large, small)
    assert (found["is.W", ""].group, found["is.W", ""].reason) == (whole.group, whole.group_reason)
    assert group_of(large, small) == (whole.group, whole.group_reason)
    assert list(found) == [("is.S", ""), ("is.W", "")] and not found["is.S", ""].metrics
    assert len(remarks) == 1 and remarks[0].startswith("x has no profile: ")
    assert planned == [3] and len(steps) == 3
    again, _ = profiles_of(traces, {"is.W": "is.S"}, steps.append, planned.append)
    assert again == found and planned == [3, 1]


def test_the_reason_for_no_profile_advises_nothing_that_a_report_cannot_do(tmp_path):
    ends = [{"rank": rank, "host": "node", "state": "cut"} for rank in range(2)]
    cut = write_trace(tmp_path / "t.lwt", [[send(1, 8)], []], end=False, ranks=ends)
    _, (remark,) = profiles_of({("x", ""): cut}, {})
    assert remark.endswith("did not reach MPI_Finalize")


def test_a_replay_that_stops_leaves_the_rest_of_a_profile(tmp_path):
    programs = [[send(1, 1 << 20).after(1.0).lasting(1.0)], []]
    trace = write_trace(tmp_path / "t.lwt", programs, source="converted")
    for _ in ("made", "kept"):
        found, remarks = profiles_of({("x", ""): trace}, {})
        made = found["x", ""]
        assert made.group is None
        assert made.metrics.keys().isdisjoint({"serialisation_efficiency", "transfer_efficiency"})
        assert "rank 0 stops in MPI_Send" in made.reason
        assert made.metrics["compute_share"] > 0 and made.metrics["load_balance"] > 0
        assert not remarks

"""The rule of the groups on programs whose communication is known."""

from pathlib import Path

import communication_patterns as patterns
import pytest
import synthetic
from hypothesis import given
from hypothesis import strategies as st

from linkworth import units
from linkworth.errors import UsageError
from linkworth.profile import build_profile
from linkworth.profile.groups import Balance, decide, grown, measured_exponent
from linkworth.skeleton import RateRequest, parse, rates_for, record_skeleton

RANKS = 8


def group_of(tmp_path, programs, smaller=None):
    path = synthetic.write_trace(tmp_path / "t.lwt", programs)
    other = synthetic.write_trace(tmp_path / "s.lwt", smaller) if smaller is not None else None
    return build_profile(path, other).group


# Bytes and computation as the NAS programs have them on cores of 2024 (seconds a step: FT class W 0.10 s / 6 over 8 ranks,
# 8.4 MB of data; CG class W 0.10 s / 375 over 8 ranks, vectors of 14 kB; BT class A 24.8 s / 200 over 16 ranks in some 14
# exchanges of 78 kB), and then with larger problems of the same programs.
@pytest.mark.parametrize("scale", [1, 16, 256])
def test_programs_have_their_group_at_every_size(tmp_path, scale):
    all_data = patterns.transposes(RANKS, scale * 8_400_000, scale * 2e-3)
    sparse_work = patterns.sparse_solver(RANKS, scale * 14_000, scale * 40e-6)
    faces = patterns.halo(RANKS, int(78_000 * scale ** (2 / 3)), scale * 1.1e-3)
    groups = [group_of(tmp_path, programs) for programs in (all_data, sparse_work, faces)]
    assert groups == ["highly dependent", "dependent", "low"]


@pytest.mark.parametrize(
    ("program", "group"), [("ep", "none"), ("ft", "highly dependent"), ("cg", "dependent")]
)
def test_bundled_programs_have_the_groups_of_the_literature(tmp_path, program, group):
    request = RateRequest(machine="xeon-e5-2650v3-x2")
    now, smaller = (parse([f"npb:{program}.{each}"]) for each in ("W", "S"))
    traces = [
        Path(record_skeleton(each, 4, rates_for(each, request), tmp_path / f"{number}.lwt").path)
        for number, each in enumerate((now, smaller))
    ]
    assert build_profile(*traces).group == group


def test_almost_no_communication_is_none(tmp_path):
    assert group_of(tmp_path, patterns.independent(RANKS, 20e-3)) == "none"
    assert group_of(tmp_path, [[] for _ in range(2)]) == "none"


def test_the_movement_from_a_smaller_run_counts(tmp_path):
    # The same exchanges today; with bytes that grew as the work did they stay, with surfaces they fade.
    now = patterns.sparse_solver(RANKS, 60_000, 2.4e-3)
    as_work = patterns.sparse_solver(RANKS, 60_000 // 8, 2.4e-3 / 8)
    as_points = patterns.sparse_solver(RANKS, 60_000 // 2, 2.4e-3 / 8)
    assert group_of(tmp_path, now, as_work) == "dependent"
    assert group_of(tmp_path, now, as_points) == "low"


def a_balance(compute_seconds, other_bytes):
    return Balance(
        compute_seconds=compute_seconds,
        latency=1.0,
        global_bytes=0.0,
        other_bytes=other_bytes,
        typical_message_bytes=1e4,
    )


@pytest.mark.parametrize(("growth", "exponent"), [(8, 0), (4, 0), (2, -1 / 6), (1.0001, -1 / 3)])
def test_a_run_hardly_smaller_tells_little(growth, exponent):
    found = measured_exponent(a_balance(growth, 3.0), a_balance(1.0, 3.0))
    assert found == pytest.approx(exponent, abs=1e-3)


def test_a_run_that_is_not_smaller_tells_nothing():
    assert measured_exponent(a_balance(1.0, 3.0), a_balance(1.0, 3.0)) is None
    assert "it computes as long as this one" in decide(a_balance(1.0, 3.0), a_balance(1.0, 3.0))[1]
    assert "neighbours exchange too little" in decide(a_balance(2.0, 3.0), a_balance(1.0, 0.0))[1]


def test_a_smaller_run_on_other_ranks_is_refused(tmp_path):
    path = synthetic.write_trace(tmp_path / "t.lwt", patterns.independent(4, 1e-3))
    other = synthetic.write_trace(tmp_path / "s.lwt", patterns.independent(2, 1e-3))
    with pytest.raises(UsageError, match="has 2 ranks"):
        build_profile(path, other)


ratios = st.floats(0, 1e3)
balances = st.builds(
    Balance,
    compute_seconds=st.floats(1e-6, 1e6),
    latency=ratios,
    global_bytes=ratios,
    other_bytes=ratios,
    typical_message_bytes=st.floats(0, 1e9),
)


def test_a_ping_pong_is_no_problem_that_grows():
    of_benchmark, of_solver = (
        decide(
            Balance(
                compute_seconds=1, latency=ratio, global_bytes=0, other_bytes=0, typical_message_bytes=1e4
            )
        )
        for ratio in (300.0, 30.0)
    )
    assert of_benchmark[0] == of_solver[0] == "low"
    assert "only the first figure counts" in of_benchmark[1]
    assert of_solver[1].endswith("computation outgrows communication")


@given(balances, st.floats(-1, 0))
def test_growth_never_raises_the_share_and_keeps_what_is_global(now, exponent):
    later = grown(now, exponent)
    assert later.share <= now.share + 1e-12
    assert later.global_bytes == now.global_bytes
    assert later.compute_seconds >= now.compute_seconds


@given(balances, balances)
def test_every_balance_has_a_group_and_its_reason_names_the_figures(now, smaller):
    group, reason = decide(now, smaller)
    assert group in {"highly dependent", "dependent", "low", "none"}
    assert units.percent(now.share) in reason
    exponent = measured_exponent(now, smaller)
    assert exponent is None or -1 <= exponent <= 0


@given(balances, st.floats(1, 10))
def test_more_communication_of_all_with_all_never_lowers_the_group(now, factor):
    order = ["none", "low", "dependent", "highly dependent"]
    more = Balance(
        compute_seconds=now.compute_seconds,
        latency=now.latency,
        global_bytes=now.global_bytes * factor,
        other_bytes=now.other_bytes,
        typical_message_bytes=now.typical_message_bytes,
    )
    assert order.index(decide(more)[0]) >= order.index(decide(now)[0])

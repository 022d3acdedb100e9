"""Traces scaled from small recordings equal those that the programs' skeletons give at the large count."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from written_programs import calls, computed, same_calls

from linkworth import _engine
from linkworth.cli.main import main
from linkworth.model.rates import RateSource
from linkworth.scale import ScaleRequest, scale
from linkworth.skeleton import parse, record_skeleton


def skeleton(command: str, ranks: int, folder: Path) -> Path:
    program = parse(command.split())
    rates = RateSource(
        method="reference",
        description="a nanosecond an operation",
        seconds_per_operation=dict.fromkeys(_engine.skeleton_programs()[program.name], 1e-9),
    )
    return Path(record_skeleton(program, ranks, rates, folder / f"{ranks}.lwt").path)


def scaled(command: str, small: list[int], large: int, folder: Path) -> tuple[Path, Path]:
    """Return the scaled trace, and what it should be."""
    request = ScaleRequest(
        traces=[skeleton(command, ranks, folder) for ranks in small], ranks=large, output=folder / "out.lwt"
    )
    return Path(scale(request).path), skeleton(command, large, folder)


@pytest.mark.parametrize(
    ("command", "small", "large"),
    [
        ("npb:ep.S", [2, 4, 8], 32),
        ("npb:cg.A", [4, 16, 64], 256),
        ("npb:ft.W", [2, 4, 8], 32),
        ("stencil:72x72x4 --iterations 20", [4, 9, 16], 36),
        pytest.param("npb:bt.W", [4, 9, 16], 36, marks=pytest.mark.exhaustive),
        ("npb:mg.S", [4, 16, 64], 256),
    ],
)
def test_every_call_is_that_of_the_skeleton(
    command: str, small: list[int], large: int, tmp_path: Path
) -> None:
    made, wanted = scaled(command, small, large, tmp_path)
    for rank in (0, 1, large // 2 + 1, large - 1):
        assert calls(made, rank) == calls(wanted, rank)
    assert computed(made) == pytest.approx(computed(wanted), rel=0.1)


def test_a_role_of_one_recording_has_a_count_for_each_rank(tmp_path: Path) -> None:
    # Inner ranks are in the recording on four ranks only, where all of them have the same counts.
    made, _ = scaled("npb:is.S", [2, 4], 8, tmp_path)
    counts = [
        call["fields"]["send_counts"]
        for rank in range(8)
        for call in _engine.Trace(str(made)).iterate(rank)
        if call["name"] == "MPI_Alltoallv"
    ]
    assert counts
    assert {len(each) for each in counts} == {8}


def stencil(side: int, ranks: int, folder: Path) -> Path:
    inner = folder / str(side)
    inner.mkdir(exist_ok=True)
    return skeleton(f"stencil:{side}x{side}x4 --iterations 24", ranks, inner)


@pytest.mark.parametrize(
    ("small", "wanted", "options"),
    [
        ([(48, 4), (72, 9), (96, 16)], (144, 36), {"weak": True}),
        ([(48, 4), (96, 4), (96, 16), (192, 16)], (384, 64), {"sizes": [48, 96, 96, 192], "to_size": 384}),
        ([(96, 4), (96, 9), (96, 16)], (96, 32), {"grid": (8, 4)}),
    ],
)
def test_growing_problems_and_other_grids(
    small: list[tuple[int, int]], wanted: tuple[int, int], options: dict[str, Any], tmp_path: Path
) -> None:
    made = tmp_path / "made.lwt"
    traces = [stencil(side, ranks, tmp_path) for side, ranks in small]
    scale(ScaleRequest(traces=traces, ranks=wanted[1], output=made, **options))
    right = stencil(*wanted, tmp_path)
    assert same_calls(made, right)
    assert computed(made) == pytest.approx(computed(right), rel=0.1)


def test_differences_at_the_largest_count_are_told_and_kept(
    tmp_path: Path, json_of: Callable[..., Any]
) -> None:
    small = [str(skeleton("npb:ep.S", ranks, tmp_path)) for ranks in (2, 4, 8)]
    made = tmp_path / "made.lwt"
    told = json_of("scale", *small, "-n", "16", "-o", str(made))["scaling"]
    assert told["left_out"]["calls"] == 0
    assert abs(told["left_out"]["compute"]) < 0.01
    assert json.loads(_engine.Trace(str(made)).metadata_json)["scaling"] == told


def test_a_recording_that_does_not_align_is_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = [str(skeleton("npb:ep.S", ranks, tmp_path)) for ranks in (4, 8, 16)]
    small.append(str(skeleton("npb:mg.S", 2, tmp_path)))
    made = tmp_path / "made.lwt"
    assert main(["scale", *small, "-n", "32", "-o", str(made)]) == 0
    assert "do not align with the others: those on 2 ranks" in " ".join(capsys.readouterr().err.split())
    assert all(calls(made, rank) == calls(skeleton("npb:ep.S", 32, tmp_path), rank) for rank in (0, 31))


def test_what_does_not_align_is_refused_with_the_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small = [str(skeleton("npb:ep.S", 2, tmp_path)), str(skeleton("npb:mg.S", 4, tmp_path))]
    assert main(["scale", *small, "-n", "8", "-o", str(tmp_path / "made.lwt")]) == 1
    assert "do not align: MPI_" in capsys.readouterr().err
    assert not (tmp_path / "made.lwt").exists()


@pytest.mark.parametrize(("side", "small", "large"), [(72, [4, 16, 64], 256), (76, [4, 8, 16], 32)])
def test_a_remainder_that_no_recording_shows_is_told(
    side: int, small: list[int], large: int, tmp_path: Path, json_of: Callable[..., Any]
) -> None:
    """Recorded sides divide the problem and the new one does not, so that no rank has the mean."""
    made, wanted = scaled(f"stencil:{side}x{side}x4 --iterations 6", small, large, tmp_path)
    assert calls(made, 0) != calls(wanted, 0)
    assert json.loads(_engine.Trace(str(made)).metadata_json)["scaling"]["uneven"] > 1.1
    arguments = [str(made), "--nodes", "2", "--on", "gbe"]
    told = json_of("predict", *arguments)
    assert "may not divide the problem" in " ".join(told["warnings"])
    (predicted,) = told["predictions"]
    assert predicted["interval"]["high_seconds"] > 1.1 * predicted["seconds"]
    assert "may not divide the problem" in " ".join(
        json_of("advise", *arguments, "--price", "gbe=1")["warnings"]
    )


def test_a_remainder_that_is_recorded_leaves_no_doubt(tmp_path: Path) -> None:
    made, wanted = scaled("stencil:70x70x4 --iterations 6", [4, 16, 64], 256, tmp_path)
    assert same_calls(made, wanted)
    assert not json.loads(_engine.Trace(str(made)).metadata_json)["scaling"]["remarks"]


def test_slabs_that_may_become_pencils_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """FT of class W has slabs up to 32 ranks, and recordings up to 8 do not show what follows."""
    made, _ = scaled("npb:ft.W", [2, 4, 8], 64, tmp_path)
    assert main(["predict", str(made), "--nodes", "2", "--on", "gbe"]) == 0
    assert "MPI_Alltoall; a program that cuts its data into slabs" in " ".join(
        capsys.readouterr().err.split()
    )

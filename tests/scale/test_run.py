"""Recordings that cannot be scaled are refused in words that the user can act on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from written_programs import BARRIER, Event, scaled, trace

from linkworth.catalog.fabrics import get
from linkworth.cli.scale import trust
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.scaling import LeftOut, Scaling
from linkworth.predict import predict
from linkworth.profile import build_profile
from linkworth.replay.layout import Arrangement
from linkworth.scale import ScaleRequest, scale


def barriers(rank: int, ranks: int) -> Iterator[Event]:
    yield from [("MPI_Barrier@a.c:2", "collective", BARRIER)] * 5


def recording(ranks: int, folder: Path, processor: str = "") -> Path:
    return trace(barriers, ranks, folder, processor=processor)


def test_a_scaled_program_has_no_time_of_its_own(tmp_path: Path) -> None:
    made = tmp_path / "made.lwt"
    scale(ScaleRequest(traces=[recording(4, tmp_path), recording(8, tmp_path)], ranks=16, output=made))
    recorded, bare = build_profile(tmp_path / "8.lwt"), build_profile(made)
    assert recorded.timed and sum(recorded.rank_communication_seconds) > 0
    assert not bare.timed and bare.waits is None
    assert sum(bare.rank_communication_seconds) == sum(call.seconds for call in bare.calls) == 0
    assert bare.elapsed_seconds == predict(made, [get("shm")], Arrangement(nodes=1)).predictions[0].seconds


def test_recordings_on_different_processors_are_doubtful(tmp_path: Path) -> None:
    def remarks(*processors: str) -> str:
        traces = [recording(4 << k, tmp_path, processor) for k, processor in enumerate(processors)]
        request = ScaleRequest(traces=traces, ranks=32, output=tmp_path / "made.lwt", replace=True)
        said: list[str] = []
        made = scale(request, said.append).scaling
        assert said == [each for each in made.remarks if "processors" in each]
        assert made.processors == list(dict.fromkeys(filter(None, processors)))
        return " ".join(made.remarks)

    mixed = remarks("A 1", "A 1", "B 2")
    assert "different processors (4, 8 ranks: A 1; 16 ranks: B 2)" in mixed
    assert "processors" not in remarks("A 1", "", "A 1")


@pytest.mark.parametrize(("seconds", "doubtful"), [(0.01, True), (0.1, False)])
def test_recordings_that_hardly_compute_are_doubtful(seconds: float, doubtful: bool, tmp_path: Path) -> None:
    made = scaled(barriers, (4, 8), 16, tmp_path, lambda rank, ranks, calls: [seconds / calls] * calls)[1]
    assert ("8 ranks computed for 10 ms" in " ".join(made.scaling.remarks)) == doubtful
    assert made.scaling.short == doubtful


def test_a_time_of_calls_to_files_that_is_not_the_same_is_doubtful(tmp_path: Path) -> None:
    def writing(rank: int, ranks: int) -> Iterator[Event]:
        yield "MPI_File_write_all@a.c:3", "local", {}
        yield from barriers(rank, ranks)

    doubt = "files take 0.5 times as long on 8 ranks as on 4"
    assert doubt in " ".join(scaled(writing, (4, 8), 16, tmp_path)[1].scaling.remarks)


def test_one_recording_given_twice_is_refused(tmp_path: Path) -> None:
    path = recording(4, tmp_path)
    with pytest.raises(UsageError, match="both have 4 ranks; give one recording for each count"):
        scale(ScaleRequest(traces=[path, path], ranks=8, output=tmp_path / "made.lwt"))


def test_a_scaled_trace_is_no_recording(tmp_path: Path) -> None:
    small, large = recording(4, tmp_path), tmp_path / "large.lwt"
    scale(ScaleRequest(traces=[small, recording(8, tmp_path)], ranks=16, output=large))
    with pytest.raises(UsageError, match=r"large\.lwt is scaled itself, .* give those"):
        scale(ScaleRequest(traces=[small, large], ranks=32, output=tmp_path / "made.lwt"))


@pytest.mark.parametrize(
    ("sizes", "reached", "known"),
    [
        ((7, 7), (16, 9), False),
        ((7, 7), (16, 7), True),
        ((10, 20), (16, 40), True),
        ((10, 20), (16, 80), False),
        ((126, 159), (16, 200), True),
        ((10, 20, 20), (32, 20), True),
    ],
)
def test_a_size_that_the_recordings_do_not_show_is_refused(sizes, reached, known, tmp_path) -> None:
    traces = [recording(4 << k, tmp_path) for k in range(len(sizes))]
    request = ScaleRequest(
        traces=traces, ranks=reached[0], sizes=sizes, to_size=reached[1], output=tmp_path / "made.lwt"
    )
    if known:
        assert scale(request).ranks == reached[0]
        return
    with pytest.raises(
        UsageError, match=f"so that {reached[1]} on {reached[0]} is not known; record a count with"
    ):
        scale(request)


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"sizes": (0, 1), "to_size": 2}, "`size` 0: give a number from"),
        ({"sizes": (1, 2), "to_size": -4}, "`size` -4: give a number from"),
        ({"grid": (-4, -4)}, "give 1 to 4 extents"),
        ({"ranks": 1 << 40}, "give at most 1048576"),
    ],
)
def test_numbers_that_no_problem_has_are_refused(
    options: dict[str, Any], advice: str, tmp_path: Path
) -> None:
    traces = [recording(4, tmp_path), recording(8, tmp_path)]
    with pytest.raises(UsageError, match=advice):
        scale(ScaleRequest(**{"traces": traces, "ranks": 16, "output": tmp_path / "made.lwt", **options}))


def test_an_incomplete_recording_is_to_be_recorded_again(tmp_path: Path) -> None:
    cut = recording(8, tmp_path)
    cut.write_bytes(cut.read_bytes()[:-200])
    with pytest.raises(DamagedInputError, match=r"8\.lwt is incomplete: .*; record it again$"):
        scale(ScaleRequest(traces=[recording(4, tmp_path), cut], ranks=16, output=tmp_path / "made.lwt"))


def test_differences_of_the_largest_recording_have_one_sign_or_comparison() -> None:
    left_out = LeftOut(
        ranks=16,
        calls=0,
        messages=-0.997,
        bytes=1.4,
        compute=-0.12,
        seconds={"gbe": -0.0003, "ib-hdr": 0.004},
    )
    assert trust(left_out, [4, 8, 16]) == (
        "The recording at 16, predicted from 4, 8: calls equal, messages −100 %, data x 2.40, computation −12 %, "
        "time on gbe 0 %, time on ib-hdr +0.4 %"
    )


def test_an_interval_contains_twice_a_time_that_was_predicted_half_as_long() -> None:
    left_out = LeftOut(
        ranks=16, calls=0, messages=0, bytes=0, compute=0, seconds={"gbe": -0.5, "ib-hdr": 0.2}
    )
    made = Scaling(ranks=[4, 8, 16], grid=[32], roles="all", role_count=1, left_out=left_out)
    assert made.span() == pytest.approx((0.5, 2.0))
    own = msgspec.structs.replace(left_out, as_distributions={"gbe": -0.6, "ib-hdr": 0.0})
    assert msgspec.structs.replace(made, left_out=own).span() == pytest.approx((0.4, 2.5))

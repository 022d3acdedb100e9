"""The table of predictions: what its times are compared with, and its bytes."""

import msgspec

from linkworth.cli.prediction_table import prediction_table
from linkworth.model.prediction import Calibration, Prediction, PredictionSet


def _prediction(fabric: str, seconds: float, internode_bytes: int) -> Prediction:
    return Prediction(
        fabric=fabric,
        seconds=seconds,
        compute_seconds=seconds,
        overhead_seconds=0.0,
        latency_seconds=0.0,
        bandwidth_seconds=0.0,
        wait_seconds=0.0,
        internode_bytes=internode_bytes,
    )


FOUND = PredictionSet(
    workload="npb:ft.C",
    ranks=64,
    nodes=2,
    predictions=[_prediction("gbe", 108.0, 23_600_000_000), _prediction("10gbe", 21.6, 1_200_000)],
)


def _columns(found: PredictionSet) -> dict[str, list[str]]:
    return {
        str(column.header): [str(cell) for cell in column.cells] for column in prediction_table(found).columns
    }


def test_times_are_compared_with_the_first_fabric() -> None:
    assert _columns(FOUND)["against first"] == ["1.00 x", "0.20 x"]


def test_times_are_compared_with_what_was_measured() -> None:
    measured = Calibration(measured_fabric="ib-fdr", measured_seconds=14.4)
    assert _columns(msgspec.structs.replace(FOUND, calibration=measured))["against ib-fdr"] == [
        "7.50 x",
        "1.50 x",
    ]


def test_bytes_between_nodes_have_the_unit_that_fits_them() -> None:
    assert _columns(FOUND)["between nodes"] == ["23.6 GB", "1.2 MB"]

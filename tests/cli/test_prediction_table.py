"""The table of predictions: what its times are compared with, and its bytes."""

import msgspec
from advice_inputs import predicted

from linkworth.cli.prediction_table import prediction_table
from linkworth.model.prediction import Calibration, PredictionSet

FOUND = predicted({"gbe": 108.0, "10gbe": 21.6}, nodes=2, workload="npb:ft.C")


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
    carried = [
        msgspec.structs.replace(each, timed_internode_bytes=count, internode_bytes=2 * count)
        for each, count in zip(FOUND.predictions, (23_600_000_000, 1_200_000), strict=True)
    ]
    found = msgspec.structs.replace(FOUND, predictions=carried)
    assert _columns(found)["between nodes"] == ["23.6 GB", "1.2 MB"]

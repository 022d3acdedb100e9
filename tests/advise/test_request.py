"""Input of an advice: FABRIC=NUMBER, catalogs, files of predictions."""

import pytest

from linkworth.advise import request
from linkworth.advise.request import PriceOptions
from linkworth.errors import UsageError


def test_the_catalog_is_asked_only_for_what_no_option_gives():
    found = request.gather_prices(PriceOptions(assignments=["gbe=0.5", "gbex4=2"], catalog="demo"))
    assert found["gbe"].usd_per_node_hour == 0.5
    assert found["gbex4"].usd_per_node_hour == 2.0
    assert found["ib-fdr"].usd_per_node_hour == 0.975
    assert set(request.gather_prices(PriceOptions(catalog="demo"), needed=["10gbe"])) == {"10gbe"}
    with pytest.raises(
        UsageError, match=r"fabric ib-hdr has several prices in `prices` azure \(.*`price` ib-hdr=\d"
    ):
        request.gather_prices(PriceOptions(catalog="azure"), needed=["ib-hdr"])


def test_a_fabric_file_is_priced_by_its_path(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "mine"\ntitle = "t"\nintranode = "shm"\n[link]\nlatency_seconds = 0\nbandwidth_bytes_per_second = 1\n'
    )
    assert set(request.gather_prices(PriceOptions(assignments=[f"{path}=1"]))) == {"mine"}
    priced = {
        "assignments": [f"{path}=1"],
        "core_hours": [f"{path}=1,cores=4"],
        "on_premises": [f"{path}=1,years=5"],
    }
    for option, texts in priced.items():
        assert PriceOptions(**{option: texts}).names_of(["gbe", "mine"]) == ["gbe", str(path)]
    assert request.fabric_name("elsewhere") == "elsewhere"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[]", "is not the JSON document of `linkworth predict`"),
        (b'{"workload":"w","ranks":1,"nodes":2}', "'predictions' is missing"),
        (b'{"schema":"other/1","workload":"w","ranks":1,"nodes":2,"predictions":[]}', "has schema 'other/1'"),
        (
            b'{"workload":"w","ranks":1,"nodes":0,"predictions":[]}',
            "expected a whole number >= 1 - at '$.nodes'",
        ),
        (
            b'{"workload":"w","ranks":1,"nodes":1,"predictions":[],"collectives":{"library":"pvm"}}',
            "Invalid enum value 'pvm' - at '$.collectives.library'",
        ),
    ],
)
def test_a_file_that_is_no_prediction_is_said(tmp_path, content, message):
    path = tmp_path / "p.json"
    with pytest.raises(UsageError) as caught:
        request.load_predictions(content, path)
    assert str(path) in str(caught.value) and message in str(caught.value)

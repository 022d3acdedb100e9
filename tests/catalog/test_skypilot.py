"""SkyPilot's catalog: exact types, the cheapest zone, markets apart, and files that are none."""

import os

import pytest

from linkworth.catalog import prices
from linkworth.errors import UsageError

HEADER = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n"
AWS = (
    "hpc6a.48xlarge,96.0,384.0,,,,us-east-2,us-east-2b,2.88,\n"
    "c5n.18xlarge,72.0,192.0,,,,us-east-1,us-east-1a,3.888,1.5\n"
    "c5n.18xlarge,72.0,192.0,,,,us-east-1,us-east-1b,3.888,1.25\n"
    "c5n.18xlarge,72.0,192.0,,,,eu-west-1,eu-west-1a,4.392,\n"
    "c5n.large,2.0,5.25,,,,us-east-1,us-east-1a,0.108,0.05\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "aws").mkdir()
    file = tmp_path / "aws/vms.csv"
    file.write_text(HEADER + AWS)
    os.utime(file, (1_790_000_000, 1_790_000_000))  # 2026-09-21
    return tmp_path


def test_known_types_are_priced_by_region_and_market(folder):
    found = prices.get_catalog(f"skypilot:{folder}")
    assert [(one.name, one.region, one.market, one.usd_per_node_hour) for one in found] == [
        ("hpc6a.48xlarge", "us-east-2", "on-demand", 2.88),
        ("c5n.18xlarge", "us-east-1", "on-demand", 3.888),
        ("c5n.18xlarge", "us-east-1", "spot", 1.25),
        ("c5n.18xlarge", "eu-west-1", "on-demand", 4.392),
    ]
    assert {(one.fabric, one.provider, one.date) for one in found} == {("efa", "AWS", "2026-09-21")}
    assert found[1].cores == 36
    assert found[2].source.endswith("aws/vms.csv, line 4 (c5n.18xlarge)")


def test_a_type_that_two_catalogs_have_keeps_its_cores(folder):
    rows = "c4.8xlarge,36,60,,,,us-east-1,a,1.6,\nStandard_HB120rs_v3,120,456,,,,eastus,,3.6,\n"
    (folder / "aws/vms.csv").write_text(HEADER + rows)
    # The catalog of the demo has them too, without cores.
    assert [one.cores for one in prices.get_catalog(f"skypilot:{folder}")] == [18, 120]


def test_a_price_of_zero_is_none(folder):
    rows = "c5n.18xlarge,72,192,,,,us-east-1,a,0.0,1.5\nc5n.18xlarge,72,192,,,,us-east-1,b,3.888,0\n"
    (folder / "aws/vms.csv").write_text(HEADER + rows)
    found = prices.get_catalog(f"skypilot:{folder}")
    assert [(one.market, one.usd_per_node_hour) for one in found] == [("spot", 1.5), ("on-demand", 3.888)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER.replace("Price,SpotPrice", "Price"), "column SpotPrice is missing"),
        (HEADER + AWS.replace("2.88", "dear"), r"line 2 \(hpc6a.48xlarge\): Price: 'dear' is no number"),
        (HEADER + AWS.replace("2.88", "nan"), "Price: nan is no price"),
        (HEADER + AWS.replace("2.88", "-1"), "Price: -1 is no price"),
        (HEADER + "m5.large,2,8,,,,r,z,0.1,\n", "no node type whose fabric is known"),
        ("\xff\x00", "vms.csv"),
        (HEADER + 'c5n.18xlarge,"72', "is no CSV table"),
    ],
)
def test_a_file_that_is_no_catalog_is_one_sentence(folder, text, message):
    (folder / "aws/vms.csv").write_text(text, encoding="latin-1")
    with pytest.raises(UsageError, match=message):
        prices.get_catalog(f"skypilot:{folder}")


def test_the_home_of_an_unknown_user_is_one_sentence():
    with pytest.raises(UsageError, match="~nobody-by-this-name/v8"):
        prices.get_catalog("skypilot:~nobody-by-this-name/v8")


def test_a_folder_without_clouds_names_what_to_give(tmp_path):
    with pytest.raises(UsageError, match=r"has no CLOUD/vms\.csv; give the folder of one version"):
        prices.get_catalog(f"skypilot:{tmp_path}")

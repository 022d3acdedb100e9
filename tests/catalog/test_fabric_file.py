"""Fabric files of a user: what is accepted, and what is said of a faulty one."""

import copy
import math

import jsonschema
import msgspec
import pytest

from linkworth.catalog import fabric_file, fabrics
from linkworth.errors import UsageError

GOOD = """
name = "mine"
title = "my network"
intranode = "shm"
[link]
latency_seconds = 1.5e-6
bandwidth_bytes_per_second = 1.0e9
send_overhead = [[0, 1e-7], [1024, 2e-7]]
receive_overhead = [[0, 1e-7]]
eager_limit_bytes = 4096
mtu_bytes = 1500
header_bytes = 90
header_in_mtu_bytes = 52
"""


def write(folder, text):
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("right", "wrong", "meant"),
    [
        ("latency_seconds", "latency", "latency_seconds"),
        ("eager_limit_bytes", "eager_limit_byte", "eager_limit_bytes"),
        ("intranode", "intranodes", "intranode"),
    ],
)
def test_an_unknown_field_is_answered_with_the_one_that_was_meant(tmp_path, right, wrong, meant):
    with pytest.raises(UsageError, match=f"mine.toml: .*no key '{wrong}'; did you mean .*{meant}"):
        fabrics.get(write(tmp_path, GOOD.replace(f"{right} =", f"{wrong} =")))


def test_a_field_that_nothing_resembles_is_answered_with_all(tmp_path):
    with pytest.raises(
        UsageError,
        match=r"no key 'qqqq'; known here: aggregation, block_seconds, .*, unexpected_copy_bytes_per_second, worst_miss$",
    ):
        fabrics.get(write(tmp_path, GOOD.replace("title =", "qqqq =")))


def test_a_good_file_is_read_with_shared_memory_or_its_own(tmp_path):
    fabric = fabrics.get(write(tmp_path, GOOD))
    assert fabric.name == "mine"
    assert fabric.link.send_overhead == [(0, 1e-7), (1024, 2e-7)]
    assert fabric.intranode == fabrics.get("shm").link
    assert any("intranode.latency_seconds" in source.fields for source in fabric.sources)
    assert "link.latency_seconds" in fabric_file.fields_without_source(fabric)
    assert "intranode.latency_seconds" not in fabric_file.fields_without_source(fabric)
    text = (
        GOOD.replace('intranode = "shm"\n', "")
        + "[intranode]\nlatency_seconds = 0\nbandwidth_bytes_per_second = inf\n"
    )
    fabric = fabrics.get(write(tmp_path, text))
    assert math.isinf(fabric.intranode.bandwidth_bytes_per_second)
    assert math.isinf(fabric.intranode_total_bytes_per_second)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "latency_seconds = 1.5e-6",
            "latency_seconds = -1e-6",
            "link.latency_seconds is -1e-06; give 0, or a number from 1e-15 to 10000",
        ),
        ("latency_seconds = 1.5e-6", "latency_seconds = nan", "link.latency_seconds is nan"),
        ("latency_seconds = 1.5e-6", 'latency_seconds = "1us"', "link.latency_seconds: expected a number, got a string"),
        ("latency_seconds = 1.5e-6\n", "", "link: 'latency_seconds' is missing"),
        ("second = 1.0e9", "second = 0", "link.bandwidth_bytes_per_second is 0.0; give a number from 1 to 1e18, or inf"),
        ("[1024, 2e-7]", "[0, 2e-7]", r"link.send_overhead\[1\] is \(0, 2e-07\); write the points in order"),
        ("[1024, 2e-7]", "[1024, -2e-7]", r"the seconds of link.send_overhead\[1\] is -2e-07"),
        ("[1024, 2e-7]", "[1024]", r"link.send_overhead\[1\]: expected"),
        ("eager_limit_bytes = 4096", "eager_limit_bytes = -1", "link.eager_limit_bytes is -1; give 0, or a number from 1 to"),
        ("mtu_bytes = 1500", "mtu_bytes = 40", "link.mtu_bytes is 40; give more than header_in_mtu_bytes"),
        ("mtu_bytes = 1500\n", "", "link.header_bytes is 90; headers need packets"),
        ("header_in_mtu_bytes = 52", "header_in_mtu_bytes = 91", "link.header_in_mtu_bytes is 91; it is a part of"),
        ('intranode = "shm"', 'intranode = "ib-fdr"', "intranode = 'ib-fdr' is a network between nodes"),
        ('intranode = "shm"', 'intranode = "../x"', "intranode names no fabric"),
        ('name = "mine"', 'name = "My Net"', "name: expected a string matching regex"),
        ('title = "my network"', 'title = "t"\nrails = 0', "rails is 0; give a number from 1 to 64"),
        (
            'title = "my network"',
            'title = "t"\nrail_efficiency = 1.5',
            "rail_efficiency is 1.5; give 0, or a number from 1e-9 to 1",
        ),
        (
            "[link]\nlatency_seconds = 1.5e-6\nbandwidth_bytes_per_second = 1.0e9",
            "duplex_bytes_per_second = 1e9\n[link]\nlatency_seconds = 1.5e-6\nbandwidth_bytes_per_second = inf",
            "duplex_bytes_per_second is 1000000000.0; it limits a path of finite bandwidth",
        ),
        ('title = "my network"', 'title = "t"\norigin = "me"', "no key 'origin'"),
        ("[link]", "[link", "is not valid TOML"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_file_and_field(tmp_path, old, new, message):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(UsageError, match=message) as caught:
        fabrics.get(path)
    assert path in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_left_out(tmp_path):
    plain = fabrics.get(write(tmp_path, GOOD))
    assert fabrics.get(write(tmp_path, "\ufeff" + GOOD)) == plain


def test_what_is_no_text_file_is_said(tmp_path):
    binary = tmp_path / "b.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        fabrics.get(str(binary))
    with pytest.raises(UsageError, match="no such file"):
        fabrics.get(str(tmp_path / "none.toml"))
    folder = tmp_path / "folder.toml"
    folder.mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        fabrics.get(str(folder))


def test_the_json_schema_accepts_the_catalog_and_refuses_a_misspelt_field():
    schema = fabric_file.schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for name in fabrics.names():
        validator.validate(msgspec.to_builtins(fabrics.document_of(name)))
    bad = copy.deepcopy(fabrics.document_of("gbe"))
    bad["link"]["latency"] = 1.0
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(bad)

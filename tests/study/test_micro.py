"""Micro-benchmarks in a study take the options of `linkworth bench`."""

import pytest

from linkworth.bench.settings import BenchSettings
from linkworth.errors import UsageError
from linkworth.study.micro import parse


def read(command):
    return parse(command.split(" ")).settings


def test_options_are_read_as_the_command_line_reads_them():
    random = read("bench:beff --longest 64K --seed 7 --precision 0.1")
    assert random == BenchSettings(longest=65536, seed=7, precision=0.1)
    pair = read("bench:pingpong --async --min 1K --max 2K --among node")
    assert pair == BenchSettings(asynchronous=True, sizes=[1024, 2048], among="node")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("bench:bandwidth --window 2.5", "bench:bandwidth --window 2.5: give a whole number"),
        ("bench:bandwidth --window 0", "bench:bandwidth --window: 0 is out of range"),
        ("bench:latency --among some", "bench:latency --among some: choose auto, pair-in-node"),
        ("bench:latency --sizes", "bench:latency --sizes: its value is missing"),
        ("bench:latency --methods sendrecv", "bench:latency has no option '--methods'; there are --sizes"),
    ],
)
def test_what_cannot_be_read_is_named(command, sentence):
    with pytest.raises(UsageError, match=sentence):
        read(command)

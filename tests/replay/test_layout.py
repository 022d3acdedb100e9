"""Ranks on nodes: block, cyclic, listed, from files."""

from pathlib import Path

import pytest

from linkworth.errors import UsageError
from linkworth.replay.layout import lay_out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"nodes": 2}, [0, 0, 0, 1, 1, 1]),
        ({"ppn": 4}, [0, 0, 0, 0, 1, 1]),
        ({"nodes": 2, "placement": "cyclic"}, [0, 1, 0, 1, 0, 1]),
        ({"ppn": 2, "placement": "cyclic"}, [0, 1, 2, 0, 1, 2]),
        ({"placement": "0,0,1,1,0,2"}, [0, 0, 1, 1, 0, 2]),
        ({"placement": "7, 07, 3, 3, 3, 3"}, [0, 0, 1, 1, 1, 1]),
    ],
)
def test_six_ranks(options: dict, expected: list[int]) -> None:
    layout = lay_out(6, **options)
    assert layout.node_of_rank == expected
    assert layout.nodes == max(expected) + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node1 slots=4\nnode2 slots=4\n", [0, 0, 0, 0, 1, 1]),
        ("# head\nnode1:2\nnode2:4  # more\n", [0, 0, 1, 1, 1, 1]),
        ("a\nb\na\nb\na\nb\n", [0, 1, 0, 1, 0, 1]),
        ("a max_slots=8 slots=5\nb slots = 1\n", [0, 0, 0, 0, 0, 1]),
        ("rank 0=n1 slot=0:0\nrank 2=n1 slot=1\nrank 1=n2\nrank 3=n2\nrank 4=n3 slot=*\nrank 5=n3\n", [0, 1, 0, 1, 2, 2]),
    ],
)  # fmt: skip
def test_files(tmp_path: Path, text: str, expected: list[int]) -> None:
    path = tmp_path / "hosts"
    path.write_text(text)
    assert lay_out(6, placement=str(path)).node_of_rank == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("node1 slots=4\n", r"room for 4 ranks, but the trace has 6"),
        ("node1 slots=many\n", r"line 1: 'node1 slots=many' is neither a host"),
        ("rank 0=a\nrank 0=b\n", r"line 2: rank 0 is placed twice"),
        ("rank 0=a\nrank 1=b\n", r"rank 2 is missing"),
        ("".join(f"rank {rank}=a\n" for rank in range(7)), r"it places 7 ranks, but the trace has 6"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        lay_out(6, placement=str(path))


def test_other_faults() -> None:
    for unknown in ("blocks", ";".join(map(str, range(300)))):
        with pytest.raises(UsageError, match="no such file; give block, cyclic"):
            lay_out(6, placement=unknown)
    with pytest.raises(UsageError, match="leave `nodes` and `ppn` out"):
        lay_out(6, nodes=2, placement="0,0,0,1,1,1")
    with pytest.raises(UsageError, match="it places 2 ranks, but the trace has 6"):
        lay_out(6, placement="0,1")
    for faulty in ("0,,0,1,1,1", "0,0,0,1,1,", "0 0 0 1 1 1"):
        with pytest.raises(UsageError, match="give a node's number for each rank"):
            lay_out(6, placement=faulty, numbered=faulty[-1] == ",")

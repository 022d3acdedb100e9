"""The published figures that the board compares predictions with: one TOML file a source."""

from pathlib import Path
from typing import Literal

import msgspec

from linkworth.errors import UsageError
from linkworth.model.study import Study
from linkworth.study.definition import shipped_files
from linkworth.study.definition.file import load
from linkworth.study.definition.published import UNITS, times_of

FOLDER = Path(__file__).parent
Test = Literal[
    "imb_pingpong", "osu_latency", "osu_bw", "osu_bibw", "osu_mbw_mr", "osu_alltoall", "osu_allgather", "osu_allreduce"
]  # fmt: skip
RATES = {"osu_bw", "osu_bibw", "osu_mbw_mr"}
"""Tests whose figure is a rate; the others' is a time."""
TIMES_IN, RATES_IN = {"s", "ms", "us"}, {"kB/s", "MB/s", "GB/s"}


class BenchTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One micro-benchmark on one system, by message size."""

    system: str
    mpi: str
    test: Test
    ranks: int
    nodes: int
    unit: str
    values: list[tuple[int, float]]
    """Bytes, and the figure in `unit`."""

    def seconds(self, size: int, value: float) -> float:
        """Return a figure as the time of a message, or of a collective."""
        figure = value * UNITS[self.unit]
        return size / figure if self.test in RATES else figure


class LayoutTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times of programs by layout: `4x4` is four nodes with four ranks each."""

    fabric: str
    mpi: str
    machine: str
    """Name of the nodes in the catalog."""
    unit: str
    values: dict[str, dict[str, float]]
    computation_spread: float = 0.0
    """Relative deviation of the computation between two runs, if the source tells of one."""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A source of figures."""

    title: str
    source: str
    licence: str
    date: str
    memory_bytes_per_second: float | None = None
    """Memory bandwidth of a node, if the source tells enough of it."""
    study: str = ""
    """Name of the shipped study whose `[published]` table has the times."""
    tests: list[BenchTable] = []
    bases: dict[str, str] = {}
    """Network of the catalog by system, if the figures alone do not show its kind."""
    layouts: LayoutTable | None = None
    name: str = ""

    def predicted_study(self) -> Study:
        """Return the study at the scale that predicts it with nothing given."""
        return load(shipped_files.files()[self.study], scale="predict")

    def times(self) -> dict[str, dict[str, float]]:
        """Return the study's published seconds, by network and program."""
        study = load(shipped_files.files()[self.study])
        found = {each.fabric: times_of(study.published, each.name) for each in study.environments}
        return {
            fabric: {program: seconds for program, seconds in times.items() if program.startswith("npb:")}
            for fabric, times in found.items()
            if times
        }


def read(path: Path) -> Source:
    """Read a source. Raises UsageError that names the file, for an unknown field, a wrong unit or an impossible figure."""
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=Source)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}: {error}") from None
    for table in found.tests:
        expected = RATES_IN if table.test in RATES else TIMES_IN
        _check(
            path,
            f"{table.test} of {table.system}",
            table.unit,
            expected,
            [value for _, value in table.values],
        )
    if found.layouts is not None:
        figures = [value for row in found.layouts.values.values() for value in row.values()]
        _check(path, "layouts", found.layouts.unit, TIMES_IN, figures)
    return msgspec.structs.replace(found, name=path.stem)


def _check(path: Path, what: str, unit: str, expected: set[str], figures: list[float]) -> None:
    if unit not in expected:
        raise UsageError(f"{path}: {what} is in {unit!r}; its unit is one of {', '.join(sorted(expected))}")
    if not all(0 < figure < float("inf") for figure in figures):
        raise UsageError(f"{path}: {what} has a figure that is not above 0")


def sources(folder: Path = FOLDER) -> list[Source]:
    """Return all sources, by name."""
    return [read(path) for path in sorted(folder.glob("*.toml"))]

"""Tables of a study file as written, and the JSON Schema with which editors check them."""

import sys
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from linkworth.model.number_range import CPU_FACTOR, PRICE_USD, TIMEOUT_SECONDS
from linkworth.model.place import Binding
from linkworth.model.study import Measured, PublishedConclusion, StudyComparison, StudyPrediction, StudyPrices

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
Reference = Annotated[
    str, Meta(pattern=rf"^\$\{{{NAME}\}}$", description="A variable in place of the number: ${ranks}.")
]
Count = Annotated[int, Meta(ge=1)] | Reference
Seconds = Annotated[float, Meta(ge=TIMEOUT_SECONDS.least, le=TIMEOUT_SECONDS.most)]
Factor = Annotated[float, Meta(ge=CPU_FACTOR.least, le=CPU_FACTOR.most)] | Reference
Price = Annotated[float, Meta(ge=0, le=PRICE_USD.most)] | Reference
Node = Annotated[int, Meta(ge=0)]
ModeWord = Literal["measure", "predict", "both"]


def _word_or_reference(words: tuple[str, ...]) -> str:
    return rf"({'|'.join(filter(None, words))}|\$\{{{NAME}\}})"


BindingOrReference = Annotated[str, Meta(pattern=f"^{_word_or_reference(get_args(Binding))}?$")]
ModeOrReference = Annotated[str, Meta(pattern=f"^{_word_or_reference(get_args(ModeWord))}$")]
Text = Annotated[str, Meta(min_length=1)]
VariableValue = str | int | float | bool | list[str | int | float | bool]


Command = Annotated[
    str | list[str],
    Meta(
        description="npb:ft.B, bench:latency, or a command with its arguments; ${study_folder} is the study file's folder."
    ),
]


class WorkloadChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fields of a workload that a scale may change."""

    run: Command | None = None
    name: str = ""
    """Name; by default the program's name with its class or arguments."""
    ranks: Count | None = None
    nodes: Count | None = None
    ranks_per_node: Count | None = None
    environments: list[str] | None = None
    figures: dict[str, str] = {}
    iteration_pattern: str = ""
    time_limit_seconds: Seconds | None = None
    otherwise: str = ""
    """Program that runs instead if this one is not installed."""
    recording: str = ""
    """Trace of the program on as many ranks, which predictions replay."""
    recorded_ranks: list[Annotated[int, Meta(ge=1)]] | None = None
    """Numbers of ranks to record it on. Predictions on more ranks replay what these recordings are scaled to."""
    weak: bool = False
    grids: list[str] = []
    """`weak` and `grid` of the scaling; each grid is for predictions on as many ranks as it has places."""
    cpu_factor: Factor | None = None
    """Factor of predictions, in addition to the environment's: for a recording made on other cores."""


class WorkloadTable(WorkloadChange, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[workloads]]`. A plain string in its place is its `run`."""

    run: Command


class EnvironmentTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[environments]]`. A plain string in its place is its `fabric`."""

    name: str = ""
    """Name; by default the fabric."""
    title: str = ""
    mode: ModeOrReference | None = None
    where: str = ""
    fabric: str = ""
    mpi: str = ""
    transport: str = ""
    mtu: Count | None = None
    nics: Count | None = None
    rate: str = ""
    latency: str = ""
    aggregation: str = ""
    isolation: str = ""
    binding: BindingOrReference = ""
    """Object that each rank is bound to; "": the launcher's default."""
    placement: str | list[Node] = ""
    """`block`, `cyclic`, or the node of each rank."""
    nodes: Count | None = None
    ranks_per_node: Count | None = None
    ranks: Count | None = None
    options: list[str] = []
    """Further options for the batch system."""
    cpu_factor: Factor | None = None
    mpi_settings: dict[str, str] = {}
    """Settings of the MPI library in predictions."""
    instance: str = ""
    usd_per_node_hour: Price | None = None
    workloads: list[str] | None = None


Number = Annotated[float, Meta(description="In the table's unit.")]


class NumbersTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[published.numbers]]`: `metric` and `values` for a table of the paper, or `what`, `of` and `value` for one number."""

    metric: str = ""
    """Metric; by default `seconds`."""
    values: dict[str, dict[str, Number]] = {}
    """Values by workload, then by environment."""
    what: str = ""
    of: str = ""
    """Expression over results."""
    value: Number | None = None
    unit: str = ""
    rounding: Annotated[float, Meta(ge=0)] = 0.0
    """Difference, in the table's unit, up to which it counts as none."""
    source: str = ""
    miss: str = ""


class PublishedTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[published]`."""

    source: Text
    misses: dict[str, Text] = {}
    """Reason why numbers are off, by pattern of the workload; the first that matches counts."""
    numbers: list[NumbersTable] = []
    conclusions: list[PublishedConclusion] = []


class ScaleTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[scale.NAME]`: the changes of the study with `--scale NAME`."""

    title: str | None = None
    repetitions: Count | None = None
    warm_ups: Annotated[int, Meta(ge=0)] | None = None
    measure: list[Measured] | None = None
    where: str | None = None
    mode: ModeWord | None = None
    ranks: Count | None = None
    nodes: Count | None = None
    ranks_per_node: Count | None = None
    time_limit_seconds: Seconds | None = None
    retries: Annotated[int, Meta(ge=0)] | None = None
    variables: dict[str, VariableValue] = {}
    environments: dict[str, EnvironmentTable] = {}
    """Changed keys by name as written."""
    workloads: dict[str, WorkloadChange] = {}
    """Changed keys by name (or `run`) as written."""
    without_workloads: list[str] = []
    without_environments: list[str] = []
    """Patterns of omitted names."""
    predict: StudyPrediction | None = None
    prices: StudyPrices | None = None


class StudyFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A study file."""

    title: str = ""
    description: str = ""
    workloads: Annotated[list[str | WorkloadTable], Meta(min_length=1)]
    environments: Annotated[list[str | EnvironmentTable], Meta(min_length=1)]
    variables: dict[str, VariableValue] = {}
    repetitions: Count = 1
    warm_ups: Annotated[int, Meta(ge=0)] = 0
    seed: Annotated[int, Meta(ge=0)] | None = None
    measure: list[Measured] = []
    where: str = ""
    mode: ModeWord = "measure"
    ranks: Count | None = None
    nodes: Count | None = None
    ranks_per_node: Count | None = None
    time_limit_seconds: Seconds | None = None
    retries: Annotated[int, Meta(ge=0)] = 0
    comparisons: list[StudyComparison] = []
    prices: StudyPrices = StudyPrices()
    predict: StudyPrediction = StudyPrediction()
    published: PublishedTable | None = None
    scale: dict[str, ScaleTable] = {}


ENTRIES: dict[str, Any] = {
    "scale": ScaleTable,
    "variables": VariableValue,
    "environments": EnvironmentTable,
    "workloads": WorkloadChange,
    "figures": str,
    "measured": str,
    "mpi_settings": str,
    "values": dict[str, Number],
}
"""Entry type of each table with free keys, by the table's name."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a study file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of linkworth",
        **msgspec.json.schema(StudyFile),
    }


def text() -> str:
    """Return the schema as in the file docs/reference/study.schema.json."""
    return msgspec.json.format(msgspec.json.encode(schema(), order="sorted"), indent=2).decode() + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())

"""A study: workloads x environments x repetitions, and the record of each of its runs."""

from math import prod
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from linkworth.model.counters import NodeCounters
from linkworth.model.place import Place
from linkworth.model.run import CoreUse

Mode = Literal["measure", "predict", "trace"]
"""`trace`: the one recording of a workload, used for predictions and profiles, not in tables of times."""
RecordState = Literal["done", "unverified", "failed", "timeout"]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run (or prediction) of a study. Stored as `run.json` by atomic rename."""

    schema: str = "linkworth.study-run/1"
    run: str
    """Identity: workload, environment, mode and repetition in one word that is a valid file name."""
    workload: str
    environment: str
    mode: Mode
    repetition: int
    """Number from 0. Warm-up runs are negative."""
    state: RecordState
    """State of the run. Only `done` runs enter a mean."""
    cause: str = ""
    """One sentence, if the state is not `done`."""
    attempts: int = 1
    failures: list[str] = msgspec.field(default_factory=list)
    """Causes of the earlier attempts' failures."""
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    """Values by name, in SI units. `linkworth.study.metrics` gives each one's unit and better direction."""
    series: dict[str, list[float]] = msgspec.field(default_factory=dict)
    """Values in order, such as the seconds of each iteration (`iteration_seconds`)."""
    rows: list[dict[str, float | str]] = msgspec.field(default_factory=list)
    """Rows of a micro-benchmark."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    core_use: list[CoreUse] = msgspec.field(default_factory=list)
    """Use of the cores over time, if the study measures counters. For predictions: computation only."""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """MPI version, transport, node facts and place."""
    command: list[str] = msgspec.field(default_factory=list)
    block: int = 0
    order: int = 0
    """Place in the random order of its block."""
    started: str = ""
    ended: str = ""
    definition: str = ""
    """Hash of everything that defines the run. A run is repeated if the study file now gives another hash."""
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """Digests of the files that the command of a measured or recorded run names, the program first."""
    inputs: dict[str, str] = msgspec.field(default_factory=dict)
    """Digests of the files that it was made of, by path, and of the runs behind it. It is repeated if one has changed."""
    linkworth: str = ""
    """Version that made it."""
    checksum: str = ""
    """Checksum, present only as the last member of `run.json`: see `linkworth.study.record_file`."""


Value = str | int | float | bool
"""Value of a variable."""
Measured = Literal["time", "counters", "profile", "trace"]


class StudyWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """A program (or micro-benchmark) of a study, with all variables filled in."""

    name: str
    """Name, unique in the study."""
    command: list[str]
    """`["npb:ft.B"]`, `["bench:latency"]`, or a program with its arguments."""
    ranks: int | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    """Ranks, nodes and ranks per node override those of the environment and the study, unless None."""
    environments: list[str] = msgspec.field(default_factory=lambda: ["*"])
    """Name patterns of the environments that it runs in."""
    figures: dict[str, str] = msgspec.field(default_factory=dict)
    """Metric names, each with a regular expression whose first group matches the value in the program's
    output."""
    iteration_pattern: str = ""
    time_limit_seconds: float | None = None
    recording: str = ""
    """Path of a trace that predictions replay. "": the study records the program."""
    recorded_ranks: list[int] = msgspec.field(default_factory=list)
    """Numbers of ranks on which the study records the program, to scale it to those of predictions. Empty: as predicted."""
    weak: bool = False
    grids: list[tuple[int, ...]] = msgspec.field(default_factory=list)
    """`weak` and `grid` of the scaling; each grid is for predictions on as many ranks as it has places."""
    cpu_factor: float = 1.0
    """Speed of the predicted cores relative to those of the recording. Used by predictions only."""
    variables: dict[str, Value] = msgspec.field(default_factory=dict)
    """Variables that its table uses, with their values."""

    def grid(self, ranks: int | None) -> tuple[int, ...] | None:
        """Return the process grid to scale to on a number of ranks, or None where none is given."""
        return next((grid for grid in self.grids if prod(grid) == ranks), None)


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """Environment of a workload, with all variables filled in."""

    name: str
    """Name, unique in the study."""
    title: str = ""
    modes: list[Mode] = msgspec.field(default_factory=lambda: ["measure"])
    where: Place = Place()
    fabric: str = ""
    """Name in the catalog, or a fabric file's path. Predictions replay on it; it is also a lab's preset."""
    mpi: str | None = None
    transport: str = ""
    mtu: int | None = None
    """MTU in bytes."""
    nics: int | None = None
    """NICs of a node that are used together."""
    rate: str = ""
    """Rate of each link, if it is not the fabric's: `1gbit`."""
    latency: str = ""
    """One-way latency of a link, if it is not the fabric's: `30us`."""
    aggregation: str = ""
    isolation: str = ""
    placement: str = "block"
    nodes: int | None = None
    ranks_per_node: int | None = None
    ranks: int | None = None
    cpu_factor: float = 1.0
    """Speed of its cores relative to those that timed the computation. Used by predictions only."""
    mpi_settings: dict[str, str] = msgspec.field(default_factory=dict)
    """Settings of the MPI library. Used by predictions only."""
    instance: str = ""
    """Node type in the study's catalog of prices."""
    usd_per_node_hour: float | None = None
    """Price of a node, instead of the catalog's."""
    workloads: list[str] = msgspec.field(default_factory=lambda: ["*"])
    """Name patterns of the workloads that run in it."""
    variables: dict[str, Value] = msgspec.field(default_factory=dict)


class StudyComparison(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[comparisons]]`: a comparison that the report makes."""

    title: str = ""
    baseline: Annotated[str, Meta(min_length=1)]
    """Name of an environment."""
    environments: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["*"])
    """Name patterns of the environments compared with the baseline. With `steps`, each is compared with the
    previous one."""
    steps: bool = False
    """True if the environments, in order, are steps of an improvement that starts at the baseline."""
    workloads: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["*"])
    metrics: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["seconds"])
    margin: Annotated[float, Meta(gt=0, lt=1)] = 0.05
    """Relative difference below which two environments count as equal, if an equivalence test agrees."""


class StudyPrices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[prices]`: source of the prices of a study's environments."""

    catalog: str = ""
    """Name of the catalog, or its file relative to the study file's folder. "": only prices that the environments set
    themselves."""
    region: str | None = None


class StudyPrediction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[predict]`: source of the computation times of predictions."""

    machine: str | None = None
    """Machine of the catalog, or its file relative to the study file's folder, for programs recorded without running."""
    calibrate_with: str | None = None
    """Class or problem of a run on this machine, used instead of `machine`."""
    measured_on: str = ""
    """Environment of the study whose median time scales the computation."""
    measured: dict[str, str] = msgspec.field(default_factory=dict)
    """Workload names, each with `FABRIC=SECONDS`: a time known from elsewhere that scales its computation."""
    record_on: str = ""
    """Environment that records the programs without a skeleton. "": the first that measures, or this machine."""
    startup: str = ""
    """File of `linkworth bench init -o`, relative to the study file's folder; it gives MPI_Init of predicted runs. "": as
    recorded, or the default."""


class PublishedNumber(msgspec.Struct, frozen=True, kw_only=True):
    """A number from a paper, and the expression that computes it from the study's results."""

    what: str
    of: str
    """An expression (`linkworth.study.definition.expression`) in SI units."""
    value: float
    """Value in `unit`."""
    unit: str = ""
    scale: float = 1.0
    """SI units in one `unit`."""
    rounding: float = 0.0
    """Largest difference, in `unit`, that counts as none, since the paper prints no more digits."""
    source: str = ""
    miss: str = ""
    """Reason for our difference."""


class PublishedConclusion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[published.conclusions]]`: a conclusion of a paper, and the equivalent comparison of the study's results."""

    what: Annotated[str, Meta(min_length=1)]
    holds: Annotated[str, Meta(min_length=1)]
    """A true-or-false expression (`linkworth.study.definition.expression`)."""
    source: str = ""
    miss: str = ""
    """Reason why our results do not confirm it."""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """Measurements and conclusions of a paper about the same experiment."""

    source: str
    numbers: list[PublishedNumber] = msgspec.field(default_factory=list)
    conclusions: list[PublishedConclusion] = msgspec.field(default_factory=list)


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """A study file, with all variables filled in, at one of its scales."""

    name: str
    """Name of the file without its suffix."""
    title: str = ""
    description: str = ""
    scale: str = ""
    """Name of the scale. The empty string is the study at the top of the file."""
    scales: list[str] = msgspec.field(default_factory=list)
    """All scales of the file."""
    path: str = ""
    sha256: str = ""
    repetitions: int = 1
    warm_ups: int = 0
    seed: int | None = None
    """Seed of the random order. None: drawn once, and stored in the study's folder."""
    measure: list[Measured] = msgspec.field(default_factory=lambda: ["time"])
    ranks: int | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    time_limit_seconds: float = 3600.0
    """Time limit of one run."""
    retries: int = 0
    workloads: list[StudyWorkload]
    environments: list[Environment]
    comparisons: list[StudyComparison] = msgspec.field(default_factory=list)
    prices: StudyPrices = StudyPrices()
    prediction: StudyPrediction = StudyPrediction()
    published_seconds: dict[str, float] = msgspec.field(default_factory=dict)
    """By workload: the published time that scales its computation, if the environment `measured_on` is only predicted."""
    published: Published | None = None

"""A study: workloads x environments x repetitions, and the record of each of its runs."""

from typing import Literal

import msgspec

from linkworth.model.counters import NodeCounters
from linkworth.model.run import CoreUse
from linkworth.model.where import Where

Mode = Literal["measure", "predict", "trace"]
"""`trace`: the one recording of a workload, which predictions and profiles are made from; it enters no table of times."""
RecordState = Literal["done", "unverified", "failed", "timeout"]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run (or prediction) of a study; `run.json` in its own folder, written by atomic rename."""

    schema: str = "linkworth.study-run/1"
    run: str
    """Identity: workload, environment, mode and repetition in one word that is a file name."""
    workload: str
    environment: str
    mode: Mode
    repetition: int
    """From 0; warm-up runs are negative."""
    state: RecordState
    """Only `done` enters a mean."""
    cause: str = ""
    """One sentence where it is not done."""
    attempts: int = 1
    failures: list[str] = msgspec.field(default_factory=list)
    """Causes of the attempts before."""
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    """By name, in SI units; `linkworth.study.metrics` has each one's unit and better direction."""
    series: dict[str, list[float]] = msgspec.field(default_factory=dict)
    """Seconds of each iteration (`iteration_seconds`), and what else comes in order."""
    rows: list[dict[str, float | str]] = msgspec.field(default_factory=list)
    """Of a micro-benchmark: its rows."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    core_use: list[CoreUse] = msgspec.field(default_factory=list)
    """How busy the cores were over time, if the study measures counters; of predictions, the share of computation."""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """MPI version, transport, node facts, where it ran."""
    command: list[str] = msgspec.field(default_factory=list)
    block: int = 0
    order: int = 0
    """Place in the random order of its block."""
    started: str = ""
    ended: str = ""
    definition: str = ""
    """Hash of all that decides what was run: a run whose study file says otherwise by now is made anew."""
    checksum: str = ""
    """Only in `run.json`, as its last member: see `linkworth.study.record_file`."""


Value = str | int | float | bool
"""Of a variable."""
Measured = Literal["time", "counters", "profile", "trace"]


class StudyWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """A program (or micro-benchmark) of a study, with all variables filled in."""

    name: str
    """Unique in the study."""
    command: list[str]
    """`["npb:ft.B"]`, `["bench:latency"]`, or a program with its arguments."""
    ranks: int | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    """These three stand before an environment's and the study's, which count where they are None."""
    environments: list[str] = msgspec.field(default_factory=lambda: ["*"])
    """Patterns of the names of those that it runs in."""
    figures: dict[str, str] = msgspec.field(default_factory=dict)
    """A metric's name to the regular expression whose first group is its value in the program's output."""
    iteration_pattern: str = ""
    time_limit_seconds: float | None = None
    recording: str = ""
    """Path of a trace that predictions replay; "": the study records the program."""
    cpu_factor: float = 1.0
    """Of predictions: speed of the predicted cores against those that the program was recorded on."""
    variables: dict[str, Value] = msgspec.field(default_factory=dict)
    """Those that its table uses, with their values."""


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """What a workload runs in, with all variables filled in."""

    name: str
    """Unique in the study."""
    title: str = ""
    modes: list[Mode] = msgspec.field(default_factory=lambda: ["measure"])
    where: Where = Where()
    fabric: str = ""
    """Of the catalog, or a fabric file's path: what a prediction replays on, and the preset of a lab."""
    mpi: str | None = None
    transport: str = ""
    mtu: int | None = None
    """Bytes."""
    nics: int | None = None
    """Of a node, used together."""
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
    """Of predictions: speed of its cores against those that the computation was timed on."""
    instance: str = ""
    """Node type in the study's catalog of prices."""
    usd_per_node_hour: float | None = None
    """Price of a node, in place of the catalog's."""
    workloads: list[str] = msgspec.field(default_factory=lambda: ["*"])
    """Patterns of the names of those that run in it."""
    variables: dict[str, Value] = msgspec.field(default_factory=dict)


class StudyComparison(msgspec.Struct, frozen=True, kw_only=True):
    """What the report is to compare."""

    title: str = ""
    baseline: str
    """An environment."""
    environments: list[str] = msgspec.field(default_factory=list)
    """Patterns of the names of those held against it; of `steps` each against the one before."""
    steps: bool = False
    """The environments, in their order, are steps of an improvement that starts at the baseline."""
    workloads: list[str] = msgspec.field(default_factory=lambda: ["*"])
    metrics: list[str] = msgspec.field(default_factory=lambda: ["seconds"])
    margin: float = 0.05
    """Relative difference below which two environments count as equal, if an equivalence test agrees."""


class StudyPrices(msgspec.Struct, frozen=True, kw_only=True):
    """Where the prices of a study's environments come from."""

    catalog: str = ""
    """Name or path; "": only what environments give themselves."""
    region: str | None = None


class StudyPrediction(msgspec.Struct, frozen=True, kw_only=True):
    """How the computation of predictions gets its time."""

    machine: str | None = None
    """A machine of the catalog, for programs recorded without running."""
    calibrate_with: str | None = None
    """Class or problem of the run here that does it instead."""
    measured_on: str = ""
    """The environment of the study whose median time scales the computation."""
    measured: dict[str, str] = msgspec.field(default_factory=dict)
    """By the workload's name, `FABRIC=SECONDS`: a time known from elsewhere that scales it."""
    record_on: str = ""
    """The environment in which programs without a skeleton are recorded; "": the first that measures, or else this machine."""
    startup: str = ""
    """A file of `linkworth bench init -o`, which gives MPI_Init; "": as recorded, or the default."""


class PublishedNumber(msgspec.Struct, frozen=True, kw_only=True):
    """A number of a paper, and the expression over the study's results that gives ours."""

    what: str
    of: str
    """An expression (`linkworth.study.expression`) in SI units."""
    value: float
    """In `unit`."""
    unit: str = ""
    scale: float = 1.0
    """SI units in one `unit`."""
    rounding: float = 0.0
    """In `unit`: a difference up to this is none, since the paper prints no more digits."""
    source: str = ""
    miss: str = ""
    """Why ours differs."""


class PublishedConclusion(msgspec.Struct, frozen=True, kw_only=True):
    """A conclusion of a paper, and the comparison of the study's results that states the same."""

    what: str
    holds: str
    """An expression (`linkworth.study.expression`) that is true or not."""
    source: str = ""
    miss: str = ""
    """Why ours does not reach it."""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """What a paper measured and concluded in the same experiment."""

    source: str
    numbers: list[PublishedNumber] = msgspec.field(default_factory=list)
    conclusions: list[PublishedConclusion] = msgspec.field(default_factory=list)


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """A study file, with all variables filled in, at one of its scales."""

    name: str
    """The file's name without its ending."""
    title: str = ""
    description: str = ""
    scale: str = ""
    """"" is the study as it stands at the top of the file."""
    scales: list[str] = msgspec.field(default_factory=list)
    """All that the file has."""
    path: str = ""
    sha256: str = ""
    repetitions: int = 1
    warm_ups: int = 0
    seed: int | None = None
    """Of the random order; None: drawn once, and kept in the study's folder."""
    measure: list[Measured] = msgspec.field(default_factory=lambda: ["time"])
    ranks: int | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    time_limit_seconds: float = 3600.0
    """Of one run."""
    retries: int = 0
    workloads: list[StudyWorkload]
    environments: list[Environment]
    comparisons: list[StudyComparison] = msgspec.field(default_factory=list)
    prices: StudyPrices = StudyPrices()
    prediction: StudyPrediction = StudyPrediction()
    published: Published | None = None

"""The cost of starting an MPI program: launch and MPI_Init, by ranks and nodes."""

import msgspec


class StartupFit(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds = base_seconds + seconds_per_rank x ranks + seconds_per_node x nodes`, by least squares over all launches.

    A half width is that of the 95 % confidence interval. A term that the launches do not vary is 0 without a
    half width.
    """

    base_seconds: float
    seconds_per_rank: float = 0.0
    seconds_per_node: float = 0.0
    base_half_width: float | None = None
    rank_half_width: float | None = None
    node_half_width: float | None = None
    worst_miss: float = 0.0
    """Largest relative difference between the mean of one combination of ranks and nodes and the fit."""

    def seconds(self, ranks: int, nodes: int) -> float:
        """Return the predicted seconds for a number of ranks and nodes, at least 0."""
        return max(0.0, self.base_seconds + self.seconds_per_rank * ranks + self.seconds_per_node * nodes)


class StartupRow(msgspec.Struct, frozen=True, kw_only=True):
    """Launches on one number of ranks and nodes, in order."""

    ranks: int
    nodes: int
    launch_seconds: list[float]
    """Wall time of each launch of a program that only initialises and finalises MPI."""
    init_seconds: list[float]
    """Longest MPI_Init among the ranks of each launch."""


class StartupResult(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth bench init --json` prints."""

    schema: str = "linkworth.startup/1"
    test: str = "init"
    rows: list[StartupRow]
    launch: StartupFit
    """Fit of `launch_seconds`, which include MPI_Init."""
    init: StartupFit
    """Fit of `init_seconds`."""
    mpi: str
    where: str
    date: str
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    warnings: list[str] = msgspec.field(default_factory=list)


class Initialisation(msgspec.Struct, frozen=True, kw_only=True):
    """MPI_Init of a predicted run, which a prediction's `seconds` does not include."""

    seconds: float
    """Mean MPI_Init of a rank."""
    source: str
    """Origin of the figure, in words."""
    launch_seconds: float | None = None
    """Wall time of the launch of a program that only initialises MPI. None if not measured."""

"""Contribution of one program to a report."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from linkworth import units
from linkworth.model.activities import Activities
from linkworth.model.advice import Advice
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import PredictionSet, SensitivityGrid
from linkworth.model.price import Price
from linkworth.model.profile import Profile
from linkworth.model.trace import TraceMetadata

MOST_DRAWN = 24
"""Most programs of a page with charts, and of a chart: each program's take 0.3 MB and over half a second."""


class ReportItem(msgspec.Struct, frozen=True, kw_only=True):
    """One recorded program: its profile, its time on other fabrics, and the choice among them."""

    profile: Profile
    predictions: PredictionSet
    node_of_rank: list[int] = msgspec.field(default_factory=list)
    """Node of each rank in the predictions."""
    advice: Advice
    grids: list[SensitivityGrid] = msgspec.field(default_factory=list)
    """At most one for each predicted fabric."""
    fabrics: list[Fabric] = msgspec.field(default_factory=list)
    """The predicted fabrics; the grids' sliders start at their latency and bandwidth."""
    least_ratios: dict[str, dict[str, float]] = msgspec.field(default_factory=dict)
    """Low end of the 90 % interval of the time on the second priced network over that on the first, both relative to their
    best estimates."""
    prices: list[Price] = msgspec.field(default_factory=list)
    """The prices behind the advice, with their sources."""
    recorded: Activities | None = None
    """Time of the ranks in the recording; None if calls take no time in it."""
    predicted: dict[str, Activities] = msgspec.field(default_factory=dict)
    """Time of the ranks on the slowest fabric and on the chosen or else the fastest one."""
    metadata: TraceMetadata | None = None
    """Place and settings of the program's run."""

    @property
    def trusted(self) -> bool:
        """False if the program reports a wrong result, so that its times are no basis for a choice."""
        return self.profile.verified is not False


def labels(items: Sequence[ReportItem]) -> list[str]:
    """Return the name of each program, with its ranks if several items are of one program."""
    names = Counter(item.profile.workload for item in items)
    return [
        f"{name} on {units.plural(item.profile.ranks, 'rank')}" if names[name] > 1 else name
        for item in items
        for name in [item.profile.workload]
    ]

"""Cheapest environment of a workload, and its certainty: from the runs if measured, from draws if predicted."""

from collections.abc import Callable, Sequence
from functools import cached_property

import msgspec

from linkworth.advise.choose import cost_usd
from linkworth.advise.uncertain import Drawn, over_draws
from linkworth.model.advice import AdviceOption, Goal, Limits, OptionDraws
from linkworth.model.statistics import Comparison
from linkworth.model.study import Mode
from linkworth.report.study.prices import NodePrice
from linkworth.report.study.results import RunGroup
from linkworth.statistics import compare
from linkworth.study.outcome import DRAWN_SECONDS


class Priced(msgspec.Struct, frozen=True, eq=False):
    """A workload's runs in an environment, the price of a node, and the number of nodes."""

    group: RunGroup
    price: NodePrice
    nodes: int

    @property
    def seconds(self) -> float:
        """Mean time of a run."""
        description = self.group.describe("seconds")
        assert description is not None
        return description.mean

    @property
    def cost(self) -> float:
        """Mean cost of a run in US dollars."""
        return cost_usd(self.seconds, self.nodes, self.price.usd)

    @property
    def drawn_seconds(self) -> list[float]:
        """Times of a prediction under draws of the fabric's parameters; empty without draws."""
        return next((times for record in self.group.done if (times := record.series.get(DRAWN_SECONDS))), [])


class Cheapest:
    """Costs of one workload in all environments, all measured or all predicted. Each comparison is made once."""

    def __init__(self, workload: str, mode: Mode, alike: Sequence[Priced]) -> None:
        self.workload = workload
        self.mode = mode
        self.alike = list(alike)
        self.best = min(self.alike, key=lambda each: (each.cost, each.seconds))

    @cached_property
    def compared(self) -> dict[str, Comparison]:
        """Costs of measured runs compared with those of the cheapest environment, by environment."""
        if self.mode == "predict":
            return {}
        least = _costs(self.best)
        others = [each for each in self.alike if each is not self.best]
        return {each.group.environment: compare(least, _costs(each), "lower") for each in others}

    @property
    def draws(self) -> int:
        """Number of draws that all environments have in common; 0: none."""
        return min(len(each.drawn_seconds) for each in self.alike) if self.mode == "predict" else 0

    @cached_property
    def by_draw(self) -> dict[str, OptionDraws]:
        """Numbers of draws, by environment, in which it is the cheapest, and in which the choice is cheaper."""
        if not self.draws or len(self.alike) < 2:
            return {}
        options = [
            AdviceOption(
                fabric=each.group.environment,
                seconds=each.seconds,
                cost_usd=each.cost,
                price_usd_per_node_hour=each.price.usd,
                nodes=each.nodes,
            )
            for each in self.alike
        ]
        # Draw d uses the same random numbers in each environment, however many draws it has.
        seconds = {
            (each.group.environment, each.nodes): each.drawn_seconds[: self.draws] for each in self.alike
        }
        drawn = Drawn(seconds=seconds, draws=self.draws, assumed=[])
        found = over_draws(options, drawn, self.alike.index(self.best), "cost", Limits(), _least)
        return {option.fabric: option.draws for option in found if option.draws is not None}

    @property
    def is_shown(self) -> bool:
        """True if the runs show that it is the cheapest; a prediction has no runs to show it by."""
        return all(found.verdict == "slower" for found in self.compared.values())


def _least(
    options: Sequence[AdviceOption], _: Goal, measure: Callable[[AdviceOption], float]
) -> AdviceOption | None:
    """Return the option of the least measure: the cheapest environment is chosen so as well, with no tie."""
    return min(options, key=measure, default=None)


def _costs(each: Priced) -> list[float]:
    return [cost_usd(seconds, each.nodes, each.price.usd) for seconds in each.group.values("seconds")]

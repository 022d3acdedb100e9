"""Predicts the result of a test of `linkworth bench` on a fabric by replaying its calls."""

from collections.abc import Sequence
from functools import partial

import msgspec

from linkworth import _engine
from linkworth.bench.replayed import beff, exchanges, hpcc
from linkworth.bench.replayed.sampled import (
    PINGPONG_WARM_UP,
    ReplayedRanks,
    collective_rows,
    incast_rows,
    multipair_rows,
    overlap_rows,
    pair_rows,
)
from linkworth.bench.settings import BenchSettings, arguments, sizes_of
from linkworth.bench.tests import COLLECTIVES, BenchTest
from linkworth.errors import UsageError
from linkworth.model.bench import BenchResult, BenchRow
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import MpiInfo
from linkworth.replay.collectives import rules_for
from linkworth.replay.mpi_settings import require_use


def predict(
    test: BenchTest,
    settings: BenchSettings,
    fabric: Fabric,
    layout: Layout,
    *,
    memory_bytes_per_node: int | None = None,
    replay_settings: ReplaySettings = ReplaySettings(),
) -> BenchResult:
    """Return the predicted result of `test` on `fabric` with this layout of its ranks.

    The rows are those of lw-netbench, computed from the same readings of the clock. The memory of a node decides b_eff's longest
    message unless the settings do. `replay_settings` may name the library whose collectives run; the default is MPICH.
    Raises UsageError for settings that the test lacks, too few suitable ranks, and a b_eff whose longest message is
    unknown.
    """
    arguments(test, settings)
    rules = rules_for(MpiInfo(), replay_settings)
    require_use(rules, [fabric], replay_settings.mpi_settings)
    team = "pair" if test.is_pair and not settings.pairs else "any"
    if test.name == "multipair" or settings.pairs:
        team = "two sides"
    try:
        members = _engine.bench_members(settings.among, team, layout.node_of_rank)
    except _engine.BenchError as error:
        raise UsageError(f"bench:{test.name}: {error}") from None
    # A benchmark's figures are means over many messages, in which the shares of its connections even out.
    even = msgspec.structs.replace(fabric, tcp=msgspec.structs.replace(fabric.tcp, share_ratio=1.0))
    place = ReplayedRanks(even, layout, replay_settings).part(members)
    sizes = sizes_of(test, settings)
    values: dict[str, float] = {}
    facts = {"from": "a replay of the benchmark's own messages"}
    if test.name == "beff":
        lengths = sizes or _lengths(place, settings, memory_bytes_per_node)
        rows, values = beff.predict(place, lengths, settings)
        facts["methods"] = ", ".join(beff.methods_of(settings, place.ranks))
    elif test.name == "hpcc":
        rows, values = hpcc.predict(place, settings.seed)
    elif test.name in COLLECTIVES:
        rows = collective_rows(place, test.name, sizes or [0])
    else:
        rows = _rows_of_pairs(place, test.name, sizes, settings)
    if test.name in [*COLLECTIVES, "beff", "hpcc"]:
        facts["collectives of"] = rules.library
    return BenchResult(
        test=test.name,
        rows=rows,
        ranks=place.ranks,
        nodes=len(set(place.layout.node_of_rank)),
        tool="linkworth replay",
        where=fabric.name,
        facts=facts,
        values=values,
    )


def _rows_of_pairs(
    place: ReplayedRanks, test: str, sizes: Sequence[int], settings: BenchSettings
) -> list[BenchRow]:
    pairs = place.ranks // 2
    if test == "multipair":
        return multipair_rows(place, sizes, settings)
    if test == "incast":
        return incast_rows(place, sizes)
    if test == "overlap":
        return overlap_rows(place, sizes)
    if test == "bandwidth":
        windows = partial(exchanges.windows, messages=settings.window)
        return pair_rows(place, sizes, windows, share=1 / settings.window)
    if test == "bibandwidth":
        both = partial(exchanges.windows_both_ways, messages=settings.window)
        return pair_rows(place, sizes, both, share=1 / settings.window, ways=2)
    if settings.bidirectional:
        together = partial(exchanges.at_once, pairs=pairs)
        return pair_rows(place, sizes, together, share=1.0, ways=2, warm_up=PINGPONG_WARM_UP)
    posted = exchanges.in_turn_posted if settings.asynchronous else exchanges.in_turn
    return pair_rows(place, sizes, partial(posted, pairs=pairs), share=0.5, warm_up=PINGPONG_WARM_UP)


def _lengths(place: ReplayedRanks, settings: BenchSettings, memory_bytes_per_node: int | None) -> list[int]:
    longest = settings.longest
    if longest is None:
        if memory_bytes_per_node is None:
            raise UsageError(
                "bench:beff: its longest message is a 128th of a rank's memory, which is not known here; give `longest`, or "
                "the machine under [predict]"
            )
        first = place.layout.node_of_rank[0]
        longest = _engine.beff_longest(memory_bytes_per_node / place.layout.node_of_rank.count(first))
    return _engine.beff_lengths(longest)

"""Several tests, one after another; every measured result is kept."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from linkworth.bench.run import BenchStopped, Prepared, execute
from linkworth.bench.settings import doublings, sizes_of
from linkworth.bench.store import ResultFile
from linkworth.model.bench import BenchResult, BenchRow

_BEFF_ROWS = 42
"""21 sizes, rings and random patterns."""
_HPCC_ROWS = 8
"""Two sizes; all pairs, the slowest pair, the natural ring and random ones."""


class Session(NamedTuple):
    """Results of tests, and a sentence on why they ended early, if they did."""

    results: list[BenchResult]
    stopped: str


def rows_of(prepared: Prepared) -> int:
    """Return the number of rows of a test, for its progress."""
    sizes = len(sizes_of(prepared.test, prepared.settings))
    if prepared.test.name == "beff":
        return 2 * sizes or _BEFF_ROWS
    if prepared.test.name == "hpcc":
        return _HPCC_ROWS
    if prepared.test.name == "overlap":
        return 3 * sizes
    if prepared.test.name == "multipair":
        return sizes * len(list(doublings(prepared.plan.workload.ranks // 2)))
    if prepared.test.name == "incast":
        return sizes * len(list(doublings(prepared.plan.workload.ranks - 1)))
    return sizes or 1


def run_all(
    tests: Sequence[Prepared],
    *,
    timeout: float | None = None,
    output: ResultFile | None = None,
    on_row: Callable[[Prepared, BenchRow], None] | None = None,
) -> Session:
    """Run tests until all are done or one is stopped; its completed sizes are kept with a warning.

    `timeout` is in seconds for each test. Each result is in `output` before the next test starts.
    """
    results: list[BenchResult] = []

    def keep(result: BenchResult) -> None:
        results.append(result)
        if output:
            output.add(result)

    for prepared in tests:

        def row_done(row: BenchRow, current: Prepared = prepared) -> None:
            if on_row:
                on_row(current, row)

        try:
            keep(execute(prepared, timeout=timeout, on_row=row_done))
        except BenchStopped as stop:
            if stop.result.rows:
                keep(msgspec.structs.replace(
                    stop.result, warnings=[f"not complete: {stop}", *stop.result.warnings]
                ))  # fmt: skip
            return Session(results, str(stop))
    return Session(results, "")

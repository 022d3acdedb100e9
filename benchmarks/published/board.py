"""Predict every published figure and renew the board: `board.py [--only SOURCE[/PROGRAM]] [--processes N]`.

Renews benchmarks/published/board.json, the errors of the model that are part of linkworth
(src/linkworth/catalog/data/model_errors.toml) and the page docs/explanation/accuracy.md.
"""

import argparse
import datetime
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import document
import predictions
import sources

from linkworth.catalog.decode import data_folder
from linkworth.catalog.model_error import model_errors
from linkworth.errors import LinkworthError

ERRORS = Path(str(data_folder())) / "model_errors.toml"
SHARE = 0.68
FEWEST = 2
"""Points of one source below which it says nothing of the model."""


def main() -> int:
    """Predict, keep and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", action="append", metavar="SOURCE", help="predict this source; others as kept"
    )
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    try:
        known = sources.sources()
    except LinkworthError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    jobs = predictions.jobs(known)
    if given.only:
        jobs = [job for job in jobs if {job.source.name, f"{job.source.name}/{job.part}"} & set(given.only)]
    new = {(job.source.name, job.part) for job in jobs}
    kept = document.read().points if given.only and document.KEPT.exists() else []
    found: list[predictions.Predicted] = [
        (point, None) for point in kept if (point.source, point.what.split(" ")[0]) not in new
    ]
    with ProcessPoolExecutor(given.processes) as pool:
        for number, (job, of_job) in enumerate(zip(jobs, pool.map(work, jobs), strict=True), 1):
            found += of_job
            sys.stderr.write(f"{number} of {len(jobs)}: {job.source.name} {job.part}\n")
    ERRORS.write_text(
        with_misses(ERRORS.read_text(encoding="utf-8"), [point for point, _ in found]), encoding="utf-8"
    )
    errors = model_errors()
    points = [predictions.with_intervals(each, errors) for each in found]
    points.sort(key=lambda point: (point.source, predictions.KINDS.index(point.kind)))
    document.keep(document.Board(date=datetime.date.today().isoformat(), points=points))
    kept_points = document.read().points  # rounded, as those of the page
    sys.stdout.write(document.table(kept_points) + "\n" + document.choices(kept_points))
    return 0


def work(job: predictions.Job) -> list[predictions.Predicted]:
    """Return a job's points; a function, so that it can be sent to another process."""
    return job.points()


def with_misses(text: str, points: Sequence[predictions.Point]) -> str:
    """Return the file of the model's errors with the misses of these points."""
    groups: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for point in points:
        if point.miss is not None:
            pattern, technology, logarithm = point.miss
            groups[point.source_of_miss, pattern, technology].append(abs(logarithm))
    entries = []
    for (source, pattern, technology), logarithms in sorted(groups.items()):
        if len(logarithms) >= FEWEST:
            spread = statistics.quantiles(logarithms, n=100, method="inclusive")[round(SHARE * 100) - 1]
            entries.append(
                f'    {{ source = "{source}", pattern = "{pattern}", technology = "{technology}", '
                f"points = {len(logarithms)}, spread = {spread:.3f} }},\n"
            )
    text = re.sub(
        r"misses = \[.*?^\]|misses = \[\]",
        lambda _: f"misses = [\n{''.join(entries)}]",
        text,
        flags=re.S | re.M,
    )
    return re.sub(
        r'^date = "[^"]*"', f'date = "{datetime.date.today().isoformat()}"', text, count=1, flags=re.M
    )


if __name__ == "__main__":
    sys.exit(main())

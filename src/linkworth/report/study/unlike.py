"""Doubts about runs of one program that are not of the same thing."""

from collections import Counter
from collections.abc import Iterator

from linkworth.model.study import RunRecord
from linkworth.report.study.results import Results
from linkworth.units import plural, shortened


def sentences(results: Results) -> list[str]:
    """Return a sentence on predictions of several versions, and on programs and environments whose runs differ in kind."""
    done = [record for record in results.records if record.state == "done" and record.mode != "predict"]
    by_workload: dict[str, list[RunRecord]] = {}
    for record in done:
        by_workload.setdefault(record.workload, []).append(record)
    found = [*_versions(results), *_libraries(results), *_nodes(results)]
    for name, records in by_workload.items():
        found += [*_times(results, name, records), *_files(name, records)]
    return found


def _versions(results: Results) -> Iterator[str]:
    made = Counter(
        record.linkworth
        for record in results.records
        if record.mode == "predict" and record.state == "done" and record.linkworth
    )
    if len(made) > 1:
        listed = ", ".join(f"{count} with {version}" for version, count in made.items())
        yield (
            f"Predictions were made with several versions of linkworth ({listed}), whose models may differ. Run the study in a "
            "new folder to compare them."
        )


def _times(results: Results, name: str, records: list[RunRecord]) -> Iterator[str]:
    workload = results.workload(name)
    timed = [record for record in records if "seconds" in record.metrics]
    reported = sum("reported_seconds" in record.metrics for record in timed)
    if 0 < reported < len(timed) and (workload is None or "seconds" not in workload.figures):
        yield (
            f"Times of {name} are the program's own in {plural(reported, 'run')}, and from launch to end in "
            f"{len(timed) - reported}, where it printed none: means and comparisons mix both. A pattern for `seconds` in the "
            "workload's figures makes runs without it fail."
        )


def _files(name: str, records: list[RunRecord]) -> Iterator[str]:
    contents: dict[str, set[str]] = {}
    for record in records:
        for path, digest in record.files.items():
            contents.setdefault(path, set()).add(digest)
    changed = [path for path, digests in contents.items() if len(digests) > 1]
    if changed:
        yield f"{', '.join(changed)} changed between runs of {name}: means and comparisons mix those before and after."


def _nodes(results: Results) -> Iterator[str]:
    differing: dict[tuple[str, int, int], list[str]] = {}
    for predicted in results.groups(modes=["predict"]):
        measured = results.group(predicted.workload, predicted.environment, "measure")
        if measured is None or not measured.done or not predicted.done:
            continue
        ran, replayed = results.nodes(measured), results.nodes(predicted)
        if ran is not None and replayed is not None and ran != replayed:
            differing.setdefault((predicted.environment, ran, replayed), []).append(predicted.workload)
    for (environment, ran, replayed), workloads in differing.items():
        yield (
            f"On {environment}, {shortened(workloads, 3)} ran on {plural(ran, 'node')}, but the predictions are of "
            f"{plural(replayed, 'node')}: their difference is no error of a prediction. The key `nodes` makes them equal."
        )


def _libraries(results: Results) -> Iterator[str]:
    mixed: dict[str, str] = {}
    for group in results.groups(modes=["measure"]):
        libraries = dict.fromkeys(record.facts.get("mpi", "") for record in group.done)
        if len(libraries) > 1:
            mixed[group.environment] = " and ".join(filter(None, libraries))
    for environment, listed in mixed.items():
        yield f"Runs on {environment} had different MPI libraries ({listed}): means are of all of them."

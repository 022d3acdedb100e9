"""Implementation of `linkworth study report`: records in, a folder of tables and figures and one page out."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from linkworth.errors import UsageError
from linkworth.model.study import RunRecord, Study
from linkworth.mpi import identify
from linkworth.report import writer
from linkworth.report.files import FORMATS, write_files
from linkworth.report.study import unlike
from linkworth.report.study.comparing import Compared, comparisons
from linkworth.report.study.contents import contents
from linkworth.report.study.prices import prices_of
from linkworth.report.study.published import PaperBeside, compare_with_paper
from linkworth.report.study.results import HOW, Results, smaller_problems
from linkworth.report.study.sections.costs import COSTS
from linkworth.report.study.sections.other_study import compared, summary
from linkworth.report.study.trace_profiles import profiles_of
from linkworth.report.table import Section
from linkworth.skeleton.progress import StepProgress
from linkworth.study.definition import shipped_files
from linkworth.study.store import Store, find
from linkworth.study.unapplied import FACT, sentences
from linkworth.units import plural, shortened
from linkworth.writing.documents import with_texts
from linkworth.writing.files import require_writable, unwritable, write_output
from linkworth.writing.text import printable

_NAMED = 5
"""Programs that a sentence at the top names."""


def render(
    results: Results,
    sections: Sequence[Section],
    *,
    warnings: Sequence[str] = (),
    step: Callable[[str], None] = lambda _: None,
) -> bytes:
    """Return the page as HTML in UTF-8; `step` is called with the name of each figure before it is drawn."""
    return writer.page(
        "study.html.jinja",
        title=results.title,
        step=step,
        description=results.study.description,
        about=facts(results),
        doubts=warnings,
        sections=sections,
    )


def facts(results: Results) -> list[tuple[str, str]]:
    """Return the facts on the whole study that a reader needs, as (name, value)."""
    records = results.records
    lost = [record for record in records if record.state != "done"]
    counts = [
        f"{count} {word}"
        for mode, word in HOW.items()
        if (count := sum(record.mode == mode and record.state == "done" for record in records))
    ]
    dates = sorted(record.started[:10] for record in records if record.started)
    rows = [
        (
            "study file",
            results.study.name + (f", scale {results.study.scale}" if results.study.scale else ""),
        ),
        ("runs", ", ".join(counts) + (f"; {len(lost)} not done" if lost else "")),
        ("workloads, environments", f"{len(results.workloads)}, {len(results.environments)}"),
        ("repetitions", str(results.study.repetitions)),
        ("MPI", "; ".join(map(identify.shortly, _distinct(results, "mpi")))),
        ("transports", "; ".join(_distinct(results, "transport used") or _distinct(results, "transport"))),
        ("where", "; ".join(_distinct(results, "where"))),
        (
            "date",
            dates[0] if dates and dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}" if dates else "",
        ),
    ]
    return [(name, value) for name, value in rows if value]


def _distinct(results: Results, fact: str) -> list[str]:
    return list(dict.fromkeys(r.facts[fact] for r in results.records if r.facts.get(fact)))


S = TypeVar("S", Study, RunRecord)


class StudyReport(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth study report --json` prints."""

    schema: str = "linkworth.study-report/1"
    study: str
    path: str
    """Path of the page."""
    folder: str
    files: list[str]
    """Files in the folder, without the page."""
    sections: list[str]
    done: int
    lost: int
    """Runs that failed, did not verify or ran over their limit."""
    open: int
    """Requested runs that were not made yet."""
    comparisons: list[Compared]
    against: list[Compared]
    """The cells that another study has too, which is the baseline."""
    changes: list[str]
    """Changes since the other study, in sentences."""
    published: PaperBeside | None
    """The paper beside the study, if it has a `[published]` table."""
    warnings: list[str]


def crowded(results: Results) -> Iterator[str]:
    """Yield a sentence on the environments in which ranks shared cores, if there are any."""
    groups = list(results.groups(modes=["measure"]))
    shared = Counter(group.environment for group in groups if group.crowded)
    of = Counter(group.environment for group in groups)
    listed = ", ".join(
        f"{environment} ({count} of {of[environment]} workloads)" for environment, count in shared.items()
    )
    if listed:
        yield (
            f"Ranks shared cores in {listed}: these times include the wait for a core. Differences between environments "
            "do not apply to machines with a core for each rank."
        )


def _whole_runs(results: Results) -> Iterator[str]:
    """Yield a sentence on the programs with predictions whose measured times contain their launch and MPI_Init."""
    predicted = {
        record.workload for record in results.records if (record.mode, record.state) == ("predict", "done")
    }
    whole = dict.fromkeys(
        record.workload
        for record in results.records
        if (record.mode, record.state) == ("measure", "done")
        and record.workload in predicted
        and record.metrics.get("seconds", 0.0) == record.metrics.get("elapsed_seconds")
    )
    if whole:
        yield (
            f"Measured times of {shortened(list(whole), _NAMED)} are of whole runs, with launch and MPI_Init, which predictions "
            "are without. Give a figure `seconds` that the program prints to compare like with like."
        )


def _doubted(results: Results) -> Iterator[str]:
    """Yield a sentence on the programs whose predictions have warnings, if there are any."""
    names = dict.fromkeys(
        record.workload
        for record in results.records
        if record.mode == "predict" and record.facts.get("warnings")
    )
    if names:
        yield (
            f"Predictions of {shortened(list(names), _NAMED)} have warnings: see the facts in the table 'Where it ran'."
        )


def _not_compared(results: Results) -> Iterator[str]:
    """Yield a sentence on the metrics of comparisons that no run has, if there are any.

    A study of micro-benchmarks alone has no time. Its comparisons are for the curves.
    """
    asked = {name for comparison in results.study.comparisons for name in comparison.metrics} - {"seconds"}
    absent = sorted(name for name in asked if not any(group.values(name) for group in results.groups()))
    if absent:
        yield f"No run has {', '.join(absent)}, so that no comparison shows it."


def _printable(struct: S) -> S:
    """Return a study or a record without control characters, which SVG and LaTeX cannot contain."""
    return msgspec.convert(with_texts(msgspec.to_builtins(struct), printable), type(struct))


class Outputs(NamedTuple):
    """Files of a study's report."""

    html: Path
    folder: Path
    """Folder of the tables and figures."""
    formats: Sequence[str] = FORMATS


def report(
    study: Study,
    records: Sequence[RunRecord],
    *,
    outputs: Outputs,
    against: tuple[Study, Sequence[RunRecord]] | None = None,
    planned: int | None = None,
    unusable: Sequence[str] = (),
    traces: Mapping[tuple[str, str], Path] | None = None,
    progress: StepProgress,
) -> StudyReport:
    """Write the page, and a file of each table and figure.

    `planned` is the number of runs that the study asks for; the page reports missing records. `unusable` has a sentence on
    each damaged one. `traces`, by workload and environment ("" without a run), are the sources of the profiles. Raises
    UsageError if nothing has been run yet, or an output cannot be written.
    """
    if not records:
        raise UsageError(f"{study.name}: nothing has been run yet; run it with: linkworth study run")
    try:
        outputs.html.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(outputs.html, error, "html") from None
    require_writable(outputs.html, "html")
    study = _printable(study)
    records = [_printable(record) for record in records]
    named = {(printable(name), printable(where)): path for (name, where), path in (traces or {}).items()}
    names = [workload.name for workload in study.workloads]
    profiles, unread = profiles_of(named, smaller_problems(names), progress.step, progress.plan)
    results = Results(study, records, profiles)
    other = Results(_printable(against[0]), map(_printable, against[1])) if against is not None else None
    missing = max(0, (planned or 0) - len(records))
    warnings = [*unusable, *unread]
    if missing:
        warnings.append(
            f"Not done yet: {missing} of {plural(planned or 0, 'run')}. The page shows the others."
        )
    lost = sum(record.state != "done" for record in results.records)
    if lost:
        warnings.append(
            f"Not done (failed, over the limit, or not verified) and in no mean: {plural(lost, 'run')}."
        )
    warnings += sentences(
        (record.environment, record.mode, record.facts.get(FACT, "")) for record in results.records
    )
    warnings += [*unlike.sentences(results), *crowded(results), *_whole_runs(results)]
    warnings += [*_doubted(results), *_not_compared(results)]
    progress.step("statistics")
    paper = compare_with_paper(results)
    sections = contents(results, other, paper)
    if not any(section.key == COSTS for section in sections):
        warnings += prices_of(study)[1]
    figures = sum(len(section.figures) for section in sections)
    tables = sum(len(section.tables) for section in sections)
    progress.plan(3 * figures + tables)
    written = write_files(sections, outputs.folder, outputs.formats, progress.step)
    warnings += written.remarks
    write_output(outputs.html, render(results, sections, warnings=warnings, step=progress.step), "html")
    return StudyReport(
        study=study.name,
        path=str(outputs.html),
        folder=str(outputs.folder),
        files=written.files,
        sections=[section.title for section in sections],
        done=sum(record.state == "done" for record in results.records),
        lost=lost,
        open=missing,
        comparisons=comparisons(results),
        against=[each.record() for each in compared(results, other)] if other else [],
        changes=summary(results, other) if other else [],
        published=paper,
        warnings=warnings,
    )


def report_of(
    target: Path,
    *,
    scale: str = "",
    folder: Path | None = None,
    html: Path | None = None,
    against: Path | None = None,
    formats: Sequence[str] = FORMATS,
    make_profiles: bool = True,
    progress: StepProgress,
) -> StudyReport:
    """Write the report of a study's folder, or of a study file, whose folder is in the current one.

    The default of `folder` is `report` in the study's folder, that of `html` is `report.html` there. Without
    `make_profiles` no trace is read. Raises UsageError for anything but a study, and for an output that cannot be
    written.
    """
    store = Store(find(shipped_files.target(target), scale))
    folder = folder or store.folder / "report"
    html = html or folder / "report.html"
    other = Store(find(shipped_files.target(against))) if against is not None else None
    records, others = store.records(), other.records() if other is not None else []
    return report(
        store.study,
        records,
        outputs=Outputs(html, folder, formats),
        against=(other.study, others) if other is not None else None,
        planned=len(store.planned),
        unusable=[text for each in (store, other) if each is not None for text in each.unusable.values()],
        traces=traces_of(store) if make_profiles else {},
        progress=progress,
    )


def traces_of(store: Store) -> dict[tuple[str, str], Path]:
    """Return the traces by workload and environment; "" is the environment of recordings without a run."""
    found: dict[tuple[str, str], Path] = {}
    for planned in store.planned:
        name, environment = planned.workload.name, planned.environment.name
        if planned.mode == "trace":
            found[name, environment] = store.trace(name, environment)
        elif planned.mode == "predict":
            found[name, ""] = store.trace(f"{name}-{planned.ranks}")
    return {key: path for key, path in found.items() if not _is_missing(path)}


def _is_missing(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:  # an unreadable folder is the reason for the missing profile
        return False

"""Report of a study's folder."""

from collections.abc import Sequence
from pathlib import Path

from linkworth.report.files import FORMATS
from linkworth.report.study.published import PaperBeside, beside
from linkworth.report.study.request import Outputs, StudyReport, StudyReportProgress, report
from linkworth.report.study.results import Results, smaller_problems
from linkworth.report.study.trace_profiles import profiles_of
from linkworth.study import shipped_files
from linkworth.study.expression import parse
from linkworth.study.store import Store, find


def report_of(
    target: Path,
    *,
    scale: str = "",
    folder: Path | None = None,
    html: Path | None = None,
    against: Path | None = None,
    formats: Sequence[str] = FORMATS,
    make_profiles: bool = True,
    progress: StudyReportProgress,
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
    return report(
        store.study,
        store.records(),
        outputs=Outputs(html, folder, formats),
        against=(other.study, other.records()) if other else None,
        planned=len(store.planned),
        traces=_traces(store) if make_profiles else {},
        progress=progress,
    )


def paper_of(store: Store) -> PaperBeside | None:
    """Return a study's paper beside its results, without a report; None for a study without a `[published]` table.

    Profiles are made only for traces whose group a conclusion names.
    """
    published = store.study.published
    if published is None:
        return None
    named = {
        each.workload
        for conclusion in published.conclusions
        for each in parse(conclusion.holds).selections
        if each.metric == "group"
    }
    smaller = smaller_problems([workload.name for workload in store.study.workloads])
    wanted = named | {smaller[name] for name in named if name in smaller}
    traces = {key: path for key, path in _traces(store).items() if key[0] in wanted}
    profiles, _ = profiles_of(traces, smaller)
    return beside(Results(store.study, store.records(), profiles))


def _traces(store: Store) -> dict[tuple[str, str], Path]:
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

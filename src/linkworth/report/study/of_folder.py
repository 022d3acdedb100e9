"""The report of a study's folder."""

from collections.abc import Sequence
from pathlib import Path

from linkworth.report.study.files import FORMATS
from linkworth.report.study.request import Progress, StudyReport, report
from linkworth.study.store import Store, find


def report_of(
    target: Path,
    *,
    scale: str = "",
    folder: Path | None = None,
    html: Path | None = None,
    against: Path | None = None,
    formats: Sequence[str] = FORMATS,
    progress: Progress,
) -> StudyReport:
    """Write the report of a study's folder (or of a study file, whose folder is in the current one).

    Without `folder` it is written to `report` in the study's folder, without `html` to `report.html` there. Raises UsageError
    for what is no study and for what cannot be written.
    """
    store = Store(find(target, scale))
    folder = folder or store.folder / "report"
    html = html or folder / "report.html"
    other = Store(find(against)) if against is not None else None
    return report(
        store.study,
        store.records(),
        folder=folder,
        html=html,
        against=(other.study, other.records()) if other else None,
        formats=formats,
        planned=len(store.planned),
        traces=_traces(store),
        progress=progress,
    )


def _traces(store: Store) -> dict[str, Path]:
    """Return the trace of each workload that has one: recorded where it ran, or else without running."""
    found: dict[str, Path] = {}
    for planned in store.planned:
        name = planned.workload.name
        places = {
            "trace": store.trace(name, planned.environment.name),
            "predict": store.trace(f"{name}-{planned.ranks}"),
        }
        path = places.get(planned.mode)
        if path is not None and path.exists():
            found.setdefault(name, path)
    return found

"""Reads a study file: one TOML file with the workloads, environments, repetitions and wanted results."""

import hashlib
from pathlib import Path

import msgspec

from linkworth.catalog import machines
from linkworth.catalog.prices import beside
from linkworth.errors import UsageError
from linkworth.model.study import Study
from linkworth.places.kinds import parse_place
from linkworth.study.definition.checks import check, check_all_used, check_scales, check_variables
from linkworth.study.definition.document import Document, nearest, read
from linkworth.study.definition.entries import comparisons_of, environments_of, workloads_of
from linkworth.study.definition.lines import KeyPath
from linkworth.study.definition.published import check_published, published_of, times_of
from linkworth.study.definition.scales import at_scale, for_all, kept
from linkworth.study.definition.schema import ENTRIES, StudyFile
from linkworth.study.definition.variables import STUDY_FOLDER, combinations, fill
from linkworth.study.inputs import measured_on

TIME_LIMIT_SECONDS = 3600.0
"""Default time limit of a run: a hanging MPI must not delay a study for ever."""


def load(path: Path, *, scale: str = "", where: str = "", folder: Path | None = None) -> Study:
    """Return the study of a file at one of its scales; `where` (as in the file) replaces all its places.

    `folder` is the place of the file if the text is read from a copy of it.
    Raises UsageError that names the file and, if there is one, the line, also for what is wrong in another scale.
    """
    document, content = read(path)
    document.decode(StudyFile, entries=ENTRIES)
    document.built_in[STUDY_FOLDER] = str((folder or path.parent).absolute())
    scales = list(document.data.get("scale", {}))
    if scale and scale not in scales:
        raise UsageError(f"{path} has no scale {scale!r}; {nearest(scale, scales)}")
    if where:
        parse_place(where, "any")
    check_variables(document)
    studies = {name: _resolve(document, name, where if name == scale else "") for name in ["", *scales]}
    check_scales(document, studies)
    check_published(document, studies.values())
    check_all_used(document)
    return msgspec.structs.replace(
        studies[scale],
        name=path.stem,
        path=str(path),
        scale=scale,
        scales=scales,
        sha256=hashlib.sha256(content).hexdigest(),
    )


def _resolve(whole: Document, scale: str, where: str) -> Study:
    document = at_scale(whole, scale)
    if where:
        for_all(document, "where", where)
    file = document.decode(StudyFile, entries=ENTRIES)
    workloads = [
        workload
        for index in range(len(file.workloads))
        for workload in workloads_of(document, ("workloads", index))
    ]
    environments = [
        environment
        for index in range(len(file.environments))
        for environment in environments_of(document, ("environments", index), file)
    ]
    figures = {name for workload in workloads for name in workload.figures}
    workloads = kept(whole, scale, "workloads", workloads)
    environments = kept(whole, scale, "environments", environments)
    for kind, entries in (("workload", workloads), ("environment", environments)):
        if not entries:
            raise document.error(("scale", scale), f"it leaves no {kind}")
    comparisons = [
        comparison
        for index in range(len(file.comparisons))
        for comparison in comparisons_of(
            document, ("comparisons", index), environments, figures, scaled=bool(scale)
        )
    ]
    study = Study(
        name="",
        title=file.title,
        description=file.description.strip(),
        repetitions=_number(document, ("repetitions",), file.repetitions),
        warm_ups=file.warm_ups,
        seed=file.seed,
        measure=file.measure or ["time"],
        ranks=_optional(document, ("ranks",), file.ranks),
        nodes=_optional(document, ("nodes",), file.nodes),
        ranks_per_node=_optional(document, ("ranks_per_node",), file.ranks_per_node),
        time_limit_seconds=file.time_limit_seconds or TIME_LIMIT_SECONDS,
        retries=file.retries,
        workloads=workloads,
        environments=environments,
        comparisons=comparisons,
        prices=file.prices,
        prediction=file.predict,
        published=published_of(document, file, figures),
    )
    study = msgspec.structs.replace(study, published_seconds=_published_seconds(study))
    prediction = study.prediction
    folder = Path(document.built_in[STUDY_FOLDER])
    if prediction.startup:
        prediction = msgspec.structs.replace(prediction, startup=str(folder / prediction.startup))
    if prediction.machine and machines.is_path(prediction.machine):
        prediction = msgspec.structs.replace(prediction, machine=str(folder / prediction.machine))
    prices = msgspec.structs.replace(study.prices, catalog=beside(study.prices.catalog, folder))
    study = msgspec.structs.replace(study, prediction=prediction, prices=prices)
    check(document, study, file)
    return study


def _published_seconds(study: Study) -> dict[str, float]:
    """Return the published times by workload in an environment of `measured_on` that nothing measures."""
    environment = measured_on(study)
    if environment is None or "measure" in environment.modes:
        return {}
    here = {workload.name for workload in study.workloads}
    times = times_of(study.published, environment.name)
    return {name: seconds for name, seconds in times.items() if name in here}


def _optional(document: Document, place: KeyPath, value: int | str | None) -> int | None:
    return None if value is None else _number(document, place, value)


def _number(document: Document, place: KeyPath, value: int | str) -> int:
    """Return a top-level number of the file, whose variable must have exactly one value."""
    choices = combinations(document, place, value)
    filled = fill(value, choices[0])
    if len(choices) > 1 or not isinstance(filled, int) or isinstance(filled, bool) or filled < 1:
        raise document.error(place, f"{value} must be one whole number of at least 1 here")
    return filled

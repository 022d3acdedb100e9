"""Conditions between the tables of a study file."""

from collections import Counter
from collections.abc import Collection, Mapping
from functools import partial
from math import prod
from pathlib import Path

from linkworth.catalog import fabrics, machines, startup
from linkworth.catalog import prices as price_catalogs
from linkworth.catalog.assignment import parse_assignment
from linkworth.model.number_range import SECONDS
from linkworth.model.study import Study
from linkworth.study.definition.document import Document, nearest
from linkworth.study.definition.lines import KeyPath
from linkworth.study.definition.schema import EnvironmentTable, StudyFile, WorkloadTable
from linkworth.study.definition.variables import used
from linkworth.study.matrix import has_skeleton, is_bench, layout, pairs_of
from linkworth.study.patterns import matching


def check(document: Document, study: Study, file: StudyFile) -> None:
    """Raise UsageError, with its line, for duplicate or unknown names, and for contradictions."""
    names = [environment.name for environment in study.environments]
    programs = [workload.name for workload in study.workloads]
    for kind, each in (("workloads", programs), ("environments", names)):
        for name, count in Counter(each).items():
            if count > 1:
                raise document.error(
                    (kind,),
                    f"{count} of them are called {name!r}; make each `name` different, "
                    'for example with a variable: name = "... ${ranks}"',
                )
    for index, workload in enumerate(file.workloads):
        if isinstance(workload, WorkloadTable) and not study.scale:
            for pattern in workload.environments or []:
                if (
                    not used(pattern)
                    and not matching(pattern, names)
                    and len(names) == len(file.environments)
                ):
                    raise document.error(
                        ("workloads", index, "environments"),
                        f"no environment is called {pattern!r}; {nearest(pattern, names)}",
                    )
    for index, environment in enumerate(file.environments):
        if (
            not study.prices.catalog
            and isinstance(environment, EnvironmentTable)
            and environment.instance
            and environment.usd_per_node_hour is None
        ):
            raise document.error(
                ("environments", index, "instance"),
                "no catalog has its price: give [prices] a catalog, or the environment usd_per_node_hour",
            )
    if study.prices.catalog:
        known = document.check(
            ("prices", "catalog"), partial(price_catalogs.get_catalog, study.prices.catalog)
        )
        regions = sorted({price.region for price in known})
        if study.prices.region is not None and study.prices.region not in regions:
            raise document.error(
                ("prices", "region"),
                f"{study.prices.catalog} has no {study.prices.region!r}; {nearest(study.prices.region, regions)}",
            )
        instances = {price.name for price in known}
        for index, environment in enumerate(file.environments):
            instance = environment.instance if isinstance(environment, EnvironmentTable) else ""
            if instance and not used(instance) and instance not in instances:
                raise document.error(
                    ("environments", index, "instance"),
                    f"{study.prices.catalog} has no {instance!r}; {nearest(instance, instances)}",
                )
    elif study.prices.region is not None:
        raise document.error(("prices", "region"), "a region chooses from a catalog; give [prices] one")
    _check_prediction(document, study)


def _check_prediction(document: Document, study: Study) -> None:
    wanted = study.prediction
    by_name = {environment.name: environment for environment in study.environments}
    for key in ("measured_on", "record_on"):
        name = getattr(wanted, key)
        if name and name not in by_name:
            raise document.error(
                ("predict", key), f"no environment is called {name!r}; {nearest(name, by_name)}"
            )
        if name and "measure" not in by_name[name].modes:
            if key == "measured_on" and study.published_seconds:
                continue
            if key == "measured_on" and study.published is not None:
                raise document.error(("predict", key), f"[published] has no seconds of a workload on {name}")
            raise document.error(
                ("predict", key), f"{name} is only predicted; name an environment that is measured"
            )
    if wanted.measured_on and not by_name[wanted.measured_on].fabric:
        raise document.error(("predict", "measured_on"), f"give {wanted.measured_on} the fabric that it has")
    if wanted.machine and wanted.calibrate_with:
        raise document.error(("predict", "machine"), "give either machine or calibrate_with")
    for key in ("machine", "calibrate_with"):
        if getattr(wanted, key) and not any(has_skeleton(one) or is_bench(one) for one in study.workloads):
            raise document.error(
                ("predict", key),
                "it is for bundled programs, and there is none; a recording has its computation, which cpu_factor scales",
            )
    if wanted.machine:
        document.check(("predict", "machine"), partial(machines.get, wanted.machine))
    if wanted.startup:
        document.check(("predict", "startup"), partial(startup.load, Path(wanted.startup)))
    for name, text in wanted.measured.items():
        place: KeyPath = ("predict", "measured", name)
        fabric, _ = document.check(place, partial(parse_assignment, text, "measured", "SECONDS", SECONDS))
        document.check(place, partial(fabrics.get, fabric))


def check_scales(document: Document, studies: Mapping[str, Study]) -> None:
    """Raise UsageError for a name in the file that no workload or environment has at any scale.

    `studies` are the studies by scale; "" is the file without a scale.
    """
    programs = {workload.name for study in studies.values() for workload in study.workloads}
    for scale, study in studies.items():
        for name in study.prediction.measured:
            if name not in programs:
                place: KeyPath = ("predict", "measured", name)
                if name not in document.data.get("predict", {}).get("measured", {}):
                    place = ("scale", scale, *place)
                raise document.error(place, f"no workload is called {name!r}; {nearest(name, programs)}")
    _check_grids(document, studies.values())


def _check_grids(document: Document, studies: Collection[Study]) -> None:
    """Raise UsageError for a grid of a number of ranks on which its workload is predicted at no scale."""
    given = {(one.name, grid) for study in studies for one in study.workloads for grid in one.grids}
    predicted = {
        (one.name, layout(study, one, environment)[0])
        for study in studies
        if any(one.grids for one in study.workloads)
        for one, environment in pairs_of(study)
        if one.grids and "predict" in environment.modes
    }
    for name, grid in sorted(given):
        if (name, prod(grid)) not in predicted:
            text = "x".join(map(str, grid))
            raise document.error(
                ("workloads",),
                f"grids of {name}: {text} is unused, as no prediction is on {prod(grid)} ranks",
            )


def _check_values(document: Document, place: KeyPath, variables: Mapping[str, object]) -> None:
    known = {*document.data.get("variables", {}), *document.built_in, *variables}
    named = {name: [each for each in used(value) if each in known] for name, value in variables.items()}
    for first, others in named.items():
        path = [first]
        while others and others[0] in named and others[0] not in path:
            path.append(others[0])
            others = named[others[0]]
        if others and others[0] == first:
            cycle = " -> ".join(f"${{{name}}}" for name in [*path, first])
            raise document.error((*place, first), f"its value is a cycle: {cycle}; give one of them a value")
    for name, others in named.items():
        if others:
            raise document.error(
                (*place, name),
                f"its value names ${{{others[0]}}}, and a variable cannot hold another; write both where this one is used",
            )


def check_variables(document: Document) -> None:
    """Raise UsageError for a variable whose value names a variable: values are used as written."""
    _check_values(document, ("variables",), document.data.get("variables", {}))
    for scale, table in document.data.get("scale", {}).items():
        _check_values(document, ("scale", scale, "variables"), table.get("variables", {}))


def check_all_used(document: Document) -> None:
    """Raise UsageError for a variable that nothing uses: it is a mistake."""
    data = {key: value for key, value in document.data.items() if key != "variables"}
    names = used(data)
    places: list[KeyPath] = [("variables", name) for name in document.data.get("variables", {})]
    for scale, table in document.data.get("scale", {}).items():
        places += [("scale", scale, "variables", name) for name in table.get("variables", {})]
    for place in places:
        if place[-1] in document.built_in:
            raise document.error(
                place,
                f"every study has ${{{place[-1]}}}, the folder of the study file; give this one another name",
            )
        if place[-1] not in names:
            raise document.error(place, f"nothing uses it: write ${{{place[-1]}}} where its value belongs")

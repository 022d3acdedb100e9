"""The `[published]` table of a study file: a paper's measurements and conclusions."""

from collections.abc import Collection, Iterable, Iterator
from functools import partial

import msgspec

from linkworth.catalog.decode import with_fields_of
from linkworth.model.study import Published, PublishedConclusion, PublishedNumber, Study
from linkworth.study.definition.document import Document, nearest
from linkworth.study.definition.entries import filled
from linkworth.study.definition.expression import Expression, Kind, parse
from linkworth.study.definition.lines import KeyPath
from linkworth.study.definition.schema import NumbersTable, StudyFile
from linkworth.study.metrics import NAMES, is_metric, metric
from linkworth.study.patterns import matches

UNITS = {
    "": 1.0,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "ms": 1e-3,
    "us": 1e-6,
    "B": 1.0,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "B/s": 1.0,
    "kB/s": 1e3,
    "MB/s": 1e6,
    "GB/s": 1e9,
    "Mb/s": 1e6 / 8,
    "Gb/s": 1e9 / 8,
    "US$": 1.0,
    "%": 0.01,
}
"""SI units in each permitted unit of a number."""


def published_of(document: Document, file: StudyFile, figures: Collection[str]) -> Published | None:
    """Return the table with its variables filled in. `figures` are the metrics that workloads extract from their
    output.

    Raises UsageError with the line of the fault.
    """
    if file.published is None:
        return None
    numbers = [
        number
        for index in range(len(file.published.numbers))
        for number in _numbers(document, ("published", "numbers", index), figures)
    ]
    for pattern, miss in file.published.misses.items():
        meant = {
            one.of
            for one in numbers
            if any(matches(each.workload, [pattern]) for each in parse(one.of).selections)
        }
        if not meant:
            place = ("published", "misses", pattern)
            raise document.error(place, f"no number is of a workload like {pattern!r}")
        numbers = [
            msgspec.structs.replace(one, miss=miss) if one.of in meant and not one.miss else one
            for one in numbers
        ]
    conclusions = []
    for index in range(len(file.published.conclusions)):
        at: KeyPath = ("published", "conclusions", index)
        for one in filled(document, at, PublishedConclusion):
            _parse(document, (*at, "holds"), one.holds, "truth", figures)
            conclusions.append(one)
    if not numbers and not conclusions:
        raise document.error(("published",), "give it [[published.numbers]] or [[published.conclusions]]")
    return Published(source=file.published.source, numbers=numbers, conclusions=conclusions)


def times_of(published: Published | None, environment: str) -> dict[str, float]:
    """Return the published seconds in an environment by workload."""
    found = {}
    for number in published.numbers if published else ():
        selections = parse(number.of).selections
        if len(selections) == 1 and number.of == _result("seconds", selections[0].workload, environment):
            found[selections[0].workload] = number.value * number.scale
    return found


def check_published(document: Document, studies: Iterable[Study]) -> None:
    """Raise UsageError for a workload or environment that no scale has. `studies` are those of all scales."""
    studies = list(studies)
    workloads = {workload.name for study in studies for workload in study.workloads}
    environments = {environment.name for study in studies for environment in study.environments}
    for study in studies:
        if study.published is None:
            continue
        texts = [number.of for number in study.published.numbers]
        texts += [conclusion.holds for conclusion in study.published.conclusions]
        for text in texts:
            for each in parse(text).selections:
                for kind, name, known in (
                    ("workload", each.workload, workloads),
                    ("environment", each.environment, environments),
                ):
                    if name and name not in known:
                        raise document.error(
                            ("published",), f"{text}: no {kind} is called {name!r}; {nearest(name, known)}"
                        )


def _numbers(document: Document, place: KeyPath, figures: Collection[str]) -> Iterator[PublishedNumber]:
    for one in filled(document, place, NumbersTable):
        if one.unit not in UNITS:
            raise document.error(
                (*place, "unit"), f"{one.unit!r} is no unit here; {nearest(one.unit, filter(None, UNITS))}"
            )
        if bool(one.values) == bool(one.of):
            raise document.error(place, "give either values (with metric), or of (with what and value)")
        if one.of:
            if not one.what or one.value is None:
                raise document.error(place, "a number with `of` also needs `what` and `value`")
            _parse(document, (*place, "of"), one.of, "number", figures)
            yield _number(one, one.what, one.of, one.value)
            continue
        name = one.metric or "seconds"
        what = one.what or ("" if name == "seconds" else metric(name).title)
        for workload, row in one.values.items():
            for environment, value in row.items():
                of = _result(name, workload, environment)
                _parse(document, (*place, "metric"), of, "number", figures)
                yield _number(one, f"{workload} on {environment}{f', {what}' if what else ''}", of, value)


def _number(table: NumbersTable, what: str, of: str, value: float) -> PublishedNumber:
    return with_fields_of(table, PublishedNumber, what=what, of=of, value=value, scale=UNITS[table.unit])


def _result(name: str, workload: str, environment: str) -> str:
    return f"{name}({workload!r}, {environment!r})"


def _parse(document: Document, place: KeyPath, text: str, kind: Kind, figures: Collection[str]) -> Expression:
    found = document.check(place, partial(parse, text))
    if found.kind != kind:
        wanted = "a number" if kind == "number" else "a comparison, which is true or not"
        raise document.error(place, f"{text!r} is not {wanted}")
    for each in found.selections:
        if each.metric != "group" and not (is_metric(each.metric) or each.metric in figures):
            raise document.error(
                place, f"no metric is called {each.metric!r}; {nearest(each.metric, {*NAMES, *figures})}"
            )
    return found

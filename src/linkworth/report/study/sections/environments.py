"""Environments of the runs: place, fabric, MPI, transport, node facts, dates."""

from collections.abc import Iterator, Sequence

from linkworth.model.study import Environment, RunRecord
from linkworth.report.study.results import Results
from linkworth.report.study.table import Cell, Section, Table, column, nothing, words

_MODES = {"measure": "measured", "predict": "predicted", "trace": "recorded"}
_OWN_COLUMN = ("mpi", "transport", "transport used")
_LISTED = 3
"""Most values of a fact to list if they differ within an environment."""


def sections(results: Results) -> Iterator[Section]:
    """Yield the environments, also those of recordings, with all facts in their records."""
    names = list(dict.fromkeys([*results.environments, *(record.environment for record in results.records)]))
    rows = [
        _row(name, results.environment(name), [r for r in results.records if r.environment == name])
        for name in names
    ]
    if not rows:
        return
    yield Section(
        key="environments",
        title="Where it ran",
        tables=[
            Table(
                key="environments",
                title="Environments, as the study asks for them and as the runs found them",
                columns=[
                    column("environment", "environment", number=False),
                    column("how", "how", number=False),
                    column("asked", "the study asks for", number=False),
                    column("mpi", "MPI", number=False),
                    column("transport", "transport used", number=False),
                    column("facts", "what the runs found", number=False),
                    column("date", "date", number=False),
                ],
                rows=rows,
            )
        ],
    )


def _row(name: str, environment: Environment | None, records: Sequence[RunRecord]) -> list[Cell]:
    facts: dict[str, list[str]] = {}
    for record in records:
        for key, value in record.facts.items():
            if value and value not in facts.setdefault(key, []):
                facts[key].append(value)
    others = [f"{key}: {_listed(found)}" for key, found in facts.items() if key not in _OWN_COLUMN]
    modes = dict.fromkeys(_MODES[record.mode] for record in records)
    return [
        words(name, note=environment.title if environment else ""),
        words(", ".join(modes)),
        _or_nothing("; ".join(_settings(environment)) if environment else ""),
        _or_nothing(_listed(facts.get("mpi", []))),
        _or_nothing(_listed(facts.get("transport used", []) or facts.get("transport", []))),
        _or_nothing("; ".join(others)),
        _or_nothing(_period(sorted(record.started for record in records if record.started))),
    ]


def _settings(environment: Environment) -> list[str]:
    where = environment.where
    place = ":".join(filter(None, [where.kind, where.name])) if "measure" in environment.modes else ""
    settings = [
        ("place", place),
        ("fabric", environment.fabric),
        ("MPI", environment.mpi or ""),
        ("transport", environment.transport),
        ("MTU", str(environment.mtu or "")),
        ("NICs", str(environment.nics or "")),
        ("rate", environment.rate),
        ("latency", environment.latency),
        ("aggregation", environment.aggregation),
        ("isolation", environment.isolation),
        ("binding", where.binding),
        ("placement", environment.placement if environment.placement != "block" else ""),
        ("cpu factor", f"{environment.cpu_factor:g}" if environment.cpu_factor != 1 else ""),
    ]
    return [f"{key} {value}" for key, value in settings if value]


def _or_nothing(text: str) -> Cell:
    return words(text) if text else nothing()


def _listed(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return "; ".join(found[:_LISTED]) + more


def _period(dates: Sequence[str]) -> str:
    if not dates:
        return ""
    first, last = dates[0][:16].replace("T", " "), dates[-1][:16].replace("T", " ")
    return first if first == last else f"{first} to {last}"

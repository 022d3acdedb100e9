"""Environments of the runs: place, fabric, MPI, transport, node facts, dates."""

from collections.abc import Iterator, Sequence

from linkworth.model.study import Environment, RunRecord
from linkworth.mpi import identify
from linkworth.report.study.results import HOW, Results
from linkworth.report.table import NOTHING, Field, Section, table, words

_OWN_COLUMN = ("mpi", "transport", "transport used")
_LISTED = 3
"""Most values of a fact to list if they differ within an environment."""


def sections(results: Results) -> Iterator[Section]:
    """Yield the environments, also those of recordings, with all facts in their records."""
    names = dict.fromkeys([*results.environments, *(record.environment for record in results.records)])
    title = "Environments, as the study asks for them and as the runs found them"
    if names:
        rows = table("environments", title, names, lambda name: _row(results, name))
        yield Section(key="environments", title="Where it ran", tables=[rows])


def described(results: Results, name: str) -> dict[str, str]:
    """Return the settings of an environment and the facts that its runs found."""
    environment = results.environment(name)
    settings = dict(_settings(environment)) if environment else {}
    return settings | _facts([record for record in results.records if record.environment == name])


def _facts(records: Sequence[RunRecord]) -> dict[str, str]:
    facts: dict[str, dict[str, None]] = {}
    for record in records:
        for key, value in record.facts.items():
            if value:
                facts.setdefault(key, {})[identify.shortly(value) if key == "mpi" else value] = None
    return {key: _listed(list(found)) for key, found in facts.items()}


def _row(results: Results, name: str) -> list[Field]:
    environment = results.environment(name)
    records = [record for record in results.records if record.environment == name]
    listed = _facts(records)
    others = [f"{key}: {found}" for key, found in listed.items() if key not in _OWN_COLUMN]
    return [
        words("environment", name, note=environment.title if environment else ""),
        words("how", ", ".join(dict.fromkeys(HOW[record.mode] for record in records))),
        _known(
            "asked",
            "; ".join(f"{key} {text}" for key, text in _settings(environment)) if environment else "",
            "the study asks for",
        ),
        _known("mpi", listed.get("mpi", ""), "MPI"),
        _known("transport", listed.get("transport used") or listed.get("transport", ""), "transport used"),
        _known("facts", "; ".join(others), "what the runs found"),
        _known("date", _period(sorted(record.started for record in records if record.started))),
    ]


def _known(key: str, text: str, title: str = "") -> Field:
    field = words(key, text, title)
    return field if text else field._replace(cell=NOTHING)


def _settings(environment: Environment) -> list[tuple[str, str]]:
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
    return [(key, value) for key, value in settings if value]


def _listed(found: Sequence[str]) -> str:
    more = f"; and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return "; ".join(found[:_LISTED]) + more


def _period(dates: Sequence[str]) -> str:
    if not dates:
        return ""
    first, last = dates[0][:16].replace("T", " "), dates[-1][:16].replace("T", " ")
    return first if first == last else f"{first} to {last}"

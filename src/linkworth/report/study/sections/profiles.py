"""Profiles: shares of computation and communication by problem class, and groups of network dependence."""

from collections.abc import Iterator, Sequence

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.prediction import CRITICAL_PATH
from linkworth.report.charts import kinds, theme
from linkworth.report.charts.shares import COLOURS
from linkworth.report.speedup import speedup
from linkworth.report.study.results import HOW, MODES, Results, RunGroup, by_size, problem_of
from linkworth.report.study.trace_profiles import TraceProfile
from linkworth.report.table import MOST_FIGURES, Field, Figure, ReportTable, Section, table, value, words

_NOT_KNOWN = "not known"
_GROUPS = ["highly dependent", "dependent", "low", "none", _NOT_KNOWN]
_EFFICIENCIES = {
    "parallel_efficiency": "parallel efficiency",
    "load_balance": "load balance",
    "serialisation_efficiency": "serialisation",
    "transfer_efficiency": "transfer",
}


class _Shares(msgspec.Struct, frozen=True, kw_only=True):
    workload: str
    source: str
    """Environment, or the kind of recording."""
    computation: float
    communication: float
    init_seconds: float
    initialisation: float = 0.0
    """Share of MPI_Init in the time with it; 0 if one of them is unknown."""
    efficiencies: dict[str, float | None]

    def parts(self) -> dict[str, float]:
        """Return the parts of the time with MPI_Init, which sum to 1."""
        rest = 1.0 - self.initialisation
        return {
            "computation": self.computation * rest,
            "communication": self.communication * rest,
            "initialisation": self.initialisation,
        }


def sections(results: Results) -> Iterator[Section]:
    """Yield the profiles if runs, predictions or traces have shares, and the groups if there are traces."""
    found = _found(results)
    tables = [*([_table(found)] if found else []), *critical_path(results)]
    if tables:
        sources = kinds.distinct(each.source for each in found)
        text = "Shares of the ranks' time between MPI_Init and MPI_Finalize, of predictions in the replay."
        if any(each.efficiencies["load_balance"] is not None for each in found):
            text += " Efficiencies take calls to files for computation."
        if any(each.initialisation for each in found):
            text += " The figures add MPI_Init to the time."
        if len(sources) > MOST_FIGURES:
            text += f" The first {MOST_FIGURES} of {len(sources)} environments are drawn."
        figures = [
            _figure(f"shares-{number}", [each for each in found if each.source == source])
            for number, source in enumerate(sources[:MOST_FIGURES], 1)
        ]
        yield Section(key="profiles", title="Where the time goes", text=text, tables=tables, figures=figures)
    if results.profiles:
        groups = _groups(results)
        yield Section(
            key="groups",
            title="Groups of network dependence",
            text=_sentence(groups),
            tables=[_group_table(results, groups)],
        )


def _found(results: Results) -> list[_Shares]:
    found = []
    for group in results.groups():
        compute, communication = (group.describe(f"{part}_share") for part in ("compute", "communication"))
        start = group.describe("init_seconds")
        if compute and communication:
            found.append(
                _Shares(
                    workload=group.workload,
                    source=f"{group.environment}, {group.how}",
                    computation=compute.mean,
                    communication=communication.mean,
                    init_seconds=start.mean if start else 0.0,
                    initialisation=_initialisation(group, start.mean) if start else 0.0,
                    efficiencies={
                        name: each.mean if (each := group.describe(name)) else None for name in _EFFICIENCIES
                    },
                )
            )
    found += [
        _Shares(
            workload=workload,
            source=f"{environment}, recorded",
            computation=profile.metrics["compute_share"],
            communication=profile.metrics["communication_share"],
            init_seconds=profile.metrics["init_seconds"],
            efficiencies={name: profile.metrics.get(name) for name in _EFFICIENCIES},
        )
        for (workload, environment), profile in results.profiles.items()
        if profile.metrics
    ]
    # Keep the classes of a program together.
    programs: dict[str, int] = {}
    for name in results.workloads:
        programs.setdefault(problem_of(name)[0], len(programs))
    order = {name: (programs[problem_of(name)[0]], n) for n, name in enumerate(results.workloads)}
    return sorted(found, key=lambda each: order[each.workload])


def _initialisation(group: RunGroup, start_seconds: float) -> float:
    """Return the share of MPI_Init in the time with it.

    Predicted times and those that programs report do not contain it. The elapsed time of a run does.
    """
    whole = group.describe("seconds")
    if whole is None:
        return 0.0
    contains = group.mode == "measure" and group.describe("reported_seconds") is None
    with_start = whole.mean if contains else start_seconds + whole.mean
    return min(start_seconds / with_start, 1.0) if with_start > 0 else 0.0


def _table(found: Sequence[_Shares]) -> ReportTable:
    efficiencies = [
        name for name in _EFFICIENCIES if any(each.efficiencies[name] is not None for each in found)
    ]
    has_start = any(each.init_seconds for each in found)

    def row(each: _Shares) -> list[Field]:
        start = [
            value("initialisation [s]", "initialisation of a rank", each.init_seconds, "time"),
            value("initialisation [1]", "of time with initialisation", each.initialisation or None, "share"),
        ]
        return [
            words("workload", each.workload),
            words("where", each.source),
            value("computation [1]", "computation", each.computation, "share"),
            value("communication [1]", "communication", each.communication, "share"),
            *(start if has_start else []),
            *(
                value(f"{name} [1]", _EFFICIENCIES[name], each.efficiencies[name], "share")
                for name in efficiencies
            ),
        ]

    return table("profiles", "Shares and efficiencies", found, row)


def _figure(key: str, found: Sequence[_Shares]) -> Figure:
    source = found[0].source
    drawn = kinds.largest(found, lambda each: each.parts()["communication"])
    has_start = any(each.initialisation for each in found)
    colours = COLOURS | ({"initialisation": theme.KINDS["initialisation"]} if has_start else {})
    chart = kinds.stacked(
        [(each.workload, each.parts()) for each in drawn],
        colours,
        title="share of the time with MPI_Init" if has_start else "share of the time",
        label=lambda name, kind, share: f"{name}, {source}: {units.percent(share)} {kind}",
        height=16,
    ).properties(width=theme.PLOT_WIDTH - 40, height=alt.Step(22))
    most = max(found, key=lambda each: each.parts()["communication"])

    def row(each: _Shares) -> list[Field]:
        parts = each.parts()
        return [
            words("workload", each.workload),
            *(value(f"{kind} [1]", kind, parts[kind], "share") for kind in colours),
        ]

    share = units.percent(most.parts()["communication"])
    whole = "its time with MPI_Init" if has_start else "its time"
    title = f"{source}: {most.workload} communicates most, {share} of {whole}"
    note = f"Drawn are the {len(drawn)} of {len(found)} that communicate most."
    numbers = table(key, title, found, row, note=note if len(drawn) < len(found) else "")
    return Figure(chart=chart, table=numbers)


def critical_path(results: Results) -> list[ReportTable]:
    """Return the table of the parts of each prediction's critical path, if there are predictions."""
    rows = []
    for group in results.groups(modes=["predict"]):
        whole, crossing = group.describe("seconds"), group.describe("timed_internode_bytes")
        parts = [group.describe(f"critical_{part}_seconds") for part in CRITICAL_PATH]
        if whole is None or whole.mean <= 0 or None in parts:
            continue
        data = crossing.mean if crossing else None
        shares = zip(CRITICAL_PATH.items(), parts, strict=True)
        rows.append(
            [
                words("workload", group.workload),
                words("environment", group.environment),
                value("seconds [s]", "predicted time", whole.mean, "time"),
                *(value(f"{part} [1]", title, each.mean / whole.mean, "share")
                  for (part, title), each in shares if each),
                value("timed internode bytes [B]", "bytes between nodes in this time", data, "size"),
            ]
        )  # fmt: skip
    title = "Predictions: what the critical path is made of"
    return [table("critical-path", title, rows, lambda row: row)] if rows else []


def _groups(results: Results) -> dict[str, TraceProfile]:
    """Return one profile for each workload: its group follows from a replay on one network, on any trace."""
    found: dict[str, TraceProfile] = {}
    for (workload, _), profile in results.profiles.items():
        found.setdefault(workload, profile)
    return found


def _group_table(results: Results, groups: dict[str, TraceProfile]) -> ReportTable:
    def row(item: tuple[str, TraceProfile]) -> list[Field]:
        workload, profile = item
        return [
            words("workload", workload),
            words("change", _change(results, workload), "what these environments change"),
            words("group", _name(profile)),
            words("reason", profile.reason, "why"),
        ]

    title = "What the environments change, and groups of network dependence from the profiles alone"
    ordered = sorted(groups.items(), key=lambda item: _GROUPS.index(_name(item[1])))
    return table("groups", title, ordered, row)


def _change(results: Results, workload: str) -> str:
    """Return how much the environments of one mode differ for a workload, predicted if there are such runs."""
    for mode in reversed(MODES):
        groups = (results.group(workload, environment, mode) for environment in results.environments)
        times = [
            (group.environment, seconds.mean)
            for group in groups
            if group is not None and (seconds := group.describe("seconds")) is not None
        ]
        if found := speedup(times):
            return f"{found.sentence} ({HOW[mode]})"
    return "nothing to compare"


def _name(profile: TraceProfile) -> str:
    return profile.group or _NOT_KNOWN


def _sentence(groups: dict[str, TraceProfile]) -> str:
    """Return the programs of each group, by the largest class of each."""
    latest: dict[str, tuple[str, str]] = {}
    for workload, profile in groups.items():
        program, problem = problem_of(workload)
        program = program.upper() if workload.startswith("npb:") else program
        if program not in latest or by_size(problem) >= by_size(latest[program][0]):
            latest[program] = (problem, _name(profile))
    parts = []
    for group in _GROUPS:
        if members := [program for program, (_, each) in latest.items() if each == group]:
            parts.append(f"{group}: {', '.join(members)}")
    return "By the largest class of each program: " + "; ".join(parts) + "."

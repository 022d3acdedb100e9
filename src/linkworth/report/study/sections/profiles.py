"""Profiles: shares of computation and communication by problem class, and groups of network dependence."""

from collections.abc import Iterator, Sequence

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.study import Mode
from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.charts.shares import COLOURS
from linkworth.report.charts.stacked import share_bars
from linkworth.report.speedup import speedup
from linkworth.report.study import show
from linkworth.report.study.results import Results, problem_of
from linkworth.report.study.sections import look
from linkworth.report.study.table import (
    MOST_FIGURES,
    Cell,
    Drawing,
    Section,
    Table,
    column,
    drawing,
    nothing,
    words,
)
from linkworth.report.study.trace_profiles import TraceProfile

_NOT_KNOWN = "not known"
_GROUPS = ["highly dependent", "dependent", "low", "none", _NOT_KNOWN]
_EFFICIENCIES = {
    "parallel_efficiency": "parallel efficiency",
    "load_balance": "load balance",
    "serialisation_efficiency": "serialisation",
    "transfer_efficiency": "transfer",
}


_PARTS = {
    "compute": "computation",
    "overhead": "overhead",
    "latency": "latency",
    "bandwidth": "transfer",
    "wait": "waiting",
}


class _Shares(msgspec.Struct, frozen=True, kw_only=True):
    workload: str
    source: str
    """Environment, or the kind of recording."""
    computation: float
    communication: float
    init_seconds: float
    initialisation: float
    """Share of MPI_Init in the sum of itself and the predicted or measured time; 0 if one of them is unknown."""
    efficiencies: dict[str, float]

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
    path = critical_path(results)
    if found or path:
        sources = list(dict.fromkeys(each.source for each in found))
        text = "Shares of the ranks' time between MPI_Init and MPI_Finalize, of predictions in the replay."
        if any(each.initialisation for each in found):
            text += " The figures add MPI_Init to the time."
        if len(sources) > MOST_FIGURES:
            text += f" The first {MOST_FIGURES} of {len(sources)} environments are drawn."
        yield Section(
            key="profiles",
            title="Where the time goes",
            text=text,
            tables=[*([_table(found)] if found else []), *([path] if path else [])],
            drawings=[
                _drawing(number, source, [each for each in found if each.source == source])
                for number, source in enumerate(sources[:MOST_FIGURES])
            ],
        )
    groups = _groups(results)
    if groups:
        yield Section(
            key="groups", title="Groups of network dependence", text=_sentence(results), tables=[groups]
        )


def _found(results: Results) -> list[_Shares]:
    found = []
    for group in results.groups():
        compute, communication = (group.describe(f"{part}_share") for part in ("compute", "communication"))
        start, whole = group.describe("init_seconds"), group.describe("seconds")
        if compute and communication:
            how = "predicted" if group.mode == "predict" else "measured"
            found.append(
                _Shares(
                    workload=group.workload,
                    source=f"{group.environment}, {how}",
                    computation=compute.mean,
                    communication=communication.mean,
                    init_seconds=start.mean if start else 0.0,
                    initialisation=start.mean / (start.mean + whole.mean) if start and whole else 0.0,
                    efficiencies={
                        name: each.mean
                        for name in _EFFICIENCIES
                        if (each := group.describe(name)) is not None
                    },
                )
            )
    found += [
        _Shares(
            workload=workload,
            source=f"{environment}, recorded",
            computation=profile.compute_share,
            communication=profile.communication_share,
            init_seconds=profile.init_seconds,
            initialisation=0.0,
            efficiencies={
                name: known for name in _EFFICIENCIES if (known := getattr(profile, name)) is not None
            },
        )
        for (workload, environment), profile in results.profiles.items()
        if profile.ran
    ]
    # Keep the classes of a program together.
    programs: dict[str, int] = {}
    for name in results.workloads:
        programs.setdefault(problem_of(name)[0], len(programs))
    order = {name: (programs[problem_of(name)[0]], n) for n, name in enumerate(results.workloads)}
    return sorted(found, key=lambda each: order[each.workload])


def _table(found: Sequence[_Shares]) -> Table:
    with_efficiencies = [name for name in _EFFICIENCIES if any(name in each.efficiencies for each in found)]
    with_start = any(each.init_seconds for each in found)
    return Table(
        key="profiles",
        title="Shares and efficiencies",
        columns=[
            column("workload", "workload", number=False),
            column("where", "where", number=False),
            column("computation [1]", "computation"),
            column("communication [1]", "communication"),
            *([column("initialisation [s]", "initialisation of a rank")] if with_start else []),
            *([column("initialisation [1]", "of time with initialisation")] if with_start else []),
            *(column(f"{name} [1]", _EFFICIENCIES[name]) for name in with_efficiencies),
        ],
        rows=[
            [
                words(each.workload),
                words(each.source),
                _share(each.computation),
                _share(each.communication),
                *([show.number(each.init_seconds, "time")] if with_start else []),
                *([_share(each.initialisation) if each.initialisation else nothing()] if with_start else []),
                *(
                    _share(each.efficiencies[name]) if name in each.efficiencies else nothing()
                    for name in with_efficiencies
                ),
            ]
            for each in found
        ],
    )


def _share(value: float) -> Cell:
    return show.number(value, "share")


def _drawing(number: int, source: str, found: Sequence[_Shares]) -> Drawing:
    drawn = look.largest(found, lambda each: each.communication)
    data = []
    for each in drawn:
        start = 0.0
        for kind, share in each.parts().items():
            if share > 0:
                data.append(
                    {
                        "name": each.workload,
                        "kind": kind,
                        "start": start,
                        "end": start + share,
                        "middle": start + share / 2,
                        "text": units.percent(share) if share >= 0.09 else "",
                        "label": f"{each.workload}, {source}: {units.percent(share)} {kind}",
                    }
                )
            start += share
    base = alt.Chart(values(data)).encode(y=look.names_on_y([each.workload for each in drawn]))
    with_start = any(each.initialisation for each in found)
    colours = COLOURS | ({"initialisation": theme.QUIET} if with_start else {})
    title = "share of the time with MPI_Init" if with_start else "share of the time"
    bars = share_bars(base, title=title, kind="kind", colours=colours, height=16)
    labels = base.mark_text(color=theme.ON_DARK, fontWeight="bold").encode(x="middle:Q", text="text:N")
    most = max(found, key=lambda each: each.communication)
    return drawing(
        f"shares-{number + 1}",
        f"{source}: {most.workload} communicates most, {units.percent(most.communication)} of its time",
        alt.layer(bars, labels).properties(width=theme.PLOT_WIDTH - 40, height=alt.Step(22)),
        [column("workload", "workload", number=False), *(column(f"{kind} [1]", kind) for kind in colours)],
        [[words(each.workload), *(_share(each.parts()[kind]) for kind in colours)] for each in found],
        note=f"Drawn are the {len(drawn)} of {len(found)} that communicate most."
        if len(drawn) < len(found)
        else "",
    )


def critical_path(results: Results) -> Table | None:
    """Return the parts of each prediction's critical path."""
    rows = []
    for group in results.groups(modes=["predict"]):
        whole = group.describe("seconds")
        parts = [group.describe(f"critical_{part}_seconds") for part in _PARTS]
        if whole is None or whole.mean <= 0 or any(part is None for part in parts):
            continue
        crossing = group.describe("internode_bytes")
        rows.append(
            [
                words(group.workload),
                words(group.environment),
                show.number(whole.mean, "time"),
                *(_share(part.mean / whole.mean) for part in parts if part is not None),
                show.number(crossing.mean if crossing else None, "size"),
            ]
        )
    if not rows:
        return None
    return Table(
        key="critical-path",
        title="Predictions: what the critical path is made of",
        columns=[
            column("workload", "workload", number=False),
            column("environment", "environment", number=False),
            column("seconds [s]", "predicted time"),
            *(column(f"{part} [1]", title) for part, title in _PARTS.items()),
            column("internode bytes [B]", "bytes between nodes"),
        ],
        rows=rows,
    )


def _groups(results: Results) -> Table | None:
    if not results.profiles:
        return None
    found = sorted(_one_each(results).items(), key=lambda item: _GROUPS.index(_name(item[1])))
    return Table(
        key="groups",
        title="What the environments change, and groups of network dependence from the profiles alone",
        columns=[
            column("workload", "workload", number=False),
            column("change", "what these environments change", number=False),
            column("group", "group", number=False),
            column("reason", "why", number=False),
        ],
        rows=[
            [words(workload), words(_change(results, workload)), words(_name(profile)), words(profile.reason)]
            for workload, profile in found
        ],
    )


def _change(results: Results, workload: str) -> str:
    """Return how much the environments of one mode differ for a workload, predicted if there are such runs."""
    modes: list[tuple[Mode, str]] = [("predict", "predicted"), ("measure", "measured")]
    for mode, how in modes:
        times = [
            (group.environment, seconds.mean)
            for group in results.groups(modes=[mode])
            if group.workload == workload and (seconds := group.describe("seconds")) is not None
        ]
        if found := speedup(times):
            return f"{found.sentence} ({how})"
    return "nothing to compare"


def _name(profile: TraceProfile) -> str:
    return profile.group or _NOT_KNOWN


def _one_each(results: Results) -> dict[str, TraceProfile]:
    """Return one profile for each workload: its group follows from a replay on one network, on any trace."""
    found: dict[str, TraceProfile] = {}
    for (workload, _), profile in results.profiles.items():
        found.setdefault(workload, profile)
    return found


def _sentence(results: Results) -> str:
    """Return the programs of each group, by the largest class of each."""
    latest: dict[str, tuple[str, str]] = {}
    for workload, profile in _one_each(results).items():
        program, problem = problem_of(workload)
        if program not in latest or problem >= latest[program][0]:
            latest[program] = (problem, _name(profile))
    parts = []
    for group in _GROUPS:
        if members := [program.upper() for program, (_, each) in latest.items() if each == group]:
            parts.append(f"{group}: {', '.join(members)}")
    return "By the largest class of each program: " + "; ".join(parts) + "."

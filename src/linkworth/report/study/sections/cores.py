"""How busy the cores were."""

from collections.abc import Iterator, Sequence
from statistics import fmean

import altair as alt

from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.results import Group, Results
from linkworth.report.study.sections import look
from linkworth.report.study.table import Drawing, Section, Table, column, drawing, whole, words


def sections(results: Results) -> Iterator[Section]:
    """Yield the core utilisation where measured runs have CPU time by core."""
    use = [(group, cores) for group in results.groups(modes=["measure"]) if (cores := _by_core(group))]
    if not use:
        return
    yield Section(
        key="cores",
        title="Core utilisation",
        text="CPU time of each core over the time of the run, mean over the runs. MPI libraries that poll keep a core busy while "
        "they wait.",
        tables=[
            Table(
                key="cores",
                title="Core utilisation of each node",
                columns=[
                    column("workload", "workload", number=False),
                    column("environment", "environment", number=False),
                    column("node", "node", number=False),
                    column("cores", "cores"),
                    column("busy [1]", "busy"),
                    column("least [1]", "least busy core"),
                    column("most [1]", "busiest core"),
                ],
                rows=[
                    [
                        words(group.workload),
                        words(group.environment),
                        words(node),
                        whole(len(shares)),
                        show.number(fmean(shares), "share"),
                        show.number(min(shares), "share"),
                        show.number(max(shares), "share"),
                    ]
                    for group, cores in use
                    for node, shares in cores.items()
                ],
            )
        ],
        drawings=[
            _drawing(n + 1, workload, [each for each in use if each[0].workload == workload])
            for n, workload in enumerate(dict.fromkeys(group.workload for group, _ in use))
        ],
    )


def _by_core(group: Group) -> dict[str, list[float]]:
    """Return, by node, the share of the time that each core was busy."""
    shares: dict[str, list[list[float]]] = {}
    for record in group.done:
        seconds = record.metrics.get("elapsed_seconds", record.metrics.get("seconds", 0.0))
        for node in record.counters:
            if node.core_seconds and seconds > 0:
                busy = [min(1.0, each / seconds) for each in node.core_seconds]
                shares.setdefault(node.node, []).append(busy)
    return {
        node: [fmean(cores) for cores in zip(*runs, strict=True)]
        for node, runs in shares.items()
        if len({len(run) for run in runs}) == 1
    }


def _drawing(number: int, workload: str, use: Sequence[tuple[Group, dict[str, list[float]]]]) -> Drawing:
    data, rows = [], []
    for group, cores in use:
        for node, shares in cores.items():
            for core, share in enumerate(shares):
                data.append(
                    {
                        "name": f"{group.environment}, {node}",
                        "core": core,
                        "share": share,
                        "label": f"{group.environment}, {node}, core {core}: {share:.0%} busy",
                    }
                )
                rows.append([words(group.environment), words(node), whole(core), show.number(share, "share")])
    most = max(int(str(row["core"])) for row in data) + 1
    names = list(dict.fromkeys(str(row["name"]) for row in data))
    chart = (
        alt.Chart(values(data))
        .mark_rect()
        .encode(
            x=alt.X("core:O", title="core", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=look.names_on_y(names),
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 1], range=[theme.LIGHT_BLUE, theme.DARK_BLUE]),
                legend=alt.Legend(format="%", gradientLength=120),
            ),
            description="label:N",
        )
        .properties(width=min(look.WIDTH - 120, max(60, 24 * most)), height=alt.Step(20))
    )
    means = {group.environment: fmean(fmean(shares) for shares in cores.values()) for group, cores in use}
    listed = ", ".join(f"{share:.0%} on {name}" for name, share in list(means.items())[:4])
    return drawing(
        f"cores-{number}",
        f"{workload} keeps the cores busy for {listed}",
        chart,
        [
            column("environment", "environment", number=False),
            column("node", "node", number=False),
            column("core", "core"),
            column("busy [1]", "busy"),
        ],
        rows,
        wide=True,
    )

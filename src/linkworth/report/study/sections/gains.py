"""What an environment gains over its baseline as the problem grows."""

from collections.abc import Iterator

import altair as alt

from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.study import show
from linkworth.report.study.comparing import pair, wanted, workloads_of
from linkworth.report.study.results import Results, problem_of
from linkworth.report.study.sections import look
from linkworth.report.study.table import Drawing, Section, column, drawing, words

_MODES = ("measure", "predict")


def sections(results: Results) -> Iterator[Section]:
    """Yield the gains by problem class where a comparison of times has a program in two classes or more."""
    drawings: list[Drawing] = []
    for comparison in wanted(results):
        if comparison.steps or "seconds" not in comparison.metrics:
            continue
        programs: dict[str, list[str]] = {}
        for name in workloads_of(results, comparison):
            program, problem = problem_of(name)
            if problem:
                programs.setdefault(program, []).append(problem)
        if not any(len(problems) > 1 for problems in programs.values()):
            continue
        for environment in comparison.environments:
            for mode in _MODES:
                found = []
                for name in workloads_of(results, comparison):
                    program, problem = problem_of(name)
                    each = pair(results, comparison, name, environment, mode, "seconds") if problem else None  # type: ignore[arg-type]
                    if each and each.comparison.relative_difference is not None:
                        found.append((program, problem, 1 / (1 + each.comparison.relative_difference)))
                if len({problem for _, problem, _ in found}) > 1:
                    how = "predicted" if mode == "predict" else "measured"
                    drawings.append(
                        _drawing(f"gain-{len(drawings) + 1}", environment, comparison.baseline, how, found)
                    )
    if drawings:
        yield Section(
            key="gains",
            title="Gain by problem class",
            text="Time on the baseline over time on the other environment: above 1 the other is faster.",
            drawings=drawings,
        )


def _drawing(
    key: str, environment: str, baseline: str, how: str, found: list[tuple[str, str, float]]
) -> Drawing:
    programs = list(dict.fromkeys(program for program, _, _ in found))
    problems = sorted({problem for _, problem, _ in found}, key=lambda name: (name not in "SW", name))
    data = [
        {
            "program": program,
            "problem": problem,
            "gain": gain,
            "label": f"{program}.{problem}: {gain:.3g} times as fast on {environment} ({how})",
        }
        for program, problem, gain in found
    ]
    gains = [gain for *_, gain in found]
    base = alt.Chart(values(data)).encode(
        x=alt.X("problem:N", title="problem class", sort=problems, axis=alt.Axis(labelAngle=0)),
        y=alt.Y(
            "gain:Q",
            title=None,
            scale=alt.Scale(
                type="log", nice=False, domain=[min([*gains, 1.0]) / 1.1, max([*gains, 1.0]) * 1.1]
            ),
            axis=alt.Axis(format="~g", tickCount=6),
        ),
        color=_colour(programs),
        shape=look.shape(programs, field="program"),
    )
    even = alt.Chart(values([{"one": 1.0}])).mark_rule(color=theme.MUTED, strokeDash=[3, 3]).encode(y="one:Q")
    dots = base.mark_point(size=60, filled=True, opacity=1).encode(description="label:N")
    best = max(found, key=lambda each: each[2])
    return drawing(
        key,
        f"{best[0]}.{best[1]} gains most from {environment}: {best[2]:.3g} times as fast as on {baseline} ({how})",
        alt.layer(even, base.mark_line(strokeWidth=1.5), dots).properties(
            width=theme.PLOT_WIDTH - 40, height=230
        ),
        [
            column("program", "program", number=False),
            column("class", "class", number=False),
            column(f"time on {baseline} / on {environment} [1]", "gain"),
        ],
        [[words(program), words(problem), show.number(gain, "number")] for program, problem, gain in found],
        note=f"{how.capitalize()}; logarithmic.",
    )


def _colour(programs: list[str]) -> alt.Color:
    return alt.Color(
        "program:N",
        scale=alt.Scale(
            domain=programs, range=[theme.SERIES[n % len(theme.SERIES)] for n in range(len(programs))]
        ),
        legend=alt.Legend(columns=8, symbolOpacity=1),
    )

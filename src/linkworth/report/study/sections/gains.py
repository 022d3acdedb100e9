"""Gain of an environment over its baseline as the problem grows."""

from collections.abc import Iterator

import altair as alt
import msgspec

from linkworth.report.charts import theme
from linkworth.report.charts.figure import values
from linkworth.report.charts.sensitivity import log_ticks
from linkworth.report.study import show
from linkworth.report.study.comparing import Pair, pair, wanted, workloads_of
from linkworth.report.study.results import Results, problem_of
from linkworth.report.study.sections import look
from linkworth.report.study.table import Drawing, Section, column, drawing, words

_MODES = ("measure", "predict")


class _Gain(msgspec.Struct, frozen=True, kw_only=True):
    program: str
    problem: str
    gain: float
    low: float | None
    """Lower end of the 95 % interval; None without one."""
    high: float | None
    verdict: str


def sections(results: Results) -> Iterator[Section]:
    """Yield the gains by problem class if a comparison of times has a program in two classes or more."""
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
                found: list[_Gain] = []
                for name in workloads_of(results, comparison):
                    program, problem = problem_of(name)
                    each = pair(results, comparison, name, environment, mode, "seconds") if problem else None  # type: ignore[arg-type]
                    if each and each.comparison.relative_difference is not None:
                        found.append(_gain(program, problem, each))
                if len({gain.problem for gain in found}) > 1:
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


def _gain(program: str, problem: str, of: Pair) -> _Gain:
    interval, difference = of.comparison.interval, of.comparison.relative_difference
    assert difference is not None
    return _Gain(
        program=program,
        problem=problem,
        gain=1 / (1 + difference),
        low=1 / (1 + interval.high) if interval else None,
        high=1 / (1 + interval.low) if interval and interval.low > -1 else None,
        verdict=of.verdict,
    )


def _drawing(key: str, environment: str, baseline: str, how: str, found: list[_Gain]) -> Drawing:
    programs = list(dict.fromkeys(gain.program for gain in found))
    problems = sorted({gain.problem for gain in found}, key=lambda name: (name not in "SW", name))
    data = [
        {
            "program": gain.program,
            "problem": gain.problem,
            "gain": gain.gain,
            "label": f"{gain.program}.{gain.problem}: {gain.gain:.3g} times as fast on {environment} ({how}, {gain.verdict})",
            "shown": gain.verdict != "undecided",
        }
        for gain in found
    ]
    gains = [gain.gain for gain in found]
    low, high = min([*gains, 1.0]) / 1.1, max([*gains, 1.0]) * 1.1
    base = alt.Chart(values(data)).encode(
        x=alt.X("problem:N", title="problem class", sort=problems, axis=alt.Axis(labelAngle=0)),
        y=alt.Y(
            "gain:Q",
            title=None,
            scale=alt.Scale(type="log", nice=False, domain=[low, high]),
            axis=alt.Axis(format="~g", values=log_ticks(low, high)),
        ),
        color=_colour(programs),
    )
    even = alt.Chart(values([{"one": 1.0}])).mark_rule(color=theme.MUTED, strokeDash=[3, 3]).encode(y="one:Q")
    dots = base.mark_point(size=60, opacity=1, strokeWidth=1.5).encode(
        shape=look.shape(programs, field="program"),
        fill=alt.condition("datum.shown", _colour(programs), alt.value("transparent")),
        description="label:N",
    )
    shown = [gain for gain in found if gain.verdict not in ("undecided", "slower", "same")]
    best = max(shown, key=lambda each: each.gain, default=None)
    return drawing(
        key,
        f"{best.program}.{best.problem} gains most from {environment}: {best.gain:.3g} times as fast as on {baseline} ({how})"
        if best
        else f"No program is shown to gain from {environment} over {baseline} ({how})",
        alt.layer(even, base.mark_line(strokeWidth=1.5), dots).properties(
            width=theme.PLOT_WIDTH - 40, height=230
        ),
        [
            column("program", "program", number=False),
            column("class", "class", number=False),
            column(f"time on {baseline} / on {environment} [1]", "gain"),
            column("low [1]", "low"),
            column("high [1]", "high"),
            column("verdict", "verdict", number=False),
        ],
        [
            [
                words(gain.program),
                words(gain.problem),
                *(show.number(value, "number") for value in (gain.gain, gain.low, gain.high)),
                words(gain.verdict),
            ]
            for gain in found
        ],
        note=f"{how.capitalize()}; logarithmic."
        + (" Open marks: undecided." if any(gain.verdict == "undecided" for gain in found) else ""),
    )


def _colour(programs: list[str]) -> alt.Color:
    return alt.Color(
        "program:N",
        scale=alt.Scale(
            domain=programs, range=[theme.SERIES[n % len(theme.SERIES)] for n in range(len(programs))]
        ),
        legend=alt.Legend(columns=8, symbolOpacity=1),
    )

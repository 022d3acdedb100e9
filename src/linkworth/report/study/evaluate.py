"""Evaluates expressions over a study's results, with the uncertainty of each result.

A value is an array: the central value first, then the values under draws. Draws of measured runs are means of
bootstrap samples, of few runs those of Student's t. Draws of a prediction have other parameters of the fabric: the
study's own replays, or else the prediction's critical path with its parts scaled, a first-order approximation. A
comparison is true if it is true of the central values and of 95 % of the draws. `about` uses the central value.
`equal` uses the intervals mean +- 3 sigma of repeated runs, which must overlap. Predictions are not repeated: they are
equal if they differ by less than 5 %.
"""

import ast
import operator
import zlib
from random import Random
from typing import Any

import msgspec
import numpy
from numpy.typing import NDArray

from linkworth.advise.choose import cost_usd
from linkworth.predict.drawn import ASSUMED_SPREAD
from linkworth.report.study.prices import prices_of
from linkworth.report.study.results import MODES, Results, RunGroup
from linkworth.statistics.bootstrap import FEW
from linkworth.statistics.compare import MARGIN, sigma_overlap
from linkworth.study.definition.expression import WITHIN, Expression, Selection, called, is_result, texts
from linkworth.study.outcome import DRAWN_SECONDS

DRAWS = 200
_FAR = 50.0
"""Largest deviation of a draw, as a logarithm: two runs can have any."""
SURE = 0.95
"""Share of the draws in which a comparison must be true."""
_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_ORDER: dict[type[ast.cmpop], tuple[Any, str]] = {
    ast.Lt: (operator.lt, "<"),
    ast.LtE: (operator.le, "<="),
    ast.Gt: (operator.gt, ">"),
    ast.GtE: (operator.ge, ">="),
}


class NoValueError(Exception):
    """A result that the study asks for has no value; the text is a sentence without its full stop."""


class ExpressionValue(msgspec.Struct, frozen=True, kw_only=True):
    """Value of a number's expression."""

    value: float
    low: float
    """Lower end of the central 90 % of the draws; `high` is the upper one."""
    high: float


class Evaluator:
    """Evaluates expressions over one study's results."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self._prices = {name: price.usd for name, price in prices_of(results.study)[0].items()}
        self._known: dict[Selection, NDArray[Any]] = {}

    def asked(self, expression: Expression) -> bool:
        """Return whether the study, at its scale, asks for all results that an expression names."""
        return all(
            self.results.workload(each.workload) is not None
            and (not each.environment or self.results.environment(each.environment) is not None)
            for each in expression.selections
        )

    def number(self, expression: Expression) -> ExpressionValue:
        """Return an expression's value. Raises NoValueError."""
        values = self._number(expression.root)
        low, high = numpy.quantile(values, [0.05, 0.95])
        return ExpressionValue(value=float(values[0]), low=float(low), high=float(high))

    def truth(self, expression: Expression) -> tuple[bool, bool]:
        """Return whether a comparison is true with its uncertainty, and without it. Raises NoValueError."""
        found = self._truth(expression.root)
        central = bool(found[0])
        return central and float(found.mean()) >= SURE, central

    def shown(self, expression: Expression) -> str:
        """Return the comparisons of an expression with their values inserted."""
        parts = []
        for node in ast.walk(expression.root):
            if isinstance(node, ast.Compare):
                text = self._text(node.left)
                for op, right in zip(node.ops, node.comparators, strict=True):
                    sign = _ORDER[type(op)][1] if type(op) in _ORDER else "is"
                    text += f" {sign} {self._text(right)}"
                parts.append(text)
            elif isinstance(node, ast.Call) and called(node) in ("about", "equal"):
                parts.append(f"{self._text(node.args[0])} {called(node)} {self._text(node.args[1])}")
        return "; ".join(parts)

    def _text(self, node: ast.expr) -> str:
        if isinstance(node, ast.Call) and called(node) == "group":
            return self._group(texts(node)[0])
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return f"{float(self._number(node)[0]):.3g}"

    def _number(self, node: ast.expr) -> NDArray[Any]:
        match node:
            case ast.Constant(value=int() | float() as value):
                return numpy.array([float(value)])
            case ast.UnaryOp(op=op, operand=operand):
                return -self._number(operand) if isinstance(op, ast.USub) else self._number(operand)
            case ast.BinOp(left=left, op=op, right=right):
                first, second = _alike(self._number(left), self._number(right))
                if isinstance(op, ast.Div) and not second.all():
                    raise NoValueError(f"{ast.unparse(right)} is 0 and divides")
                result: NDArray[Any] = _ARITHMETIC[type(op)](first, second)
                return result
            case ast.Call() if is_result(node):
                return self._result(Selection(called(node), *texts(node)))
            case ast.Call():  # gain
                workload, slower, faster = texts(node)
                first, second = _alike(
                    *(self._result(Selection("seconds", workload, each)) for each in (slower, faster))
                )
                ratio: NDArray[Any] = first / second
                return ratio
        raise AssertionError(ast.unparse(node))

    def _truth(self, node: ast.expr) -> NDArray[Any]:
        match node:
            case ast.UnaryOp(operand=operand):
                return ~self._truth(operand)
            case ast.BoolOp(op=op, values=values):
                found = self._truth(values[0])
                for each in values[1:]:
                    first, second = _alike(found, self._truth(each))
                    found = first & second if isinstance(op, ast.And) else first | second
                return found
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as equality], comparators=[right]):
                same = self._text(left) == self._text(right)
                return numpy.array([same == isinstance(equality, ast.Eq)])
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                values = [left, *comparators]
                found = numpy.array([True])
                for before, order, after in zip(values[:-1], ops, values[1:], strict=True):
                    pair = _alike(self._number(before), self._number(after))
                    found, now = _alike(found, _ORDER[type(order)][0](*pair))
                    found = found & now
                return found
            case ast.Call() if called(node) == "about":
                value, wanted, *within = (float(self._number(each)[0]) for each in node.args)
                allowed = within[0] if within else WITHIN
                return numpy.array([abs(value - wanted) <= allowed * abs(wanted)])
            case ast.Call():  # equal
                both = [
                    Selection(called(each), *texts(each)) for each in node.args if isinstance(each, ast.Call)
                ]
                return numpy.array([self._equal(*both)])
        raise AssertionError(ast.unparse(node))

    def _equal(self, first: Selection, second: Selection) -> bool:
        runs = [self._runs(each) for each in (first, second)]
        overlap = sigma_overlap(*runs) if all(runs) else None
        if overlap is not None:
            return overlap
        a, b = (float(self._result(each)[0]) for each in (first, second))
        return abs(b - a) <= MARGIN * min(abs(a), abs(b))

    def _runs(self, wanted: Selection) -> list[float]:
        """Return the values of the measured runs."""
        group = self.results.group(wanted.workload, wanted.environment, "measure")
        return group.values(wanted.metric) if group else []

    def _group(self, workload: str) -> str:
        found = next((each for (name, _), each in self.results.profiles.items() if name == workload), None)
        if found is None or found.group is None:
            raise NoValueError(f"{workload} has no group of network dependence")
        return found.group

    def _result(self, wanted: Selection) -> NDArray[Any]:
        if wanted not in self._known:
            self._known[wanted] = self._values(wanted)
        return self._known[wanted]

    def _values(self, wanted: Selection) -> NDArray[Any]:
        workload, environment = wanted.workload, wanted.environment
        stored = "seconds" if wanted.metric == "cost_usd" else wanted.metric
        for mode in MODES:
            group = self.results.group(workload, environment, mode)
            if group is None or not group.values(stored):
                continue
            values = _drawn(group, stored)
            if wanted.metric != "cost_usd":
                return values
            nodes = self.results.nodes(group)
            if nodes is None or environment not in self._prices:
                raise NoValueError(f"{workload} on {environment} has no price")
            return values * cost_usd(1.0, nodes, self._prices[environment])
        profile = self.results.profiles.get((workload, environment))
        if profile is not None and wanted.metric in profile.metrics:
            return numpy.array([profile.metrics[wanted.metric]])
        raise NoValueError(f"{workload} on {environment} has no value of {wanted.metric}")


def _alike(first: NDArray[Any], second: NDArray[Any]) -> tuple["NDArray[Any]", "NDArray[Any]"]:
    """Return two arrays of one length: a value without draws is repeated, surplus draws are dropped."""
    if len(first) == 1 or len(second) == 1:
        both = numpy.broadcast_arrays(first, second)
        return both[0], both[1]
    count = min(len(first), len(second))
    return first[:count], second[:count]


def _drawn(group: RunGroup, metric: str) -> NDArray[Any]:
    """Return the mean of a metric, then its values under draws, if there are any."""
    values = numpy.array(group.values(metric))
    if group.mode == "measure":
        if len(values) == 1:
            return values
        random = numpy.random.default_rng(
            zlib.crc32(f"{group.workload} {group.environment} {metric}".encode())
        )
        if len(values) < FEW and values.min() > 0:
            # Bootstrap samples of few runs vary too little; the logarithm keeps each draw above 0.
            error = values.std(ddof=1) / len(values) ** 0.5 / values.mean()
            deviations = random.standard_t(len(values) - 1, DRAWS) * error
            means = values.mean() * numpy.exp(deviations.clip(-_FAR, _FAR))
        else:
            means = random.choice(values, (DRAWS, len(values))).mean(axis=1)
        return numpy.concatenate([[values.mean()], means])
    if metric != "seconds":
        return values[:1]
    record = group.done[0]
    made = record.series.get(DRAWN_SECONDS)
    if made:
        return numpy.array([values[0], *made])
    parts = [
        record.metrics.get(f"critical_{part}_seconds")
        for part in ("latency", "bandwidth", "overhead", "compute")
    ]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return values[:1]
    # All predictions share their random numbers.
    source = Random(0)
    normal = numpy.array([[source.gauss(0.0, 1.0) for _ in known] for _ in range(DRAWS)])
    sigma = numpy.sqrt(numpy.log1p(numpy.square(msgspec.structs.astuple(ASSUMED_SPREAD))))
    factors = numpy.exp(sigma * normal - sigma**2 / 2) ** [1, -1, 1, 1]  # a higher bandwidth takes less time
    return numpy.array([values[0], *(values[0] + (factors - 1) @ known)])

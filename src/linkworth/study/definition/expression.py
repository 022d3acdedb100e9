"""The small language of `[published]`: arithmetic on a study's results, and comparisons of them.

A text is one expression in Python's syntax: numbers, `+ - * /`, comparisons (also chained), `and`, `or`, `not`, and calls.

    METRIC('workload', 'environment')      a result, such as seconds('npb:ft.B', 'gbe')
    gain('workload', 'slower', 'faster')   the time in the first environment over that in the second
    group('workload')                      the group of network dependence, to compare with == 'low'
    equal(a, b)                            two results are equal: see `linkworth.report.study.evaluate`
    about(a, number)                       a value within 10 % of a number; about(a, number, 0.2) for 20 %
"""

import ast
from collections.abc import Iterator
from typing import Literal

import msgspec

from linkworth.errors import UsageError

Kind = Literal["number", "words", "truth"]
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
WITHIN = 0.1
"""Relative difference that `about` allows if no other is given."""
_ARGUMENTS = {
    "gain": "a workload and two environments",
    "group": "a workload",
    "equal": "two results",
    "about": "a value, a number and, if not 0.1, how far they may differ",
}
_RESULT = "a workload and an environment"


class Selection(msgspec.Struct, frozen=True):
    """One result that an expression names."""

    metric: str
    workload: str
    environment: str
    """"" for a group, which is the workload's own."""


class Expression(msgspec.Struct, frozen=True, eq=False):
    """A parsed text whose parts fit together."""

    text: str
    root: ast.expr
    kind: Kind
    selections: list[Selection]
    """Results that it names, each once."""


def parse(text: str) -> Expression:
    """Parse an expression. Raises UsageError with one sentence on its fault."""
    try:
        root = ast.parse(f"({text}\n)", mode="eval").body
        kind = _kind(root)
        return Expression(text=text, root=root, kind=kind, selections=list(dict.fromkeys(_selections(root))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(
            f"{text!r} is no expression; write one such as \"gain('npb:ft.B', 'gbe', 'ib-fdr') > 1\""
        ) from None


def called(node: ast.Call) -> str:
    """Return the name of the called function."""
    assert isinstance(node.func, ast.Name)
    return node.func.id


def texts(node: ast.Call) -> list[str]:
    """Return the name arguments of a call: workload, then environments."""
    return [str(each.value) for each in node.args if isinstance(each, ast.Constant)]


def is_result(node: ast.expr) -> bool:
    """Return whether a part is one result: METRIC(workload, environment)."""
    return isinstance(node, ast.Call) and called(node) not in _ARGUMENTS


def _selections(root: ast.expr) -> Iterator[Selection]:
    for node in ast.walk(root):
        if isinstance(node, ast.Call):
            name = called(node)
            if name == "gain":
                workload, *environments = texts(node)
                yield from (Selection("seconds", workload, each) for each in environments)
            elif name == "group":
                yield Selection("group", texts(node)[0], "")
            elif is_result(node):
                yield Selection(name, *texts(node))


def _kind(node: ast.expr) -> Kind:
    """Return the kind of a part's value. Raises UsageError for anything outside the language, or a mismatch."""
    match node:
        case ast.Constant(value=bool()) | ast.Constant(value=None):
            pass
        case ast.Constant(value=int() | float()):
            return "number"
        case ast.Constant(value=str()):
            return "words"
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
            return _expect(operand, "number")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _expect(operand, "truth")
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, ARITHMETIC):
            _expect(left, "number")
            return _expect(right, "number")
        case ast.BoolOp(values=values):
            for each in values:
                _expect(each, "truth")
            return "truth"
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _comparison([left, *comparators], ops)
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return _call(name, node.args)
    raise UsageError(
        f"{ast.unparse(node)!r} is not understood here; write numbers, + - * /, comparisons, and, or, not, "
        f"and METRIC('workload', 'environment'), {', '.join(f'{name}(...)' for name in _ARGUMENTS)}"
    )


def _comparison(operands: list[ast.expr], ops: list[ast.cmpop]) -> Kind:
    if all(isinstance(op, ORDER) for op in ops):
        for each in operands:
            _expect(each, "number")
        return "truth"
    if len(ops) == 1 and isinstance(ops[0], ast.Eq | ast.NotEq):
        for each in operands:
            _expect(each, "words")
        return "truth"
    raise UsageError(
        f"{ast.unparse(operands[0])!r} is compared by == or !=, which compare groups only: use <, <=, >, >=, equal or about"
    )


def _call(name: str, arguments: list[ast.expr]) -> Kind:
    wanted = _ARGUMENTS.get(name, _RESULT)
    if name == "equal":
        fits = len(arguments) == 2 and all(
            isinstance(each, ast.Call) and is_result(each) for each in arguments
        )
        for each in arguments:
            _kind(each)
        kind: Kind = "truth"
    elif name == "about":
        fits = len(arguments) in (2, 3) and all(_kind(each) == "number" for each in arguments)
        kind = "truth"
    else:
        count = {"gain": 3, "group": 1}.get(name, 2)
        fits = len(arguments) == count and all(
            isinstance(each, ast.Constant) and isinstance(each.value, str) for each in arguments
        )
        kind = "words" if name == "group" else "number"
    if not fits:
        raise UsageError(f"{name}(...) takes {wanted}")
    return kind


def _expect(node: ast.expr, kind: Kind) -> Kind:
    if _kind(node) != kind:
        wanted = {"number": "a number", "words": "a group", "truth": "a comparison"}[kind]
        raise UsageError(f"{ast.unparse(node)!r} stands where {wanted} belongs")
    return kind

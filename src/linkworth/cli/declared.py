"""Options made from the declared parameters of a struct, and the struct from their values."""

import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
import rich_click as click

from linkworth.cli.given import given
from linkworth.cli.number import Number
from linkworth.errors import UsageError
from linkworth.model.number_range import NumberRange
from linkworth.model.parameter import Declared, declared

S = TypeVar("S", bound=msgspec.Struct)
Readers = Mapping[str, Callable[[Sequence[str]], object]]
"""Field name: function that reads the texts of a repeatable option."""


def spelling(parameter: Declared) -> str:
    """Return a parameter's name on the command line: `--noise`."""
    return f"--{parameter.spelling}"


def options_of(
    kind: type[msgspec.Struct], without: Collection[str] = ()
) -> list[Callable[[Any], Callable[..., Any]]]:
    """Return a decorator for each parameter of a struct, which adds its option under the field's name."""
    return [_option(each) for each in declared(kind) if each.name not in without]


def struct_from(kind: type[S], values: Mapping[str, Any], read: Readers) -> S:
    """Return the struct of the options' values. Raises UsageError for an option that needs another one."""
    parameters = {each.name: each for each in declared(kind)}
    fields: dict[str, Any] = {}
    for name, value in values.items():
        if name in read:
            fields[name] = read[name](value)
        elif value is not None:
            scale, allowed = parameters[name].parameter.scale, parameters[name].parameter.allowed
            # The range of an integer option has no upper end, which would fill its line on the help page.
            if type(value) is int and allowed is not None and value not in allowed:
                raise UsageError(f"{spelling(parameters[name])} {value}: give {allowed}")
            fields[name] = value if scale == 1 else value * scale
    made = kind(**fields)
    chosen = given(values)
    for each in parameters.values():
        needed = parameters.get(each.parameter.needs)
        if needed and spelling(each) in chosen and getattr(made, needed.name) == needed.default:
            raise UsageError(f"{spelling(each)} needs {spelling(needed)} as well")
    return made


def _option(each: Declared) -> Callable[[Any], Callable[..., Any]]:
    name, parameter = spelling(each), each.parameter
    text = parameter.help + (f"  [default: {parameter.default}]" if parameter.default else "")
    if each.type is bool:
        names = f"{name}/--no-{name[2:]}" if each.default else name
        return click.option(
            names, each.name, is_flag=True, default=each.default, show_default=bool(each.default), help=text
        )
    (of,) = (member for member in _members(each.type) if member is not types.NoneType)
    if of is str or get_origin(of) in (list, dict):
        return click.option(name, each.name, multiple=of is not str, metavar=parameter.metavar, help=text)
    metavar = parameter.metavar or parameter.unit.upper() or None
    if get_origin(of) is Literal:
        if parameter.metavar:
            text = f"{parameter.help.rstrip('.')}: {', '.join(get_args(of))}.{text[len(parameter.help) :]}"
        return click.option(name, each.name, type=click.Choice(get_args(of)), metavar=metavar, help=text)
    allowed = parameter.allowed
    assert allowed is not None, f"{each.name}: a number needs its range"
    kind: click.ParamType[Any] = Number(_scaled(allowed, parameter.scale), unit=parameter.unit)
    if of is int:
        kind = click.IntRange(min=0 if allowed.zero and allowed.least <= 1 else int(allowed.least))
    # 0 means that nothing happens, and a struct knows its defaults itself.
    shown = each.default or None
    return click.option(
        name, each.name, type=kind, default=shown, show_default=bool(shown), metavar=metavar, help=text
    )


def _members(kind: object) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _scaled(allowed: NumberRange, scale: float) -> NumberRange:
    if scale == 1:
        return allowed
    return msgspec.structs.replace(allowed, least=allowed.least / scale, most=allowed.most / scale)

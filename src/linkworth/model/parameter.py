"""Declaration of a parameter that a user sets: what a field's type and default do not express."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin

import msgspec

from linkworth.model.number_range import NumberRange


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """Annotation of a struct's field. Options, file keys, checks and reference pages follow from it."""

    help: str
    """One or two sentences for reference pages and `--help`."""
    allowed: NumberRange | None = None
    """Range of a number, or of each number of a list. None: every value of the type."""
    spelling: str = ""
    """Name on the command line. "": the field's name."""
    metavar: str = ""
    """Form of the value on the command line."""
    unit: str = ""
    """Unit on the command line, if it is not the SI unit of the field."""
    scale: float = 1.0
    """SI units in one `unit`."""
    default: str = ""
    """Default in words, if the field's default does not explain itself."""
    needs: str = ""
    """Field without which this one has no effect."""


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """A field with its parameter."""

    name: str
    type: Any
    """Type without annotations."""
    default: Any
    """`msgspec.NODEFAULT` if the field is required."""
    parameter: Parameter

    @property
    def spelling(self) -> str:
        """Name on the command line, without dashes before it."""
        return self.parameter.spelling or self.name.replace("_", "-")


def declared(kind: type[msgspec.Struct]) -> Iterator[Declared]:
    """Yield the fields of a struct that are parameters, in their order."""
    for field in msgspec.structs.fields(kind):
        notes = get_args(field.type)[1:] if get_origin(field.type) is Annotated else ()
        for note in notes:
            if isinstance(note, Parameter):
                default = field.default
                if field.default_factory is not msgspec.NODEFAULT:
                    default = field.default_factory()
                yield Declared(name=field.name, type=get_args(field.type)[0], default=default, parameter=note)

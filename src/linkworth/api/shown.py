"""Results of the packages below as the classes that the API shows, which add tables and HTML to the same fields."""

from typing import TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)


def shown_as(kind: type[T], found: msgspec.Struct) -> T:
    """Return a struct as the subclass `kind` of its own class."""
    return kind(**{name: getattr(found, name) for name in found.__struct_fields__})

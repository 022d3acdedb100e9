"""Base of the types of options and arguments: click's, which is no generic class before click 8.4."""

from typing import TYPE_CHECKING

import rich_click as click

if TYPE_CHECKING:
    ValueType = click.ParamType
else:

    class ValueType(click.ParamType):
        """Type of a value that an option or argument has."""

        def __class_getitem__(cls, value: object) -> type["ValueType"]:
            """Return the class itself: only type checkers ask for the value's type."""
            return cls

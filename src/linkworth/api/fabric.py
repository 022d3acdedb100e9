"""Networks of the public API."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Self

import msgspec

from linkworth.api import html
from linkworth.api.arguments import checked, plain
from linkworth.api.shown import shown_as
from linkworth.catalog import fabric_file
from linkworth.catalog import fabrics as catalog
from linkworth.errors import UsageError
from linkworth.model import fabric as model
from linkworth.writing.text import printable
from linkworth.writing.user_folder import expanded

FabricLike = str | PathLike[str] | model.Fabric
"""A name of the catalog (`gbe`, `gbex4`), the path of a fabric's file, or a `Fabric`."""


class Fabric(model.Fabric, frozen=True, kw_only=True):
    """A network between nodes. The fields and their units are those of a fabric file (docs/reference/fabrics.md)."""

    @classmethod
    @checked
    def load(cls, name_or_path: FabricLike) -> Self:
        """Return a fabric of the catalog, or of a file.

        Raises UsageError for an unknown name, with the nearest ones, and for a file with a fault.
        """
        found = found_fabric(name_or_path)
        return shown_as(cls, found)

    def with_(self, **changes: Any) -> Self:  # noqa: ANN401 (fields of several types)
        """Return a copy with other values: `fabric.with_(latency_seconds=2e-6, rails=2)`.

        A keyword is a field of the fabric, or of its `link`. The tables `link`, `intranode`, `topology`, `tcp` and `spread` take
        a dictionary of the fields to change. Give the copy a `name` to compare it with the original. Raises UsageError for
        an unknown field or a value out of range.
        """
        document = msgspec.to_builtins(self)
        origin = document.pop("origin")
        of_link = set(model.Path.__struct_fields__)
        for name, value in plain(changes).items():
            if name in of_link:
                document["link"][name] = value
            elif isinstance(value, dict) and isinstance(document.get(name), dict):
                document[name] |= value
            elif name in document:
                document[name] = msgspec.to_builtins(value)
            else:
                known = sorted({*document, *of_link} - {"sources"})
                raise UsageError(f"a fabric has no field {name!r}; it has {', '.join(known)}")
        changed = fabric_file.parse(document, f"fabric {self.name}")
        return msgspec.structs.replace(shown_as(type(self), changed), origin=origin)

    def __repr__(self) -> str:
        return printable(f"<linkworth.Fabric {self.name}: {self.title}>")

    def _repr_html_(self) -> str:
        link = self.link
        rows = [
            ("latency of the link", link.latency_seconds, "s"),
            ("bandwidth of a rail", link.bandwidth_bytes_per_second, "byte/s"),
            ("rails", self.rails, ""),
            ("eager limit", link.eager_limit_bytes, "byte"),
        ]
        return html.table(f"{self.name}: {self.title}", ("", "value", "unit"), rows)


def fabrics() -> list[str]:
    """Return the names of the networks of the catalog, in order of bandwidth."""
    return catalog.names()


def found_fabric(given: FabricLike) -> model.Fabric:
    """Return the fabric of a name, a path or itself."""
    return given if isinstance(given, model.Fabric) else catalog.get(expanded(given))


def found_fabrics(given: FabricLike | Sequence[FabricLike]) -> list[model.Fabric]:
    """Return one or several fabrics. Raises UsageError if two have the same name."""
    several = [given] if isinstance(given, str | PathLike | model.Fabric) else list(given)
    found = [found_fabric(each) for each in several]
    names = [fabric.name for fabric in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(
            f"two fabrics are named {twice[0]}; give a changed one a name: with_(name={twice[0] + '-changed'!r})"
        )
    return found

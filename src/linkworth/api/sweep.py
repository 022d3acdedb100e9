"""Sweeps of the public API."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from linkworth.api import html
from linkworth.api.table import Table, Tabular, from_rows, installed
from linkworth.model import sweep as model
from linkworth.predict import axes
from linkworth.units import plural
from linkworth.writing.text import printable

_SETTINGS = ("fabric", "nodes", "placement")
_UNITS = {"latency": "s", "bandwidth": "byte/s"}


class Sweep(model.Sweep, Tabular, frozen=True, kw_only=True):
    """Predicted times of one program for every combination of networks, numbers of nodes, placements and parameters."""

    def to_table(self) -> Table:
        """Return one row a combination: network, nodes, placement, each parameter as applied, and the times in seconds."""
        names = [_column(axis) for axis in self.axes]
        rows: list[dict[str, Any]] = [
            {name: getattr(point, name) for name in (*_SETTINGS, *model.TIMES)}
            | {_column(axis): point.parameters[axis.name] for axis in self.axes}
            for point in self.points
        ]
        kinds = {"fabric": "object", "nodes": "int64", "placement": "object"}
        kinds |= dict.fromkeys((*names, *model.TIMES), "float64")
        return from_rows(rows, kinds, f"sweep of {self.workload} on {plural(self.ranks, 'rank')}")

    def to_xarray(self) -> Any:  # noqa: ANN401
        """Return an `xarray.Dataset` with a variable a result, and a dimension a setting or parameter.

        The coordinates of a parameter are the values asked for. If it was given by factors, so are they, and the dimension is
        named `bandwidth_factor` instead of `bandwidth`. Times are NaN for numbers of nodes that a placement does not have.
        Raises EnvironmentLacksError if xarray is not installed.
        """
        import numpy

        xarray = installed("xarray")
        table = self.to_table()
        settings = {name: list(dict.fromkeys(table[name].tolist())) for name in _SETTINGS}
        coordinates: dict[str, Any] = dict(settings)
        for axis in self.axes:
            name = f"{axis.name}_factor" if axis.factor else _column(axis)
            units = {"units": _UNITS[name]} if name in _UNITS else {}
            coordinates[name] = (name, axis.values, units)
        varied = [len(axis.values) for axis in self.axes]
        first = slice(None, None, math.prod(varied))  # of each combination of settings
        places = tuple(
            [values.index(value) for value in table[name][first].tolist()]
            for name, values in settings.items()
        )

        def times(name: str) -> Any:  # noqa: ANN401
            found = numpy.full([*map(len, settings.values()), *varied], numpy.nan)
            found[places] = table[name].reshape(-1, *varied)
            return found

        return xarray.Dataset(
            {name: (tuple(coordinates), times(name), {"units": "s"}) for name in model.TIMES},
            coordinates,
            {"workload": self.workload, "ranks": self.ranks},
        )

    def __repr__(self) -> str:
        size = plural(len(self.points), "point")
        return printable(f"<linkworth.Sweep of {self.workload} on {plural(self.ranks, 'rank')}: {size}>")

    def _repr_html_(self) -> str:
        table = self.to_table()
        shown = (*_SETTINGS, *map(_column, self.axes), "seconds")
        return html.table(table.title, shown, [[row[name] for name in shown] for row in table.rows()])


def _column(axis: model.SweepAxis) -> str:
    """Return the name of an axis as `vary` takes it in Python."""
    return axis.name.replace("-", "_")


def axes_of(vary: Mapping[str, Sequence[float] | str]) -> list[model.SweepAxis]:
    """Return the axes of a sweep. A text is in the command line's form: `1us..100us:10`, `x0.5,x2`. Raises UsageError."""
    found = []
    for name, values in vary.items():
        known = name.replace("_", "-")
        if isinstance(values, str):
            found.append(axes.parse(f"{known}={values}"))
        else:
            found.append(axes.axis(known, list(values), f"`vary` {name!r}"))
    return found

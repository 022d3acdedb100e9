"""Profile of the public API."""

import msgspec

from linkworth import units
from linkworth.api import html
from linkworth.api.table import Table, Tabular, from_rows
from linkworth.model import profile as model
from linkworth.writing.text import printable

_KINDS = {str: "object", int: "int64", float: "float64"}
_COLUMNS = {
    field.name: _KINDS[field.type]
    for field in msgspec.structs.fields(model.CallTotals)
    if field.type in _KINDS
}
_SHOWN_ROWS = 10


class Profile(model.Profile, Tabular, frozen=True, kw_only=True):
    """Division of a recorded program's time (docs/reference/profile.md). Times are seconds, shares are 0 to 1."""

    def to_table(self) -> Table:
        """Return one row a MPI call: its name, its count, its bytes and its seconds, summed over ranks; the longest first."""
        rows = [msgspec.structs.asdict(call) for call in self.calls]
        return from_rows(
            rows, _COLUMNS, f"MPI calls of {self.workload} on {units.plural(self.ranks, 'rank')}"
        )

    def __repr__(self) -> str:
        return printable(f"<linkworth.Profile of {self._summary()}>")

    def _repr_html_(self) -> str:
        rows = [[getattr(call, name) for name in _COLUMNS] for call in self.calls[:_SHOWN_ROWS]]
        return html.table(self._summary(), list(_COLUMNS), rows)

    def _summary(self) -> str:
        return (
            f"{self.workload} on {units.plural(self.ranks, 'rank')}: {units.duration(self.elapsed_seconds)}, "
            f"{units.percent(self.run_shares.communication)} communication, "
            f"network dependence: {self.group or 'not known'}"
        )

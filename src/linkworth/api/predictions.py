"""Predictions of the public API."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from linkworth.api import html
from linkworth.api.arguments import checked
from linkworth.api.shown import shown_as
from linkworth.api.table import Table, Tabular, from_rows
from linkworth.model import prediction as model
from linkworth.units import plural
from linkworth.writing.text import printable


class Prediction(model.Prediction, frozen=True, kw_only=True):
    """Predicted run of one program on one network. Times are in seconds."""

    def __repr__(self) -> str:
        return f"<linkworth.Prediction on {self.fabric}: {self.seconds:.4g} s>"

    def _repr_html_(self) -> str:
        rows = [("time", self.seconds), *self.critical_path.items()]
        return html.table(f"on {self.fabric}, seconds", ("part of the critical path", "seconds"), rows)


class Predictions(Mapping[str, Prediction], Tabular):
    """Predicted runs of one program on several networks, by the network's name, in the order of the request."""

    @checked
    def __init__(self, document: model.PredictionSet) -> None:
        self.document = document
        """All results, as `msgspec.Struct` (docs/reference/replay.md)."""
        self._found = {each.fabric: shown_as(Prediction, each) for each in document.predictions}

    @property
    def warnings(self) -> list[str]:
        """Limits of these predictions, a sentence each."""
        return self.document.warnings

    def __getitem__(self, fabric: str) -> Prediction:
        try:
            return self._found[fabric]
        except KeyError:
            raise KeyError(f"no prediction on {fabric!r}; there are {', '.join(self._found)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def to_table(self) -> Table:
        """Return one row a network: name, nodes, seconds, the parts of the critical path, messages and bytes between nodes."""
        rows: list[dict[str, Any]] = [
            msgspec.structs.asdict(each) | {"nodes": self.document.nodes} for each in self._found.values()
        ]
        kinds = {"fabric": "object", "nodes": "int64", "seconds": "float64"}
        kinds |= {f"{part}_seconds": "float64" for part in model.CRITICAL_PATH}
        kinds |= {"messages": "int64", "internode_bytes": "int64", "timed_internode_bytes": "int64"}
        return from_rows(rows, kinds, f"{self.document.workload} on {plural(self.document.nodes, 'node')}")

    def plot(self) -> Any:  # noqa: ANN401
        """Return an `altair.Chart` of each network's time, divided into the parts of the critical path. Notebooks show it."""
        import altair as alt

        rows = [
            {"network": each.fabric, "part": part, "seconds": seconds, "order": number}
            for each in self._found.values()
            for number, (part, seconds) in enumerate(each.critical_path.items())
        ]
        return (
            alt.Chart(alt.InlineData(values=rows), title=self.to_table().title)
            .mark_bar()
            .encode(
                x=alt.X("seconds:Q", title="predicted time (s)"),
                y=alt.Y("network:N", title=None, sort=list(self._found)),
                color=alt.Color("part:N", title="critical path", sort=list(model.CRITICAL_PATH)),
                order="order:O",
                tooltip=["network:N", "part:N", "seconds:Q"],
            )
        )

    def __repr__(self) -> str:
        times = ", ".join(f"{each.fabric}: {each.seconds:.4g} s" for each in self._found.values())
        where = plural(self.document.nodes, "node")
        return printable(f"<linkworth.Predictions of {self.document.workload} on {where}: {times}>")

    def _repr_html_(self) -> str:
        rows = [(each.fabric, each.seconds, *each.critical_path.values()) for each in self._found.values()]
        title = f"{self.document.workload} on {plural(self.document.nodes, 'node')}, seconds"
        return html.table(title, ("network", "time", *model.CRITICAL_PATH), rows)

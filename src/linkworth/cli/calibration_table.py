"""Tables of a calibration for a person."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.cli import units
from linkworth.model.calibration import Calibration, FittedParameter

_WORST_SHOWN = 5


def calibration_table(calibration: Calibration) -> RenderableType:
    """Return the parameters with their sources, and the errors of the fit."""
    fabric = calibration.fabric
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("parameter", "value", "spread", "from"):
        table.add_column(name, justify="right" if name in {"value", "spread"} else "left")
    for parameter in calibration.parameters:
        table.add_row(
            parameter.field,
            _value(parameter),
            "" if parameter.spread is None else f"{parameter.spread:.1%}",
            _origin(parameter),
        )
    misses = Text(
        f"The replay of the {len(calibration.points)} measured points on this fabric is off by "
        f"{calibration.median_residual:.1%} in the median and {calibration.worst_residual:.1%} at worst."
    )
    parts: list[RenderableType] = [
        Text(f"{fabric.name}: {fabric.title}", style="bold"),
        table,
        Text(),
        misses,
        _worst(calibration),
        Text(),
        *_reasons(calibration),
        *(Text(f"- {remark}") for remark in calibration.notes),
    ]
    if calibration.written:
        parts.append(Text(f"Wrote {calibration.written}: give it as --on {calibration.written}."))
    return Group(*parts)


def _worst(calibration: Calibration) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("largest misses", "size", "measured", "fit", "off by"):
        table.add_column(name, justify="left" if name == "largest misses" else "right")
    worst = sorted(calibration.points, key=lambda point: -abs(point.residual))[:_WORST_SHOWN]
    for point in worst:
        place = " inside a node" if point.inside_a_node else ""
        together = "senders" if point.test == "incast" else "pairs"
        pairs = f", {point.pairs} {together}" if point.pairs > 1 else ""
        rails = f", {point.rails} NICs" if point.rails > 1 else ""
        table.add_row(
            f"{point.test}{pairs}{rails}{place}",
            units.size(point.bytes),
            units.seconds(point.measured_seconds),
            units.seconds(point.fitted_seconds),
            f"{point.residual:+.1%}",
        )
    return table


def _value(parameter: FittedParameter) -> str:
    value = parameter.value
    if isinstance(value, list):
        return "\n".join(f"{units.size(size)}: {units.seconds(seconds)}" for size, seconds in value) or "none"
    if isinstance(value, str):
        return value
    if parameter.field.endswith("bytes_per_second"):
        return units.rate(value)
    if parameter.field.endswith("seconds"):
        return units.seconds(value)
    if parameter.field.endswith("_bytes"):
        return units.size(int(value))
    return f"{value:.4g}"


def _origin(parameter: FittedParameter) -> str:
    if not parameter.measured:
        return f"not measured; {parameter.source}"
    # Show the file alone; tool, test and date are in the fabric file and in --json.
    files = dict.fromkeys(source.split(" (", 1)[0] for source in parameter.source.split("; "))
    return ", ".join(files)


def _reasons(calibration: Calibration) -> list[Text]:
    fields: dict[str, list[str]] = {}
    for parameter in calibration.parameters:
        if parameter.note:
            fields.setdefault(parameter.note, []).append(parameter.field)
    return [Text(f"- {', '.join(names)}: {note}") for note, names in fields.items()]

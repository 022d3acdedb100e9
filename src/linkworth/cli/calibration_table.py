"""Tables of a calibration for a person."""

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth import units
from linkworth.cli.catalog_tables import points_text
from linkworth.cli.table import Table
from linkworth.model.calibration import Calibration, FittedParameter, FittedPoint

_WORST_SHOWN = 5


def calibration_table(calibration: Calibration) -> RenderableType:
    """Return the parameters with their sources, and the errors of the fit."""
    fabric = calibration.fabric
    table = Table(
        ["parameter", "value>", "spread>", "from~"],
        [
            [
                parameter.field,
                _value(parameter),
                "" if parameter.spread is None else units.percent(parameter.spread, 1),
                _origin(parameter),
            ]
            for parameter in calibration.parameters
        ],
        title=f"{fabric.name}: {fabric.title}",
    )
    misses = Text(
        f"The replay of {units.plural(len(calibration.points), 'measured point')} on this fabric is off by "
        f"{units.percent(calibration.median_residual, 1)} in the median and "
        f"{units.percent(calibration.worst_residual, 1)} at worst."
    )
    parts: list[RenderableType] = [
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


def _worst(calibration: Calibration) -> Table:
    worst = sorted(calibration.points, key=lambda point: -abs(point.residual))[:_WORST_SHOWN]
    return Table(
        ["largest misses~", "size>", "measured>", "fit>", "off by>"],
        [
            [
                _test(point),
                units.message_size(point.bytes),
                units.duration(point.measured_seconds),
                units.duration(point.fitted_seconds),
                units.change(point.residual),
            ]
            for point in worst
        ],
    )


def _test(point: FittedPoint) -> str:
    together = "senders" if point.test == "incast" else "pairs"
    pairs = f", {point.pairs} {together}" if point.pairs > 1 else ""
    rails = f", {point.rails} NICs" if point.rails > 1 else ""
    return f"{point.test}{pairs}{rails}{' inside a node' if point.inside_a_node else ''}"


def _value(parameter: FittedParameter) -> str:
    value = parameter.value
    if isinstance(value, list):
        return points_text(value)
    if isinstance(value, str):
        return value
    if parameter.field.endswith("bytes_per_second"):
        return units.rate(value)
    if parameter.field.endswith("seconds"):
        return units.duration(value)
    if parameter.field.endswith("_bytes"):
        return units.message_size(int(value))
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

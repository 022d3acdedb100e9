"""Origin of each number of a fitted fabric."""

from collections.abc import Mapping, Sequence

import msgspec

from linkworth.calibrate.measured import MeasuredPoint
from linkworth.calibrate.path_fit import FieldReason
from linkworth.catalog.fabric_file import fields_without_source
from linkworth.model.fabric import Fabric, Path, SourceNote
from linkworth.model.number_range import LATENCY_SECONDS

_DIGITS = 6


def rounded(fabric: Fabric) -> Fabric:
    """Return the fabric rounded for its file: six significant digits, and spreads of at most 1."""
    return msgspec.structs.replace(
        fabric,
        link=_rounded_path(fabric.link),
        intranode=_rounded_path(fabric.intranode),
        rail_efficiency=_round(fabric.rail_efficiency),
        intranode_total_bytes_per_second=_round(fabric.intranode_total_bytes_per_second),
        intranode_duplex_bytes_per_second=_round(fabric.intranode_duplex_bytes_per_second),
        duplex_bytes_per_second=_round(fabric.duplex_bytes_per_second),
        tcp=msgspec.structs.replace(
            fabric.tcp, pair_bytes_per_second=_round(fabric.tcp.pair_bytes_per_second)
        ),
        spread=msgspec.structs.replace(
            fabric.spread,
            **{
                field: min(1.0, float(f"{getattr(fabric.spread, field):.2g}"))
                for field in fabric.spread.__struct_fields__
            },
        ),
    )


def sources_of(
    fabric: Fabric, base: Fabric, reasons: Mapping[str, FieldReason], points: Sequence[MeasuredPoint]
) -> list[SourceNote]:
    """Return a note for every number: the files that measured it, or the base's note with the reason why none did."""
    notes = []
    measured = {field: found for field, found in reasons.items() if found.measured}
    for field, found in measured.items():
        notes.append(
            SourceNote(
                fields=[field], source=files_of(found.points), date=_latest(found.points), note=found.note
            )
        )
    notes.append(
        SourceNote(
            fields=["spread.latency", "spread.bandwidth", "spread.overhead"],
            source=files_of(points),
            date=_latest(points),
            note="what the results' repetitions differ by, and what the fit misses, as independent errors",
        )
    )
    notes.append(
        SourceNote(
            fields=["rails"], source="definition", date=_latest(points), note="NAMExK asks for K NICs a node"
        )
    )
    covered = {field for note in notes for field in note.fields}
    for note in base.sources:
        fields = [field for field in note.fields if field not in covered and not field.startswith("spread.")]
        if fields:
            covered |= {*fields}
            notes.append(_of_base(note, fields, base, reasons))
    left = fields_without_source(msgspec.structs.replace(fabric, sources=notes))
    if left:
        notes.append(SourceNote(fields=left, source=f"fabric {base.name}", date=_latest(points)))
    return _joined(notes)


def files_of(points: Sequence[MeasuredPoint]) -> str:
    """Return each source of the points once."""
    return "; ".join(dict.fromkeys(source for point in points for source in point.sources))


def _of_base(
    note: SourceNote, fields: list[str], base: Fabric, reasons: Mapping[str, FieldReason]
) -> SourceNote:
    why = list(dict.fromkeys(reasons[field].note for field in fields if field in reasons))
    parts = [f"not measured, of the fabric {base.name}", *why, *([note.note] if note.note else [])]
    return msgspec.structs.replace(note, fields=fields, note="; ".join(parts))


def _joined(notes: Sequence[SourceNote]) -> list[SourceNote]:
    """Merge fields of the same source, date and note."""
    fields: dict[tuple[str, str, str], list[str]] = {}
    for note in notes:
        fields.setdefault((note.source, note.date, note.note), []).extend(note.fields)
    return [
        SourceNote(fields=named, source=source, date=date, note=text)
        for (source, date, text), named in fields.items()
    ]


def _latest(points: Sequence[MeasuredPoint]) -> str:
    return max((date for point in points for date in point.dates), default="")


def _rounded_path(path: Path) -> Path:
    return msgspec.structs.replace(
        path,
        latency_seconds=_seconds(path.latency_seconds),
        bandwidth_bytes_per_second=_round(path.bandwidth_bytes_per_second),
        gap_seconds=_seconds(path.gap_seconds),
        send_overhead=[(size, _seconds(seconds)) for size, seconds in path.send_overhead],
        receive_overhead=[(size, _seconds(seconds)) for size, seconds in path.receive_overhead],
        added_latency=[(size, _seconds(seconds)) for size, seconds in path.added_latency],
    )


def _seconds(value: float) -> float:
    """Return a rounded time. What a difference of equal times leaves is 0; a fabric file has no such time."""
    return _round(value) if value >= LATENCY_SECONDS.least else 0.0


def _round(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")

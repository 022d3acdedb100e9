"""Implementation of `linkworth calibrate`: from files of benchmark results to a fabric."""

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from linkworth import units
from linkworth.calibrate import measured
from linkworth.calibrate.incast import TEST, fit_incast, with_buffer
from linkworth.calibrate.measured import MeasuredPoint, Origin
from linkworth.calibrate.path import fit_path
from linkworth.calibrate.path_fit import BOUND, LARGE_BYTES, FieldReason
from linkworth.calibrate.rails import fit_rails, on_rails
from linkworth.calibrate.replayed import message_seconds
from linkworth.calibrate.request import CalibrationRequest, fabric_name
from linkworth.calibrate.sources import files_of, rounded, sources_of
from linkworth.calibrate.spread import SHORT_BYTES, spread
from linkworth.catalog import derived, fabrics
from linkworth.errors import UsageError
from linkworth.measure.parsers import bench
from linkworth.model.calibration import Calibration, FittedParameter, FittedPoint
from linkworth.model.fabric import WORST_MISS, Fabric
from linkworth.replay.collectives import library_in_words
from linkworth.writing import toml
from linkworth.writing.files import write_output

_NEAR_BYTES = 1 << 20
FAR_LESS = 1.7
"""Ratio of the mean misses above which a fit tells more than the distance."""
ALIKE = 2.0
"""Largest factor between the latency of the results and that of a network of the other kind which may be theirs."""


def calibrate(request: CalibrationRequest, output: Path | None = None) -> Calibration:
    """Fit a fabric to the results in the request's files. `output` only sets the name; `write.write` writes the file.

    Raises UsageError for a file without results, for results that leave latency or bandwidth unknown where no base was
    named, and for results over several NICs without any over one.
    """
    between, inside, several = _read(request)
    incasts = [origin for origin in between if origin.result.test == TEST]
    between = [origin for origin in between if origin.result.test != TEST]
    points, notes = measured.points(between)
    inside_points, more = measured.points(inside)
    notes += more
    by_rails: dict[int, list[MeasuredPoint]] = {}
    for count, origins in several.items():
        by_rails[count], more = measured.points(origins)
        notes += more
    if not any(point.kind in {measured.IN_TURN, measured.STREAM, measured.BOTH_WAYS} for point in points):
        raise UsageError(_nothing_to_fit(request, between, inside, by_rails))
    if request.base is None:
        _require_both(points, request.files)
    base, doubts = (fabrics.get(request.base), []) if request.base else _base(points)
    notes += doubts + fabrics.bad_fit(base)
    base = msgspec.structs.replace(base, rails=1)

    name = fabric_name(request.name, output, request.files[0])
    link = fit_path(points, base)
    fabric = msgspec.structs.replace(
        link.between_nodes(base),
        name=name,
        title=f"measured: {_tests(between)}; other parameters are those of {base.name}",
    )
    reasons = _of_fabric(link.reasons, "link")
    notes += _bound_by_one_pair(fabric, base, points) + _without_short_messages(points)
    if inside_points:
        path = fit_path(inside_points, fabric, inside_a_node=True)
        fabric = path.inside_a_node(fabric)
        reasons |= _of_fabric(path.reasons, "intranode")
    if by_rails:
        rails = fit_rails(fabric, by_rails, points)
        fabric = rails.fabric
        reasons |= rails.reasons
    fabric = rounded(fabric)
    fitted = _residuals(
        [
            (fabric, points, False),
            (fabric, inside_points, True),
            *((on_rails(fabric, rails), found, False) for rails, found in sorted(by_rails.items())),
        ]
    )
    fabric = rounded(msgspec.structs.replace(fabric, spread=spread(points, fitted, base.spread)))
    if incasts:
        bursts = fit_incast(fabric, incasts, request.port_buffer)
        fabric = bursts.fabric
        reasons |= bursts.reasons
        notes += bursts.notes
        fitted += _residuals(
            [(with_buffer(fabric, held), found, False) for held, found in bursts.points.items()]
        )
        points += [point for found in bursts.points.values() for point in found]
    elif request.port_buffer is not None:
        raise UsageError(
            "`port_buffer` applies to incast tests between nodes, but no file has one; run `linkworth bench incast` on "
            "three nodes or more"
        )
    fabric = msgspec.structs.replace(
        fabric, sources=sources_of(fabric, base, reasons, points), origin="calibration"
    )
    misses = [abs(point.residual) for point in fitted]
    fabric = msgspec.structs.replace(
        fabric,
        worst_miss=float(f"{max(misses):.3g}"),
        mpi=max(library_in_words(origin.result.mpi) for origin in between),
    )
    if fabric.worst_miss > WORST_MISS:
        notes.append(
            f"this fit misses its results by up to {units.percent(fabric.worst_miss)} (more than {units.percent(WORST_MISS)}): "
            "do not rely on it. The file and each use of it carry this warning. "
            "Measure again on quiet nodes, or start from a fabric of the same kind"
        )
    return Calibration(
        fabric=fabric,
        base=base.name,
        parameters=_parameters(fabric, base, reasons),
        points=fitted,
        median_residual=statistics.median(misses),
        worst_residual=max(misses),
        notes=notes,
    )


def _of_fabric(reasons: Mapping[str, FieldReason], path: str) -> dict[str, FieldReason]:
    """Return a path's reasons by the fabric's fields."""
    own = Fabric.__struct_fields__
    return {
        field if field.partition(".")[0] in own else f"{path}.{field}": found
        for field, found in reasons.items()
    }


def _read(request: CalibrationRequest) -> tuple[list[Origin], list[Origin], dict[int, list[Origin]]]:
    between: list[Origin] = []
    inside: list[Origin] = []
    several: dict[int, list[Origin]] = {}
    for path in request.files:
        for result in bench.read(path):
            (inside if result.nodes == 1 else between).append(Origin(result, path.name))
    for path in request.intranode:
        for result in bench.read(path):
            if result.nodes > 1:
                raise UsageError(
                    f"`intranode` {path}: its results come from {result.nodes} nodes; give results of ranks on one node"
                )
            inside.append(Origin(result, path.name))
    for rails, path in request.rails:
        for result in bench.read(path):
            if result.nodes == 1:
                raise UsageError(
                    f"`rails` {path}: its results come from one node; give results between two nodes"
                )
            several.setdefault(rails, []).append(Origin(result, path.name))
    _check_one_mpi([*between, *inside, *(origin for origins in several.values() for origin in origins)])
    return between, inside, several


def _check_one_mpi(origins: Sequence[Origin]) -> None:
    """Raise UsageError for results of two MPI libraries, whose overheads and protocols differ."""
    files: dict[str, str] = {}
    for origin in origins:
        if origin.result.mpi:
            files.setdefault(origin.result.mpi, origin.file)
    if len(files) > 1:
        listed = " and ".join(f"{mpi} ({file})" for mpi, file in files.items())
        raise UsageError(
            f"these results come from different MPI libraries: {listed}; a fabric is fitted to one, so "
            "give the files of one only"
        )


def _nothing_to_fit(
    request: CalibrationRequest,
    between: Sequence[Origin],
    inside: Sequence[Origin],
    by_rails: Mapping[int, Sequence[MeasuredPoint]],
) -> str:
    files = ", ".join(str(path) for path in request.files)
    if not between and inside:
        return f"{files}: all results are of ranks on one node; give results between two nodes, and these by `intranode`"
    if by_rails:
        return f"{files}: no latency or bandwidth test over one NIC; `rails` needs one to compare with"
    tests = ", ".join(sorted({origin.result.test for origin in between})) or "none"
    return (
        f"{files}: no test that a fabric can be fitted to (there: {tests}); give a latency or ping-pong test, and a bandwidth "
        "test if you have one"
    )


def _require_both(points: Sequence[MeasuredPoint], files: Sequence[Path]) -> None:
    """Raise UsageError if latency or bandwidth was not measured: neither shows which network gives the other."""
    if not measured.of_kind(points, measured.IN_TURN):
        what, test = "latency", "a ping-pong (`linkworth bench latency`)"
    elif not any(point.bytes >= LARGE_BYTES for point in points):
        what, test = "bandwidth", f"messages of {LARGE_BYTES >> 10} KiB and more"
    else:
        return
    listed = ", ".join(map(str, files))
    raise UsageError(
        f"{listed}: no result shows the {what}; add {test}, or name by `base` the fabric that gives it"
    )


def _base(points: Sequence[MeasuredPoint]) -> tuple[Fabric, list[str]]:
    """Return the nearest fabric, or the nearest whose transfers go on otherwise if its fit misses far less.

    Latency and rate alone do not always tell an adapter that transfers by itself from TCP in the CPU. A sentence names both
    if neither fit is far better.
    """
    known = [fabrics.get(name) for name in fabrics.names() if name not in fabrics.WITHOUT_NETWORK]
    first = _nearest(points, known)
    shortest = measured.of_kind(points, measured.IN_TURN)[0]
    others = [
        fabric
        for fabric in known
        if fabric.progress != first.progress
        and 1 / ALIKE
        < derived.half_round_trip_seconds(fabric.link, shortest.bytes) / shortest.seconds
        < ALIKE
    ]
    if not others:
        return first, []
    other = _nearest(points, others)

    # A stream of a size without a ping-pong misses by what its neighbours do not show, whatever the kind.
    alternating = {point.bytes for point in measured.of_kind(points, measured.IN_TURN)}
    judged = [point for point in points if point.bytes in alternating]

    def miss(base: Fabric) -> float:
        fabric = msgspec.structs.replace(fit_path(points, base).between_nodes(base), rails=1)
        return statistics.fmean(
            abs(math.log1p(point.residual)) for point in _residuals([(fabric, judged, False)])
        )

    missed, with_other = miss(first), miss(other)
    # The mean deviation of normal noise is less than its standard deviation.
    noise = math.sqrt(2 / math.pi) * measured.LEAST_NOISE
    if missed > noise and with_other < missed / FAR_LESS:
        return other, []
    if missed < with_other / FAR_LESS:
        return first, []
    kinds = {"calls": "TCP", "asynchronous": "an adapter that transfers by itself"}
    return first, [
        f"these results may be of {kinds[first.progress]} ({first.name}), which is assumed, or of {kinds[other.progress]} "
        f"({other.name}); if it is the other, name that by `base`"
    ]


def _bound_by_one_pair(fabric: Fabric, base: Fabric, points: Sequence[MeasuredPoint]) -> list[str]:
    """Return a sentence if the CPUs of one pair bound its streams on the base, and no test of more pairs shows the link."""
    link, of_base = fabric.link.bandwidth_bytes_per_second, base.link.bandwidth_bytes_per_second
    alone = derived.stream_bandwidth(base.link, _NEAR_BYTES)
    if any(point.pairs > 1 for point in points) or BOUND * max(link, alone) >= of_base:
        return []
    return [
        f"the bandwidth of {units.rate(link)} is what one pair of ranks reached, whose CPUs may be its bound "
        f"(the link of {base.name} carries {units.rate(of_base)}); measure `multipair` too"
    ]


def _without_short_messages(points: Sequence[MeasuredPoint]) -> list[str]:
    """Return a sentence if the ping-pongs are of messages whose copies take as long as the latency."""
    shortest = min((point.bytes for point in measured.of_kind(points, measured.IN_TURN)), default=0)
    if shortest <= SHORT_BYTES:
        return []
    return [
        f"the shortest ping-pong has {shortest} bytes, and the latency may contain the time of its copies; measure messages "
        f"of up to {SHORT_BYTES} bytes too"
    ]


def _nearest(points: Sequence[MeasuredPoint], candidates: Sequence[Fabric]) -> Fabric:
    """Return the fabric with the nearest latency of the shortest and time of the longest messages."""
    in_turn = measured.of_kind(points, measured.IN_TURN)
    streams = [p for p in points if p.kind in {measured.STREAM, measured.BOTH_WAYS} and p.bytes]

    def distance(fabric: Fabric) -> float:
        expected = derived.half_round_trip_seconds(fabric.link, in_turn[0].bytes)
        far = math.log(expected / in_turn[0].seconds) ** 2
        if not streams:
            longest = in_turn[-1]
            expected = derived.half_round_trip_seconds(fabric.link, longest.bytes)
            return far + math.log(expected / longest.seconds) ** 2
        longest = max(streams, key=lambda point: point.bytes)
        seconds = longest.seconds * (2 if longest.kind == measured.BOTH_WAYS else 1)
        expected = derived.stream_bandwidth(fabric.link, longest.bytes)
        return far + math.log(expected * seconds / longest.bytes) ** 2

    return min(candidates, key=distance)


def _residuals(groups: Sequence[tuple[Fabric, Sequence[MeasuredPoint], bool]]) -> list[FittedPoint]:
    """Return each group's points with their replay on its fabric, between nodes or inside one."""
    fitted = []
    for on, of_group, inside_a_node in groups:
        for point in of_group:
            seconds = message_seconds(
                on, point.kind, point.bytes, pairs=point.pairs, inside_a_node=inside_a_node
            )
            fitted.append(
                FittedPoint(
                    test=point.kind,
                    bytes=point.bytes,
                    inside_a_node=inside_a_node,
                    rails=on.rails,
                    pairs=point.pairs,
                    measured_seconds=point.seconds,
                    fitted_seconds=seconds,
                    residual=seconds / point.seconds - 1,
                    source="; ".join(point.sources),
                )
            )
    return fitted


def _parameters(fabric: Fabric, base: Fabric, reasons: Mapping[str, FieldReason]) -> list[FittedParameter]:
    spreads = {
        "latency_seconds": fabric.spread.latency,
        "bandwidth_bytes_per_second": fabric.spread.bandwidth,
        "send_overhead": fabric.spread.overhead,
        "receive_overhead": fabric.spread.overhead,
    }
    parameters = []
    for field, found in reasons.items():
        owner, _, name = field.rpartition(".")
        holder = getattr(fabric, owner) if owner else fabric
        parameters.append(
            FittedParameter(
                field=field,
                value=getattr(holder, name),
                spread=spreads.get(name) if found.measured and owner == "link" else None,
                measured=found.measured,
                source=files_of(found.points) if found.measured else f"base: {base.name}",
                note=found.note,
            )
        )
    return parameters


def _tests(origins: Sequence[Origin]) -> str:
    return ", ".join(dict.fromkeys(f"{origin.result.tool} {origin.result.test}" for origin in origins))


def write(fabric: Fabric, path: Path) -> None:
    """Write a fabric file. Raises UsageError for a name that `--on` cannot resolve, and as `write_output` does."""
    toml.require_name(path, "fabric")
    write_output(path, toml.text(fabric, without=("origin",)))

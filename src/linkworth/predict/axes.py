"""Parameters of a sweep as a user types them, such as `latency=1us..100us:10`, and their effect on a fabric."""

import re
from collections.abc import Callable, Mapping

import msgspec

from linkworth import units
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric, Path
from linkworth.model.number_range import (
    BACKGROUND_LOAD,
    BYTES_PER_SECOND,
    CPU_FACTOR,
    LATENCY_SECONDS,
    NumberRange,
)
from linkworth.model.settings import ReplaySettings
from linkworth.model.sweep import SweepAxis

MOST_VALUES = 10_000

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_RATES = {
    f"{prefix}{unit}": scale * size
    for prefix, scale in {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}.items()
    for unit, size in {"B/s": 1.0, "bit/s": 1 / 8, "bit": 1 / 8, "b/s": 1 / 8}.items()
}
UNITS: Mapping[str, Mapping[str, float]] = {
    "latency": _SECONDS,
    "bandwidth": _RATES,
    "overhead": {},
    "rails": {},
    "cpu-factor": {},
    "background-load": {},
}
"""Parameters, and the possible units of their values."""
ONLY_FACTORS = ("overhead",)
"""Parameters without absolute values: a fabric's overhead is a curve by message size, so it can only be scaled."""
NO_FACTORS = ("rails", "cpu-factor", "background-load")

_RANGES = {
    "latency": LATENCY_SECONDS,
    "bandwidth": BYTES_PER_SECOND,
    "rails": NumberRange(least=1, most=64),
    "cpu-factor": CPU_FACTOR,
    "background-load": BACKGROUND_LOAD,
}
_FACTORS = (NumberRange(least=1e-6, most=1e6, zero=True), NumberRange(least=1e-6, most=1e6))
"""Ranges of factors: of latency and overhead, and of bandwidth."""

_NUMBER = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµ/]*)")


def parse(text: str) -> SweepAxis:
    """Parse `NAME=VALUE,VALUE...` or `NAME=FROM..TO:COUNT`; with an `x` before the values they are factors.

    The values of a range have equal ratios. They have equal differences with `:lin` at its end, from or to 0, and for rails.
    Raises UsageError for an invalid name, value or unit.
    """
    option = f"`vary` {text!r}"
    name, equals, values = (part.strip() for part in text.partition("="))
    _require_known(name, option)
    if not equals or not values:
        raise UsageError(
            f"{option}: it has no values; write `vary` {name}=FROM..TO:COUNT or {name}=VALUE,VALUE"
        )
    words = re.split(r"\.\.|,", values.partition(":")[0]) if ".." in values else values.split(",")
    factor = words[0].strip().startswith("x")
    if any(word.strip().startswith("x") != factor for word in words):
        raise UsageError(f"{option}: factors (x2) and values cannot be mixed")
    _check_form(name, factor, option)
    units = {} if factor else UNITS[name]

    def value(word: str) -> float:
        number = _value(word, units, option)
        _check(name, number, factor, option)
        return number

    found = _range(name, values, value, option) if ".." in values else [value(word) for word in words]
    return axis(name, found, option, factor=factor)


def axis(name: str, values: list[float], option: str, *, factor: bool = False) -> SweepAxis:
    """Return the axis of a parameter with values in SI units, or with factors.

    Raises UsageError, which begins with `option`, for an invalid name or value.
    """
    _require_known(name, option)
    if not values:
        raise UsageError(f"{option}: it has no values")
    _check_form(name, factor, option)
    if len(values) > MOST_VALUES:
        raise UsageError(f"{option}: {len(values)} values; give at most {MOST_VALUES}")
    for number in values:
        _check(name, number, factor, option)
    return SweepAxis(name=name, values=values, factor=factor)


def _check_form(name: str, factor: bool, option: str) -> None:
    if factor and name in NO_FACTORS:
        raise UsageError(f"{option}: {name} is given by value, without x")
    if not factor and name in ONLY_FACTORS:
        raise UsageError(
            f"{option}: {name} depends on the message, so give factors of it, such as {name}=x0.5..x2:5"
        )


def _require_known(name: str, option: str) -> None:
    if name not in UNITS:
        raise UsageError(f"{option}: there is no {name!r} to vary; choose {', '.join(UNITS)}")


def _range(name: str, text: str, value: Callable[[str], float], option: str) -> list[float]:
    ends, _, tail = text.partition(":")
    count, _, kind = tail.partition(":")
    first, _, last = ends.partition("..")
    if not (count.isdecimal() and int(count) > 1) or kind not in ("", "lin", "log") or last.startswith("."):
        raise UsageError(
            f"{option}: write FROM..TO:COUNT with a count of at least 2, and :lin after it if you like"
        )
    low, high, number = value(first), value(last), int(count)
    if number > MOST_VALUES:
        raise UsageError(f"{option}: {number} values; give at most {MOST_VALUES}")
    if not kind:
        kind = "lin" if low == 0 or high == 0 or name == "rails" else "log"
    if kind == "log" and (low == 0 or high == 0):
        raise UsageError(f"{option}: 0 has no ratio to another value; write :lin at its end")
    last_step = number - 1
    if kind == "lin":
        between = [low + (high - low) * step / last_step for step in range(1, last_step)]
    else:
        between = [low * (high / low) ** (step / last_step) for step in range(1, last_step)]
    # The ends are as typed, whatever the rounding between them.
    return [low, *between, high]


def _value(word: str, units: Mapping[str, float], option: str) -> float:
    found = _NUMBER.fullmatch(word.strip().removeprefix("x").strip())
    unit = found[2] if found else ""
    if not found or (unit and unit not in units):
        known = f" with one of the units {', '.join(units)}" if units else ""
        raise UsageError(f"{option}: {word.strip()!r} is no value; give a number{known}")
    try:
        number = float(found[1])
    except ValueError:
        raise UsageError(f"{option}: {word.strip()!r} is no number") from None
    scale = units[unit] if unit else 1.0
    # 10us is 1e-05, while 10 * 1e-6 is a little less.
    return number * scale if scale >= 1 else number / round(1 / scale)


def _check(name: str, value: float, factor: bool, option: str) -> None:
    allowed = _FACTORS[name == "bandwidth"] if factor else _RANGES.get(name)
    if allowed is not None and value not in allowed:
        raise UsageError(f"{option}: {units.plain(value)} is out of range; give {allowed}")
    if name == "rails" and value != int(value):
        raise UsageError(f"{option}: {units.plain(value)} rails; give whole numbers")


def applied(
    fabric: Fabric, settings: ReplaySettings, axes: list[SweepAxis], values: tuple[float, ...]
) -> tuple[Fabric, ReplaySettings, float | None, dict[str, float]]:
    """Return the fabric, the settings, the CPU factor if an axis gives one, and the applied parameters at one point."""
    cpu_factor: float | None = None
    parameters: dict[str, float] = {}
    link = fabric.link
    for axis, value in zip(axes, values, strict=True):
        if axis.name == "latency":
            value = value * link.latency_seconds if axis.factor else value
            link = msgspec.structs.replace(link, latency_seconds=value)
        elif axis.name == "bandwidth":
            value = value * link.bandwidth_bytes_per_second if axis.factor else value
            link = msgspec.structs.replace(link, bandwidth_bytes_per_second=value)
        elif axis.name == "overhead":
            link = _with_overhead(link, value)
        elif axis.name == "rails":
            fabric = msgspec.structs.replace(fabric, rails=int(value))
        elif axis.name == "cpu-factor":
            cpu_factor = value
        else:
            settings = msgspec.structs.replace(settings, background_load=value)
        parameters[axis.name] = value
    return msgspec.structs.replace(fabric, link=link), settings, cpu_factor, parameters


def _with_overhead(path: Path, factor: float) -> Path:
    return msgspec.structs.replace(
        path,
        send_overhead=[(size, seconds * factor) for size, seconds in path.send_overhead],
        receive_overhead=[(size, seconds * factor) for size, seconds in path.receive_overhead],
    )

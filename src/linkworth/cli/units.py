"""Numbers for people in a table; values are SI inside, and converted only here."""

import math

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_RATES = ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def seconds(value: float, digits: int = 3) -> str:
    """Return a time with its unit: `24.6 us`."""
    if value == 0:
        return "0 s"
    scale, unit = next(((s, u) for s, u in _TIMES if abs(value) >= s * 0.9995), _TIMES[-1])
    return f"{value / scale:.{digits}g} {unit}" if abs(value) < 999.5 else f"{value:.0f} s"


def rate(value: float) -> str:
    """Return bytes per second with a decimal prefix: `118 MB/s`."""
    if math.isinf(value):
        return "no limit"
    scale, unit = next(((s, u) for s, u in _RATES if value >= s * 0.9995), _RATES[-1])
    return f"{value / scale:.3g} {unit}"


def size(value: int) -> str:
    """Return a message size in whole KiB, MiB or GiB if possible, else in bytes."""
    if value >= 1 << 62:
        return "no limit"
    for scale, unit in _SIZES:
        if value >= scale and value % scale == 0:
            return f"{value // scale} {unit}"
    return f"{value} B"


def volume(count: float) -> str:
    """Return bytes with a decimal prefix: `1.23 MB`."""
    scale, unit = next(((s, u) for s, u in _BYTES if count >= s * 0.9995), (1.0, "B"))
    return f"{count / scale:.3g} {unit}" if scale > 1 else f"{count:.0f} B"

"""The latency and bandwidth section and the summary of HPC Challenge's `hpccoutf.txt` (Latency-Bandwidth-Benchmark, b_eff).

Format: hpcc 1.5.0 of Debian 12, run 2026-11-22; MB and GByte are 10^6 and 10^9 bytes there. Ping-pongs send 8 bytes for
the latency and 2,000,000 bytes for the bandwidth. In rings every process sends to both neighbours at once, and the
bandwidth is that of one process.
"""

import re

from linkworth.measure.parsers.numbers import number
from linkworth.model.bench import BenchResult, BenchRow

_SUMMARY = re.compile(r"^(?P<name>[A-Za-z]\w*)=(?P<value>\S+)\s*$", re.MULTILINE)
_SIZE = re.compile(r"measurements were done with\s+(?P<bytes>\d+) bytes")
_RANKS = re.compile(r"Execution time \(wall clock\)\s*=\s*\S+ sec on (?P<ranks>\d+) processes")
_VERSION = re.compile(r"Latency-Bandwidth-Benchmark R(?P<version>[\d.]+)")
_DEFAULT_BYTES = (8, 2_000_000)
_PATTERNS = {
    "ping pong": ("AvgPingPong", "AvgPingPong"),
    "ping pong, slowest pair": ("MaxPingPong", "MinPingPong"),
    "naturally ordered ring": ("NaturallyOrderedRing", "NaturallyOrderedRing"),
    "randomly ordered ring": ("RandomlyOrderedRing", "RandomlyOrderedRing"),
}


def recognises(text: str) -> bool:
    """Return whether a text has the summary or the section of the latency and bandwidth benchmark."""
    return "LatencyBandwidth section" in text or "PingPongLatency_usec=" in text


def parse(text: str) -> list[BenchResult]:
    """Read the figures of the summary; [] if the run ended before it was written."""
    summary = {
        found["name"]: value
        for found in _SUMMARY.finditer(text)
        if (value := number(found["value"])) is not None
    }
    sizes = [int(found["bytes"]) for found in _SIZE.finditer(text)]
    short, long = sizes[:2] if len(sizes) >= 2 else _DEFAULT_BYTES
    rows = []
    for label, (of_latency, of_bandwidth) in _PATTERNS.items():
        latency = summary.get(f"{of_latency}Latency_usec")
        bandwidth = summary.get(f"{of_bandwidth}Bandwidth_GBytes")
        if latency is not None and latency > 0:
            rows.append(BenchRow(bytes=short, latency_seconds=latency * 1e-6, label=label))
        if bandwidth is not None and bandwidth > 0:
            rows.append(
                BenchRow(
                    bytes=long,
                    bandwidth_bytes_per_second=bandwidth * 1e9,
                    # For a ring, this is a step's time only if both directions are counted, which is not documented.
                    latency_seconds=long / (bandwidth * 1e9) if label.startswith("ping pong") else None,
                    label=label,
                )
            )
    if not rows:
        return []
    ranks, version = _RANKS.search(text), _VERSION.search(text)
    return [
        BenchResult(
            test="beff",
            rows=rows,
            ranks=int(summary.get("CommWorldProcs", int(ranks["ranks"]) if ranks else 0)),
            tool=f"HPCC b_eff {version['version']}" if version else "HPCC b_eff",
            values=_values(summary),
        )
    ]


def _values(summary: dict[str, float]) -> dict[str, float]:
    values = {}
    for name, value in summary.items():
        if "PingPong" not in name and "OrderedRing" not in name:
            continue
        snake = re.sub(r"(?<!^)(?=[A-Z])", "_", name.rsplit("_", 1)[0]).lower()
        if name.endswith("Latency_usec"):
            values[f"{snake}_seconds"] = value * 1e-6
        elif name.endswith("Bandwidth_GBytes"):
            values[f"{snake}_bytes_per_second"] = value * 1e9
    return values

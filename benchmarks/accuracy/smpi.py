"""SimGrid's SMPI as an independent simulator: a fabric as its platform, and the time of a converted trace on it."""

import itertools
import os
import re
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from linkworth.model.fabric import Fabric
from linkworth.model.fabric import Path as Way

HOST_FLOPS = 1e9
"""Speed of one core, as passed to the conversion (--flops-per-second)."""


class Simulated(NamedTuple):
    seconds: float
    """Simulated time of the program."""
    wall_seconds: float
    """Wall time of the simulation."""


def version() -> str:
    """Return SimGrid's version, or nothing where it is not installed."""
    try:
        shown = subprocess.run(["smpirun", "-version"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    found = re.search(r"(\d+\.\d+[.\d]*)", shown.stdout + shown.stderr)
    return found[1] if found else "of unknown version"


def simulate(
    folder: Path, entry: str, fabric: Fabric, node_of_rank: list[int], settings: list[str]
) -> Simulated:
    """Replay the traces of `folder` by SMPI on `fabric`; only its LogGP parameters count (see `plain`)."""
    nodes = max(node_of_rank) + 1
    (folder / "platform.xml").write_text(platform(fabric, nodes, len(node_of_rank)), encoding="utf-8")
    hosts = "".join(f"node{node}\n" for node in node_of_rank)
    (folder / "hosts").write_text(hosts, encoding="utf-8")
    command = f"smpirun -np {len(node_of_rank)} -platform platform.xml -hostfile hosts -replay".split()
    options = [f"--cfg={setting}" for setting in (*protocol(fabric), *settings)]
    began = time.perf_counter()
    done = subprocess.run(
        [*command, entry, *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    wall = time.perf_counter() - began
    found = re.search(r"Simulation time (\S+)", done.stderr)
    if done.returncode != 0 or not found:
        raise SystemExit(f"smpirun failed on {folder}:\n{done.stderr[-2000:]}")
    return Simulated(float(found[1]), wall)


def platform(fabric: Fabric, nodes: int, cores: int) -> str:
    """Return hosts that each have a full-duplex NIC, which all of its messages share, and a memory path, which none shares."""
    lines = ["<?xml version='1.0'?>", '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
             '<platform version="4.1">', '<zone id="cluster" routing="Full">']  # fmt: skip
    lines += [f'<host id="node{node}" speed="{HOST_FLOPS}f" core="{cores}"/>' for node in range(nodes)]
    for node in range(nodes):
        lines += [
            link(f"nic{node}", fabric.link.latency_seconds / 2, fabric.link, "SPLITDUPLEX"),
            link(f"memory{node}", fabric.intranode.latency_seconds, fabric.intranode, "FATPIPE"),
        ]
    for a in range(nodes):
        lines.append(f'<route src="node{a}" dst="node{a}"><link_ctn id="memory{a}"/></route>')
        lines += [
            f'<route src="node{a}" dst="node{b}"><link_ctn id="nic{a}" direction="UP"/>'
            f'<link_ctn id="nic{b}" direction="DOWN"/></route>'
            for b in range(a + 1, nodes)
        ]
    return "\n".join([*lines, "</zone>", "</platform>", ""])


def link(name: str, latency: float, way: Way, sharing: str) -> str:
    return (
        f'<link id="{name}" bandwidth="{way.bandwidth_bytes_per_second}Bps" latency="{latency}s" '
        f'sharing_policy="{sharing}"/>'
    )


def protocol(fabric: Fabric) -> list[str]:
    """Return settings that reduce SMPI's model to the fabric's: no factors, no TCP window, no cross traffic."""
    link = fabric.link
    # Below this a message leaves whether its receive is posted or not, and its sender goes on.
    eager = min(link.eager_limit_bytes + 1, 2**31 - 1)
    return [
        "network/model:CM02",
        "network/crosstraffic:0",
        "network/TCP-gamma:0",
        "network/weight-S:0",
        "network/loopback-lat:0",
        f"smpi/async-small-thresh:{eager}",
        f"smpi/send-is-detached-thresh:{eager}",
        f"smpi/os:{segments(link.send_overhead)}",
        f"smpi/ois:{segments(link.send_overhead)}",
        f"smpi/or:{segments(link.receive_overhead)}",
    ]


def segments(points: list[tuple[int, float]]) -> str:
    """Return (bytes, seconds) points as SMPI's `from:fixed:per byte;...`."""
    if not points:
        return "0:0:0"
    parts = []
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        slope = (y1 - y0) / (x1 - x0)
        parts.append(f"{x0}:{y0 - slope * x0:.12g}:{slope:.12g}")
    parts.append(f"{points[-1][0]}:{points[-1][1]:.12g}:0")
    return ";".join(parts)

"""SimGrid's replay of time-independent traces on two hosts of one link each, with nothing that shapes the times."""

import re
import subprocess
from pathlib import Path

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <host id="a" speed="1Gf" core="8"/>
    <host id="b" speed="1Gf" core="8"/>
    <link id="wire" bandwidth="1GBps" latency="10us" sharing_policy="SPLITDUPLEX"/>
    <route src="a" dst="b"><link_ctn id="wire" direction="UP"/></route>
  </zone>
</platform>
"""
PLAIN = (
    "network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0", "smpi/os:0:0:0",
    "smpi/or:0:0:0", "smpi/ois:0:0:0",
)  # fmt: skip


def seconds(folder: Path, hosts: str, *settings: str) -> float:
    """Replay the traces of `folder`, rank i on the host of letter i of `hosts`; fails where SimGrid does."""
    (folder / "platform.xml").write_text(PLATFORM, encoding="utf-8")
    (folder / "hosts").write_text("\n".join(hosts) + "\n", encoding="utf-8")
    command = f"smpirun -np {len(hosts)} -platform platform.xml -hostfile hosts -replay".split()
    options = [f"--cfg={setting}" for setting in (*PLAIN, *settings)]
    done = subprocess.run(
        [*command, "ti.txt", *options], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    found = re.search(r"Simulation time (\S+)", done.stderr)
    assert done.returncode == 0 and found, done.stderr
    return float(found[1])

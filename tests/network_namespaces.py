"""Network namespaces for tests: a process each, gone with the test."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Self

from eventual import eventually
from run_program import output_of

RTT_PROGRAM = """
import os, socket, struct, sys, time
def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF
target, count = sys.argv[1], int(sys.argv[2])
own = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
own.connect((target, 0))
own.settimeout(60)
times = []
for number in range(count):
    body = struct.pack("!HH", os.getpid() & 0xFFFF, number) + bytes(16)
    sent = time.perf_counter()
    own.send(struct.pack("!BBH", 8, 0, checksum(struct.pack("!BBH", 8, 0, 0) + body)) + body)
    while True:
        answer = own.recv(2000)
        if answer[20] == 0 and answer[24:28] == body[:4]:
            break
    times.append(time.perf_counter() - sent)
    time.sleep(0.0005)
print(*times)
"""


class Namespace:
    """A network namespace, held by a process that sleeps."""

    def __init__(self) -> None:
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        own = Path("/proc/self/ns/net").stat().st_ino
        assert eventually(lambda: self.inode != own, during=self._holder)

    @property
    def file(self) -> Path:
        """The namespace, as nsenter and setns take it."""
        return Path(f"/proc/{self._holder.pid}/ns/net")

    @property
    def inode(self) -> int:
        return self.file.stat().st_ino

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a program in the namespace."""
        return subprocess.Popen(
            ["nsenter", f"--net={self.file}", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str) -> str:
        """Run a program in the namespace and return what it printed."""
        return output_of(["nsenter", f"--net={self.file}", *command])

    def ip(self, *lines: str) -> None:
        """Run lines of the ip command."""
        for line in lines:
            self.run("ip", *line.split())

    def round_trips(self, target: str, count: int) -> list[float]:
        """Return the times in seconds of ICMP echoes, sorted; the kernel of the other side answers."""
        return sorted(map(float, self.run(sys.executable, "-c", RTT_PROGRAM, target, str(count)).split()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._holder.kill()
        self._holder.wait()


def lacking() -> str | None:
    """Return why no network namespace with a TAP device can be had here."""
    if os.geteuid() != 0:
        return "not root"
    if not Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    tried = subprocess.run(
        ["unshare", "--net", "ip", "tuntap", "add", "t0", "mode", "tap"], capture_output=True, check=False
    )
    return None if tried.returncode == 0 else "the kernel gives no network namespaces or no TAP devices"

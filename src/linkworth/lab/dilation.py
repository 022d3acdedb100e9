"""Dilation: links slowed down by the same factor as the ranks that share this machine's cores.

This preserves the ratio of computation to communication. Long iterations are accurate, short ones are not: a
rank waits for its turn on a core as long as before (see docs/explanation/emulation.md).
"""

import re
import statistics
import subprocess
import sys

import msgspec

from linkworth.errors import LinkworthError, UsageError
from linkworth.lab.spec import LabSpec, parse_factor
from linkworth.places.local import cores
from linkworth.places.place import most_ranks
from linkworth.units import plural

_RANKS = re.compile(r"(?P<ranks>[0-9]{1,5})\s*ranks?")
WORK_SECONDS = 0.15
"""Computation time of each process, alone on a core."""

# The worker prints when it is ready. It starts on input and prints the time of the same work.
_WORKER = """
import sys, time
def work(rounds):
    began = time.perf_counter()
    total = 0
    for number in range(rounds):
        total += number * number % 7
    return time.perf_counter() - began
work(20000)
print(flush=True)
for line in sys.stdin:
    print(work(int(line)), flush=True)
"""


def dilated(spec: LabSpec, text: str) -> LabSpec:
    """Return the lab with links slowed down by the user's factor, or for `8ranks`. Raises UsageError."""
    match = _RANKS.fullmatch(text)
    if match is None:
        return msgspec.structs.replace(spec, dilate=parse_factor(text))
    ranks, most = int(match["ranks"]), most_ranks(cores())
    if ranks > most:
        raise UsageError(
            f"`dilate` {text}: a process is started for each rank, and this machine starts at most {most}; give a factor"
        )
    return msgspec.structs.replace(spec, dilate=measured_slowdown(ranks))


def measured_slowdown(ranks: int) -> float:
    """Return the slowdown of a rank's computation if all these ranks compute at once, at least 1."""
    if ranks < 1:
        return 1.0
    workers: list[subprocess.Popen[str]] = []
    try:
        for _ in range(ranks):
            workers.append(
                subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _WORKER],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        for worker in workers:
            _line(worker)
        rounds = 20_000
        alone = _work(workers[:1], rounds)
        rounds = max(rounds, int(rounds * WORK_SECONDS / max(alone, 1e-6)))
        alone = min(_work(workers[:1], rounds) for _ in range(3))
        together = _work(workers, rounds)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    return max(1.0, round(together / alone, 2))


def _work(workers: list[subprocess.Popen[str]], rounds: int) -> float:
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(f"{rounds}\n")
        worker.stdin.flush()
    return statistics.mean(float(_line(worker)) for worker in workers)


def _line(worker: subprocess.Popen[str]) -> str:
    assert worker.stdout is not None
    line = worker.stdout.readline()
    if not line:
        raise LinkworthError("a process that measures the slowdown was killed; give `dilate` a factor")
    return line


def remark(ranks: int) -> str:
    """Return a remark about times measured with so many ranks here. "" if each has a core."""
    here = cores()
    if ranks <= here:
        return ""
    return (
        f"{ranks} ranks on {plural(here, 'core')}: computation is about {ranks / here:.3g} times slower than on a core each; "
        "do not read run times as a cluster's"
    )

"""Links as much slower as computation on shared cores."""

import errno
import os
import subprocess
import sys

import pytest
from eventual import eventually

from linkworth.errors import LinkworthError, UsageError
from linkworth.lab import dilation
from linkworth.lab.place import CoreClock
from linkworth.lab.spec import LabSpec


def test_a_factor_or_a_number_of_ranks_dilates(monkeypatch):
    assert dilation.dilated(LabSpec(rate=1e9), "3.5").dilate == 3.5
    monkeypatch.setattr(dilation, "measured_slowdown", lambda ranks: ranks / 2)
    assert dilation.dilated(LabSpec(rate=1e9), "8ranks").dilate == 4.0
    assert dilation.dilated(LabSpec(latency=1e-4), "6 ranks").dilate == 3.0


@pytest.mark.parametrize(("together", "slowdown"), [(0.6, 6.0), (0.05, 1.0)])
def test_the_slowdown_is_the_time_together_over_the_time_alone(monkeypatch, together, slowdown):
    monkeypatch.setattr(dilation, "_work", lambda workers, _rounds: 0.1 if len(workers) == 1 else together)
    assert dilation.measured_slowdown(3) == slowdown


def test_a_slowdown_is_measured_and_remarked(monkeypatch):
    monkeypatch.setattr(dilation, "WORK_SECONDS", 0.01)
    assert 1.0 <= dilation.measured_slowdown(3) < 1000.0
    assert dilation.measured_slowdown(0) == 1.0
    monkeypatch.setattr(dilation, "cores", lambda: 2)
    assert dilation.remark(2) == ""
    assert dilation.remark(8).startswith("8 ranks on 2 cores: computation is about 4 times slower")


def test_no_more_processes_are_started_than_a_place_may(monkeypatch):
    monkeypatch.setattr(dilation, "measured_slowdown", lambda ranks: pytest.fail("processes are started"))
    with pytest.raises(UsageError, match=r"this machine starts at most \d+; give a factor"):
        dilation.dilated(LabSpec(rate=1e9), "99999ranks")


def test_processes_end_if_another_cannot_be_started(monkeypatch):
    started = []

    def start(*words, **options):
        if len(started) == 2:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        started.append(actual(*words, **options))
        return started[-1]

    actual = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(BlockingIOError):
        dilation.measured_slowdown(3)
    assert len(started) == 2
    assert all(worker.returncode is not None for worker in started)


def test_a_killed_process_is_an_error(monkeypatch):
    monkeypatch.setattr(dilation, "_WORKER", "import sys; print(flush=True); sys.stdin.readline()")
    with pytest.raises(LinkworthError, match="was killed; give `dilate` a factor"):
        dilation.measured_slowdown(2)


def test_cpu_time_is_added_up_without_a_control_group():
    clock = CoreClock(holder=os.getpid())
    first = clock.read()
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        assert eventually(lambda: sum(clock.read()) >= sum(first) + 0.1)
        grown = clock.read()
        assert all(late >= early for early, late in zip(first, grown, strict=True))
    finally:
        busy.kill()
        busy.wait()

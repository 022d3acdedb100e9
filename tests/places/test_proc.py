"""Ranks end with linkworth after any signal."""

import os
import signal
import subprocess
import sys

import pytest
from eventual import PATIENCE_SECONDS, alive, eventually
from mpi_programs import compiled, first_mpi, hanging, ranks_left

from linkworth.places import proc

SESSION = """
import sys
from linkworth.interrupts import terminate_as_interrupt
from linkworth.places.process import run_session

class Quiet:
    def output(self, stream, data):
        print(data.decode(), end="", flush=True)
    def tick(self, seconds):
        pass

with terminate_as_interrupt():
    end = run_session(["sh", "-c", "echo $$; exec sleep 600"], Quiet(), environment={})
print("interrupted" if end.interrupted else "ended", flush=True)
"""


def test_a_process_that_is_found_no_longer_must_end_as_well():
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE) as started:
        started.stdout.readline()
        found = iter([{started.pid}])
        signals = {signal.SIGTERM: 0.0, signal.SIGKILL: PATIENCE_SECONDS}
        try:
            assert proc.stop(lambda: next(found, set()), signals) == {started.pid}
            assert not alive(started.pid)
        finally:
            started.kill()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGKILL])
def test_a_job_ends_with_linkworth(number):
    with subprocess.Popen([sys.executable, "-c", SESSION], stdout=subprocess.PIPE, text=True) as started:
        job = int(started.stdout.readline())
        started.send_signal(number)
        said = started.stdout.read()
    assert said == ("" if number == signal.SIGKILL else "interrupted\n")
    assert eventually(lambda: not alive(job))


def test_a_terminal_that_closes_stops_nothing_under_nohup():
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + SESSION
    with subprocess.Popen([sys.executable, "-c", ignoring], stdout=subprocess.PIPE, text=True) as started:
        job = int(started.stdout.readline())
        started.send_signal(signal.SIGHUP)
        os.kill(job, signal.SIGTERM)
        assert started.stdout.read() == "ended\n"


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.requires(kind)) for kind in ("mpich", "openmpi")]
)
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGKILL])
def test_ranks_end_with_linkworth(tmp_path, kind, number):
    program = compiled(first_mpi(kind), tmp_path)
    command = [sys.executable, "-m", "linkworth", "run", "-n", "2", "--", str(program), "hang"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
        assert eventually(lambda: all(file.exists() for file in hanging(program, 2)))
        assert len(ranks_left(program)) == 2
        started.send_signal(number)
        assert started.wait(60) == (4 if number == signal.SIGHUP else -signal.SIGKILL)
    assert eventually(lambda: not ranks_left(program)), ranks_left(program)

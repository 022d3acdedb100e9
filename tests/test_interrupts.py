"""An interrupt that arrives in a callback, where Python drops exceptions, still takes effect."""

import os
import signal
import subprocess
import sys
import time

import pytest
from eventual import eventually
from fake_installation import script

from linkworth import interrupts

RUN = """
import os, signal, sys
from linkworth.cli.main import main

sent = []

def interrupt_once():
    if not sent:
        sent.append(True)
        os.kill(os.getpid(), signal.{signal})

os.register_at_fork({when}=interrupt_once)
sys.exit(main(["run", "--", "srun", "-n", "1", "program"]))
"""


class InterruptedFinalizer:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(("when", "name"), [("before", "SIGINT"), ("after_in_parent", "SIGTERM")])
def test_an_interrupt_while_a_program_is_started_stops_it(when, name, tmp_path):
    started = tmp_path / "started"
    script(tmp_path / "srun", f"echo $$ > {started}\nexec sleep 600")
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(when=when, signal=name)],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    assert "interrupted" in done.stderr
    assert "Exception ignored" not in done.stderr
    if started.exists() and (text := started.read_text()):
        with pytest.raises(ProcessLookupError):
            os.kill(int(text), 0)


def test_a_prediction_that_is_terminated_leaves_no_temporary_trace(linkworth):
    temporary = linkworth.folder / "temporary"
    temporary.mkdir()
    words = ["npb:lu.C", "-n", "256", "--machine", "xeon-e5-2650v3-x2", "--on", "gbe"]
    start = ["env", f"TMPDIR={temporary}", sys.executable, "-m", "linkworth"]
    running = linkworth.start("predict", *words, start=start)
    assert eventually(lambda: list(temporary.rglob("*.lwt")), during=running)
    running.send_signal(signal.SIGTERM)
    _, said = running.communicate(timeout=100)
    assert (running.returncode, list(temporary.iterdir())) == (4, [])
    assert said.endswith("linkworth: interrupted\n")


def test_an_interrupt_in_a_finalizer_is_raised_again():
    with interrupts.raised_again(), pytest.raises(KeyboardInterrupt):
        InterruptedFinalizer()
        time.sleep(60)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_other_dropped_exceptions_are_reported_as_ever(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)

    class Faulty:
        def __del__(self):
            raise ValueError

    with interrupts.raised_again():
        Faulty()
    assert [each.exc_type for each in seen] == [ValueError]


def test_a_deferred_interrupt_comes_at_the_end_of_the_block():
    reached = False
    with pytest.raises(KeyboardInterrupt), interrupts.deferred():
        os.kill(os.getpid(), signal.SIGINT)
        reached = True
    assert reached
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
from collector import Collector
from eventual import alive, eventually
from gated_clock import pass_time_when

from linkworth.errors import EnvironmentLacksError
from linkworth.places import process


def run(code, collector=None, **options):
    collector = collector or Collector()
    options.setdefault("environment", {})
    end = process.run_session([sys.executable, "-c", textwrap.dedent(code)], collector, **options)
    return end, collector


def gone(pid):
    return eventually(lambda: not alive(pid))


def test_output_exit_code_and_variables_come_through(tmp_path):
    end, seen = run(
        """
        import os, sys
        print(os.environ["FOR_TEST"], os.getcwd())
        print("trouble", file=sys.stderr)
        sys.exit(7)
        """,
        environment={"FOR_TEST": "value"},
        folder=tmp_path,
    )
    assert (end.exit_code, end.timed_out, end.interrupted) == (7, False, False)
    assert seen.data == {"stdout": f"value {tmp_path}\n".encode(), "stderr": b"trouble\n"}
    assert end.seconds > 0


def test_streams_neither_block_nor_inherit():
    end, seen = run("import sys; [s.write('x' * 3_000_000) for s in (sys.stdout, sys.stderr)]")
    assert end.exit_code == 0
    assert {name: len(data) for name, data in seen.data.items()} == {"stdout": 3_000_000, "stderr": 3_000_000}
    _, seen = run("import sys; print(repr(sys.stdin.read()))")
    assert seen.data["stdout"] == b"''\n"


def test_a_time_limit_stops_ranks_in_sessions_of_their_own(tmp_path, monkeypatch):
    pids = tmp_path / "pids"
    seen = Collector()
    pass_time_when(lambda: b"started\n" in seen.data["stdout"], monkeypatch)
    end, _ = run(
        f"""
        import os, signal, subprocess, sys, time
        # Like a rank under a launcher: another session, deaf to SIGTERM.
        child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        rank = subprocess.Popen([sys.executable, "-c", child], start_new_session=True)
        with open({str(pids)!r}, "w") as file:
            file.write(f"{{os.getpid()}} {{rank.pid}}")
        print("started", flush=True)
        time.sleep(600)
        """,
        seen,
        timeout=1.5,
    )
    assert end.timed_out
    assert seen.data["stdout"] == b"started\n"
    for pid in map(int, pids.read_text().split()):
        assert gone(pid)


def test_a_launcher_that_cleans_up_on_sigterm_is_given_the_time_and_heard(monkeypatch):
    seen = Collector()
    pass_time_when(lambda: b"ready\n" in seen.data["stdout"], monkeypatch)
    monkeypatch.setattr(process, "GRACE_SECONDS", 60.0)
    end, _ = run(
        """
        import os, signal, sys, time
        def stop(*_):
            os.write(1, b"cleaned up\\n")  # print() fails while another one has not returned
            sys.exit(3)
        signal.signal(signal.SIGTERM, stop)
        print("ready", flush=True)
        time.sleep(600)
        """,
        seen,
        timeout=0.5,
    )
    assert (end.timed_out, end.exit_code) == (True, 3)
    assert seen.data["stdout"] == b"ready\ncleaned up\n"


def test_a_program_that_dies_of_a_signal_gives_its_number():
    end, _ = run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert end.exit_code == -signal.SIGKILL


def test_processes_left_by_a_launcher_that_died_are_stopped(tmp_path):
    pids = tmp_path / "pids"
    run(
        f"""
        import os, signal, subprocess, sys, time
        null = subprocess.DEVNULL
        rank = subprocess.Popen(["sleep", "600"], start_new_session=True, stdout=null, stderr=null)
        open({str(pids)!r}, "w").write(str(rank.pid))
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    assert gone(int(pids.read_text()))


def test_a_program_that_ends_well_may_leave_a_helper_that_holds_its_output(tmp_path):
    pids = tmp_path / "pids"
    end, _ = run(
        f"""
        import subprocess
        helper = subprocess.Popen(["sleep", "600"])
        open({str(pids)!r}, "w").write(str(helper.pid))
        """
    )
    helper = int(pids.read_text())
    try:
        assert end.exit_code == 0
        assert alive(helper)
    finally:
        os.kill(helper, signal.SIGKILL)


def test_an_interrupt_stops_the_job_and_returns():
    sent = threading.Event()

    def interrupt():
        if not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

    end, _ = run("import time; print('up', flush=True); time.sleep(600)", Collector(on_tick=interrupt))
    assert end.interrupted
    assert end.exit_code != 0


def test_a_command_that_cannot_be_started_is_named(tmp_path):
    with pytest.raises(EnvironmentLacksError, match=r"cannot start .*absent"):
        process.run_session([str(tmp_path / "absent")], Collector(), environment={})


def test_it_can_run_outside_the_main_thread():
    ends = []
    thread = threading.Thread(target=lambda: ends.append(run("print('x')")[0]))
    thread.start()
    thread.join()
    assert ends[0].exit_code == 0


def test_an_observer_that_fails_leaves_no_process_behind(tmp_path):
    pids = tmp_path / "pids"

    class Failing(Collector):
        def output(self, stream, data):
            raise ValueError("observer")

    code = f"""
        import os, time
        open({str(pids)!r}, "w").write(str(os.getpid()))
        print("up", flush=True)
        time.sleep(600)
        """
    with pytest.raises(ValueError, match="observer"):
        run(code, Failing())
    assert gone(int(pids.read_text()))


def test_nothing_of_the_callers_group_is_touched():
    bystander = subprocess.Popen(["sleep", "600"])
    try:
        run("import time; time.sleep(600)", timeout=0.3)
        assert alive(bystander.pid)
    finally:
        bystander.kill()
        bystander.wait()

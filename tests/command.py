"""The real command line, run as a shell runs it, each time in a process of its own."""

import atexit
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

PATIENCE = 1200.0
"""Seconds: a command may have to build the tracer first, which takes minutes on a machine that does much else."""


def with_json(arguments: Sequence[str]) -> list[str]:
    """Add --json to the arguments of linkworth, before those of a program."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*arguments[:end], "--json", *arguments[end:]]


@dataclass(frozen=True)
class LinkworthCommand:
    """Calls `linkworth` in a folder of the test's own."""

    folder: Path

    def start(
        self, *arguments: str | Path, start: Sequence[str] = (sys.executable, "-m", "linkworth")
    ) -> subprocess.Popen[str]:
        """Start it in a new interpreter, without waiting."""
        return subprocess.Popen(
            [*start, *map(str, arguments)],
            cwd=self.folder,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __call__(
        self, *arguments: str | Path, timeout: float = PATIENCE, start: Sequence[str] = (), output: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run it to its end; raise TimeoutExpired after `timeout` seconds.

        It runs in a fork of a process that has imported linkworth, or in a new interpreter if `start` says how to start one.
        `output` is a file or device that gets standard output, of a fork only.
        """
        if not start:
            return _forks().run([str(argument) for argument in arguments], self.folder, timeout, output)
        process = self.start(*arguments, start=start)
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.terminate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def json(self, *arguments: str | Path) -> Any:
        """Run it to its end with --json as well, and return the document. It must not fail."""
        done = self(*with_json(list(map(str, arguments))))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


class _Forks:
    """A process that imports linkworth once and forks for each call."""

    def __init__(self) -> None:
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        script = Path(__file__).with_name("forked_command.py")
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, script, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._turn = Lock()
        atexit.register(self._end)

    def run(
        self, arguments: list[str], folder: Path, timeout: float, output_file: str
    ) -> subprocess.CompletedProcess[str]:
        call = pickle.dumps((arguments, os.fspath(folder), dict(os.environ)))
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        with self._turn, ThreadPoolExecutor(2) as pool:
            if output_file:
                os.close(out_end)
                out_end = os.open(folder / output_file, os.O_WRONLY | os.O_CREAT, 0o644)
            socket.send_fds(self._connection, [call], [out_end, err_end])
            os.close(out_end)
            os.close(err_end)
            pid = int(self._connection.recv(100))
            texts = [pool.submit(_text, end) for end in (out, err)]
            self._connection.settimeout(timeout)
            try:
                code = int(self._connection.recv(100))
            except TimeoutError:
                os.kill(pid, signal.SIGTERM)
                self._connection.settimeout(None)
                self._connection.recv(100)
                raise subprocess.TimeoutExpired(["linkworth", *arguments], timeout) from None
            output, errors = (text.result() for text in texts)
        return subprocess.CompletedProcess(["linkworth", *arguments], code, output, errors)

    def _end(self) -> None:
        self._connection.close()
        self._process.wait()


@cache
def _forks() -> _Forks:
    return _Forks()


def _text(pipe: int) -> str:
    with os.fdopen(pipe, encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read()

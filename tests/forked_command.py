"""The process behind `command.LinkworthCommand`: it imports linkworth once and becomes `linkworth` in a fork for each call.

The fork leaves as any Python program does: exit handlers run and streams are flushed.
"""

import importlib
import os
import pickle
import runpy
import socket
import sys

MOST_BYTES = 1 << 22
"""Largest size of a call: its arguments and its environment."""


def next_call(connection: socket.socket) -> list[str] | None:
    """Return the arguments in the fork that a call is for, with its folder, environment and streams; None at the end."""
    while True:
        call, pipes, _, _ = socket.recv_fds(connection, MOST_BYTES, 2)
        if not call:
            return None
        child = os.fork()
        if child == 0:
            arguments, folder, environment = pickle.loads(call)
            connection.close()
            for stream, pipe in zip((1, 2), pipes, strict=True):
                os.dup2(pipe, stream)
                os.close(pipe)
            # Streams remember what they were opened on: whether it can seek, whether it is a terminal.
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            return list(arguments)
        for pipe in pipes:
            os.close(pipe)
        connection.send(b"%d" % child)
        connection.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    from linkworth.cli.main import VERBS
    from linkworth.mpi import progress

    progress.SLOW_SECONDS = 600.0  # as tests/conftest.py does in process
    for verb in VERBS:
        importlib.import_module(f"linkworth.cli.{verb}")
    arguments = next_call(socket.socket(fileno=int(sys.argv[1])))
    if arguments is not None:
        sys.argv[1:] = arguments
        runpy.run_module("linkworth", run_name="__main__", alter_sys=True)

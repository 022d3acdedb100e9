"""Checks of a bundled program's output."""

import subprocess

from linkworth.measure.parsers import npb as block


def assert_verified(done: "subprocess.CompletedProcess[str]", program: str, letter: str, ranks: int) -> None:
    """Raise AssertionError unless the run ended well, found its result right and is the one that was asked for."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert block.parse(done.stdout).verified is True
    assert f" {program.upper()} Benchmark Completed." in done.stdout
    values = dict(line.split("=", 1) for line in done.stdout.splitlines() if line.count("=") == 1)
    assert values[" Class           "].strip() == letter
    assert int(values[" Total processes "]) == ranks

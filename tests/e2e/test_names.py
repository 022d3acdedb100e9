"""A program whose name, argument and output have bytes that are not UTF-8, in a folder whose name looks like a variable."""

import json
import os
import shutil

import pytest

pytestmark = pytest.mark.requires("mpi")


def test_run_and_trace(linkworth, compile_program, any_mpi):
    folder = linkworth.folder / os.fsdecode(b"n=4 bin\xff")
    folder.mkdir()
    program = folder / os.fsdecode(b"halo\xff")
    shutil.copy(compile_program("halo", any_mpi), program)
    argument = os.fsdecode(b"\xff")
    document = linkworth.json("trace", "-n", "2", "-o", os.fsdecode(b"t\xff.lwt"), "--", program, argument)
    assert (document["workload"], document["path"]) == ("halo\\xff", "t\\xff.lwt")
    script = linkworth.folder / os.fsdecode(b"say\xff")
    script.write_bytes(b"#!/bin/sh\nprintf 'said \\377 %s\\n' \"$1\"\n")
    script.chmod(0o755)
    ran = linkworth("run", "-n", "1", "-o", "kept", "--json", "--", script, argument)
    assert ran.returncode == 0, ran.stderr
    assert json.loads((linkworth.folder / "kept/result.json").read_text(encoding="utf-8")) == json.loads(
        ran.stdout
    )
    assert (linkworth.folder / "kept/output.txt").read_bytes() == b"said \xff \xff\n"

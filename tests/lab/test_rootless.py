"""A lab of a user without rights: a user namespace gives them, where the kernel allows it."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from unprivileged import NOBODY, without_rights

PROGRAM = """
import os, subprocess, sys
sys.dont_write_bytecode = True
from linkworth.lab import labs
from linkworth.lab.place import LabPlace
from linkworth.lab.spec import LabSpec
from linkworth.model.place import Place
os.chdir("/")
with labs.up(LabSpec(nodes=2, rate=1e8, mtu=1500, **eval(sys.argv[1]))) as lab:
    said = subprocess.run(lab.enter("node2", ["hostname"]), capture_output=True, text=True)
    user = subprocess.run(lab.enter("node2", ["id", "-u"]), capture_output=True, text=True)
    again = subprocess.run(lab.enter("head", [str(lab.folder / "enter"), "node1", "hostname"]), capture_output=True, text=True)
    for words in ("link add over type bridge", "link set d0 master over"):
        subprocess.run(lab.enter("node1", ["ip", *words.split()]), check=True)
    opened = LabPlace(lab, Place(kind="lab", name="x"), [])
    names = {nic.nic for node in opened.counters() for nic in node.nics}
    assert "from readings of processes" in opened.facts()["CPU time"]
    folder = lab.folder
print(os.geteuid(), said.stdout.strip(), user.stdout.strip(), again.stdout.strip(), sorted(names), folder.exists())
"""


@pytest.mark.requires("lab", "user-namespaces")
@pytest.mark.parametrize(
    ("more", "nics"),
    [
        pytest.param({}, ["d0"], id="plain"),
        pytest.param(
            {"nics": 2, "latency": 1e-3, "aggregate": "roundrobin"},
            ["d0", "d1"],
            id="switch",
            marks=pytest.mark.requires("tap", "users-tap", "nft"),
        ),
    ],
)
def test_a_user_without_rights_has_labs_too(own_labs, more, nics):
    runtime = own_labs.parents[1]
    if os.geteuid() == 0:
        # Its parents are root's own; the one folder that the user needs is made where anyone may.
        runtime = Path(tempfile.mkdtemp(prefix="linkworth-test-", dir="/tmp"))
        os.chown(runtime, NOBODY, NOBODY)
    try:
        done = subprocess.run(
            [*without_rights(), sys.executable, "-c", PROGRAM, repr(more)],
            env={
                **os.environ,
                "XDG_RUNTIME_DIR": str(runtime),
                "XDG_CACHE_HOME": str(runtime),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        uid = NOBODY if os.geteuid() == 0 else os.geteuid()
        assert done.stdout.split("\n")[0] == f"{uid} node2 0 node1 {[*nics, 'lo']} False", done.stderr
    finally:
        if os.geteuid() == 0:
            shutil.rmtree(runtime)

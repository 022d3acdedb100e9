"""The Makefile rebuilds the engine after a change in its sources, and after no other change."""

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fake_installation as fake
import pytest

ROOT = Path(__file__).parents[2]


def make(*arguments):
    return subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def native(pattern):
    return str(next((ROOT / "native").rglob(pattern)).relative_to(ROOT))


@pytest.mark.parametrize(
    ("changed", "rebuilt"),
    [
        ("tracer/wrapper.h", False),
        ("tracer/README.md", False),
        ("ep/pairs.cpp", False),
        ("ep/driver.cpp", False),
        ("switch/*.c*", False),
        ("netbench/main.cpp", False),
        ("replay/*.cpp", True),
        ("ep/ep.hpp", True),
        ("common/options.cpp", True),
        ("tracer/report.c", True),
        ("CMakeLists.txt", True),
    ],
)
def test_the_engine_is_rebuilt_after_a_change_in(changed, rebuilt, tmp_path):
    for stamp in (".created", ".tools", ".packages", ".compiled", ".engine"):
        (tmp_path / stamp).touch()
        os.utime(tmp_path / stamp, (time.time() + 3600,) * 2)
    done = make("-q", f"VENV={tmp_path}", "-W", native(changed), f"{tmp_path}/.engine")
    assert done.returncode == int(rebuilt), done.stderr


def test_the_demo_compiles_its_recorder_without_the_engine(tmp_path):
    done = make("-n", f"VENV={tmp_path}", f"{tmp_path}/.recorder")
    assert "build.npb(mpi)" in done.stdout, done.stderr
    assert "Building linkworth" not in done.stdout


@pytest.mark.requires("flock")
def test_two_makes_at_once_set_up_one_environment(tmp_path):
    venv, made = tmp_path / "venv", tmp_path / "made"
    # Stands for a Python that answers find_python.sh and takes a while to make an environment.
    making = f'echo "$@" >>{made}; sleep 0.5; mkdir -p "$4"'
    python = fake.script(tmp_path / "python", f'case "$*" in *print*) echo "$0" ;; -m*) {making} ;; esac')
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(make, f"VENV={venv}", f"PYTHON={python}", f"{venv}/.created") for _ in range(2)]
    assert [call.result().returncode for call in calls] == [0, 0]
    assert made.read_text() == f"-m venv --clear {venv}\n"


@pytest.mark.requires("flock")
def test_tools_of_two_targets_are_not_installed_at_once(tmp_path):
    for stamp in (".created", ".tools", ".packages"):
        (tmp_path / stamp).touch()
        os.utime(tmp_path / stamp, (time.time() + 3600,) * 2)
    fake.script(
        tmp_path / "bin" / "pip",
        f"cat >/dev/null; cd {tmp_path} && mkdir installing && sleep 0.5 && rmdir installing",
    )
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    done = make("-j2", f"VENV={tmp_path}", f"{tmp_path}/.dev", f"{tmp_path}/.docs")
    assert done.returncode == 0, done.stderr


def test_every_file_that_the_compiler_read_rebuilds_the_engine():
    builds = [path.parent for path in ROOT.glob("build/cp*/.ninja_deps")]
    if not builds or not shutil.which("ninja"):
        pytest.skip("no build of the engine by ninja here")
    sources = make("--no-print-directory", "--eval", "sources: ; @echo $(ENGINE_SOURCES)", "sources")
    known = {str(ROOT / name) for name in sources.stdout.split()}
    read = subprocess.run(
        ["ninja", "-C", builds[0], "-t", "deps"], capture_output=True, text=True, check=True
    )
    names = {line.strip() for line in read.stdout.splitlines() if line.startswith("    ")}
    paths = {str((builds[0] / name).resolve()) for name in names}
    used = {path for path in paths if path.startswith(f"{ROOT}/native/") and Path(path).exists()}
    assert used, "ninja knows no source of the engine"
    assert not used - known

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
from run_program import output_of

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
def test_two_makes_at_once_install_an_mpi_once(tmp_path):
    bins, made = tmp_path / "venv" / "bin", tmp_path / "made"
    fake.script(bins / "python", f'echo "$@" >>{made}; sleep 0.5; mkdir -p "$5"')
    fake.script(bins / "pip", "exit 0")
    (tmp_path / "venv" / ".created").touch()
    os.utime(tmp_path / "venv" / ".created", (time.time() - 60,) * 2)
    words = ["-C", str(tmp_path), "-f", str(ROOT / "Makefile"), f"VENV={tmp_path}/venv", ".mpi/mpich/.done"]
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(make, *words) for _ in range(2)]
    assert [call.result().returncode for call in calls] == [0, 0], calls[0].result().stderr
    assert made.read_text() == "-m venv --clear --without-pip .mpi/mpich\n"


def test_two_makes_at_once_unpack_pythons_headers_once(tmp_path, monkeypatch):
    python = fake.script(tmp_path / "python", 'case "$*" in *include*) echo /nowhere ;; *) echo 3.99 ;; esac')
    fake.script(tmp_path / "bin" / "apt-get", "sleep 0.3; touch libpython3.99-dev_1.deb")
    unpacking = "mkdir -p usr/include/python3.99; sleep 0.3; touch usr/include/python3.99/Python.h"
    fake.script(
        tmp_path / "bin" / "dpkg-deb", f"[ -e libpython3.99-dev_1.deb ] && [ ! -e usr ] && {{ {unpacking}; }}"
    )
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    words = [ROOT / "scripts" / "python_headers.sh", python]
    calls = [subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    copy = tmp_path / "build" / "python-headers" / "3.99"
    assert [call.communicate()[0] for call in calls] == [f"{copy}/usr/include\n"] * 2
    assert [file.name for file in copy.iterdir()] == ["usr"]


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
    read = output_of(["ninja", "-C", builds[0], "-t", "deps"])
    names = {line.strip() for line in read.splitlines() if line.startswith("    ")}
    paths = {str((builds[0] / name).resolve()) for name in names}
    used = {path for path in paths if path.startswith(f"{ROOT}/native/") and Path(path).exists()}
    assert used, "ninja knows no source of the engine"
    assert not used - known

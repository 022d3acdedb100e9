"""Runs that a study loses after kills and faults. The target is none.

A study of 200 short runs is killed with SIGKILL at 50 random moments and resumed: there must be 200 results, none made twice once
it was there, none lost, and nothing left running. Two processes on one folder, a full disk, an MPI
that hangs, a node of the lab that disappears and a link that goes down follow.
The baseline is the same study left alone. `--runs N --kills K` take other numbers; `--only NAME` one part.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from linkworth.lab import state
from linkworth.lab.state import LabState

PARTS = ["kills", "two", "disk", "hang", "node", "link"]
COMMAND = [sys.executable, "-m", "linkworth", "study"]
SHORT = """\
repetitions = {runs}
ranks = 2
time_limit_seconds = 60
seed = 1
workloads = [{{ run = "sh -c 'sleep 0.02; echo made'", name = "short" }}]
environments = [{{ name = "here" }}]
"""


def call(folder: Path, *words: str, command: Sequence[str] = COMMAND) -> subprocess.CompletedProcess[str]:
    """Run `linkworth study` to its end."""
    return subprocess.run([*command, *words], cwd=folder, capture_output=True, text=True, check=False)


def start(folder: Path, *words: str, command: Sequence[str] = COMMAND) -> subprocess.Popen[bytes]:
    """Start `linkworth study` with its output in a file."""
    with (folder / "said.txt").open("ab") as said:
        return subprocess.Popen([*command, *words], cwd=folder, stdout=said, stderr=said)


def records(study: Path) -> dict[str, bytes]:
    """Return the finished runs, byte for byte."""
    found = {}
    for path in study.glob("runs/*/run.json"):
        with contextlib.suppress(FileNotFoundError):
            found[path.parent.name] = path.read_bytes()
    return found


def states(study: Path) -> dict[str, str]:
    """Return how each finished run ended."""
    return {name: json.loads(content)["state"] for name, content in records(study).items()}


def left_running(study: Path) -> list[int]:
    """Return processes that carry the study's mark."""
    place = study.stat()
    mark = f"LINKWORTH_STUDY={place.st_dev}:{place.st_ino}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def name_of(process: int) -> str:
    """Return the name of a process's program."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/exe").readlink().name
    return ""


def killed(folder: Path, runs: int, kills: int, seed: int = 1) -> dict[str, int]:
    """Kill a study again and again, then let it end; return what was found."""
    chance = random.Random(seed)
    study = folder / "s.study"
    held = folder / "held"
    held.touch()
    # The last runs wait for the last call, so that every kill meets a running study.
    made = f"$(ls {study}/runs/*/run.json 2>/dev/null | wc -l)"
    waiting = f"while [ -e {held} ] && [ {made} -ge {runs * 9 // 10} ]; do sleep 0.02; done"
    (folder / "s.toml").write_text(SHORT.replace("sleep 0.02", f"sleep 0.02; {waiting}").format(runs=runs))
    seen: dict[str, bytes] = {}
    lost = changed = unreadable = 0
    met = 0
    last_goal = runs * 3 // 4
    for number in range(kills):
        process = start(folder, "run", "s.toml")
        share = max(0, last_goal - len(seen)) / (kills - number)
        goal = min(last_goal, len(seen) + chance.randint(0, max(0, round(2 * share) - 2)))
        while process.poll() is None and len(list(study.glob("runs/*/run.json"))) < goal:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.15))
        met += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = records(study)
        lost += len(seen.keys() - now.keys())
        changed += sum(seen[run] != now[run] for run in seen.keys() & now.keys())
        for content in now.values():
            try:
                json.loads(content)
            except ValueError:
                unreadable += 1
        seen = now
    before_last = len(seen)
    held.unlink()
    ended = call(folder, "resume", "s.study")
    now = records(study)
    lost += len(seen.keys() - now.keys())
    changed += sum(seen[run] != now[run] for run in seen.keys() & now.keys())
    return {
        "kills that met it running": met,
        "results": len(now),
        "results before the last call": before_last,
        "lost": lost,
        "made twice": changed + len(list(study.glob("superseded/*"))),
        "damaged": unreadable,
        "not done": sum(state != "done" for state in states(study).values()),
        "left running": len(left_running(study)),
        "exit code": ended.returncode,
    }


def two_processes(folder: Path, runs: int) -> dict[str, object]:
    """Start a second linkworth on a folder that one runs."""
    gate = folder / "gate"
    gate.touch()
    held = SHORT.replace("sleep 0.02", f"while [ -e {gate} ]; do sleep 0.02; done")
    (folder / "s.toml").write_text(held.format(runs=runs))
    first = start(folder, "run", "s.toml")
    study = folder / "s.study"
    while not list(study.glob("runs/*")) and first.poll() is None:
        time.sleep(0.01)
    second = call(folder, "run", "s.toml")
    looking = call(folder, "status", "s.study")
    gate.unlink()
    first.wait()
    return {
        "second's exit code": second.returncode,
        "second says": second.stderr.strip(),
        "status meanwhile": looking.stdout.splitlines()[0],
        "first's exit code": first.returncode,
        "results": len(states(study)),
    }


@contextlib.contextmanager
def small_disk(size: str) -> Iterator[Path | None]:
    """Give a file system of that size; None where none can be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="linkworth-disk-"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "linkworth-bench", str(folder)],
        capture_output=True,
        check=False,
    )
    try:
        yield folder if mounted.returncode == 0 else None
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


LOUD = """\
repetitions = 8
ranks = 1
seed = 1
workloads = [{ run = "head -c 600000 /dev/zero", name = "loud" }]
environments = [{ name = "here" }]
"""


def full_disk() -> dict[str, object]:
    """Fill a disk of 2 MB with what programs write, then make room."""
    with small_disk("2m") as folder:
        if folder is None:
            return {"not tried": "a small file system can be mounted by root only"}
        (folder / "s.toml").write_text(LOUD)
        first = call(folder, "run", "s.toml")
        study = folder / "s.study"
        found = states(study)
        causes = {json.loads(content)["cause"] for content in records(study).values()} - {""}
        done = {run: content for run, content in records(study).items() if found[run] == "done"}
        subprocess.run(["mount", "-o", "remount,size=20m", str(folder)], check=False)
        second = call(folder, "resume", "--redo-failed", "s.study")
        kept = all(records(study)[run] == content for run, content in done.items())
        return {
            "exit code with the full disk": first.returncode,
            "done": len(done),
            "failed with their cause": sum(state == "failed" for state in found.values()),
            "causes": "; ".join(sorted(causes)) or first.stderr.strip().splitlines()[-1],
            "exit code with room": second.returncode,
            "done then": sum(state == "done" for state in states(study).values()),
            "first results kept": kept,
        }


HANGING = """\
repetitions = 2
ranks = 2
time_limit_seconds = {limit}
seed = 1
workloads = [{{ run = "sh -c 'touch {reached}/$$; exec sleep 1000'", name = "hangs" }}, {{ run = "true", name = "ends" }}]
environments = [{{ name = "here" }}]
"""


def hanging(
    folder: Path, limit: float = 2, command: Callable[[Path], Sequence[str]] | None = None
) -> dict[str, object]:
    """Run an MPI job that never ends; `command` of the folder in which each of its ranks leaves a file."""
    reached = folder / "reached"
    reached.mkdir(parents=True)
    (folder / "s.toml").write_text(HANGING.format(limit=limit, reached=reached))
    ended = call(folder, "run", "s.toml", command=command(reached) if command else COMMAND)
    study = folder / "s.study"
    causes = {json.loads(content)["cause"] for content in records(study).values()} - {""}
    return {
        "exit code": ended.returncode,
        "timeouts": sum(state == "timeout" for state in states(study).values()),
        "done": sum(state == "done" for state in states(study).values()),
        "cause": "; ".join(sorted(causes)),
        "left running": len(left_running(study)),
    }


IN_LAB = """\
where = "lab"
repetitions = 2
ranks = 2
nodes = 2
seed = 1
time_limit_seconds = {limit}
workloads = [{{ run = "{run}", name = "w" }}]
environments = ["gbe"]
"""


def lab_of(process: subprocess.Popen[bytes]) -> LabState:
    """Wait for the lab that a linkworth makes."""
    while process.poll() is None:
        found = [lab for lab in state.running() if lab.owner == process.pid]
        if found:
            return found[0]
        time.sleep(0.05)
    sys.exit("the study ended before its lab was up")


def kill_node(lab: LabState, node: str) -> None:
    """Kill everything in a node's network namespace, its holder included."""
    namespace = Path(f"/proc/{lab.places[node].pid}/ns/net").readlink()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "ns" / "net").readlink() == namespace:
                os.kill(int(entry.name), signal.SIGKILL)


def link_down(lab: LabState, node: str) -> None:
    """Take a node's only data NIC down."""
    folder = next(path for path in state.lab_folders(state.folder()) if state.read(path) == lab)
    subprocess.run([str(folder / "enter"), node, "ip", "link", "set", "d0", "down"], check=True)


def in_lab(
    folder: Path,
    run: str,
    limit: float,
    harm: Callable[[LabState, str], None],
    under_way: Callable[[Path], bool],
    command: Sequence[str] = COMMAND,
) -> dict[str, object]:
    """Harm the second node of the lab while the first run is on its way; then there is a file `harmed`."""
    folder.mkdir(exist_ok=True)
    (folder / "s.toml").write_text(IN_LAB.format(run=run, limit=limit))
    process = start(folder, "run", "s.toml", command=command)
    lab = lab_of(process)
    study = folder / "s.study"
    while process.poll() is None and not under_way(study):
        time.sleep(0.02)
    harm(lab, "node2")
    (folder / "harmed").touch()
    code = process.wait()
    found = {name: json.loads(content) for name, content in records(study).items()}
    return {
        "exit code": code,
        "states": ", ".join(one["state"] for _, one in sorted(found.items())),
        "cause": "; ".join(one["cause"] for one in found.values() if one["cause"]),
        "left running": len(left_running(study)),
    }


def node_lost(folder: Path) -> dict[str, object]:
    """Let a node of the lab disappear mid-run."""
    there = folder / "there"
    there.mkdir(parents=True)
    run = f"sh -c 'touch {there}/$(hostname); while [ ! -e {folder}/harmed ]; do sleep 0.1; done'"
    return in_lab(folder, run, 600, kill_node, lambda _study: len(list(there.iterdir())) == 2)


def link_lost(
    folder: Path, limit: float = 15, command: Callable[[Path], Sequence[str]] | None = None
) -> dict[str, object]:
    """Take a link down mid-run: TCP waits, so the time limit ends the run. `command` returns the command for a study file."""
    run = "bench:latency --sizes 8 --seconds 5 --precision 1e-6"

    def measures(study: Path) -> bool:
        names = [name_of(pid) for pid in left_running(study)] if study.exists() else []
        return names.count("lw-netbench") == 2

    return in_lab(folder, run, limit, link_down, measures, command(folder / "harmed") if command else COMMAND)


def show(title: str, found: dict[str, object]) -> None:
    """Print one part."""
    print(f"{title}:")
    for name, value in found.items():
        print(f"  {name:28} {value}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PARTS)
    asked = parser.parse_args()
    parts = [asked.only] if asked.only else PARTS
    print(f"load {os.getloadavg()[0]:.2f}")
    good = True
    with tempfile.TemporaryDirectory(prefix="linkworth-reliability-") as name:
        if "kills" in parts:
            folders = [Path(name) / part for part in ("alone", "killed")]
            for folder in folders:
                folder.mkdir()
            (folders[0] / "s.toml").write_text(SHORT.format(runs=asked.runs))
            began = time.monotonic()
            call(folders[0], "run", "s.toml")
            alone = time.monotonic() - began
            began = time.monotonic()
            found = killed(folders[1], asked.runs, asked.kills, asked.seed)
            took = time.monotonic() - began
            show(f"{asked.runs} runs, killed {asked.kills} times", dict(found))
            print(
                f"  {'time':28} {took:.1f} s, {took / alone:.2f} x that of the study left alone ({alone:.1f} s)"
            )
            good &= found["results"] == asked.runs and found["exit code"] == 0
            good &= not any(
                found[key] for key in ("lost", "made twice", "damaged", "not done", "left running")
            )
        if "two" in parts:
            folder = Path(name) / "two"
            folder.mkdir()
            both = two_processes(folder, 60)
            show("two processes on one folder", both)
            good &= (
                both["second's exit code"] == 2 and both["first's exit code"] == 0 and both["results"] == 60
            )
        if "disk" in parts:
            disk = full_disk()
            show("a full disk", disk)
            good &= "not tried" in disk or (disk["exit code with room"] == 0 and disk["done then"] == 8)
        if "hang" in parts:
            folder = Path(name) / "hang"
            folder.mkdir()
            hang = hanging(folder)
            show("an MPI that hangs", hang)
            good &= hang["timeouts"] == 2 and hang["done"] == 2 and hang["left running"] == 0
        for part, title, harmed in (
            ("node", "a node of the lab that disappears", node_lost),
            ("link", "a link that goes down", link_lost),
        ):
            if part in parts:
                lost = harmed(Path(name) / part)
                show(title, lost)
                good &= lost["states"] in ("failed, done", "timeout, done") and lost["left running"] == 0
    print("all as it should be" if good else "NOT as it should be")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

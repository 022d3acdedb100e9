"""Brings labs up, takes them down, and cleans up after killed ones."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Self

import msgspec

from linkworth.errors import EnvironmentLacksError, LinkworthError, UsageError
from linkworth.lab import aggregation, cgroups, entering, isolation, kernel, network, state
from linkworth.lab.addresses import hosts_file
from linkworth.lab.plan import MARK, SupervisorAnswer, SupervisorRequest
from linkworth.lab.spec import LabSpec, preset
from linkworth.lab.state import LabState
from linkworth.lab.supervisor import KEEP, KILL
from linkworth.places import proc
from linkworth.writing.folders import remove_folder

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")
DOWN_SECONDS = 30.0
"""Wait for a supervisor before it is killed."""
_KILL_SECONDS = KILL[signal.SIGKILL]
_GONE_SECONDS = 1.0


class Lab:
    """A lab that is up. On exit of `with`, a lab of one run is taken down, and one that stays is left."""

    def __init__(
        self, lab_state: LabState, folder: Path, process: subprocess.Popen[bytes] | None = None
    ) -> None:
        self.state = lab_state
        self.folder = folder
        self._process = process

    @property
    def name(self) -> str:
        """Its name."""
        return self.state.name

    @property
    def spec(self) -> LabSpec:
        """Specification of the lab."""
        return self.state.spec

    @property
    def agent(self) -> Path:
        """Script that MPI launchers use instead of ssh."""
        return self.folder / "agent"

    def enter(self, place: str, command: list[str]) -> list[str]:
        """Return the words that run a command in a place. Raises UsageError for an unknown place."""
        if place not in self.state.places:
            raise UsageError(
                f"the lab {self.name} has no node {place}; it has {', '.join(self.spec.node_names)}"
            )
        return [str(self.folder / "enter"), place, *command]

    def keep(self) -> None:
        """Keep it up until `down`, even after this process ends."""
        assert self._process is not None and self._process.stdin is not None
        kept = msgspec.structs.replace(self.state, scoped=False)
        state.write(self.folder, kept)
        self._process.stdin.write(KEEP)
        self._process.stdin.close()
        self._process.returncode = 0  # it is not waited for: it outlives this process
        self.state, self._process = kept, None

    def close(self) -> None:
        """Take it down if it belongs to this process."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(DOWN_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _remove_rest(self.folder, self.state)
        self._process = None

    def __enter__(self) -> Self:
        """Return the lab itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take it down if it belongs to this process."""
        self.close()


def up(spec: LabSpec, name: str | None = None) -> Lab:
    """Bring a lab up. Without a name it is for one run. It ends with this process unless it is kept (`keep`).

    Raises UsageError for a name in use and EnvironmentLacksError if the machine lacks something.
    """
    if name is not None and not _NAME.fullmatch(name):
        raise UsageError(
            f"{name} cannot be a lab's name: letters, digits, dots, dashes; begin with a letter or digit"
        )
    of_that_name = preset(name or "")
    if of_that_name is not None and msgspec.structs.replace(of_that_name, nodes=spec.nodes) != spec:
        raise UsageError(
            f"{name} is a preset, and runs that name it would get this lab's other links; give the lab another name, or "
            f"`like` {name} without other options"
        )
    plan = aggregation.aggregation_for(spec).extend(network.plan_of(spec), spec)
    plan = isolation.extend(plan, spec)
    mark = uuid.uuid4().hex[:12]
    own_user_namespace = not kernel.may_make_namespaces()
    tools = {tool: kernel.tool(tool) for tool in ("ip", "tc", "nsenter")}
    with state.locked() as base:
        folder = base / (name or f"run-{os.getpid()}-{mark[:4]}")
        try:
            folder.mkdir()
        except FileExistsError:
            raise UsageError(
                f"there is a lab {name} already; use it, or end it: linkworth lab down {name}"
            ) from None
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "linkworth.lab.supervisor"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, MARK: mark},
            cwd="/",
            start_new_session=True,
        )
        begun = LabState(
            name=folder.name,
            mark=mark,
            spec=spec,
            scoped=True,
            owner=os.getpid(),
            owner_started=proc.start_time(os.getpid()) or 0,
            supervisor=process.pid,
            supervisor_started=proc.start_time(process.pid) or 0,
            own_user_namespace=own_user_namespace,
        )
        state.write(folder, begun)
    lab = Lab(begun, folder, process)
    request = SupervisorRequest(
        lab=mark,
        folder=str(folder),
        hosts=hosts_file(spec),
        plan=plan,
        ip=tools["ip"],
        tc=tools["tc"],
        own_user_namespace=own_user_namespace,
    )
    try:
        answer = _ask(process, request)
        lab.state = msgspec.structs.replace(begun, places=answer.places)
        entering.write_scripts(folder, lab.state)
        state.write(folder, lab.state)
    except BaseException:
        lab.close()
        raise
    return lab


def _ask(process: subprocess.Popen[bytes], request: SupervisorRequest) -> SupervisorAnswer:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(msgspec.json.encode(request) + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
        process.stdout.close()
    except BrokenPipeError:
        line = b""
    if not line:
        raise LinkworthError(
            "the supervisor of the lab ended before the lab was up; everything it made is gone"
        )
    answer = msgspec.json.decode(line, type=SupervisorAnswer)
    if answer.error:
        kind = EnvironmentLacksError if answer.lacks else LinkworthError
        raise kind(f"the lab cannot be made: {answer.error}")
    return answer


def find(name: str) -> Lab | None:
    """Return the lab of that name, or None if it is not up."""
    for known in state.running():
        if known.name == name:
            return Lab(known, state.folder() / name)
    return None


def get(name: str) -> Lab:
    """Return the lab of that name. Raises UsageError if it is not up."""
    found = find(name)
    if found is None:
        raise _not_up(name, f"make it: linkworth lab up {name}")
    return found


def _not_up(name: str, advice: str) -> UsageError:
    """Return the error for a lab that is not up. `advice`: if no other lab stays until it is ended."""
    names = ", ".join(known.name for known in state.running() if not known.scoped)
    return UsageError(f"no lab {name} is up; " + (f"there is {names}" if names else advice))


def down(name: str) -> None:
    """End a lab and everything that runs in it. Raises UsageError if there is none of that name."""
    lab = find(name)
    if lab is None:
        raise _not_up(name, "there is nothing to end")
    _end_supervisor(lab.state)
    _remove_rest(lab.folder, lab.state)


def sweep() -> list[str]:
    """Remove the leftovers of killed labs, and return a sentence for each."""
    with state.locked() as base:
        return [said for folder in state.lab_folders(base) if (said := _swept(folder))]


def _swept(folder: Path) -> str:
    """Remove the leftovers of one lab, and return the sentence. "" for a lab that is up or has just ended."""
    known = state.read(folder)
    if known is None:
        # One that is being taken down may have lost its state before its folder.
        if _soon(lambda: not folder.exists(), _GONE_SECONDS):
            return ""
        remove_folder(folder)
        return f"removed what was left of the lab {folder.name}"
    if not known.is_kept:
        if not folder.exists():  # its supervisor removed it, and was not killed
            return ""
        ended = _remove_rest(folder, known)
        programs = f" and ended {len(ended)} of its processes" if ended else ""
        return f"the lab {known.name} had been killed: removed what was left of it{programs}"
    if known.is_owned or _soon(lambda: not known.is_kept, _KILL_SECONDS + 1.0):
        return ""
    _end_supervisor(known)
    _remove_rest(folder, known)
    return f"the linkworth that used the lab {known.name} had been killed: removed the lab"


def _soon(done: Callable[[], bool], seconds: float) -> bool:
    """Wait for a condition. Return whether it came true in time."""
    until = time.monotonic() + seconds
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


def _end_supervisor(known: LabState) -> None:
    for number, patience in ((signal.SIGTERM, DOWN_SECONDS), (signal.SIGKILL, _KILL_SECONDS)):
        if not known.is_kept:
            break
        with contextlib.suppress(ProcessLookupError):
            os.kill(known.supervisor, number)
        _soon(lambda: not known.is_kept, patience)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(known.supervisor, os.WNOHANG)  # reaps it if it is this process's child


def _remove_rest(folder: Path, known: LabState) -> set[int]:
    """Remove what a killed supervisor left: processes, groups, files. Return the processes that it ended.

    One that was not killed has removed the folder last, so that nothing is left.
    """
    if not folder.exists():
        return set()
    ended = proc.stop(lambda: proc.marked(MARK, known.mark) - {os.getpid()}, KILL)
    cgroups.remove_marked(known.mark, anywhere=True)
    remove_folder(folder)
    return ended

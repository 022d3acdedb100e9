"""State of a user's labs: one folder per lab, with a JSON file that lists the processes behind it."""

import contextlib
import fcntl
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from linkworth.errors import EnvironmentLacksError
from linkworth.lab.plan import HeldPlace
from linkworth.lab.spec import LabSpec
from linkworth.places import proc
from linkworth.writing.documents import encode

STATE_FILE = "lab.json"
_USABLE = re.compile(r"/[\w./+@-]*")
"""Runtime folders for labs: MPI launchers split the path of their agent at spaces, and run it in any folder."""


class LabState(msgspec.Struct, frozen=True, kw_only=True):
    """A lab that is up or was left behind."""

    name: str
    mark: str
    """Unique mark in the environment of everything that runs in the lab."""
    spec: LabSpec
    scoped: bool
    """True if it belongs to one run of linkworth and ends with it, False if it stays until `lab down`."""
    owner: int
    """PID of the linkworth that made it."""
    owner_started: int
    supervisor: int
    supervisor_started: int
    own_user_namespace: bool
    places: dict[str, HeldPlace] = msgspec.field(default_factory=dict)
    """`head` and the nodes. Empty while the lab comes up."""

    @property
    def is_kept(self) -> bool:
        """Return whether its supervisor still runs."""
        return proc.is_running(self.supervisor, self.supervisor_started)

    @property
    def is_owned(self) -> bool:
        """Return whether it stays by itself, or its linkworth still runs."""
        return not self.scoped or proc.is_running(self.owner, self.owner_started)


def folder() -> Path:
    """Return the folder of this user's labs, which only the user can write. Raises EnvironmentLacksError."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    usable = _USABLE.fullmatch(runtime) and os.access(runtime, os.W_OK)
    parent = Path(runtime, "linkworth") if usable else None
    base = (parent or Path(f"/tmp/linkworth-{os.geteuid()}")) / "lab"
    for path in (base.parent, base):
        path.mkdir(mode=0o700, exist_ok=True)
        about = path.lstat()
        if about.st_uid != os.geteuid() or not stat.S_ISDIR(about.st_mode) or about.st_mode & 0o022:
            raise EnvironmentLacksError(
                f"{path} is another user's, or others may write it; set XDG_RUNTIME_DIR to a folder of your own"
            )
    return base


@contextlib.contextmanager
def locked() -> Iterator[Path]:
    """Take the lock for listing, starting and cleaning labs, and yield the folder of the labs."""
    base = folder()
    with (base / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield base


def lab_folders(base: Path) -> list[Path]:
    """Return the folder of each lab."""
    return sorted(path for path in base.iterdir() if path.is_dir())


def read(lab: Path) -> LabState | None:
    """Return the state of the lab in that folder, or None if it has no usable one."""
    try:
        return msgspec.json.decode((lab / STATE_FILE).read_bytes(), type=LabState)
    except (OSError, msgspec.MsgspecError):
        return None


def write(lab: Path, state: LabState) -> None:
    """Write the state by atomic rename."""
    new = lab / f"{STATE_FILE}.new"
    new.write_bytes(encode(state, indent=2) + b"\n")
    new.rename(lab / STATE_FILE)


def running() -> list[LabState]:
    """Return the labs that are up, in order of their names."""
    states = (read(path) for path in lab_folders(folder()))
    return [state for state in states if state is not None and state.places and state.is_kept]

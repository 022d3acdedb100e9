"""The process behind a lab. It makes the places, keeps them, and removes everything when the lab ends.

Linkworth starts it with a request on its standard input. It answers with one line and lives until its
standard input ends, because linkworth has ended in any way, or until SIGTERM. The line `keep` makes the lab
outlive its linkworth (`lab up`).
"""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

import msgspec

from linkworth.lab import cgroups, holder, system
from linkworth.lab.plan import HEAD, MARK, HeldPlace, PlacePlan, SupervisorAnswer, SupervisorRequest
from linkworth.places import proc
from linkworth.writing.folders import remove_folder

KEEP = b"keep\n"
KILL = {signal.SIGKILL: 10.0}
"""Time that killed processes may take to end. On a busy machine they wait for a core first."""
FOLDER_SECONDS = 1.0
"""Interval at which a lab that stays checks that its folder still exists."""


class _Place(msgspec.Struct):
    """The supervisor's ends of the pipes to a holder."""

    name: str
    pid: int
    orders: int
    answers: int

    def order(self, plan: PlacePlan, pids: dict[str, int]) -> None:
        """Make the holder carry out a plan."""
        text = msgspec.json.encode({"plan": plan, "pids": pids})
        os.write(self.orders, len(text).to_bytes(8, "little"))
        with os.fdopen(os.dup(self.orders), "wb") as stream:
            stream.write(text)

    def answer(self) -> dict[str, str]:
        """Wait for the holder's answer and return it. Raises PlaceError if the holder failed."""
        text = b""
        while not text.endswith(b"\n"):
            piece = os.read(self.answers, 65536)
            if not piece:
                raise holder.PlaceError(f"the holder of {self.name} has ended", lacks=False)
            text += piece
        said = msgspec.json.decode(text, type=dict[str, str])
        if "error" in said:
            raise holder.PlaceError(f"{self.name}: {said['error']}", lacks=said["lacks"] == "yes")
        return said


def main() -> int:
    """Serve one lab."""
    request = msgspec.json.decode(_first_line(), type=SupervisorRequest)
    ended = _End()
    supervisor = _Supervisor(request)
    try:
        try:
            answer = supervisor.up()
        except (holder.PlaceError, OSError) as error:
            failed = holder.PlaceError.of(error)
            answer = SupervisorAnswer(error=str(failed), lacks=failed.lacks)
            ended.ignore()
            supervisor.down()
        os.write(1, msgspec.json.encode(answer) + b"\n")
        os.close(1)
        if not answer.error:
            ended.wait(Path(request.folder))
    except _Stop:
        pass
    finally:
        ended.ignore()
        supervisor.down()
    return 0


def _first_line() -> bytes:
    text = b""
    while not text.endswith(b"\n"):
        piece = os.read(0, 1 << 20)
        if not piece:
            sys.exit(1)
        text += piece
    return text


class _Stop(Exception):
    """Raised on SIGTERM to end the lab."""


class _End:
    """Detects the end of the lab."""

    def __init__(self) -> None:
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        raise _Stop

    def ignore(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def wait(self, folder: Path) -> None:
        """Wait for the end. Without its folder (removed at the user's logout) nobody could end the lab."""
        said = b""
        while True:
            piece = os.read(0, 4096)
            if not piece:
                return
            said += piece
            if said.endswith(KEEP):
                break
        while folder.exists():
            time.sleep(FOLDER_SECONDS)


class _Supervisor:
    """The places of one lab."""

    def __init__(self, request: SupervisorRequest) -> None:
        self.request = request
        self.folder = Path(request.folder)
        self.places: list[_Place] = []
        self.cgroups: dict[str, str] = {}

    def up(self) -> SupervisorAnswer:
        """Make every place and its network. Raises PlaceError."""
        request = self.request
        if request.own_user_namespace:
            try:
                system.become_root_of_own_namespace()
            except OSError as error:
                raise holder.PlaceError(
                    f"without root a lab needs user namespaces, which this kernel forbids ({error.strerror}); "
                    "see user.max_user_namespaces and kernel.apparmor_restrict_unprivileged_userns (sysctl)",
                    lacks=True,
                ) from None
        names = [HEAD, *request.plan.nodes]
        hosts = self.folder / "hosts"
        hosts.write_text(request.hosts)
        scratch = self.folder / "mounts"
        scratch.mkdir()
        self.cgroups = cgroups.make(request.lab, names)
        for name in names:
            self.places.append(self._start(name, hosts, scratch))
        for place in self.places:
            place.answer()
        pids = {place.name: place.pid for place in self.places}
        inside: dict[str, int] = {}
        head, *nodes = self.places
        for stage in (
            [(head, request.plan.head)],
            [(node, request.plan.nodes[node.name]) for node in nodes],
            [(head, request.plan.head_last)],
        ):
            for place, plan in stage:
                place.order(plan, pids)
            for place, _ in stage:
                inside[place.name] = int(place.answer().get("inside", 0))
        running = [system.namespace_of(pid) for pid in proc.all_pids()]
        return SupervisorAnswer(
            places={
                place.name: HeldPlace(
                    pid=place.pid,
                    started=proc.start_time(place.pid) or 0,
                    cgroup=self.cgroups.get(place.name, ""),
                    inside=inside[place.name],
                    own=running.count(system.namespace_of(place.pid)),
                )
                for place in self.places
            }
        )

    def _start(self, name: str, hosts: Path, scratch: Path) -> _Place:
        orders_read, orders_write = os.pipe()
        answers_read, answers_write = os.pipe()
        pid = os.fork()
        if pid:
            os.close(orders_read)
            os.close(answers_write)
            return _Place(name, pid, orders_write, answers_read)
        # These pipes must end with the supervisor, not with another holder.
        for other in self.places:
            os.close(other.orders)
            os.close(other.answers)
        os.close(orders_write)
        os.close(answers_read)
        code = 1
        with contextlib.suppress(BaseException):
            self._hold(name, hosts, scratch, orders_read, answers_write)
            code = 0
        os._exit(code)

    def _hold(self, name: str, hosts: Path, scratch: Path, orders: int, answers: int) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        proc.die_with_parent(signal.SIGKILL)
        os.close(0)
        os.close(1)
        os.open(os.devnull, os.O_RDWR)
        os.dup(0)
        tools = {"ip": self.request.ip, "tc": self.request.tc}
        staying = []
        try:
            holder.enter_namespaces(name, hosts, scratch)
            os.write(answers, b"{}\n")
            for _ in range(2 if name == HEAD else 1):
                order = msgspec.json.decode(_message(orders), type=_Order)
                staying += holder.carry_out(order.plan, order.pids, tools)
                inside = [one.inside for one in staying if one.inside]
                os.write(answers, msgspec.json.encode({"inside": (inside or ["0"])[0]}) + b"\n")
        except (holder.PlaceError, OSError) as error:
            failed = holder.PlaceError.of(error)
            said = {"error": str(failed), "lacks": "yes" if failed.lacks else "no"}
            os.write(answers, msgspec.json.encode(said) + b"\n")
        holder.stay(staying, orders)

    def down(self) -> None:
        """Stop everything in the places, then the places themselves, and remove all files."""
        for place in self.places:
            os.close(place.answers)  # the search below needs a descriptor
        held = [place.pid for place in self.places]
        namespaces = {system.namespace_of(pid) for pid in held} - {0, system.namespace_of("self")}
        spared = {os.getpid(), *held}

        def inside() -> set[int]:
            found = {pid for pid in proc.all_pids() if system.namespace_of(pid) in namespaces}
            return (found | proc.marked(MARK, self.request.lab)) - spared

        proc.stop(inside, KILL)
        for place in self.places:
            with contextlib.suppress(ProcessLookupError):
                os.kill(place.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(place.pid, 0)
        self.places = []
        cgroups.remove_marked(self.request.lab)
        remove_folder(self.folder)


class _Order(msgspec.Struct):
    plan: PlacePlan
    pids: dict[str, int]


def _message(descriptor: int) -> bytes:
    length = int.from_bytes(os.read(descriptor, 8), "little")
    text = b""
    while len(text) < length:
        text += os.read(descriptor, length - len(text))
    return text


if __name__ == "__main__":
    sys.exit(main())

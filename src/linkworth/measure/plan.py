"""Decides how to run what the user typed: the program file, the MPI, the launcher, the number of ranks."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from linkworth import _engine
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.model.workload import Workload
from linkworth.mpi import apps, find, target
from linkworth.mpi.target import RankProgram
from linkworth.places.given import GivenLauncher, is_launcher
from linkworth.places.job import Launcher
from linkworth.places.local import LocalPlace
from linkworth.places.place import OpenPlace, check_started_ranks
from linkworth.writing.text import label


class Plan(NamedTuple):
    """A workload with all decisions on its run."""

    workload: Workload
    command: list[str]
    """Command line for the launcher."""
    target: RankProgram
    """The program that becomes the ranks."""
    mpi: MpiInstallation
    launcher: Launcher
    opened: OpenPlace | None
    """None if the user's own launcher command chooses the place."""

    @property
    def preloaded(self) -> list[Path]:
        """MPI libraries to preload for mpi4py, which uses a loaded one, and else takes our preload library for one."""
        return [Path(self.mpi.library)] if self.target.free else []

    @property
    def cores(self) -> int:
        """Cores that the ranks may use; this machine's if the place is unknown."""
        return (self.opened or LocalPlace()).cores

    @property
    def oversubscribed(self) -> bool:
        """True if there are more ranks than cores."""
        return 0 < self.cores < self.workload.ranks

    @property
    def is_app(self) -> bool:
        """True for a bundled program, whose exit codes are known."""
        return apps.is_app(self.workload.command[0])


def workload(command: Sequence[str], ranks: int | None, opened: OpenPlace | None = None) -> Workload:
    """Name a command and decide its rank count: as given, else from its own launcher, else the place's cores.

    Raises UsageError for an impossible count or program, and for a command with its own launcher in a place that has one.
    """
    place = opened or LocalPlace()
    if not command:
        raise UsageError("give the program to run, for example ./program")
    if ranks is not None and ranks < 1:
        raise UsageError(f"`ranks` {ranks}: the number of ranks must be at least 1")
    if apps.is_app(command[0]):
        return Workload(name=command[0], command=list(command), ranks=ranks or _every_core(place))
    if is_launcher(command[0]):
        if ranks is not None:
            raise UsageError(f"`ranks` {ranks}: {command[0]} has its own number of ranks; give it there only")
        if place.name != "local":
            raise UsageError(
                f"{command[0]} starts the ranks by itself, and so does {place.name}; leave one of the two out"
            )
        binding = place.binding if isinstance(place, LocalPlace) else ""
        for name, value in (("binding", binding), ("transport", place.transport)):
            if value:
                raise UsageError(
                    f"{command[0]} has its own options for the {name}; leave one of the two out ({name} {value})"
                )
        given = GivenLauncher(command)
        name = label(target.name_of(given.program_words) if given.program_words else given.name)
        return Workload(name=name, command=list(command), ranks=given.ranks)
    name = label(target.name_of(command))
    if is_launcher(name):
        raise UsageError(
            f"{command[0]} would start {name} once for each rank; put {command[0]} before linkworth instead"
        )
    return Workload(name=name, command=list(command), ranks=ranks or _every_core(place))


def _every_core(place: OpenPlace) -> int:
    if not place.cores:
        raise UsageError(
            f"give the number of ranks of the {place.name} job with `ranks`, or with `nodes` and `ppn`"
        )
    return place.cores


def plan(
    given: Workload, mpi: str | None = None, opened: OpenPlace | None = None, *, planned: bool = False
) -> Plan:
    """Decide how to run a workload in a place (None: this machine). With `planned` nothing is built.

    Raises UsageError and EnvironmentLacksError with the reason.
    """
    place = opened or LocalPlace()
    command = given.command
    if not is_launcher(command[0]):
        check_started_ranks(given.ranks, place)
    if apps.is_app(command[0]):
        _check_rank_count(command[0], given.ranks)
        chosen = find.choose(mpi)
        launcher = place.launcher(chosen)
        resolved = apps.resolve(command, chosen, planned=planned)
        return Plan(given, resolved, target.of_command(resolved[:1]), chosen, launcher, place)
    if is_launcher(command[0]):
        own = GivenLauncher(command)
        started = target.of_command(own.program_words) if own.program_words else target.NO_TARGET
        return Plan(given, list(command), started, _mpi_of(own, started, mpi), own, None)
    program = find.program_path(command[0])
    started = target.of_command(command)
    chosen = find.choose(mpi, started)
    return Plan(given, [str(program), *command[1:]], started, chosen, place.launcher(chosen), place)


def refuse_static(decided: Plan) -> None:
    """Raise UsageError for a statically linked program: nothing can be preloaded into it."""
    program, link = decided.target.program, decided.target.link
    if program is not None and not link.dynamic:
        raise UsageError(
            f"{program.name} is linked statically, so its MPI calls cannot be seen; "
            "link it with the shared MPI library"
        )


def _check_rank_count(app: str, ranks: int) -> None:
    """Raise UsageError for an unknown class, or one that cannot run on `ranks` ranks, before its program is built.

    The engine has the programs' own rules. Rules of programs without classes depend on their options: they report it.
    """
    words = apps.words(app) or []
    if not app.lower().startswith("npb:") or words[0] not in _engine.skeleton_programs():
        return
    try:
        _engine.check_skeleton(words[0], words[1:], ranks)
    except _engine.SkeletonError as error:
        raise UsageError(str(error)) from None


def _mpi_of(launcher: GivenLauncher, started: RankProgram, name: str | None) -> MpiInstallation:
    """Return the MPI behind the user's own launcher; refuse a launcher of another MPI than the program's."""
    chosen = find.choose(name, started)
    says = launcher.identity
    if says is None or launcher.path.samefile(chosen.mpiexec or launcher.path):
        return chosen
    fitting = [
        mpi
        for mpi in find.find_all()
        if mpi.kind == says.kind and (mpi.kind != "openmpi" or mpi.version == says.version)
    ]
    alike = says.kind == chosen.kind or (says.kind == "mpich" and chosen.kind == "mvapich")
    if alike and (chosen.kind != "openmpi" or chosen.version == says.version):
        return chosen
    if started.program is not None and started.calls_mpi and not started.free:
        better = chosen.mpiexec or chosen.name
        raise UsageError(
            f"{launcher.name} belongs to {says.kind} {says.version}, but {started.program.name} is linked with {chosen.name}: it "
            f"would be many copies of rank 0 of 1; start it with {better}"
        )
    if name is not None:
        raise UsageError(
            f"`mpi` {name}: {launcher.name} belongs to {says.kind} {says.version}; leave `mpi` out, or start the ranks with "
            f"{chosen.mpiexec or 'its own launcher'}"
        )
    if not fitting:
        raise EnvironmentLacksError(
            f"the library of {launcher.path} ({says.kind} {says.version}) was not found; "
            "put the folder above its bin folder into LINKWORTH_MPI_PATH"
        )
    return fitting[0]

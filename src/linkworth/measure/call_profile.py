"""Runs a workload and sums its MPI calls by name in each rank: a profile without a trace."""

import contextlib
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from linkworth import units
from linkworth.errors import IncompleteError, LinkworthError, UsageError
from linkworth.measure.call_profile_file import ProcessProfile, Tally, read
from linkworth.measure.ending import stopped_by
from linkworth.measure.plan import Plan, refuse_static
from linkworth.measure.ranks_found import ranks_found
from linkworth.measure.run import execute, must_yield
from linkworth.model.call_profile import INIT, POLLS, CallProfile, CallTotal, RankTotal, SizeTotal
from linkworth.model.profile import run_shares
from linkworth.model.run import RunResult
from linkworth.mpi import build, preload
from linkworth.places.job import Observer
from linkworth.writing.documents import encode
from linkworth.writing.files import write_atomically
from linkworth.writing.folders import remove_folder

_POLLING_GAP = 10e-6
"""Mean computation before a poll, in seconds, below which the polls are taken for loops that wait."""
_MUCH_POLLING = 0.05
"""Share of the computation between such polls from which it is reported."""


def profile(
    decided: Plan,
    *,
    timeout: float | None = None,
    folder: Path | None = None,
    watcher: Observer | None = None,
    inherit_stdin: bool = False,
    iterations: str | None = None,
) -> CallProfile:
    """Run a planned workload and return how its ranks spent their time, however the run ended.

    With a `folder`, the raw output and `profile.json` are stored there.

    Raises UsageError if the program cannot be observed (no MPI program, linked statically, another MPI), and
    EnvironmentLacksError if this machine lacks something. Raises IncompleteError if the run ended before any rank
    left MPI_Init.
    """
    refuse_static(decided)
    library = build.tracer(decided.mpi)
    # A folder of the user's is shared by the nodes of a run, as for a recording.
    place = folder if folder is not None else Path.cwd()
    try:
        place.mkdir(parents=True, exist_ok=True)
        files = Path(tempfile.mkdtemp(prefix=".linkworth-profile-", dir=place.absolute()))
    except OSError as error:
        raise UsageError(f"cannot write to the folder {place}: {error.strerror}") from None
    try:
        with ranks_found(decided, files) as found:
            result = execute(
                decided,
                output=folder / "output.txt" if folder is not None else None,
                environment=preload.environment(
                    library,
                    parts=files,
                    yielding=must_yield(decided),
                    behind=decided.preloaded,
                    profiling=True,
                ),
                found=found,
                timeout=timeout,
                watcher=watcher,
                inherit_stdin=inherit_stdin,
                iterations=iterations,
            )
            trouble = found.trouble(decided)
        if trouble:
            raise LinkworthError(f"{decided.workload.name}: {trouble}")
        totals = summarise(result, found_processes(decided, result, files))
    finally:
        remove_folder(files)
    if folder is not None:
        write_atomically(folder / "profile.json", encode(totals, indent=2))
    return totals


def found_processes(decided: Plan, result: RunResult, folder: Path) -> list[ProcessProfile]:
    """Return what the processes of a run counted, as far as their files in a folder can be read.

    Raises UsageError and IncompleteError, as `profile`, if no rank counted anything.
    """
    files = sorted(folder.glob("*.profile"))
    found = []
    for path in files:
        # A cut file is of a rank that had no space. The summary names the ranks that are missing.
        with contextlib.suppress(UsageError):
            found.append(read(path))
    name = decided.workload.name
    began = [process for process in found if process.rank >= 0]
    if began:
        return began + [process for process in found if process.restarted]
    if files and not found:
        raise IncompleteError(
            f"{name}: what its ranks counted cannot be read: {result.message or 'is the disk full?'}",
            stopped_by(result),
        )
    if result.state in ("timeout", "killed"):
        raise IncompleteError(
            f"{name} did not return from MPI_Init, so nothing was counted: {result.message}",
            stopped_by(result),
        )
    raise UsageError(
        f"{name} made no MPI call that could be counted: it is not an MPI program, "
        f"it uses another MPI than {decided.mpi.name} (choose with `mpi`), or it looks MPI up in the library by "
        "itself, as ctypes does"
    )


def summarise(run: RunResult, processes: Sequence[ProcessProfile]) -> CallProfile:
    """Sum the processes of a run. If two have the same rank (two MPI programs in one run), the first counts."""
    by_rank: dict[int, ProcessProfile] = {}
    damage = []
    for process in sorted(processes, key=lambda process: process.pid):
        if process.restarted:
            damage.append(
                f"process {process.pid} on {process.host} began MPI again after its last session or MPI_Finalize: only its "
                "calls before that are counted"
            )
        elif by_rank.setdefault(process.rank, process) is not process:
            damage.append(
                f"rank {process.rank} was counted a second time (a second MPI program in the run, process "
                f"{process.pid}): that is left out"
            )
    ranks = [_rank_total(by_rank[rank]) for rank in sorted(by_rank)]
    size = max(process.size for process in by_rank.values())
    missing = [str(rank) for rank in range(size) if rank not in by_rank]
    if missing:
        damage.append(f"nothing is known of rank {', '.join(missing)} of {size}")
    damage += [f"rank {rank.rank} did not reach MPI_Finalize" for rank in ranks if rank.state == "cut"]
    damage += [f"rank {rank.rank} called MPI_Abort" for rank in ranks if rank.state == "aborted"]
    computation = sum(rank.computation_seconds for rank in ranks)
    mpi = sum(rank.mpi_seconds for rank in ranks)
    shares = run_shares(computation, mpi)
    mean = computation / len(ranks)
    calls = _call_totals([by_rank[rank] for rank in sorted(by_rank)], computation + mpi or 1.0)
    return CallProfile(
        run=run,
        computation_share=shares.compute,
        mpi_share=shares.communication,
        init_seconds=fmean(rank.init_seconds for rank in ranks),
        imbalance=max(rank.computation_seconds for rank in ranks) / mean - 1 if mean > 0 else 0.0,
        calls=calls,
        sizes=_size_totals(by_rank.values()),
        ranks=ranks,
        damage=damage,
        remarks=_remarks(calls, computation),
    )


def _remarks(calls: Sequence[CallTotal], computation: float) -> list[str]:
    polls = [
        each for each in calls if each.name in POLLS and each.computation_seconds < _POLLING_GAP * each.calls
    ]
    between = sum(each.computation_seconds for each in polls)
    if between <= _MUCH_POLLING * computation:
        return []
    names = units.shortened([each.name for each in polls], 3)
    return [
        f"{units.duration(between)} of the computation is between polls ({names}) and may be waiting; the profile of a trace "
        "counts such waits"
    ]


def _rank_total(process: ProcessProfile) -> RankTotal:
    tallies = process.tallies
    init = sum(tally.seconds for name, tally in tallies.items() if name in INIT)
    return RankTotal(
        rank=process.rank,
        host=process.host,
        state=process.state,
        elapsed_seconds=process.elapsed,
        computation_seconds=sum(tally.computation_seconds for tally in tallies.values()),
        mpi_seconds=sum(tally.seconds for tally in tallies.values()) - init,
        init_seconds=init,
        cpu_seconds=process.cpu,
        calls=sum(tally.calls for tally in tallies.values()),
        bytes_sent=sum(tally.bytes_sent for tally in tallies.values()),
        threads=process.threads,
    )


def _call_totals(processes: Sequence[ProcessProfile], whole: float) -> list[CallTotal]:
    nothing = Tally(0, 0.0, 0.0, 0)
    names = dict.fromkeys(name for process in processes for name in process.tallies)
    totals = []
    for name in names:
        each = [process.tallies.get(name, nothing) for process in processes]
        most = max(range(len(each)), key=lambda item: each[item].seconds)
        seconds = sum(tally.seconds for tally in each)
        totals.append(
            CallTotal(
                name=name,
                calls=sum(tally.calls for tally in each),
                seconds=seconds,
                share=0.0 if name in INIT else seconds / whole,
                bytes_sent=sum(tally.bytes_sent for tally in each),
                computation_seconds=sum(tally.computation_seconds for tally in each),
                least_seconds=min(tally.seconds for tally in each),
                most_seconds=each[most].seconds,
                most_rank=processes[most].rank,
            )
        )
    return sorted(totals, key=lambda total: (-total.seconds, total.name))


def _size_totals(processes: Iterable[ProcessProfile]) -> list[SizeTotal]:
    totals: dict[int, list[int]] = {}
    for process in processes:
        for bits, (calls, size) in enumerate(process.sizes):
            if calls:
                total = totals.setdefault(bits, [0, 0])
                total[0] += calls
                total[1] += size
    return [
        SizeTotal(
            least_bytes=1 << bits - 1 if bits else 0, most_bytes=(1 << bits) - 1, calls=calls, bytes_sent=size
        )
        for bits, (calls, size) in sorted(totals.items())
    ]

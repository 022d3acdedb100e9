"""Verifies, before a run, that the user's own srun command starts ranks that find each other."""

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.measure.plan import Plan
from linkworth.mpi import build
from linkworth.places import pairing
from linkworth.places.given import GivenLauncher
from linkworth.places.job import Job
from linkworth.places.job_script import PROBE_SECONDS


def check(decided: Plan) -> None:
    """Run the size probe as srun would run the MPI program, once for an MPI library and srun's options.

    Raises UsageError if srun starts copies of rank 0 of 1.
    """
    launcher = decided.launcher
    if not isinstance(launcher, GivenLauncher) or not launcher.name.startswith("srun"):
        return
    at = launcher.program_at
    ranks = decided.workload.ranks
    if at is None or ranks < 2 or not decided.target.calls_mpi:
        return
    options = launcher.command[:at]
    remembered = pairing.Remembered("srun", str(launcher.path), decided.mpi, [" ".join(options)])
    if remembered.index is not None:
        return
    try:
        probe = build.size_probe(decided.mpi)
    except EnvironmentLacksError:
        # Nothing can be verified without a compiler, and the run may well be right.
        return
    kept = pairing.ProbeOutput()
    GivenLauncher([*options, str(probe)]).run(
        Job(command=[*options, str(probe)], ranks=ranks, timeout=PROBE_SECONDS), kept
    )
    trouble = pairing.verdict(kept.text, ranks, 1)
    if trouble.startswith("started"):
        plugin = {"openmpi": "pmix", "mpich": "pmi2", "mvapich": "pmi2"}.get(decided.mpi.kind)
        remedy = f"srun needs --mpi={plugin}" if plugin else "srun needs another --mpi (srun --mpi=list)"
        raise UsageError(f"`{' '.join(options)}` {trouble}; {remedy}, or let linkworth choose with `slurm`")
    if not trouble:
        remembered.keep(0)

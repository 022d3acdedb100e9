import pytest

from linkworth.measure.ending import classify
from linkworth.places.job import JobEnd

OPENMPI_4_ABORT = """--------------------------------------------------------------------------
MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
with errorcode 5.
"""
OPENMPI_5_ABORT = """MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
  Proc: [[57511,1],1]
  Errorcode: 5
"""
MPICH_ABORT = "application called MPI_Abort(MPI_COMM_WORLD, 5) - process 1\n"
HYDRA_KILL = "=   EXIT CODE: 9\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n"
OPENMPI_CRASH = (
    "mpiexec noticed that process rank 1 with PID 0 on node a exited on signal 11 (Segmentation fault).\n"
)
INTEL_KILL = "=   KILLED BY SIGNAL: 9 (Killed)\n"


@pytest.mark.parametrize(
    ("exit_code", "output", "state", "message"),
    [
        (0, "", "complete", ""),
        (0, "the word MPI_Abort alone", "complete", ""),
        (5, OPENMPI_4_ABORT, "aborted", "the program called MPI_Abort with code 5"),
        (5, OPENMPI_5_ABORT, "aborted", "the program called MPI_Abort with code 5"),
        (5, MPICH_ABORT, "aborted", "the program called MPI_Abort with code 5"),
        (
            9,
            HYDRA_KILL,
            "killed",
            "a rank was killed by SIGKILL, as the kernel does when memory runs out and this launcher does "
            "when another rank leaves before MPI_Finalize",
        ),
        (9, INTEL_KILL, "killed", "a rank was killed by SIGKILL, as the kernel does when memory runs out"),
        (139, OPENMPI_CRASH, "failed", "a rank crashed with SIGSEGV"),
        (139, "", "failed", "a rank crashed with SIGSEGV"),
        (-15, "", "killed", "a rank was killed by SIGTERM"),
        (9, "", "failed", "the program left with exit code 9"),
        (255, "", "failed", "the program left with exit code 255"),
    ],
)
def test_endings_as_launchers_tell_them(exit_code, output, state, message):
    assert classify(JobEnd(exit_code=exit_code, seconds=1.0), output, None) == (state, message)


def test_what_linkworth_did_itself_comes_before_what_the_launcher_says():
    stopped = JobEnd(exit_code=9, seconds=5.25, timed_out=True)
    assert classify(stopped, HYDRA_KILL, 5.0) == ("timeout", "it ran longer than 5 s and was stopped")
    interrupted = JobEnd(exit_code=9, seconds=5.25, interrupted=True)
    assert classify(interrupted, HYDRA_KILL, 5.0) == ("killed", "it was interrupted after 5.2 s")

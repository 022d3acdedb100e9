"""Processes that divide a study's computations among the cores, and always end with linkworth."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

J = TypeVar("J")
R = TypeVar("R")
KILLED = "the process that made it was killed, as the kernel does when memory runs out"


def cores_for(jobs: int, processes: int | None) -> int:
    """Return the number of processes for a number of jobs: as asked for, else one for each core; not more than jobs."""
    return min(processes or len(os.sched_getaffinity(0)), jobs)


def on_all_cores(
    work: Callable[[J], R], jobs: Sequence[J], processes: int | None = None
) -> Generator[tuple[J, R | None], None, None]:
    """Yield each job with its result as it is done; None if its process was `KILLED`.

    Closing the iterator cancels the jobs that are not begun.
    """
    count = cores_for(len(jobs), processes)
    if count <= 1:
        yield from ((job, work(job)) for job in jobs)
        return
    # Spawned, so that no process inherits open files (the study's lock).
    context = multiprocessing.get_context("spawn")
    workers = ProcessPoolExecutor(count, mp_context=context, initializer=_end_with_parent)
    try:
        pending = {workers.submit(work, job): job for job in jobs}
        for future in as_completed(pending):
            try:
                yield pending[future], future.result()
            except BrokenProcessPool:
                yield pending[future], None
    except BaseException:
        workers.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        workers.shutdown(wait=True, cancel_futures=True)


def _end_with_parent() -> None:
    """Make a worker end when linkworth is killed, whatever its work, and leave Ctrl-C to linkworth."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait_for_it() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_for_it, daemon=True).start()

"""Processes that divide a study's computations among the cores, and always end with linkworth."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor


def cores_for(jobs: int, processes: int | None = None) -> int:
    """Return the number of processes for a number of jobs: one for each core, and not more than jobs."""
    return min(processes or len(os.sched_getaffinity(0)), jobs)


def pool(count: int) -> ProcessPoolExecutor:
    """Return a pool of processes. They are spawned, so that none inherits open files (the study's lock)."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_end_with_parent)


def give_up(executor: ProcessPoolExecutor) -> None:
    """Stop the work of a pool."""
    executor.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.terminate()


def _end_with_parent() -> None:
    """Make a worker end when linkworth is killed, whatever its work, and leave Ctrl-C to linkworth."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait_for_it() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_for_it, daemon=True).start()

"""Processes that share a study's computations among the cores, and end with linkworth whatever happens."""

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor


def cores_for(jobs: int, processes: int | None = None) -> int:
    """Return how many processes a number of jobs gets: one a core, and no more than there are jobs."""
    return min(processes or len(os.sched_getaffinity(0)), jobs)


def pool(count: int) -> ProcessPoolExecutor:
    """Return a pool of processes. They are spawned, so that none holds what this one has open (the study's lock)."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_end_with_parent)


def give_up(executor: ProcessPoolExecutor) -> None:
    """Stop what a pool is busy with."""
    executor.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.terminate()


def _end_with_parent() -> None:
    """Let a worker end when linkworth is killed, whatever it is busy with, and leave Ctrl-C to linkworth."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait_for_it() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_for_it, daemon=True).start()

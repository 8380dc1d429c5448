"""Execution of cases in parallel processes, any of which may be killed."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from surrogate.compiled import thread_count

Case = TypeVar("Case")
Result = TypeVar("Result")


class WorkerKilled(RuntimeError):
    """A worker process was killed from outside, possibly because memory ran out."""


def in_processes(run: Callable[[Case], Result], cases: Sequence[Case]) -> Iterator[Result]:
    """Results in the order in which they finish; as many cases run in parallel as there are threads.

    Closing the iterator early terminates the running cases.

    Args:
        run: A module-level function, which the worker processes import by name.
    Raises:
        WorkerKilled: One of the processes was killed; earlier results have been yielded.
    """
    waiting, others = deque(cases), set(multiprocessing.active_children())
    with process_pool(workers := min(thread_count(), len(cases))) as pool:
        under_way: set[Future[Result]] = set()
        try:
            while waiting or under_way:
                while waiting and len(under_way) < workers:
                    under_way.add(pool.submit(run, waiting.popleft()))
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda one: one.exception() is not None):
                    yield future.result()
        except BrokenProcessPool:
            over = [future for future in under_way if future.done() and future.exception() is None]
            yield from (future.result() for future in over)
            raise WorkerKilled("a worker process was killed (possibly out of memory)") from None
        finally:
            if under_way or waiting:
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()


def process_pool(workers: int) -> ProcessPoolExecutor:
    """New processes that ignore Ctrl-C. If one of them is killed, the futures of the pool raise BrokenProcessPool."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _ignore_interrupts)


def _ignore_interrupts() -> None:
    # Ctrl-C is sent to every process of the terminal; only the main process handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

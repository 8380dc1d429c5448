"""Cases in parallel processes, and what happens when one of these is killed."""

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
    """A process that computed a case has ended from outside, perhaps for want of memory."""


def in_processes(run: Callable[[Case], Result], cases: Sequence[Case]) -> Iterator[Result]:
    """Results in the order in which they end, as many cases at once as there are threads.

    Leaving early ends the cases under way.

    Args:
        run: A function of a module, looked up by name in the other process.
    Raises:
        WorkerKilled: One of the processes was killed; results that were over before have been yielded.
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
            raise WorkerKilled("a worker process was killed (perhaps the memory ran out)") from None
        finally:
            if under_way or waiting:
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()


def process_pool(workers: int) -> ProcessPoolExecutor:
    """Fresh processes that leave Ctrl-C to the first one. Its futures raise BrokenProcessPool where one of them is killed."""
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _ignore_interrupts)


def _ignore_interrupts() -> None:
    # Ctrl-C goes to every process of the terminal; what to keep is for the first one to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

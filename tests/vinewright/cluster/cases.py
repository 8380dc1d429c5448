"""Functions that the workers of these tests run, in a module that imports little."""

import os
import signal
import time
from pathlib import Path
from threading import Event
from typing import Any

from tests.waiting import wait_until


def square(case: int) -> int:
    return case**2


def slow_square(case: int) -> int:
    time.sleep(0.05)
    return case**2


def raise_some(case: int) -> int:
    """Raises for every third case."""
    if case % 3 == 0:
        raise MemoryError("no room") if case % 2 else ValueError(f"case {case} is bad")
    return case


def leave(case: int) -> int:
    """Ends the thread of the worker for some cases as a program ends itself."""
    if case == 2:
        raise SystemExit(7)
    return case


def square_or_be_killed(case: int) -> int:
    """Ends its own process, as the kernel ends one for memory, for every negative number."""
    if case < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return case**2


def die_once(marks: Path) -> str:
    """Kills its first worker only."""
    try:
        (marks / "died").touch(exist_ok=False)
    except FileExistsError:
        return "done"
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def die_thrice(marks: Path) -> str:
    """Kills as many workers as a case may; the next one is not harmed."""
    died = len(list(marks.iterdir()))
    if died == 3:
        return "done"
    (marks / str(died)).touch()
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def last(for_ever: bool) -> None:
    """End at once, or never."""
    if for_ever:
        Event().wait()


def fill_memory(megabytes: int) -> int:
    """Use some memory until the process is killed."""
    if megabytes > 100:
        block = bytearray(os.urandom(1024)) * (1024 * megabytes)
        last(True)
        return len(block)
    return megabytes


def mark_and_wait(case: tuple[Path, Path, int]) -> int:
    """Leave a file; all but the first then wait for another one."""
    begun, go, number = case
    (begun / str(number)).touch()
    wait_until(lambda: number == 0 or go.exists())
    return number


def queued(dask_worker: Any) -> int:
    """Number of cases that lie at a worker and have not begun; Dask fills in the argument by its name."""
    return len(dask_worker.state.ready)


def known(dask_scheduler: Any) -> int:
    """Number of cases that the scheduler may still send to a worker."""
    return len(dask_scheduler.tasks)


def threads(_case: int) -> tuple[int, int]:
    """Number of threads that kernels would use, and of those that Dask uses."""
    import numba
    from distributed import get_worker

    return int(numba.config.NUMBA_NUM_THREADS), int(get_worker().state.nthreads)  # type: ignore[attr-defined, no-untyped-call]

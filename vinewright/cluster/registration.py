"""Workers that were killed while they registered with the scheduler of this process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

import psutil  # type: ignore[import-untyped]
from distributed import SchedulerPlugin

if TYPE_CHECKING:
    from distributed import Scheduler

LOOKING = 0.05
"""Time between two looks at a worker that registers [s]."""


class RemoveKilledWorkers(SchedulerPlugin):
    """Plugin of a scheduler that removes a worker whose process ended before its connection was set up.

    Dask answers a worker that registers and then listens to it. If the worker is killed before the answer, the answer fails
    and nobody listens: its cases would wait for ever, and the process that follows could not register under the same name.
    """

    def __init__(self) -> None:
        self._watching = set[asyncio.Task[None]]()

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Watch a worker until its connection is set up."""
        task = asyncio.get_running_loop().create_task(self._watch(scheduler, worker))
        self._watching.add(task)  # a loop keeps weak references only
        task.add_done_callback(self._watching.discard)

    async def _watch(self, scheduler: Scheduler, worker: str) -> None:
        while (state := scheduler.workers.get(worker)) and scheduler.stream_comms[worker].comm is None:
            if not psutil.pid_exists(state.pid):
                await scheduler.remove_worker(worker, stimulus_id=f"killed-{uuid4()}")
                return
            await asyncio.sleep(LOOKING)

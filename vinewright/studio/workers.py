"""The worker processes, as the server sees them."""

from __future__ import annotations

import itertools
import multiprocessing
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from vinewright.studio.events import Message, Send
from vinewright.studio.worker import work

MOST_WAITING = 4
"""Maximum number of jobs of a worker, the one under way included."""
LAST_WAIT = 15.0
"""Maximum time for a stopped plan to write its folder when the studio ends [s]."""


class Busy(RuntimeError):
    """The worker has too many jobs; the one-line message says what to do."""


class Worker:
    """A worker process and its jobs. It is started again after it was killed."""

    numbers = itertools.count(1)
    """Numbers of the next jobs: no two workers have jobs of the same number."""

    def __init__(self, root: str, tell: Send, plans: bool) -> None:
        """Prepare a worker; `start` starts it.

        Args:
            root: Folder of all runs.
            tell: Called with each event, in a thread of this worker.
            plans: Whether the process plans: then it has at most one job, and loads the kernels of a plan when it starts.
        """
        self.root, self.tell, self.plans = root, tell, plans
        self.jobs: dict[int, str] = {}
        """Kinds of the jobs that have not ended, by their numbers."""
        self.workers: dict[int, BaseProcess | None] = {}
        """The process of each of these jobs."""
        self.process: BaseProcess | None = None
        self.connection: Connection | None = None
        self.lock = threading.RLock()

    def start(self) -> None:
        """Start the process if it is not running."""
        with self.lock:
            if self.process and self.process.is_alive():
                return
            context = multiprocessing.get_context("spawn")
            self.connection, theirs = context.Pipe()
            self.process = context.Process(target=work, args=(theirs, self.root, self.plans), daemon=True)
            self.process.start()
            theirs.close()
            receiving = threading.Thread(target=self._receive, args=(self.connection, self.process), daemon=True)
            receiving.start()

    def submit(self, kind: str, given: dict[str, Any]) -> int:
        """Queue a job, and return its number.

        Raises:
            Busy: There are too many jobs.
        """
        with self.lock:
            if len(self.jobs) >= (1 if self.plans else MOST_WAITING):
                raise Busy("a plan is under way: stop it first" if self.plans else "too many requests: wait a moment")
            self.start()
            number = next(self.numbers)
            self.jobs[number], self.workers[number] = kind, self.process
            self._send({"what": "job", "job": number, "kind": kind, "given": given})
            return number

    def stop(self, *kinds: str) -> None:
        """Stop the jobs of these kinds; a plan keeps its best design."""
        with self.lock:
            for number in [number for number, kind in self.jobs.items() if kind in kinds]:
                self._send({"what": "stop", "job": number})

    def close(self, wait: float = LAST_WAIT) -> None:
        """Stop all jobs and end the process; a plan gets time to write its folder.

        Args:
            wait: Maximum time for a plan to write its folder [s].
        """
        self.stop(*self.jobs.values())
        process = self.process
        if process is None:
            return
        until = time.monotonic() + wait
        try:
            while "plan" in self.jobs.values() and process.is_alive() and time.monotonic() < until:
                time.sleep(0.05)
        finally:
            process.kill()
            process.join()

    def _send(self, message: Message) -> None:
        with suppress(OSError):  # `_receive` tells that the process has ended
            assert self.connection
            self.connection.send(message)

    def _receive(self, connection: Connection, process: BaseProcess) -> None:
        while True:
            try:
                event = connection.recv()
            except (EOFError, OSError):
                break
            if event["type"] == "ended":
                self._forget(event["job"])
            self.tell(event)
        process.join()
        what = "plan" if self.plans else "look"
        message = "the process that computes was killed (out of memory?): end other programs, and try again"
        for number in [number for number, owner in self.workers.items() if owner is process]:
            kind = self._forget(number)
            self.tell({"type": "failed", "what": what, "kind": kind, "message": message, "job": number})
            self.tell({"type": "ended", "job": number})

    def _forget(self, number: int) -> str:
        """Forget a job that has ended, and return its kind."""
        with self.lock:
            self.workers.pop(number, None)
            return self.jobs.pop(number, "")

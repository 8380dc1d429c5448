"""A worker process of the studio: it takes jobs from a pipe, runs them in order, and sends events."""

from __future__ import annotations

import os
import queue
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection

from vinewright.studio.events import Message, Send
from vinewright.studio.stop import Stop


class Inbox:
    """Jobs from the server. A thread receives them, stops the job under way, and ends the process when the server is gone."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.jobs: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self.stops: dict[int, Stop] = {}
        """Stops of the jobs that have not ended."""
        self.running: int | None = None
        self.lock = threading.Lock()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        while True:
            try:
                message = self.connection.recv()
            except (EOFError, OSError):
                os._exit(1)  # the server is gone
            number = message["job"]
            with self.lock:
                if message["what"] == "job":
                    self.stops[number] = Stop()
                    self.jobs.put(message)
                elif number in self.stops:
                    self.stops[number].request(number == self.running)

    def begin(self, job: Message) -> Stop:
        """Begin a job, and return its `Stop`."""
        with self.lock:
            self.running = job["job"] if job["kind"] == "plan" else None
            stop = self.stops[job["job"]]
        signal.signal(signal.SIGINT, stop.deferred)
        return stop

    def end(self, job: Message) -> None:
        """Forget a job."""
        with self.lock:
            self.running = None
            del self.stops[job["job"]]


def work(connection: Connection, root: str, warm: bool) -> None:
    """Run a worker until the server closes the pipe.

    Args:
        connection: The pipe to the server.
        root: Folder of all runs.
        warm: Whether to load, and if necessary compile, the kernels of a plan at once.
    """
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # Ctrl-C in the terminal is for the server, which stops its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox, sending = Inbox(connection), threading.Lock()

    def send(event: Message) -> None:
        with sending:
            connection.send(event)

    _run_safely(lambda: _prepare(warm, send), send, None)
    while True:
        job = inbox.jobs.get()
        number = job["job"]
        send({"type": "began", "job": number})
        stop = inbox.begin(job)

        def tell(event: Message, number: int = number) -> None:
            send({**event, "job": number})

        _run_safely(lambda job=job, stop=stop, tell=tell: _run(job, root, stop, tell), tell, job)  # type: ignore[misc]
        inbox.end(job)
        send({"type": "ended", "job": number})


def _run(job: Message, root: str, stop: Stop, send: Send) -> None:
    from vinewright.studio import built_jobs, jobs

    work = {"plan": jobs.plan_job, "look": jobs.look_job, "trials": jobs.trials_job, "pack": jobs.pack_job}
    work |= {"learn": built_jobs.learn_job, "adapt": built_jobs.adapt_job, "keep": built_jobs.keep_job}
    work[job["kind"]]({**job["given"], "root": root, "job": job["job"]}, send, stop)


def _prepare(warm: bool, send: Send) -> None:
    """Import what jobs need and, for plans, load the kernels, so that a plan starts at once."""
    from vinewright.studio import jobs  # noqa: F401

    if warm:
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.search.run import Run
        from vinewright.studio.streamed import EventWatcher

        watcher = EventWatcher(send, Stop())
        with watcher.compiling("quasistatic"):
            Run.prepare(load_environment("plus"), VineParams())
        watcher.tell(phase="idle", seconds=0.0)


def _run_safely(work: Callable[[], None], send: Send, job: Message | None) -> None:
    """Call a function; an exception becomes an event with a message of one line."""
    from vinewright.console.errors import readable_errors

    kind = job["kind"] if job else "plan"
    failed = {"type": "failed", "what": "plan" if kind == "plan" else "look", "kind": kind}
    try:
        try:
            with readable_errors():
                work()
        except BrokenPipeError:
            os._exit(1)
    except KeyboardInterrupt:
        send({**failed, "message": "stopped before there was a result"})
    except Exception as error:
        send({**failed, "message": line_of_error(error)})


def line_of_error(error: Exception) -> str:
    """Return the message of an exception as one line."""
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join(str(message).split())[:1000]

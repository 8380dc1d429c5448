"""Work on files that the page uploads: in a process of its own, with limits of time and memory."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from vinewright.studio.worker import line_of_error

MOST_SECONDS = 60.0
"""Maximum time [s]."""
MOST_MEMORY = 4_000_000_000
"""Maximum memory of the process [bytes], where the system limits it."""


class Failed(ValueError):
    """The work failed; the one-line message says why."""


def run_limited(work: Callable[..., Any], arguments: tuple[Any, ...], seconds: float, memory: int) -> Any:
    """Call a function in a process of its own, which is gone afterwards.

    Args:
        seconds: Maximum time [s].
        memory: Maximum memory [bytes], where the system limits it.
    Returns:
        What the function returns.
    Raises:
        Failed: The function raised an error.
        TimeoutError: It takes too long.
        MemoryError: It needs too much memory.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_call, args=(theirs, work, arguments, memory), daemon=True)
    process.start()
    theirs.close()
    answer: tuple[Any, str] | None = None
    try:
        if not ours.poll(seconds):
            raise TimeoutError
        with suppress(EOFError):
            answer = ours.recv()
    finally:
        process.kill()
        process.join()
        ours.close()
    if answer is None:
        raise MemoryError
    found, fault = answer
    if fault:
        raise Failed(fault)
    return found


def _call(connection: Connection, work: Callable[..., Any], arguments: tuple[Any, ...], memory: int) -> None:
    """Call a function, and send what it returns and the message of its error."""
    from vinewright.console.errors import readable_errors

    with suppress(ImportError):  # Windows has no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    found, fault = None, ""
    try:
        with readable_errors():
            found = work(*arguments)
    except Exception as error:
        fault = line_of_error(error)
    connection.send((found, fault))

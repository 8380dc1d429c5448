"""Calls on several threads, which a signal can interrupt at any moment."""

from __future__ import annotations

import threading
from _thread import start_new_thread
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_on_threads(function: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """Return function(item) for each item, in order. The items are begun in order, on at most `threads` threads.

    After an exception, in the function or by a signal, no further item is begun, and those under way are waited for.

    `concurrent.futures` cannot be interrupted safely: a signal whose handler raises an exception just after the main thread has
    acquired the lock of a future leaves it locked, and a worker, which is waited for, waits for the lock. The locks here are acquired
    and released in one step each.

    Raises:
        Exception: The function raised it; the first, if it raised several.
    """
    results: dict[int, Result] = {}
    errors: list[BaseException] = []
    left = iter(range(len(items)))  # shared: each number goes to one thread
    busy: list[threading.Lock] = []

    def work(own: threading.Lock) -> None:
        try:
            for i in left:
                results[i] = function(items[i])
        except BaseException as error:  # raised below, on the thread that called
            errors.append(error)
            deque(left, maxlen=0)
        finally:
            own.release()

    def wait() -> None:
        for each in busy:
            with each:
                pass

    try:
        for _ in range(min(threads, len(items))):
            own = threading.Lock()
            own.acquire()
            start_new_thread(work, (own,))
            busy.append(own)
        wait()
    finally:
        deque(left, maxlen=0)
        wait()
    if errors:
        raise errors[0]
    return [results[i] for i in range(len(items))]

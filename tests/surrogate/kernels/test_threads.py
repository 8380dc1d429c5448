"""Calls on several threads: results, errors, and signals at any moment."""

import signal
import subprocess
import sys
import threading
import time

import pytest

from surrogate.kernels.threads import map_on_threads

INTERRUPTED = """
import random, signal, sys, time
from surrogate.kernels.threads import map_on_threads

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
random.seed(4)
whole = 0
for _ in range(3000):
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 3e-4))
        whole += map_on_threads(abs, range(-60, 0), 2) == list(range(60, 0, -1))
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    except KeyboardInterrupt:
        pass
print(whole)
"""


def test_results_are_in_order() -> None:
    """The items are begun in order, and each once."""
    begun = []

    def square(number: int) -> int:
        begun.append(number)
        time.sleep(0.001 * (number % 3))
        return number**2

    assert map_on_threads(square, range(40), 3) == [n**2 for n in range(40)]
    assert sorted(begun) == list(range(40))
    assert map_on_threads(square, [], 3) == []
    one: list[int] = []
    map_on_threads(one.append, range(30), 1)
    assert one == list(range(30))


def test_as_many_threads_as_asked_for() -> None:
    """All of them work at once: each waits until the others have begun."""
    together = threading.Barrier(3, timeout=60)
    assert sorted(map_on_threads(lambda _: together.wait(), range(3), 3)) == [0, 1, 2]


def test_an_error_ends_what_has_not_begun() -> None:
    """It is raised on the thread that called, after the other threads have ended."""
    begun, ended = [], []

    def fail(number: int) -> None:
        begun.append(number)
        if number == 2:
            raise ValueError(number)
        time.sleep(0.01)
        ended.append(number)

    with pytest.raises(ValueError, match=r"^2$"):
        map_on_threads(fail, range(1000), 2)
    assert len(begun) < 10
    assert len(ended) == len(begun) - 1


def test_a_signal_ends_what_has_not_begun() -> None:
    """Calls that are under way are waited for."""
    begun, ended = [], []

    def interrupt(number: int) -> None:
        begun.append(number)
        if number == 3:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        time.sleep(0.01)
        ended.append(number)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            map_on_threads(interrupt, range(1000), 2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(begun) < 20
    assert sorted(ended) == sorted(begun)


def test_signals_at_any_moment_do_not_hang() -> None:
    """Thousands of them, at random moments of the threads' start, work and end, each of which raises an exception there.

    With a pool of `concurrent.futures`, the process waits for ever after some tens of signals.
    """
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert 100 < int(done.stdout) < 2900  # some were interrupted, some came too late

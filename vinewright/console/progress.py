"""Progress bars for long computations, and handling of Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from surrogate.kernels.stop_signals import HANG_UP, STOPS, raise_once

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import ProgressColumn

Item = TypeVar("Item")


def make_columns() -> list[ProgressColumn]:
    """Return the columns of a progress bar with a known total."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    return [*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn()]


@contextmanager
def handle_stop_signals() -> Iterator[None]:
    """Make Ctrl-C, SIGTERM and SIGHUP raise KeyboardInterrupt, the first two even if the shell that started this process ignores them.

    SIGHUP stays ignored where it is: with `nohup`, and once a signal has come.
    Only the main thread receives signals; in other threads this has no effect.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in STOPS}
    if HANG_UP and before[HANG_UP] is signal.SIG_IGN:
        del before[HANG_UP]
    for number in before:
        signal.signal(number, raise_once if number == HANG_UP else signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            if number != HANG_UP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


def gather(
    console: Console, items: Iterable[Item], total: int, words: str, transient: bool = False
) -> tuple[list[Item], bool]:
    """Collect the items of a long computation with a progress bar; after Ctrl-C, print a message and keep the items so far.

    Args:
        words: Name of the items, in the plural.
        transient: Whether the bar is removed at the end.
    Returns:
        The items, and whether Ctrl-C interrupted the computation.
    """
    from rich.progress import Progress

    found: list[Item] = []
    hidden = transient and not console.is_terminal  # the bar would leave an empty line
    with Progress(*make_columns(), console=console, transient=transient, disable=hidden) as bar:
        task = bar.add_task(words, total=total)
        try:
            with handle_stop_signals():
                for item in items:
                    found.append(item)
                    bar.advance(task)
        except KeyboardInterrupt:
            console.print(f"interrupted after {len(found)} of {total} {words}")
            return found, True
    return found, False

"""Progress bars for long computations, and handling of Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

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
    """Make Ctrl-C and SIGTERM raise KeyboardInterrupt, even if the shell that started this process ignores them.

    Only the main thread receives signals; in other threads this has no effect.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
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

"""What long work shows, and how Ctrl-C ends it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import ProgressColumn


def columns() -> list[ProgressColumn]:
    """What a progress bar shows of work that is counted."""
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    return [*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn()]


@contextmanager
def stoppable() -> Iterator[None]:
    """Have Ctrl-C and SIGTERM raise KeyboardInterrupt, also where the shell that began this has them ignored."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

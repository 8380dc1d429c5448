"""Deferred handling of Ctrl-C: the request is recorded, and acted upon where results are consistent."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Whether Ctrl-C has requested the end of a computation."""

    def __init__(self) -> None:
        self.requested = False

    @contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Record signals that would raise KeyboardInterrupt; a second one raises it.

        An exception within a search would leave its tree inconsistent.
        """

        def note(_: int, __: FrameType | None) -> None:
            self.requested = True
            restore()

        def restore() -> None:
            for number in raising:
                signal.signal(number, signal.default_int_handler)

        raising = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) is signal.default_int_handler]
        if threading.current_thread() is not threading.main_thread():
            raising = []
        for number in raising:
            signal.signal(number, note)
        try:
            yield
        finally:
            restore()

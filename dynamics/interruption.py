"""Ctrl-C during long work: noted at once, heeded where something whole can be kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interruption:
    """Whether Ctrl-C has asked the work to end."""

    def __init__(self) -> None:
        self.asked = False

    @contextmanager
    def heeding_signals(self) -> Iterator[None]:
        """Take note of what would raise KeyboardInterrupt; a second time it raises that.

        An exception between two lines of a search would leave its tree half changed; CasADi takes one for a failed
        evaluation and continues.
        """

        def note(_: int, __: FrameType | None) -> None:
            self.asked = True
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

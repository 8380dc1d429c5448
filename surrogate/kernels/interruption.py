"""Ctrl-C: the request is recorded, and acted upon where results are consistent; growth under way can be cut short.

SIGTERM and SIGHUP are requests as well (`surrogate.kernels.stop_signals`); SIGHUP never counts as a second Ctrl-C.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np
from numpy.typing import NDArray

from surrogate.kernels.stop_signals import HANG_UP, STOPS, HangUp, raise_once

Flag = NDArray[np.bool_]
"""One truth value that changes while others read it, shape (1,)."""
CUT: Flag = np.zeros(1, np.bool_)
"""Whether all growth under way in this process ends at its next step; kernels read it."""


class Interrupted(KeyboardInterrupt):
    """Error: growth was cut short, so it has no result."""


def check_cut() -> None:
    """End growth that is to be cut short.

    Raises:
        Interrupted: It is.
    """
    if CUT[0]:
        raise Interrupted


class DeferredInterrupt:
    """Handles Ctrl-C where no `Interruption` does, between two parts of a computation: the next part gets it by `resend`."""

    def __init__(self) -> None:
        self._noted = False

    def __call__(self, _: int, __: FrameType | None) -> None:
        self._noted = True

    def resend(self) -> None:
        """Send the signal again if it came between two parts; called in the main thread, while the next part handles it."""
        if self._noted:
            self._noted = False
            signal.raise_signal(signal.SIGINT)


class Interruption:
    """Request by Ctrl-C to end a computation."""

    def __init__(self) -> None:
        # Before this computation, SIGHUP may have come while a file was written, or where a library drops exceptions.
        self.requested = HangUp.came

    @contextmanager
    def handling_signals(self, cut: bool = False) -> Iterator[None]:
        """Record signals that would raise KeyboardInterrupt or are `DeferredInterrupt`; a second one raises it, and cuts growth short.

        SIGHUP counts as neither first nor second: after it the next signal is recorded too. Once one has come, SIGHUP is ignored.

        An exception just anywhere within a search would leave its tree inconsistent.

        Args:
            cut: Whether the first signal also makes growth raise `Interrupted` at its next step.
        """

        def note(number: int, __: FrameType | None) -> None:
            self.requested = True
            CUT[0] = cut
            HangUp.came |= number == HANG_UP
            if HANG_UP is not None and HANG_UP in raising:
                del raising[HANG_UP]
                signal.signal(HANG_UP, signal.SIG_IGN)
            if number != HANG_UP:
                handle(insist)

        def insist(number: int, frame: FrameType | None) -> None:
            CUT[0] = True  # or the threads that grow vines would have to be waited for
            handle(signal.default_int_handler)
            signal.default_int_handler(number, frame)

        def handle(handler: Callable[[int, FrameType | None], None]) -> None:
            for number in raising:
                signal.signal(number, handler)

        before = {number: signal.getsignal(number) for number in STOPS}
        raising = {
            n: one
            for n, one in before.items()
            if one in (signal.default_int_handler, raise_once) or isinstance(one, DeferredInterrupt)
        }
        if threading.current_thread() is not threading.main_thread():
            raising = {}
        try:
            handle(note)
            yield
        finally:
            try:
                for number in [*raising]:
                    if number in raising:
                        signal.signal(number, raising[number])
            finally:  # last, or a signal that comes now would leave growth cut; within another computation, its signals go on
                if raising:
                    CUT[0] = False

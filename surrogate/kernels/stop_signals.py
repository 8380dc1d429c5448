"""Signals that ask a command to end: Ctrl-C, SIGTERM and SIGHUP. This module imports no libraries, so every command can have it.

SIGHUP comes when a terminal closes or a connection ends, often several times and after SIGTERM, from the system and from the shell.
Nobody insists with it, so only the first one counts.
"""

from __future__ import annotations

import signal
from types import FrameType

STOPS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask a command to end; Windows has no SIGHUP."""
HANG_UP = getattr(signal, "SIGHUP", None)
"""Signal of a closed terminal."""


class HangUp:
    """Whether SIGHUP has come to this process: it comes once, so that what begins later has to know."""

    came = False


def raise_once(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt for a closed terminal, and ignore its further signals: the handler that `Interruption` replaces.

    Raises:
        KeyboardInterrupt: Always.
    """
    HangUp.came = True
    signal.signal(number, signal.SIG_IGN)
    signal.default_int_handler(number, frame)

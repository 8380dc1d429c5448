"""Waits for what other processes do, on a machine that may be busy with other things."""

import subprocess
import time
from collections.abc import Callable
from typing import Any

LONGEST = 600.0
"""Time after which a wait fails [s]: far more than the busiest machine needs, so that it means that nothing happens any more."""
PAUSE = 0.01
"""Time between two looks [s]."""


def wait_until(happened: Callable[[], object], process: "subprocess.Popen[Any] | None" = None) -> None:
    """Wait until something has happened; fail if a process that is needed for it has ended."""
    until = time.monotonic() + LONGEST
    while not happened():
        assert process is None or process.poll() is None, f"the process ended with {process.returncode}"
        assert time.monotonic() < until, "nothing has happened for too long"
        time.sleep(PAUSE)

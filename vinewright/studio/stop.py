"""A request to stop a job of a worker process."""

from __future__ import annotations

import signal
import sys
import threading

from surrogate.kernels.interruption import DeferredInterrupt


class Stop:
    """Request to stop a job. A plan stops as by Ctrl-C, which ends its search and keeps its best design."""

    def __init__(self) -> None:
        self.requested = False
        """Whether the job was asked to stop."""
        self.deferred = DeferredInterrupt()
        """Handles the signal between the stages of a plan."""

    def request(self, plans: bool) -> None:
        """Ask the job to stop; called in another thread.

        Args:
            plans: Whether the job is a plan, in the main thread.
        """
        if self.requested:
            return  # a second signal would end the plan at once, without its best design
        self.requested = True
        if not plans:
            return
        ident = threading.main_thread().ident
        if sys.platform == "win32" or ident is None:
            import _thread

            _thread.interrupt_main()
        else:
            signal.pthread_kill(ident, signal.SIGINT)  # interrupts the main thread even if it waits for other threads

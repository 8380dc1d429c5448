"""Deferred handling of Ctrl-C."""

import signal

import pytest

from dynamics.interruption import Interruption
from planner.console.progress import stoppable


def test_a_second_ctrl_c_interrupts_at_once() -> None:
    """The first one is only recorded; the second avoids waiting for a long step."""
    interruption = Interruption()
    with stoppable(), interruption.handling_signals():
        signal.raise_signal(signal.SIGINT)
        assert interruption.requested
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

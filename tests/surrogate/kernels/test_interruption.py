"""Ctrl-C: recorded, and growth under way cut short."""

import signal
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from typing import Any

import numpy as np
import pytest

from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from environments import Environment
from surrogate.kernels.interruption import CUT, DeferredInterrupt, Interrupted, Interruption
from surrogate.kernels.stop_signals import HangUp
from tests.conftest import MakeEnvironment
from vinewright.console.progress import handle_stop_signals


@pytest.fixture
def uncut() -> Iterator[None]:
    """Growth is cut short in one test only."""
    yield
    CUT[0] = False


def test_a_second_ctrl_c_interrupts_at_once() -> None:
    """The first one is only recorded; the second avoids waiting for a long step."""
    interruption = Interruption()
    with handle_stop_signals(), interruption.handling_signals():
        signal.raise_signal(signal.SIGINT)
        assert interruption.requested
        assert not CUT[0]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert CUT[0]
    assert not CUT[0]


@pytest.fixture
def hangs_up() -> Iterator[None]:
    """SIGHUP, which is ignored once it has come, is handled after a test as before."""
    before = signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
    HangUp.came = False


@pytest.mark.usefixtures("hangs_up")
def test_what_begins_after_a_closed_terminal_ends_at_once() -> None:
    """A signal that came while a file was written, and one whose exception was dropped, are not lost: no second one comes."""
    assert not Interruption().requested
    with handle_stop_signals():
        with Interruption().handling_signals():
            signal.raise_signal(signal.SIGHUP)
        assert Interruption().requested
    HangUp.came = False
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with handle_stop_signals(), suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGHUP)
    assert Interruption().requested


@pytest.mark.usefixtures("hangs_up")
@pytest.mark.parametrize("first", [signal.SIGHUP, signal.SIGTERM])
def test_a_closed_terminal_never_insists(first: int) -> None:
    """Its signal comes several times, before and after SIGTERM, and also later; only two of the others interrupt at once."""
    interruption, last = Interruption(), signal.SIGTERM if first == signal.SIGHUP else signal.SIGHUP
    with handle_stop_signals():
        with interruption.handling_signals():
            for number in (first, last, signal.SIGHUP):
                signal.raise_signal(number)
            assert (interruption.requested, bool(CUT[0])) == (True, False)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler


@pytest.mark.usefixtures("hangs_up")
def test_a_closed_terminal_ends_what_nothing_handles() -> None:
    """Once: a second signal does not disturb what is done then. What ignores it from the start, as `nohup`, goes on to."""
    with handle_stop_signals():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGHUP)
    with handle_stop_signals(), Interruption().handling_signals():
        signal.raise_signal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with handle_stop_signals():
        pass
    assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL


def test_the_first_ctrl_c_cuts_growth_short_where_that_is_asked() -> None:
    """It lasts only until the end of the computation."""
    interruption = Interruption()
    with handle_stop_signals(), interruption.handling_signals(cut=True):
        signal.raise_signal(signal.SIGINT)
        with Interruption().handling_signals():
            pass
        assert (interruption.requested, bool(CUT[0])) == (True, True)
    assert not CUT[0]


@pytest.mark.usefixtures("uncut")
@pytest.mark.parametrize("number", [1, 2])
def test_ctrl_c_at_the_very_end_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The first or second one, just before signals are handled as usual again: then they are, and growth is not cut short."""
    interruption, change, usual, due = Interruption(), signal.signal, signal.default_int_handler, [True]

    def pressed_before(which: int, handler: Any) -> None:
        if handler is usual and due and due.pop():
            signal.raise_signal(signal.SIGINT)
        change(which, handler)

    raised = pytest.raises(KeyboardInterrupt) if number == 2 else nullcontext()
    with handle_stop_signals():
        with raised, monkeypatch.context() as patch, interruption.handling_signals(cut=True):
            for _ in range(number - 1):
                signal.raise_signal(signal.SIGINT)
            patch.setattr(signal, "signal", pressed_before)
        assert (due, interruption.requested, bool(CUT[0])) == ([], True, False)
        assert [signal.getsignal(which) for which in (signal.SIGINT, signal.SIGTERM)] == [usual, usual]


@pytest.mark.usefixtures("uncut", "single_thread")
@pytest.mark.parametrize("length", [0.5, 0.0])
@pytest.mark.parametrize("name", [name for name in propagators() if name != "euler-lagrange"])
def test_growth_that_is_cut_short_has_no_result(
    name: str, length: float, shipped: dict[str, Environment], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends at its first step, and so does what holds a vine."""
    model, full = load_propagator(name)(shipped["plus"], VineParams()), VineParams().segment_length
    carried = Actuation(np.full((2, 30), 2e4), np.full((2, 30), 0.04))
    grown: Any = model.grow(model.start(2, 30), carried, 0.2, full)
    state = grown.state(np.arange(2), grown.records - 1)
    CUT[0] = True
    with pytest.raises(Interrupted):
        model.grow(state, carried, length, full)
    if name in ("quasistatic", "impulse"):  # compiled: the kernels return, and then it is raised
        monkeypatch.setattr("dynamics.records.check_cut", lambda: None)
        assert not model.grow(state, carried, length, full).steps.any()


@pytest.mark.usefixtures("uncut")
def test_an_arc_that_is_cut_short_has_no_result(environment: MakeEnvironment) -> None:
    """The Euler-Lagrange model grows arcs in free space."""
    model = load_propagator("euler-lagrange")(environment(), VineParams())
    CUT[0] = True
    with pytest.raises(Interrupted):
        model.grow(model.start(1, 20), Actuation(np.full((1, 20), 1e4), np.full((1, 20), 0.04)), 0.2, 0.1)


def test_a_deferred_signal_reaches_the_next_part() -> None:
    """A signal between two parts raises nothing there, and ends the next part when it asks for it; once."""
    between, before = DeferredInterrupt(), signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, between)
    try:
        signal.raise_signal(signal.SIGINT)
        part = Interruption()
        with part.handling_signals(cut=True):
            assert not part.requested
            between.resend()
            assert part.requested
            assert CUT[0]
            between.resend()  # a second signal would raise KeyboardInterrupt
        assert not CUT[0]
        assert signal.getsignal(signal.SIGINT) is between
        following = Interruption()
        with following.handling_signals():
            between.resend()
            assert not following.requested
            signal.raise_signal(signal.SIGINT)
            assert following.requested
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)

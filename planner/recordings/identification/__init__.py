"""Identification of the dynamic model of paper 000 from a recording: stiffness, damping, growth rate and trajectory."""

from __future__ import annotations

import math
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from dynamics.recording import Recording
from planner.recordings.identification.matrices import JOINTS
from planner.recordings.identification.result import Convergence, FittedParameter, Profile, RecordingFit
from planner.recordings.identification.search import FitSearch, SearchStep
from planner.recordings.identification.settings import Settings
from planner.recordings.identification.summary import SearchState, summarise
from surrogate.kernels.interruption import Interruption
from surrogate.kernels.stop_signals import STOPS

__all__ = [
    "Convergence",
    "FittedParameter",
    "Profile",
    "RecordingFit",
    "SearchStep",
    "default_mass_per_length",
    "fit",
    "fit_matrices",
]

FILM_MASS = 0.092
"""Mass per area of polyethylene film of 0.1 mm, which is common for vines [kg/m2]."""
MOST_BODIES = 60
REPORT_EVERY = 0.25
"""Seconds after which the progress is reported again, and Ctrl-C is noticed."""
INTERRUPTED = "Ctrl-C interrupted the fit"

OnProgress = Callable[[SearchStep, float], None]
"""Called with every step of the search and the seconds since its start, and at least every `REPORT_EVERY`."""


def default_mass_per_length(radius: float) -> float:
    """Mass per length of an everting tube: its wall, and the same mass of film inside on its way to the tip [kg/m]."""
    return 2 * 2 * math.pi * radius * FILM_MASS


def fit(
    recording: Recording,
    bodies: int = 10,
    mass_per_length: float | None = None,
    start: tuple[float, float] | None = None,
    profiles: bool = True,
    refine: int | None = None,
    time_budget: float = math.inf,
    on_progress: OnProgress | None = None,
) -> RecordingFit:
    """Fit stiffness, damping, growth rate and the trajectory (see `Problem` and `FitSearch`).

    The search runs in a process of its own. Ctrl-C or the end of the time budget ends that process at once; the result is the
    best fit until then, also if others kill the process. The best fit is the minimum with the lowest cost, or the feasible
    iterate with the lowest cost if that is lower. The cost is the squared distances of the points plus the weighted violations
    of the equations of motion.

    Args:
        bodies: Number of bodies, two per link, an even number from 2 to 60.
        mass_per_length: Replaces the value of the recording, or the default if it has none [kg/m].
        start: Initial K [N m/rad] and C [N m s/rad], instead of several starts (`starting_points`).
        profiles: Whether to compute likelihood profiles of K and C, which takes several times as long as the fit.
        refine: Divisor of every time step; None to choose it from the natural frequency of the fitted model.
        time_budget: Time after which the search ends [s].
    """
    return _fit(_settings(recording, bodies, mass_per_length, start, profiles, refine), time_budget, on_progress)


def fit_matrices(
    recording: Recording,
    joints: str,
    bodies: int = 10,
    mass_per_length: float | None = None,
    time_budget: float = math.inf,
    on_progress: OnProgress | None = None,
) -> RecordingFit:
    """Fit stiffness and damping as matrices over the bends of the joints (paper 000, Eq. 7), after a fit of equal joints.

    The result is that of `fit`, with the entries of both matrices as further parameters: `stiffness of joint 1` [N m/rad], and with
    coupled joints `stiffness between joints 1 and 2`. Their intervals are those of the covariance.

    Args:
        joints: "each" for diagonal matrices, "coupled" for symmetric tridiagonal ones, "equal" for none.
        bodies: See `fit`, as the other arguments.
    Raises:
        ValueError: There is no such form of joints, or the number of bodies is out of range.
    """
    form = next((known for known in JOINTS if known == joints), None)
    if form is None:
        raise ValueError(f"joints = {joints!r:.40} must be one of {', '.join(JOINTS)}")
    settings = replace(_settings(recording, bodies, mass_per_length, None, True, None), joints=form)
    return _fit(settings, time_budget, on_progress)


def _settings(
    recording: Recording,
    bodies: int,
    mass_per_length: float | None,
    start: tuple[float, float] | None,
    profiles: bool,
    refine: int | None,
) -> Settings:
    """Check the settings of a fit; see `fit`."""
    if bodies % 2 or not 2 <= bodies <= MOST_BODIES:
        raise ValueError(f"bodies = {bodies} must be even and from 2 to {MOST_BODIES}: two for each link")
    mass = mass_per_length or recording.mass_per_length or default_mass_per_length(recording.tube_radius)
    assumed = mass_per_length is None and recording.mass_per_length is None
    return Settings(recording, bodies, mass, assumed, start, profiles, refine)


def _fit(settings: Settings, time_budget: float, on_progress: OnProgress | None) -> RecordingFit:
    """Run the search in another process until it ends, or until Ctrl-C or the end of the time budget."""
    begun = time.perf_counter()
    step, note, interruption = SearchStep("starting", 0, math.inf), "", Interruption()
    with interruption.handling_signals():
        best = _guess_from_data(settings)
        try:
            with _run_search(settings) as messages:
                while not (note := _stop_reason(interruption, time.perf_counter() - begun, time_budget)):
                    if on_progress:
                        on_progress(step, time.perf_counter() - begun)
                    if not messages.poll(max(0.0, min(REPORT_EVERY, begun + time_budget - time.perf_counter()))):
                        continue
                    message = messages.recv()
                    if message is None:
                        break
                    if isinstance(message, Exception):
                        raise message
                    if isinstance(message, RecordingFit):
                        best = message
                    else:
                        step = message
        except KeyboardInterrupt:
            note = INTERRUPTED
        except EOFError:
            note = "The process of the fit was killed (is there enough memory?)"
    return _with_ending(best, note)


def _stop_reason(interruption: Interruption, seconds: float, time_budget: float) -> str:
    """Return the reason why the search must end now, if it must."""
    if interruption.requested:
        return INTERRUPTED
    return f"The time budget of {time_budget:g} s ended the fit" if seconds > time_budget else ""


def _guess_from_data(settings: Settings) -> RecordingFit:
    """Return the first guess: trajectory, first length and growth rate of the measured points, with a very soft tube."""
    unknowns = settings.unknowns(settings.refine or 1)
    stiffness, damping = settings.start or [10 * math.exp(low) for low in unknowns.bounds[:2, 0]]
    x = unknowns.first_guess(stiffness, damping)
    guess = summarise(settings, unknowns, SearchState(x, "the first guess from the data"))
    return replace(guess, model_rms=math.nan)


def _with_ending(best: RecordingFit, note: str) -> RecordingFit:
    """Add notes on the end of the search to the fit."""
    done, first = best.convergence, note
    if note and done.converged:
        first = f"{note} after it had converged; unfinished refinement of steps, profiles and matrices are missing."
    elif note:
        first = f"{note}; this is its best iterate ({done.kept}), not a result."
    elif not done.converged:
        first = f"The fit did not converge; this is its best iterate ({done.kept}), not a result."
    return replace(best, interrupted=bool(note), notes=(first, *best.notes) if first else best.notes)


@contextmanager
def _run_search(settings: Settings) -> Iterator[Connection]:
    """Run the search in another process, and kill it in the end. It sends steps, improved fits, and None or an error last."""
    # A fork starts at once. Elsewhere than on Linux the libraries of linear algebra may not survive it.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    messages, sender = context.Pipe(duplex=False)
    process = context.Process(target=_search, args=(settings, sender, messages), daemon=True)
    process.start()
    sender.close()
    try:
        yield messages
    finally:
        process.kill()
        process.join()
        messages.close()


def _search(settings: Settings, sender: Connection, messages: Connection) -> None:
    # Ctrl-C and the end of a terminal are sent to each of its processes; only the main process handles them.
    for number in STOPS:
        signal.signal(number, signal.SIG_DFL if number == signal.SIGTERM else signal.SIG_IGN)
    # Otherwise a write would not fail after the main process has ended.
    messages.close()
    try:
        FitSearch(settings, sender.send, sender.send).run()
        sender.send(None)
    except BrokenPipeError:
        pass
    except Exception as error:
        sender.send(error)

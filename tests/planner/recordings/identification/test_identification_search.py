"""The search for the best fit: bounds, starts, the best iterate, and its end by Ctrl-C or by time."""

import math
import os
import signal
import threading
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from dynamics.recording import Recording
from planner.recordings.identification import SearchStep, fit
from planner.recordings.identification import problem as nlp
from planner.recordings.identification.bounds import bounds, mean_beam, side_at_bound
from planner.recordings.identification.model import DAMPING, GROWTH, LENGTH, STIFFNESS, LinkModel
from planner.recordings.identification.observed import observe
from planner.recordings.identification.problem import FitProblem, Iterate
from planner.recordings.identification.search import Settings
from planner.recordings.identification.starts import oscillation, starting_points
from studies.fitting.cantilever import Cantilever
from vinewright.console.progress import handle_stop_signals

BEAM = Cantilever(links=2, length=0.8, growth=0.05)
FAR = 1e-6, 1e-6
"""K and C far from those of the beam."""


def seen(frames: int = 24) -> Recording:
    return BEAM.recording(np.arange(frames) / 80, 7, 1e-3, np.random.default_rng(1))


def settings(recording: Recording) -> Settings:
    return Settings(recording, 4, 0.013, False, None, False, 1)


def straight(angles: np.ndarray, lengths: np.ndarray, rate: float) -> Recording:
    """A straight tube at given angles and of given lengths."""
    ahead = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    lines = tuple(np.linspace(0, 1, 5)[:, None] * one for one in lengths[:, None] * ahead)
    times = np.arange(len(lines)) / rate
    return Recording("straight", 0.012, 0.013, np.zeros(3), times, lines, np.empty((0, 4)), ())


def test_the_bounds_of_stiffness_are_those_of_a_beam() -> None:
    """The softest first mode takes 100 recordings, and the stiffest EI is pi R^3 E t of film of 1e6 N/m."""
    observed = observe(straight(np.zeros(21), np.full(21, 0.8), 10))
    limits = bounds(LinkModel(2, 0.012, 0.013, np.zeros(3), 2.0), observed)
    # First mode of a cantilever: omega = 1.8751^2 sqrt(EI / (mass L^4)); EI = K 0.4 m.
    bending = np.exp(limits[STIFFNESS]) * 0.4
    omega = 1.8751**2 * np.sqrt(bending[0] / (0.013 * 0.8**4))
    assert 2 * math.pi / omega == pytest.approx(200.0, rel=1e-6)
    assert bending[1] == pytest.approx(math.pi * 0.012**3 * 1e6)
    # Decay rate C omega^2 / (2 K) of the first mode; the exponent is 0.001 in 2 s, or 1000 in 0.1 s.
    damping = np.exp(limits[DAMPING])
    decay = damping * omega**2 / (2 * np.exp(limits[STIFFNESS, 0]))
    np.testing.assert_allclose(decay, [1e-3 / 2, 1e3 / 0.1])
    np.testing.assert_allclose(limits[LENGTH:], [[0.08, 1.2], [0.0, 0.6]])


@pytest.mark.parametrize(
    ("parameter", "value", "side"),
    [(STIFFNESS, -6.99, 0), (STIFFNESS, -6.9, None), (STIFFNESS, 1.99, 1), (GROWTH, 1e-5, 0), (GROWTH, 1e-4, None)],
)
def test_a_value_next_to_a_bound_is_at_it(parameter: int, value: float, side: int | None) -> None:
    """Within 2 % for stiffness and damping, within 0.02 mm/s for the growth rate."""
    limits = np.array([[-7.0, 2.0], [-7.0, 2.0], [0.1, 1.0], [0.0, 1.0]])
    assert side_at_bound(parameter, value, limits) == side


def test_the_growth_rate_starts_at_that_of_most_frames() -> None:
    """A few wrong lengths do not change it; a tube that seems to retract starts at 0."""
    lengths = 0.3 + 0.05 * np.arange(20) / 10
    lengths[[3, 4, 17]] = 0.9, 0.8, 0.05
    length, growth = settings(straight(np.zeros(20), lengths, 10)).unknowns(1).growth_line()
    assert (length, growth) == (pytest.approx(0.3, abs=2e-3), pytest.approx(0.05, rel=0.03))
    falling = settings(straight(np.zeros(20), 0.5 - 0.01 * np.arange(20), 10)).unknowns(1)
    assert falling.growth_line()[1] == 0.0


def test_a_retracting_tube_ends_at_the_bound_of_growth() -> None:
    """Its rate is 0, not negative; the reason is given, and no rate is identified, however narrow its interval."""
    found = fit(
        straight(np.zeros(12), 0.5 - 0.002 * np.arange(12), 40), 2, start=(1e-3, 1e-4), profiles=False, refine=1
    )
    one = found.parameter("growth rate")
    assert 0 <= one.value < 1e-5
    assert not one.identified
    assert one.bound == "The growth rate ended at its lower bound, 0 m/s: a tube that everts does not retract."


def test_the_oscillation_of_the_tip_gives_a_start() -> None:
    """Frequency and decay of a straight swinging tube, and K and C of the beam with that first mode; none while it is at rest."""
    times = np.arange(200) / 50
    angles = 0.3 * np.exp(-0.4 * times) * np.cos(2 * math.pi * 2.5 * times)
    unknowns = settings(straight(angles, np.full(200, 0.8), 50)).unknowns(1)
    found = oscillation(unknowns)
    assert found is not None
    assert found[0] == pytest.approx(2 * math.pi * 2.5, rel=0.02)
    assert found[1] == pytest.approx(0.4, rel=0.05)
    start = starting_points(unknowns)[-1]
    # First mode of a cantilever of EI = K 0.4 m.
    assert 1.8751**2 * math.sqrt(start.stiffness * 0.4 / (0.013 * 0.8**4)) == pytest.approx(found[0])
    assert start.damping / start.stiffness * found[0] ** 2 / 2 == pytest.approx(found[1])
    assert oscillation(settings(straight(np.linspace(0, 0.5, 60), np.full(60, 0.8), 50)).unknowns(1)) is None


def test_a_beam_is_its_own_inverse() -> None:
    """The frequency of the K of a frequency."""
    beam = mean_beam(LinkModel(2, 0.012, 0.013, np.zeros(3), 2.0), 0.8)
    assert beam.omega(beam.stiffness(7.0)) == pytest.approx(7.0)


def test_the_best_feasible_iterate_is_the_result() -> None:
    """Where the solver ends worse than it was, the result is the iterate of lowest cost with closed joints, and says so."""
    passed: list[Iterate] = []
    unknowns = settings(seen()).unknowns(1)
    problem = FitProblem(unknowns, passed.append)
    for most in range(1, 12):
        passed.clear()
        found = problem.solve(unknowns.first_guess(*FAR), None, 0.0, most)
        assert not found.converged
        costs = [one.cost for one in passed]
        assert found.cost == min(costs)
        assert found.number == int(np.argmin(costs))
        assert np.abs(np.diff(np.linalg.norm(np.diff(unknowns.joints(found.x), axis=1), axis=-1))).max() < 5e-4
        if costs[-1] > 2 * found.cost:
            break
    assert costs[-1] > 2 * found.cost, "the solver never got worse"


def test_the_cost_counts_what_the_equations_do_not_explain() -> None:
    """An iterate has the residual accelerations of its motion, with any that the solver holds."""
    unknowns = settings(seen(8)).unknowns(1)
    problem, guess = FitProblem(unknowns), unknowns.first_guess(0.3, 3e-3)
    other = guess.copy()
    other[unknowns.slices["a"]] = 7.0
    one, two = problem.iterate(guess, 0), problem.iterate(other, 0)
    np.testing.assert_allclose(one.x, two.x, atol=1e-9)
    assert one.cost == pytest.approx(two.cost)
    assert one.cost > unknowns.misfit(guess)
    guess[unknowns.slices["q"]][:2] += 1e-3
    other = guess.copy()
    other[:2] += 2e-4
    assert problem.iterate(other, 0).cost == np.inf


def test_a_fit_that_does_not_converge_has_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the best iterate, no profiles and no intervals."""
    monkeypatch.setattr(nlp, "MOST_ITERATIONS", 1)
    found = fit(seen(12), 4, start=(1e-3, 1e-4))
    assert not found.convergence.converged
    assert found.profiles == ()
    assert not any(one.identified for one in found.parameters)
    assert found.notes[0].startswith("The fit did not converge; this is its best iterate (")
    assert np.isfinite(found.joints).all()


def interrupting(stage: str, iteration: int = 0) -> Callable[[SearchStep, float], None]:
    def interrupt(step: SearchStep, _: float) -> None:
        if step.stage.startswith(stage) and step.iteration >= iteration:
            raise KeyboardInterrupt

    return interrupt


@pytest.mark.parametrize(
    ("stage", "iteration", "converged"),
    [("starting", 0, False), ("starting with", 3, False), ("profile of the stiffness, point 2", 0, True)],
)
def test_ctrl_c_keeps_the_best_fit(stage: str, iteration: int, converged: bool) -> None:
    """The first guess from the data, the best iterate, or the finished fit without unfinished profiles; no process remains."""
    found = fit(seen(), 4, start=(0.1, 1e-3), refine=1, on_progress=interrupting(stage, iteration))
    assert found.interrupted
    assert found.convergence.converged is converged
    assert found.profiles == ()
    assert found.notes[0].startswith("Ctrl-C interrupted the fit")
    assert found.parameter("growth rate").identified is converged
    if iteration:
        assert found.rms < 0.02
    elif not converged:
        assert found.convergence.kept == "the first guess from the data"
        assert found.parameter("growth rate").value == pytest.approx(0.05, rel=0.3)


@pytest.mark.parametrize("after", [0.02, 0.5])
def test_ctrl_c_ends_the_fit(after: float) -> None:
    """Also while the solver is being prepared; the signal goes to all processes of the terminal."""
    large = Cantilever().recording(np.arange(80) / 80, 21, 1e-3, np.random.default_rng(1))
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with handle_stop_signals():
        found = fit(large, 40)
    assert found.interrupted


def test_the_time_budget_ends_the_fit() -> None:
    """With the best fit until then, and a note."""
    found = fit(seen(), 40, time_budget=0.3)
    assert found.interrupted
    assert found.notes[0].startswith("The time budget of 0.3 s ended the fit")


def test_errors_of_the_search_are_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in the process of the search is raised by the fit."""
    monkeypatch.setattr(nlp, "MOST_ITERATIONS", -1)
    with pytest.raises(RuntimeError, match="Invalid options"):
        fit(seen(8), 4, start=(0.1, 1e-3))


def test_the_same_recording_gives_the_same_fit() -> None:
    """To the last bit, from several starts."""
    one, two = map(partial(fit, bodies=2, profiles=False, refine=1), [seen(10)] * 2)
    assert [each.value for each in one.parameters] == [each.value for each in two.parameters]

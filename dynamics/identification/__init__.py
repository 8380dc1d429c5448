"""Identification of the dynamic model of paper 000 from a recording: stiffness, damping, growth rate and trajectory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from dynamics.identification.confidence import ProfileFinder, covariance, length_deviations, noise_variance
from dynamics.identification.model import DAMPING, GROWTH, LENGTH, STIFFNESS, LinkModel
from dynamics.identification.observed import LONGEST_STEP, observe
from dynamics.identification.problem import PRIOR_WEIGHT, Problem, Solution
from dynamics.identification.result import (
    Convergence,
    Fit,
    Parameter,
    Profile,
    from_deviation,
    from_profile,
)
from dynamics.interruption import Interruption
from dynamics.recording import Recording
from surrogate.compiled import Floats

__all__ = ["Convergence", "Fit", "Parameter", "Profile", "default_mass_per_length", "fit"]

STARTS = (1e-4, 1e-6), (1e-2, 1e-4), (0.3, 3e-3)
"""Initial values of K [N m/rad] and C [N m s/rad], from nearly zero to those of the paper's example."""
FILM_MASS = 0.092
"""Mass per area of polyethylene film of 0.1 mm, which is common for vines [kg/m2]."""
MOST_BODIES = 60
ROUNDS, LEAST_GAIN = 2, 0.1
"""Maximum number of rounds, and minimum cost reduction for another one, as a share of the noise's variance.

A second round starts from a better solution that was found while computing a profile."""
SHARP = 0.1
"""Standard deviation of the logarithms of K and C below which no other minima are searched."""
COARSE = 5e-4
"""Relative error of K due to the time step above which the step is divided."""
MOST_FINE_STEPS = 600
"""Maximum number of steps after this division."""
NAMES = {STIFFNESS: ("stiffness", "N m/rad"), DAMPING: ("damping", "N m s/rad")}

Starts = Sequence[tuple[float, float]]
OnProgress = Callable[[str], None]
"""Called with a status text at every iteration and every point of a profile."""


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
    on_progress: OnProgress | None = None,
) -> Fit:
    """Fit stiffness, damping, growth rate and the trajectory (see `Problem`).

    K and C are first held at a few values, and then freed at the best of these. Ctrl-C ends the fit and returns the last
    iterate, or the finished fit if it comes later, during finer steps or profiles. A second Ctrl-C raises KeyboardInterrupt.

    Args:
        bodies: Number of bodies, two per link, an even number from 2 to 60.
        mass_per_length: Replaces the value of the recording, or the default if it has none [kg/m].
        start: Initial K [N m/rad] and C [N m s/rad], instead of `STARTS`.
        profiles: Whether to compute likelihood profiles of K and C, which takes several times as long as the fit.
        refine: Divisor of every time step; None to choose it from the natural frequency of the fitted model.
    """
    if bodies % 2 or not 2 <= bodies <= MOST_BODIES:
        raise ValueError(f"bodies = {bodies} must be even and from 2 to {MOST_BODIES}: two for each link")
    report = on_progress or _keep_quiet
    mass = mass_per_length or recording.mass_per_length or default_mass_per_length(recording.tube_radius)
    assumed = mass_per_length is None and recording.mass_per_length is None
    interruption = Interruption()

    def problem_of(divide: int) -> Problem:
        observed = observe(recording, divide)
        model = LinkModel(bodies // 2, recording.tube_radius, mass, recording.base, float(observed.times[-1]))
        return Problem(model, observed, lambda count: report(f"fitting: iteration {count}"), interruption)

    with interruption.handling_signals():
        problem, best, tried = _fitted(problem_of, [start] if start else STARTS, refine)
        best, found, spread = _identified(problem, best, tried, profiles, report)
        return _result(recording, problem, best, tried, found, spread, assumed)


def _fitted(
    problem_of: Callable[[int], Problem], starts: Starts, refine: int | None
) -> tuple[Problem, Solution, list[Solution]]:
    """The problem, its best solution and all solutions computed; with refined steps if that converges."""
    problem = problem_of(refine or 1)
    best, tried = _descend(problem, starts)
    finer = _finer(problem, best) if refine is None and best.converged else 1
    if finer == 1 or problem.interrupted:
        return problem, best, tried
    stiffness, damping, *_ = problem.parameters(best.x)
    fine = problem_of(finer)
    if not fine.interrupted:
        better, others = _descend(fine, [(float(stiffness), float(damping))])
        if better.converged:
            return fine, better, others
    return problem, best, tried


def _identified(
    problem: Problem, best: Solution, tried: list[Solution], profiles: bool, report: OnProgress
) -> tuple[Solution, tuple[Profile, ...], Floats]:
    """The best of all solutions found, profiles if requested, and the parameters' covariance."""
    found: tuple[Profile, ...] = ()
    others: list[Solution] = []
    if profiles and best.converged and not problem.interrupted and not _sharp(problem, best):
        best, others = _explore(problem, best, tried)
    for _ in range(ROUNDS):
        variance = noise_variance(problem, problem.joints(best.x)[problem.observed.frames])
        spread = covariance(problem, best, variance)
        if not profiles or not best.converged or problem.interrupted:
            break
        found, met = _profiles(problem, best, others, spread, variance, report)
        better = (
            problem.solve(met.x, prior_weight=PRIOR_WEIGHT) if met.cost < best.cost - LEAST_GAIN * variance else best
        )
        if better is best or not better.converged or better.cost > best.cost:
            break
        best, others = better, [best, *others]
    return best, found, spread


def _keep_quiet(_: str) -> None:
    pass


def _descend(problem: Problem, starts: Starts) -> tuple[Solution, list[Solution]]:
    """The best solution, and all solutions computed."""
    tried: list[Solution] = []
    begin = problem.first_guess(*starts[0])
    if len(starts) > 1:
        for stiffness, damping in starts:
            held = {STIFFNESS: math.log(stiffness), DAMPING: math.log(damping)}
            tried.append(problem.solve(problem.first_guess(stiffness, damping), held))
            if tried[-1].interrupted:
                return tried[-1], tried
        begin = min(tried, key=lambda one: (not one.converged, one.cost)).x
    tried.append(problem.solve(begin, prior_weight=PRIOR_WEIGHT))
    return tried[-1], tried


def _sharp(problem: Problem, best: Solution) -> bool:
    """Whether the data determine K and C so well that no other minimum can be as good."""
    spread = covariance(problem, best, noise_variance(problem, problem.joints(best.x)[problem.observed.frames]))
    return bool(np.all(np.diag(spread)[:LENGTH] > 0) and np.all(np.diag(spread)[:LENGTH] < SHARP**2))


def _explore(problem: Problem, best: Solution, tried: list[Solution]) -> tuple[Solution, list[Solution]]:
    """Optimise from the other starts too; return the best minimum and the others.

    Data with little information have many equally good minima, far apart in K and C.
    """
    minima, held = [best], sorted(tried[:-1], key=lambda one: (not one.converged, one.cost))
    # The first one was the start of `best`.
    for start in held[1:]:
        if start.converged and not problem.interrupted:
            minima.append(problem.solve(start.x, prior_weight=PRIOR_WEIGHT))
    minima = sorted((one for one in minima if one.converged), key=lambda one: one.cost)
    return minima[0], [one for one in minima[1:] if one.cost > (1 + 1e-6) * minima[0].cost]


def _profiles(
    problem: Problem, best: Solution, others: list[Solution], spread: Floats, variance: float, report: OnProgress
) -> tuple[tuple[Profile, ...], Solution]:
    """Profiles of K and C, and the lowest-cost solution found on the way."""
    made: list[Profile] = []
    lowest = best
    for parameter, (name, unit) in NAMES.items():
        if problem.interrupted:
            break
        deviation = math.sqrt(spread[parameter, parameter]) if spread[parameter, parameter] > 0 else math.nan
        finder = ProfileFinder(problem, best, others, parameter, variance)

        def point(count: int, name: str = name) -> None:
            report(f"profile of the {name}: point {count}")

        one, met = finder.find(name, unit, deviation, point)
        made.append(one)
        lowest = min(lowest, met, key=lambda solution: solution.cost)
    return tuple(made), lowest


def _result(
    recording: Recording,
    problem: Problem,
    best: Solution,
    tried: list[Solution],
    found: tuple[Profile, ...],
    spread: Floats,
    assumed: bool,
) -> Fit:
    observed, model = problem.observed, problem.model
    joints = problem.joints(best.x)
    tips = joints[observed.frames, -1] - np.array([line[-1] for line in recording.centerlines])
    count = sum(len(line) for line in recording.centerlines)
    last = tried[-1] if best is not tried[-1] else best
    convergence = Convergence(
        best.converged,
        last.status,
        sum(one.iterations for one in tried),
        sum(one.seconds for one in tried),
        best.primal,
        best.dual,
    )
    return Fit(
        recording, 2 * model.links, model.mass_per_length, float(np.diff(observed.times).max()),
        _parameters(problem, best, found, spread), found, observed.times, joints, observed.frames, problem.contact_forces(best.x),
        np.abs(tips).mean(axis=0), math.sqrt(problem.misfit(best.x) / count), problem.model_rms(best.x), convergence, problem.interrupted,
        tuple(_notes(recording, problem, best, assumed)),
    )  # fmt: skip


def _parameters(problem: Problem, best: Solution, found: tuple[Profile, ...], spread: Floats) -> tuple[Parameter, ...]:
    """The fitted parameters, then those that do not depend on the number of bodies."""
    values = problem.parameters(best.x)
    length_deviation, growth_deviation = length_deviations(problem, best)
    known = {one.name: one for one in found}
    parts = []
    for parameter, (name, unit) in NAMES.items():
        if name in known:
            parts.append(from_profile(name, values[parameter], unit, known[name]))
        else:
            words = f"How well these data identify the {name} was not examined."
            parts.append(Parameter(name, values[parameter], unit, (None, None), words))
    parts.append(from_deviation("growth rate", values[GROWTH], "m/s", growth_deviation))
    parts.append(from_deviation("first length", values[LENGTH], "m", length_deviation))
    spacing = (values[LENGTH] + values[GROWTH] * problem.model.duration / 2) / problem.model.links
    stiffness, damping = parts[0], parts[1]
    low, high = (side and side * spacing for side in stiffness.interval)
    words = "It is the stiffness times the joints' spacing, and equally well identified."
    parts.append(Parameter("bending stiffness EI", stiffness.value * spacing, "N m2", (low, high), words))
    both = stiffness.identified and damping.identified
    ratio = damping.value / stiffness.value
    reach = np.exp(1.96 * math.sqrt(max(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1], 0.0))) if both else 1.0
    interval = (ratio / reach, ratio * reach) if both else (None, None)
    words = "It is the damping over the stiffness" + (
        ", by the covariance of both." if both else "; not both are identified."
    )
    parts.append(Parameter("damping time", ratio, "s", interval, words))
    return tuple(parts)


def _notes(recording: Recording, problem: Problem, best: Solution, assumed: bool) -> list[str]:
    notes, observed = [], problem.observed
    if best.interrupted:
        notes.append("The fit was interrupted; this is its last iterate, not a result.")
    elif problem.interrupted:
        notes.append(
            "Interrupted after the fit had converged; unfinished refinement of steps and unfinished profiles are missing."
        )
    elif not best.converged:
        notes.append(f"The fit did not converge ({best.status}); this is its last iterate, not a result.")
    if assumed:
        notes.append(
            f"The mass is not known: {problem.model.mass_per_length:.3g} kg/m is assumed (two layers of polyethylene film of 0.1 mm). "
            "Motion determines only stiffness and damping per mass: both scale with the mass."
        )
    touched = {contact.wall for contact in recording.contacts}
    if unlisted := len(recording.walls) - len(touched):
        have = "has" if unlisted == 1 else "have"
        notes.append(
            f"{unlisted} of {len(recording.walls)} walls {have} no contacts listed: they are not modelled, and the fit "
            "attributes their effect to stiffness, damping and errors."
        )
    gap = max(float(np.hypot(*(line[0] - recording.base[:2]))) for line in recording.centerlines)
    if gap > recording.tube_radius:
        notes.append(
            f"Centrelines begin up to {1e3 * gap:.0f} mm from the base: the tube is assumed straight up to there."
        )
    step = float(np.diff(observed.times).max())
    if (coarse := _step_error(problem, best)) > 2 * COARSE:
        notes.append(
            f"Steps of {1e3 * step:.0f} ms are long for the natural frequency of the fitted model: "
            f"the stiffness is about {100 * coarse:.1g} % too high."
        )
    if step > 1.001 * LONGEST_STEP:
        notes.append(f"Steps are {1e3 * step:.0f} ms long: faster motion and faster damping are not resolved.")
    return notes


def _finer(problem: Problem, best: Solution) -> int:
    """Divisor of the steps for an error of `COARSE`, limited by `MOST_FINE_STEPS`."""
    wanted = math.ceil(math.sqrt(_step_error(problem, best) / COARSE))
    return max(1, min(wanted, MOST_FINE_STEPS // (len(problem.observed.times) - 1)))


def _step_error(problem: Problem, best: Solution) -> float:
    """Relative bias of the fitted K, (omega h)^2 / 12, because the midpoint rule oscillates too slowly.

    omega is the angular frequency of the first mode of an undamped cantilever, 1.875^2 sqrt(EI / (mass L^4)).
    """
    stiffness, _, length, growth = problem.parameters(best.x)
    length += growth * problem.model.duration / 2
    bending = stiffness * length / problem.model.links
    omega = 1.8751**2 * math.sqrt(bending / (problem.model.mass_per_length * length**4))
    return float((omega * np.diff(problem.observed.times).max()) ** 2 / 12)

"""Search for the best fit: short runs from several starts, continuation of the best, then finer steps and profiles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from planner.recordings.identification.confidence import ProfileFinder, covariance, noise_variance
from planner.recordings.identification.model import DAMPING, LENGTH, STIFFNESS
from planner.recordings.identification.problem import PRIOR_WEIGHT, REACH, SAME_COST, FitProblem, FitSolution, Iterate
from planner.recordings.identification.result import CHI_SQUARE, Profile, RecordingFit
from planner.recordings.identification.settings import Settings
from planner.recordings.identification.starts import StartingPoint, starting_points
from planner.recordings.identification.summary import NAMES, SearchState, step_error, summarise, with_matrices
from surrogate.kernels.compiled import Floats

HELD, FREED, FREED_STARTS = 8, 12, 2
"""Maximum number of iterations of each start with K and C held, and then free, which only the best of them are."""
RIVAL = 4.0
"""Cost relative to the best start up to which another start is continued."""
CONTINUED = 3
"""Maximum number of times that the best start is continued, each time from the best iterate so far and with a wider reach."""
ROUNDS, LEAST_GAIN = 2, 0.1
"""Maximum number of rounds, and minimum cost reduction for another one, as a share of the noise's variance.

A second round starts from a better solution that was found while computing a profile."""
SHARP = 0.1
"""Standard deviation of the logarithms of K and C below which no other minima are searched."""
COARSE = 5e-4
"""Relative error of K due to the time step above which the step is divided."""
MOST_FINE_STEPS = 600
"""Maximum number of steps after this division."""
WORSE = 1.1
"""Maximum distance of the points from the tube with finer steps, relative to that with the recording's."""


@dataclass(frozen=True, slots=True)
class SearchStep:
    """A step of the search, for display."""

    stage: str
    iteration: int
    """Number of iterations so far."""
    rms: float
    """Root mean square distance of the points of the best fit so far [m]; infinite without one."""


@dataclass(slots=True, eq=False)
class FitSearch:
    """Search for the best fit; `keep` gets every improved fit."""

    settings: Settings
    report: Callable[[SearchStep], None]
    keep: Callable[[RecordingFit], None]
    stage: str = "preparing"
    iterations: int = 0
    """Number of iterations without those of profiles."""
    profiled: int = 0
    """Number of iterations of profiles."""
    seconds: float = 0.0
    rms: float = math.inf
    least: float = math.inf
    """Lowest cost kept."""
    problem: FitProblem = field(init=False)
    last: RecordingFit = field(init=False)
    """The last fit kept."""
    refine: int = 1
    """Divisor of every time step of `problem`."""
    profiling: bool = False

    def run(self) -> None:
        """Search, and keep every improved fit; the last one kept is the result."""
        refine = self.settings.refine
        self._prepare(refine or 1)
        best, others = self._race()
        if refine is None and best.converged and (finer := _finer_divisor(self.problem, best)) > 1:
            best = self._refine(best, finer)
        best = self._identify(best, others)
        if self.settings.joints != "equal":
            self._fit_matrices(best)

    def _prepare(self, refine: int) -> None:
        self._say("preparing the equations")
        self.problem, self.refine = FitProblem(self.settings.unknowns(refine), self._watch), refine

    def _race(self) -> tuple[FitSolution, list[FitSolution]]:
        """Run all starts, and return the best solution, and other minima.

        All starts run for a few iterations with K and C held, which is robust, and the best of them with K and C free. The
        best of these is continued to a minimum; the next only if there is none.
        """
        begun = sorted(map(self._solve_held, self._starts()), key=lambda one: one.cost)
        rivals = [one for one in begun[:FREED_STARTS] if one.cost <= RIVAL * begun[0].cost]
        begun = sorted(map(self._solve_freed, rivals or begun[:1]), key=lambda one: one.cost)
        best, rest = begun[0], begun[1:]
        for wider in range(CONTINUED):
            if not best.converged:
                reach = REACH ** (wider + 1)
                best = self._better_of(best, self._solve("continuing the best start", best.x, reach=reach))
        while rest and not best.converged:
            best = self._better_of(best, self._solve("continuing another start", rest.pop(0).x))
        if not best.converged or not self.settings.profiles or self._is_sharp(best):
            return best, []
        # Data with little information have many equally good minima, far apart in K and C.
        variance = self._variance(best)
        near = [one for one in rest if one.cost < best.cost + CHI_SQUARE * variance]
        minima = [one if one.converged else self._solve("continuing another start", one.x) for one in near]
        minima = sorted([best, *(one for one in minima if one.converged)], key=lambda one: one.cost)
        return minima[0], [one for one in minima[1:] if one.cost > (1 + 1e-6) * minima[0].cost]

    def _starts(self) -> list[StartingPoint]:
        if self.settings.start:
            return [StartingPoint("the given values", *self.settings.start)]
        return starting_points(self.problem.unknowns)

    def _solve_held(self, start: StartingPoint) -> FitSolution:
        """Run a few iterations from a start with its K and C held."""
        held = {STIFFNESS: math.log(start.stiffness), DAMPING: math.log(start.damping)}
        guess = self.problem.unknowns.first_guess(start.stiffness, start.damping)
        # A minimum with K and C held is none with them free.
        return replace(self._solve(f"starting with {start.name}", guess, held, HELD), converged=False)

    def _solve_freed(self, begun: FitSolution) -> FitSolution:
        return self._better_of(begun, self._solve("freeing stiffness and damping", begun.x, None, FREED))

    def _refine(self, best: FitSolution, finer: int) -> FitSolution:
        """Find the minimum with finer steps; return `best` if there is none."""
        coarse, divisor, rms = self.problem, self.refine, self.problem.unknowns.rms(best.x)
        stiffness, damping, *_ = coarse.unknowns.parameters(best.x)
        self._prepare(finer)
        # Costs with other steps cannot be compared.
        self.least, kept = -math.inf, self.least
        guess = self.problem.unknowns.first_guess(float(stiffness), float(damping))
        found = self._solve("finer steps", guess)
        if found.converged and self.problem.unknowns.rms(found.x) <= WORSE * rms:
            self.least = math.inf
            self._keep_solution(found)
            return found
        self.problem, self.refine, self.least = coarse, divisor, kept
        return best

    def _fit_matrices(self, equal: FitSolution) -> None:
        """Fit joints that are not equal, from the minimum with equal ones, and keep their parameters beside those of equal joints."""
        if not equal.converged:
            return
        self._say("preparing the equations of joints that are not equal")
        problem = FitProblem(self.settings.unknowns(self.refine, self.settings.joints), self._watch)
        guess = np.concatenate([equal.x, np.zeros(problem.unknowns.size - equal.x.size)])
        self.profiling = True
        self._say("joints that are not equal")
        found = problem.solve(guess, None, PRIOR_WEIGHT)
        self.profiling = False
        variance = noise_variance(problem, problem.unknowns.joints(found.x)[problem.observed.frames])
        spread = covariance(problem, found, variance)
        self.keep(with_matrices(self.last, problem.unknowns, found, spread, (equal.cost - found.cost) / variance))

    def _identify(self, best: FitSolution, others: list[FitSolution]) -> FitSolution:
        """Keep the covariance of the best solution, and then its profiles if requested; return the best one."""
        for _ in range(ROUNDS):
            if not best.converged:
                break
            variance = self._variance(best)
            spread = covariance(self.problem, best, variance)
            self._keep_solution(best, (), spread)
            if not self.settings.profiles:
                break
            lowest = self._profile(best, others, spread, variance)
            if lowest.cost >= best.cost - LEAST_GAIN * variance:
                break
            better = self._solve("from a better point of a profile", lowest.x)
            if not better.converged or better.cost > best.cost:
                break
            best, others = better, [best, *others]
        return best

    def _profile(self, best: FitSolution, others: list[FitSolution], spread: Floats, variance: float) -> FitSolution:
        """Keep profiles of K and C; return the lowest-cost solution found on the way."""
        made: list[Profile] = []
        lowest = best
        for parameter, (name, unit) in NAMES.items():
            deviation = math.sqrt(spread[parameter, parameter]) if spread[parameter, parameter] > 0 else math.nan
            finder = ProfileFinder(self.problem, best, others, parameter, variance)
            self.profiling = True

            def point(count: int, name: str = name) -> None:
                self._say(f"profile of the {name}, point {count + 1}")

            point(0)
            one, met = finder.find(name, unit, deviation, point)
            self.profiling = False
            made.append(one)
            lowest = min(lowest, met, key=lambda solution: solution.cost)
            self._keep_solution(best, tuple(made), spread)
        return lowest

    def _solve(
        self,
        stage: str,
        x: Floats,
        held: dict[int, float] | None = None,
        most: int | None = None,
        reach: float = REACH,
    ) -> FitSolution:
        self._say(stage)
        prior_weight = 0.0 if held else PRIOR_WEIGHT
        found = replace(self.problem.solve(x, held, prior_weight, most, reach), origin=stage)
        self.seconds += found.seconds
        if found.converged and not held and found.cost <= (1 + SAME_COST) * self.least:
            self._keep_solution(found)
        return found

    def _better_of(self, one: FitSolution, other: FitSolution) -> FitSolution:
        """Return the solution of lower cost; a minimum if the costs are almost equal."""
        if other.converged != one.converged and max(one.cost, other.cost) <= (1 + SAME_COST) * min(
            one.cost, other.cost
        ):
            return one if one.converged else other
        return min(one, other, key=lambda solution: solution.cost)

    def _say(self, stage: str) -> None:
        self.stage = stage
        self.report(SearchStep(stage, self.iterations + self.profiled, self.rms))

    def _watch(self, now: Iterate) -> None:
        if now.number > 0:
            self.iterations, self.profiled = self.iterations + (not self.profiling), self.profiled + self.profiling
        if now.cost < self.least and not self.profiling:
            self.least = now.cost
            self._keep(SearchState(now.x, f"iteration {now.number} of the solver, {self.stage}"))
        self.report(SearchStep(self.stage, self.iterations + self.profiled, self.rms))

    def _keep_solution(
        self, one: FitSolution, profiles: tuple[Profile, ...] = (), spread: Floats | None = None
    ) -> None:
        self.least = min(self.least, one.cost)
        self._keep(SearchState(one.x, f"minimum, {one.origin}", one, profiles, spread))

    def _keep(self, found: SearchState) -> None:
        self.rms = self.problem.unknowns.rms(found.x)
        counted = replace(found, iterations=self.iterations, seconds=self.seconds)
        self.last = summarise(self.settings, self.problem.unknowns, counted)
        self.keep(self.last)

    def _variance(self, best: FitSolution) -> float:
        unknowns = self.problem.unknowns
        return noise_variance(self.problem, unknowns.joints(best.x)[unknowns.observed.frames])

    def _is_sharp(self, best: FitSolution) -> bool:
        """Return whether the data determine K and C so well that no other minimum can be as good."""
        spread = np.diag(covariance(self.problem, best, self._variance(best)))[:LENGTH]
        return bool(np.all(spread > 0) and np.all(spread < SHARP**2))


def _finer_divisor(problem: FitProblem, best: FitSolution) -> int:
    """Return the divisor of every step for which the time step hardly changes K."""
    wanted = math.ceil(math.sqrt(step_error(problem.unknowns, best.x) / COARSE))
    return max(1, min(wanted, MOST_FINE_STEPS // (len(problem.observed.times) - 1)))

"""Effort of a plan after its searches: numbers of designs, worlds, generations and trials."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SharedEffort:
    """Effort of a plan for one tube that reaches the goals of several environments, before tubes are refined."""

    solutions: int = 12
    """Number of lowest-cost solutions of each environment that are grown in the others."""
    fixed: int = 4
    """Number of solutions of each environment whose actuators are fixed in a search of the others."""
    fixed_share: float = 0.25
    """Share of the remaining time for one such search [-]."""
    fixed_iterations: int = 12
    """Number of iterations of such a search where time is not limited."""
    fixed_kept: int = 8
    """Maximum number of solutions of such a search."""
    tubes: int = 5
    """Number of tubes with each number of actuators from which actuators are left out."""
    making: float = 0.5
    """Share of the time after the searches in which tubes are made [-]; the rest is for refinement and trials."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Effort of refinement and trials. More effort finds designs that are more likely to reach the goal, and takes longer."""

    candidates: int = 40
    """Maximum number of distinct solutions to choose from."""
    levels: tuple[int, ...] = (8, 24, 72)
    """Numbers of worlds with errors in which designs are compared, ascending. A few worlds tell designs apart while these still
    miss in many."""
    starts: int = 2
    """Number of designs that are refined for each number of actuators."""
    kept: int = 4
    """Number of designs, for each number of actuators, that are grown in all worlds of the first level."""
    heat: int = 3
    """Number of generations after which only the best design for each number of actuators is refined further."""
    generations: int = 16
    """Minimum number of generations of a design, unless it needs no more."""
    patience: int = 6
    """Number of generations without a better design after which refinement of it ends."""
    stuck: int = 2
    """Number of generations without a better design after which an almost successful one is refined in more worlds. A design that
    reaches the goal in all worlds is refined in more at once."""
    restarts: int = 3
    """Maximum number of times that refinement begins again while there is time."""
    inserted: int = 24
    """Number of designs with one more actuator that are made from the best one."""
    population: int = 10
    """Number of designs of a generation."""
    first_worlds: int = 2
    """Number of worlds with errors after which the worse half of a generation drops out."""
    world_factor: int = 3
    """Half of the designs that are left drop out as often as their number of worlds, that as planned included, has grown by this
    factor [-]."""
    finalists: int = 2
    """Minimum number of designs that are left."""
    latest: int = 3
    """Number of designs found last that are compared in more worlds."""
    compared: int = 6
    """Maximum number of designs with equally many actuators that are compared where designs are not refined."""
    simplifying: float = 0.4
    """Share of the time that refinement has left to make the chosen design simpler [-]; the rest is for trials."""
    simpler: int = 24
    """Maximum number of designs with one actuator fewer that are made from the chosen one at a time."""
    simpler_generations: int = 6
    """Maximum number of generations of the best of them."""
    paired: int = 600
    """Number of worlds, in which nothing else was chosen, that decide whether it is as likely as the chosen one."""
    refining: float = 0.7
    """Share of the remaining time that is spent on refinement [-]; the rest is for trials."""
    chosen_trials: int = 1000
    """Maximum number of trials that evaluate the chosen design."""
    other_trials: int = 300
    """Maximum number of trials that evaluate each other design of the front."""
    block: int = 50
    """Number of trials that are grown together."""
    shared: SharedEffort = SharedEffort()
    """Effort of a plan for several environments, besides the above."""


DEFAULT_EFFORT = Effort()
"""Effort of a plan that is given none."""


def default_effort() -> Effort:
    """The effort of a plan that is given none, as it is at the time of the call."""
    return DEFAULT_EFFORT

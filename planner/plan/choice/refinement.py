"""Refinement: section boundaries and curvatures of a design that reaches the goal in more worlds.

Success in a few dozen worlds is a step function of the design. Its surrogate is smooth: a logistic function of how near the tip
comes to the goal in each world. It is minimised by CMA-ES (Hansen, 2016; the library `cma`), because it is noisy, not
convex and has kinks where contacts come and go, and because a generation is a whole batch of candidates, which are grown together.
All candidates meet the same worlds (common random numbers).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynamics.moment import centerline_curvature
from dynamics.preformed import largest_turn
from dynamics.vine import Integers
from planner.design.catalogue import LEAST_CELLS, Catalogue
from planner.design.design import Design, Section, Side
from planner.plan.effort import Effort
from planner.search.goal import GOAL_MARGIN
from planner.uncertainty.trials import Worlds, compute_goal_distances
from surrogate.kernels.compiled import Floats

BLUR = 20e-3
"""Width of the logistic function of the distance to the goal, for the prototype [m]: errors move a tip by some of it."""
FAR = 0.05
"""Weight of a far miss beside that of a miss [-]: it grows with the logarithm of the distance, so that a search finds the way back."""
SHIFT = 60e-3
"""Initial standard deviation of the boundaries of sections, for the prototype [m]."""
BEND = 0.12
"""Initial standard deviation of the logarithm of curvatures [-]."""
SPREAD = 0.5
"""Initial standard deviation of all unknowns, in units of SHIFT and BEND [-]. Of four designs for `long` and `needle`, refined twice
for 8 generations, 85 % of fresh trials reached the goal on average; 72 % with 1, 86 % with 0.3."""
DROPPED = 10.0
"""Loss for the optimiser of what dropped out at once, beside that of what was grown in all worlds [-]: more than any other loss."""
OTHER_NUMBERS = 1000
"""Added to the seed when a descent begins again."""
LEAST_GAIN = 5e-3
"""A candidate whose loss is lower by less is not much better [-]."""
FINEST = 1e-3
"""Boundaries are rounded to this, for the prototype [m]."""
NOT_IN_GOAL = 1.0
"""Loss of a design that does not end in the goal as planned [-]: as much as if it missed in every world."""
SHORTEST_BARE = 0.1
"""Minimum length of tube into which another section is put, for the prototype [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A design and how it did in the worlds of the refinement, of which the first is as planned."""

    design: Design
    nearest: Floats
    """Distance from the goal's edge where the tip comes nearest in each world [m], negative in the goal, shape (worlds,)."""
    planned: float
    """Distance from the goal to the tip at the end of its growth as planned [m]."""

    @property
    def rate(self) -> float:
        """Share of the worlds with errors in which it reaches the goal; 0 if it was grown in none."""
        return float((self.nearest[1:] <= 0.0).mean()) if len(self.nearest) > 1 else 0.0

    @property
    def loss(self) -> float:
        """Surrogate of the share of failures [-], to be minimised."""
        size = self.design.params.scale
        distance = np.clip(self.nearest / (BLUR * size), -50.0, 1e4)
        failures = float((1 / (1 + np.exp(-distance)) + FAR * np.log1p(np.maximum(distance, 0.0))).mean())
        return failures + NOT_IN_GOAL * (self.planned > -GOAL_MARGIN * size)


def grow_candidates(designs: list[Design], worlds: Worlds, rows: Integers) -> list[Candidate]:
    """Grow designs in some worlds, of which the first is as planned."""
    nearest, last = compute_goal_distances(designs, worlds, rows)
    return [Candidate(*one) for one in zip(designs, nearest, last[:, 0].tolist(), strict=True)]


def race(designs: list[Design], worlds: Worlds, rows: Integers, keep: int, effort: Effort) -> list[Candidate]:
    """Grow designs in some worlds: all in the first ones, and fewer and fewer of the best in the others (successive halving).

    Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization" (2016).

    Args:
        rows: The worlds, as planned first.
        keep: How many of the designs are grown in more than the first world and `effort.first_worlds` with errors.
    Returns:
        Of each design; those that dropped out have fewer rows.
    """
    if not designs:
        return []
    done = effort.first_worlds + 1
    found, left = grow_candidates(designs, worlds, rows[:done]), list(range(len(designs)))
    while done < len(rows):
        losses = np.array([found[k].loss for k in left])
        left = sorted(np.array(left)[np.argsort(losses, kind="stable")[:keep]].tolist())
        end = min(effort.world_factor * done, len(rows))
        more, _ = compute_goal_distances([designs[k] for k in left], worlds, rows[done:end])
        for k, nearest in zip(left, more, strict=True):
            found[k] = replace(found[k], nearest=np.concatenate([found[k].nearest, nearest]))
        done, keep = end, max(keep // 2, effort.finalists)
    return found


class Descent:
    """CMA-ES on the sections of one design; every call of `generation` grows one generation."""

    def __init__(self, start: Candidate, worlds: Worlds, catalogue: Catalogue, seed: int, effort: Effort) -> None:
        self.worlds, self.catalogue, self.seed, self.effort = worlds, catalogue, seed, effort
        self.found = [start]
        """The start and every candidate that was better than all before, best last."""
        self._begin()

    def _begin(self) -> None:
        self.design = self.best.design
        unknowns = len(self.design.sections) + len(self.design.labelled)
        self.evolution = _evolution(unknowns, self.seed, self.effort.population)
        self.generations = self.idle = 0
        """Number of generations, and of the last ones without a candidate that was better by `LEAST_GAIN`."""

    def restart(self) -> None:
        """Begin again at the best candidate, with the initial steps and other random numbers, where the optimiser has converged."""
        self.seed += OTHER_NUMBERS
        self._begin()

    @property
    def best(self) -> Candidate:
        """The best candidate so far."""
        return self.found[-1]

    @property
    def worlds_used(self) -> int:
        """Number of worlds in which the candidates are compared."""
        return len(self.best.nearest)

    def generation(self, rows: Integers) -> int:
        """Grow one generation in some worlds, and keep its best candidate if it is better than all before.

        Returns:
            Number of designs grown.
        """
        asked = [np.asarray(point) for point in self.evolution.ask()]
        made = [self.candidate(point) for point in asked]
        designs = [one for one in made if one is not None]
        grown = iter(self.compete(designs, rows))
        candidates = [None if one is None else next(grown) for one in made]
        told = [self._told(one, x, len(rows)) for one, x in zip(candidates, asked, strict=True)]
        self.evolution.tell(asked, told)
        best, before = candidates[int(np.argmin(told))], self.best.loss
        if best and best.loss < before:
            self.found.append(best)
        self.generations += 1
        self.idle = 0 if self.best.loss < before - LEAST_GAIN else self.idle + 1
        return len(designs)

    @staticmethod
    def _told(one: Candidate | None, point: Floats, rows: int) -> float:
        """Loss for the optimiser: more the sooner a design dropped out, and most, by its distance, if it cannot be made."""
        if one is None:
            return 2 * DROPPED + float(np.linalg.norm(point))
        return one.loss + DROPPED * (1 - len(one.nearest) / rows)

    def compare_in(self, rows: Integers) -> None:
        """Grow what was found last in other worlds, and put it in order by its loss there."""
        grown = self.grow([one.design for one in self.found[-self.effort.latest :]], rows)
        self.found, self.idle = sorted(grown, key=lambda one: -one.loss), 0

    def compete(self, designs: list[Design], rows: Integers) -> list[Candidate]:
        """The candidates of a generation in some worlds; those that drop out early have fewer."""
        return race(designs, self.worlds, rows, self.effort.population // 2, self.effort)

    def grow(self, designs: list[Design], rows: Integers) -> list[Candidate]:
        """Designs in some worlds."""
        return grow_candidates(designs, self.worlds, rows)

    def candidate(self, point: Floats) -> Design | None:
        """The design at a point of the optimiser, with actuators that can be made; None where a section would be too short."""
        sections = len(self.design.sections)
        return vary(self.design, self.catalogue, point[:sections], point[sections:])


def vary(design: Design, catalogue: Catalogue, ends: Floats, bends: Floats) -> Design | None:
    """A design with other boundaries and curvatures; None where a section would be too short.

    Args:
        ends: Shift of the end of each section, in units of SHIFT, shape (sections,).
        bends: Change of the logarithm of the curvature of each bent section, in units of BEND, shape (bent sections,).
    """
    size = design.params.scale
    at = np.array([section.end for section in design.sections]) + SHIFT * size * ends
    at = np.round(at / (FINEST * size)) * FINEST * size
    starts = [design.sections[0].start, *at[:-1].tolist()]
    sections, changes = [], iter(bends.tolist())
    for section, start, end in zip(design.sections, starts, at.tolist(), strict=True):
        made = replace(section, start=start, end=end)
        if section.actuated:
            made = replace_curvature(made, catalogue, section.curvature * np.exp(BEND * next(changes)))
        elif section.preformed:
            most = float(centerline_curvature(largest_turn(design.params), design.params))
            made = replace(made, curvature=min(section.curvature * float(np.exp(BEND * next(changes))), most))
        if not fits(made, design.params.segment_length):
            return None
        sections.append(made)
    return replace(design, sections=tuple(sections), success=None)


def with_another(design: Design, catalogue: Catalogue, rng: np.random.Generator) -> Design | None:
    """A design with one more actuator: a bend in a bare part of the tube, or an actuator split in two; None where it does not fit."""
    sections, params = list(design.sections), design.params
    k = int(rng.integers(len(sections)))
    one = sections[k]
    first, last = np.sort(rng.uniform(one.start, one.end, 2))
    if one.preformed:
        return None
    if one.side != "none":
        sections[k : k + 1] = [replace(one, end=first), replace(one, start=first)]
    elif one.end - one.start < SHORTEST_BARE * params.scale:
        return None
    else:
        kind = int(rng.integers(len(catalogue.ranges))) if params.others else 0
        low, high = catalogue.ranges[kind]
        wanted = low + (high - low) * rng.random() ** 2
        side: Side = "left" if rng.random() < 0.5 else "right"
        middle = replace_curvature(replace(one, start=first, end=last, side=side, kind=kind), catalogue, wanted)
        sections[k : k + 1] = [replace(one, end=first), middle, replace(one, start=last)]
    if not all(fits(section, params.segment_length) for section in sections):
        return None
    return replace(design, sections=tuple(sections), success=None)


def fits(section: Section, segment_length: float) -> bool:
    """Whether a section is long enough."""
    return section.end - section.start > max(LEAST_CELLS * section.l_0, segment_length) - 1e-9


def replace_curvature(section: Section, catalogue: Catalogue, curvature: float) -> Section:
    """Return a section with the cells and pressure of its actuator whose curvature is nearest to a given one [1/m]."""
    within = float(np.clip(curvature, *catalogue.ranges[section.kind]))
    entry = int(catalogue.synthesise([within], section.kind)[0][0])
    return replace(
        section,
        curvature=float(catalogue.curvature[entry]),
        l_0=float(catalogue.l_0[entry]),
        pressure=float(catalogue.pressure[entry]),
    )


def _evolution(count: int, seed: int, population: int) -> Any:
    """An optimiser of a number of unknowns that starts at 0, with a number of candidates in each generation."""
    import cma  # takes a second

    options = {"seed": seed + 1, "verbose": -9, "popsize": population}
    return cma.CMAEvolutionStrategy(np.zeros(count), SPREAD, options)

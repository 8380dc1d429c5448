"""Feed lines: where each runs along the body, where the feed end of its strip lies, and how long it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from planner.fabrication.assembly.build import FITTING, LEAD, ActuatorBuild, Build

HOSE, LANE = 4e-3, 6e-3
"""Outer diameter of a feed line, and distance of two that run side by side [m]."""
TAPE_EVERY, TAPE_LENGTH = 0.1, 40e-3
"""Distance of the pieces of tape over a feed line, and length of each, across the line [m] (assumed)."""
LAYERS = 3
"""Layers in which the slack of a feed end is laid in folds [-] (assumed)."""
TOUCH = 0.5e-3
"""Length by which parts may overlap and still count as side by side [m]."""

Place = Literal["fold", "aside", "none"]
"""Place of a feed end: on the fold before its section, beside it past the cells of other sections, or nowhere because there is no
room."""
Course = Literal["top", "underside", "none"]
"""Where a feed line runs along the body; "none" if there is no room."""


@dataclass(frozen=True, slots=True)
class FeedLine:
    """The feed line of an actuator and the feed end of its strip."""

    actuator: ActuatorBuild
    course: Course
    from_fold: float
    """Distance of the feed line from the fold of its side, across the film [m]."""
    place: Place
    aside: float
    """Distance of the axis of the feed end from its fold, across the film towards the top [m]; 0 on the fold."""
    past: tuple[str, ...]
    """Names of the actuators whose cells the feed end passes."""
    across: float
    """Length that leads across the film from the middle of the top to the fold [m]."""

    @property
    def name(self) -> str:
        """Name of the actuator."""
        return self.actuator.name

    @property
    def fitting(self) -> float:
        """Distance of the fitting from the base line along the film [m]; negative behind it."""
        return fitting_at(self.actuator)

    @property
    def behind(self) -> float:
        """Length of the feed end that lies behind the base line [m], outside on the clamp; 0 if none does."""
        return max(length_of_end(self.actuator) - self.actuator.section.start, 0.0)

    @property
    def along(self) -> float:
        """Length along the body, from the base line to the fitting [m]."""
        return max(self.fitting, 0.0)

    @property
    def tapes(self) -> int:
        """Number of pieces of tape over it."""
        return int(np.ceil(round(self.along / TAPE_EVERY, 9))) if self.along else 0

    @property
    def length(self) -> float:
        """Length to cut [m]: along the body, across it to the fold, and to the valve."""
        return self.along + self.across + LEAD


def length_of_end(actuator: ActuatorBuild) -> float:
    """Length of fold that the feed end of an actuator takes, with its slack in folds [m]."""
    return actuator.tail - actuator.contraction * (1 - 1 / LAYERS)


def fitting_at(actuator: ActuatorBuild) -> float:
    """Distance of the fitting of an actuator from the base line [m], with its slack in folds."""
    return actuator.section.start - actuator.contraction / LAYERS - FITTING / 2


@dataclass(frozen=True)
class FeedLines:
    """The feed lines of a build."""

    build: Build

    @property
    def radius(self) -> float:
        """Radius of the body [m]."""
        return self.build.design.params.radius

    @property
    def quarter(self) -> float:
        """Distance of the middle of the top from a fold, across the film [m]."""
        return self.build.body_width / 2

    @cached_property
    def each(self) -> tuple[FeedLine, ...]:
        """The feed lines, from the base.

        On each side of the middle of the top, the line of the farthest section runs next to the middle, that of the next section beside
        it, so that none crosses another. Where the top has no room beside what lies there, a line runs on the underside.
        """
        made: dict[str, FeedLine] = {}
        for side in ("left", "right"):
            own = [one for one in self.build.actuators if one.section.side == side]
            ends = self._ends(own)
            used: dict[Course, int] = {"top": 0, "underside": 0, "none": 0}
            for one in reversed(own):
                aside, past = ends[one.name]
                course = self._course(one, own, ends, used)
                from_fold = self.quarter - (used[course] + 0.5) * LANE
                used[course] += 1
                place: Place = "none" if aside is None else "aside" if aside else "fold"
                made[one.name] = FeedLine(one, course, from_fold, place, aside or 0.0, past, self.quarter)
        return tuple(made[one.name] for one in self.build.actuators)

    @cached_property
    def warnings(self) -> list[str]:
        """Feed ends and lines that have no room, and what to do."""
        found = []
        for one in self.each:
            if one.place == "none":
                room = f"{1e3 * length_of_end(one.actuator):.0f} mm"
                found.append(
                    f"The feed end of {one.name} has no room beside {' and '.join(one.past)}: leave {room} of the fold free before its "
                    "section, put the section on the other side, or make it one section with its neighbour."
                )
            if one.course == "none":
                found.append(
                    f"The feed line of {one.name} has no room on the tube beside the others: use feed lines thinner than "
                    f"{1e3 * HOSE:g} mm, a wider body, or fewer actuators."
                )
        return found

    def _ends(self, own: Sequence[ActuatorBuild]) -> dict[str, tuple[float | None, tuple[str, ...]]]:
        """Return how far aside the feed end of each actuator of a side lies [m], None without room, and what it passes."""
        found: dict[str, tuple[float | None, tuple[str, ...]]] = {}
        for k, one in enumerate(own):
            low = one.section.start - length_of_end(one)
            past = [other for other in own[:k] if other.section.end + other.head > low + TOUCH]
            aside = max((self._beside(_radius(one), _radius(other)) for other in past), default=0.0)
            turned = [other for other in own[:k] if found[other.name][0] and other.section.start > low + TOUCH]
            if past and (turned or aside + self._half(_radius(one)) > self.quarter):
                found[one.name] = None, tuple(other.name for other in [*past, *(x for x in turned if x not in past)])
            else:
                found[one.name] = aside, tuple(other.name for other in past)
        return found

    def _course(
        self,
        one: ActuatorBuild,
        own: Sequence[ActuatorBuild],
        ends: dict[str, tuple[float | None, tuple[str, ...]]],
        used: dict[Course, int],
    ) -> Course:
        """Return where a feed line has room beside cells and feed ends on its way from the base."""
        passed = [other for other in own if other.section.start < one.section.start]
        cells = [self._half(_radius(other)) for other in passed]
        turned = [ends[other.name][0] for other in passed]
        top = [aside + self._half(_radius(other)) for aside, other in zip(turned, passed, strict=True) if aside]
        edges_of: dict[Course, list[float]] = {"top": [*cells, *top], "underside": cells}
        for course, edges in edges_of.items():
            lane = self.quarter - (used[course] + 0.5) * LANE - HOSE / 2
            if lane >= max(edges, default=0.0):
                return course
        return "none"

    def _half(self, radius: float) -> float:
        """Half the width that an inflated strip covers on the body [m], seen from the body's axis."""
        return float(self.radius * np.arcsin(radius / (self.radius + radius)))

    def _beside(self, first: float, second: float) -> float:
        """Return the distance of the axes of two inflated strips [m], across the body's film, that lie beside each other on it.

        Their centres are R + r_1 and R + r_2 from the body's axis and r_1 + r_2 apart: the law of cosines.
        """
        share = 2 * first * second / ((self.radius + first) * (self.radius + second))
        return float(self.radius * np.arccos(max(1 - share, -1.0)))


def _radius(actuator: ActuatorBuild) -> float:
    """Largest radius of an inflated strip [m]: that of its round tube."""
    return float(actuator.width / np.pi)

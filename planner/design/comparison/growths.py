"""Growths of one design with two propagators, and possible causes if the design misses the goal with one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from dynamics.propagator import Propagator
from dynamics.vine import Rollout, Status
from environments.environment import Environment
from planner.design.comparison.paths import TOUCH, are_homotopic, touched_obstacles
from planner.design.design import Design
from planner.design.replay import replay, trajectory
from surrogate.kernels.compiled import Floats

PARTED = 10e-3
"""Distance between two tips above which their growths count as parted [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordedGrowth:
    """Growth of a design by one propagator, recorded at the end of every segment."""

    lengths: Floats
    """Length at each record [m], shape (records,)."""
    lines: list[Floats]
    """Joints at each record [m], shape (n, 2) each."""
    touched: list[tuple[int, int]]
    """Touched obstacles, and the first record of each contact; see `paths.touched_obstacles`."""
    status: Status
    enters: bool
    """Whether the tip reaches the goal while it grows."""
    reached: bool
    """Whether it grows to its full length and its tip ends in the goal."""

    @property
    def length(self) -> float:
        """Grown length [m]."""
        return float(self.lengths[-1]) if len(self.lengths) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Growth of a design by one propagator and by the default propagator, with which the design was found."""

    environment: Environment
    design: Design
    propagator: str
    own: RecordedGrowth
    default: RecordedGrowth
    cured_by: tuple[str, ...] = ()
    """For a design that misses the goal with this propagator: names of the `changed_propagators` with which it reaches the goal."""
    default_misses: tuple[str, ...] = ()
    """Names of the `changed_propagators` of the default one with which the design misses the goal."""

    @property
    def common(self) -> int:
        """Number of first records that both growths have at the same length."""
        count = min(len(self.own.lengths), len(self.default.lengths))
        equal = np.abs(self.own.lengths[:count] - self.default.lengths[:count]) < 1e-6
        return count if equal.all() else int(equal.argmin())

    @property
    def apart(self) -> Floats:
        """Distance between the tips at the common records [m], shape (common,)."""
        pairs = zip(self.own.lines[: self.common], self.default.lines, strict=False)
        return np.array([np.hypot(*(one[-1] - other[-1])) for one, other in pairs])

    @property
    def parts(self) -> tuple[int, int] | None:
        """First and last record in which the tips are farther apart than `PARTED`; None if there is none."""
        beyond = np.flatnonzero(self.apart > PARTED)
        return (int(beyond[0]), int(beyond[-1])) if len(beyond) else None

    @property
    def same_class(self) -> bool | None:
        """Whether both centrelines are in the same homotopy class at the last common record; None if that is undefined."""
        if not self.common:
            return None
        return are_homotopic(self.own.lines[self.common - 1], self.default.lines[self.common - 1], self.environment)

    @property
    def contacts(self) -> str:
        """Comparison of the obstacles touched up to the last common record: "same", "other order", "fewer", "more" or "other"."""
        pair = self.own, self.default
        own, default = ([k for k, record in grown.touched if record < self.common] for grown in pair)
        if own == default:
            return "same"
        if set(own) == set(default):
            return "other order"
        return "fewer" if set(own) < set(default) else "more" if set(own) > set(default) else "other"

    @property
    def fails(self) -> bool:
        """Whether the design ends in the goal with the default propagator but not with this one."""
        return self.default.reached and not self.own.reached

    def causes(self) -> list[str]:
        """List possible causes of missing the goal, from the records and from growths with one change each."""
        if not self.fails:
            return []
        said = [self._end()]
        if self.parts is not None:
            said.append(self._parting(*self.parts))
        said += [f"{change} it ends in the goal" for change in self.cured_by]
        said += [f"{change} the default misses it" for change in self.default_misses]
        return said

    def _end(self) -> str:
        """Describe the end of the growth, with the distance from the goal or the obstacle that stopped the tip."""
        tip, goal = self.own.lines[-1][-1] if self.own.lines else self.environment.start[:2], self.environment.goal
        if self.own.status == Status.GROWN:
            beyond = float(np.hypot(*(tip - goal[:2])) - goal[2])
            passed = "it reaches the goal and ends" if self.own.enters else "it ends"
            return f"{passed} {1e3 * beyond:.1f} mm outside"
        ended = "stuck" if self.own.status == Status.STALLED else self.own.status.name.lower().replace("_", " ")
        ended = f"{ended} at {1e3 * self.own.length:.0f} mm"
        on = self.stuck_on
        if on is None:
            return ended
        return f"{ended}, heading at {np.degrees(on[1]):.0f}° into {self.environment.solids.name(on[0])}"

    @property
    def stuck_on(self) -> tuple[int, float] | None:
        """Obstacle that a stuck tip touches and heads into, in the shapes of `Environment.solids`, and the angle to its face [rad].

        None if the tip is not stuck, or not on an obstacle other than that in which the base is mounted.
        """
        if self.own.status not in (Status.STALLED, Status.UNRESOLVED) or not self.own.lines:
            return None
        joints, shapes = self.own.lines[-1], self.environment.solids.shapes()
        tip, free = shapely.Point(joints[-1]), np.flatnonzero(~self.environment.mounted)
        if not len(free):
            return None
        nearest = min(free.tolist(), key=lambda k: float(tip.distance(shapes[k])))
        towards = np.subtract(shapely.shortest_line(tip, shapes[nearest]).coords[1], joints[-1])
        gap, ahead = float(np.hypot(*towards)), joints[-1] - joints[-2]
        if gap > self.design.params.radius + TOUCH or ahead @ towards <= 0:
            return None
        return nearest, float(np.arcsin(np.clip(ahead @ towards / (np.hypot(*ahead) * gap), -1, 1)))

    def _parting(self, first: int, last: int) -> str:
        """Describe where the tips diverge, whether they converge again, and which obstacles were touched before."""
        start, end = (f"{1e3 * self.own.lengths[record]:.0f}" for record in (first, last))
        at = f"the tips part at {start} mm, "
        if last < self.common - 1:
            at = f"the tips are apart from {start} to {end} mm, at first "
            if first == last:
                at = f"the tips are apart at {start} mm only, "
        met = [[(k, record) for k, record in grown.touched if record <= first] for grown in (self.own, self.default)]
        own, default = ({k for k, _ in one} for one in met)
        words = []
        for who, only in (("it alone", own - default), ("the default alone", default - own)):
            if only:
                words.append(f"{who} has touched {', '.join(self.environment.solids.name(k) for k in sorted(only))}")
        if not words and met[0]:
            k, record = met[0][-1]
            words.append(
                f"having touched {self.environment.solids.name(k)} last, at {1e3 * self.own.lengths[record]:.0f} mm"
            )
        if not words and not self.own.touched and not self.default.touched:
            words = ["in free space"]
        return at + (" and ".join(words) or "before either has touched anything")

    def content(self) -> dict[str, Any]:
        """Return the content for a JSON file, in millimetres."""
        parts = self.parts
        return {
            "environment": self.environment.name,
            "actuators": self.design.actuators,
            "design_length_mm": round(1e3 * self.design.length, 3),
            "propagator": self.propagator,
            "status": self.own.status.name.lower(),
            "enters_goal": self.own.enters,
            "ends_in_goal": self.own.reached,
            "length_mm": round(1e3 * self.own.length, 3),
            "tips_apart_mm": round(1e3 * float(self.apart[-1]), 4) if self.common else None,
            "tips_apart_most_mm": round(1e3 * float(self.apart.max()), 4) if self.common else None,
            "tips_part_at_mm": None if parts is None else round(1e3 * float(self.own.lengths[parts[0]]), 3),
            "touched": [
                {
                    "obstacle": self.environment.solids.name(k),
                    "at_mm": round(1e3 * float(self.own.lengths[record]), 3),
                }
                for k, record in self.own.touched
            ],
            "contacts": self.contacts,
            "same_homotopy_class": self.same_class,
            "found_by_default_fails_here": self.fails,
            "causes": self.causes(),
        }


def grow_recorded(environment: Environment, design: Design, propagator: Propagator) -> RecordedGrowth:
    """Grow a design, recorded at the end of every segment."""
    return record_growth(environment, design, replay(design, propagator))


def record_growth(environment: Environment, design: Design, rollout: Rollout) -> RecordedGrowth:
    """Make the recorded growth from the rollout of one vine (see `replay`)."""
    points, lengths = trajectory(environment, design, rollout)
    lines = [joints[~np.isnan(joints[:, 0])] for joints in points]
    ends = bool(lines) and np.hypot(*(lines[-1][-1] - environment.goal[:2])) <= environment.goal[2]
    status, enters = Status(rollout.status[0]), bool(rollout.enters(environment.goal)[0])
    met = touched_obstacles(lines, environment, design.params.radius)
    return RecordedGrowth(lengths, lines, met, status, enters, bool(ends and status == Status.GROWN))

"""Motion of a tube whose tip is on one flat wall, from contact angles alone: its hinges, and the lengths at which they change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import least_squares

from dynamics.vine import Integers
from planner.mapping.sensing.rules import Rule
from planner.mapping.sensing.shape import TubeShape, WallMotion, cross, slide_angle, unit
from surrogate.kernels.compiled import Floats

PRICE = 10.0
"""Reduction of the sum of squared errors, in units of the noise, that justifies a fitted number or a choice against the
kinematics."""
EXACT = 1e-7
"""Errors assumed for readings without noise [rad]."""
MOST_CHANGES = 5
_LENGTHS, _ARCS, _PREFIXES, _TRIED, _FAILED = 16, 48, 12, 3, 1
"""Resolution of the search for a change over lengths and arcs, number of parts of noisy readings after which it is refined,
number of candidates that are refined, and number of failures allowed."""


@dataclass(frozen=True, slots=True)
class HingeChange:
    """Change to another hinge at a certain length."""

    length: float
    """Length of the whole tube [m]."""
    arc: float
    """Distance from the base to the hinge along the tube [m]."""
    locked: bool = False
    """Whether the tip sticks, and the turn bends too."""
    fitted: int = 0
    """Number of fitted values: 0; 1 (length or arc, whichever is unknown); or 2 (both)."""


@dataclass(frozen=True, eq=False)
class HingeCourse:
    """A hypothesis for the motion of a tube with its tip on one wall."""

    shape: TubeShape
    """Shape at first contact."""
    wall: float
    """Heading of the wall's tangent [rad]."""
    changes: tuple[HingeChange, ...]
    friction: float
    rule: Rule
    """Rule for the hinge that yields where nothing else is known."""
    against: bool = False
    """Whether its first motion contradicts the rule."""

    @cached_property
    def motions(self) -> tuple[WallMotion, ...]:
        """Successive motions; after a hinge has sprung back, the rule determines the next one."""
        shape, found = self.shape, list[WallMotion]()
        for i, change in enumerate(self.changes):
            if i:
                shape = found[-1].shape_at(max(change.length, found[-1].shape.length))
            if shape.node(change.arc) < 0:
                before = found[-1] if found and not found[-1].locked else WallMotion(shape, self.wall, change.arc)
                shape = shape.hold(change.arc, before.sense())
            found.append(WallMotion.of(shape, self.wall, change.arc, change.locked))
            until = self.changes[i + 1].length if i + 1 < len(self.changes) else np.inf
            while len(found) < 3 * MOST_CHANGES and (end := found[-1].end()) < until:
                shape = found[-1].shape_at(end)
                following = self.rule(shape, self.wall, self.friction)
                if following is None:
                    break
                found.append(WallMotion.of(shape, self.wall, *following))
        return tuple(found)

    def angles(self, lengths: Floats) -> Floats:
        """Return contact angles [rad] at ascending lengths [m]."""
        starts = np.array([motion.shape.length for motion in self.motions])
        which = np.maximum(np.searchsorted(starts, lengths, side="right") - 1, 0)
        found = np.empty(len(lengths))
        for i in range(len(starts)):
            if (now := which == i).any():
                found[now] = self.motions[i].angles(lengths[now])
        return found

    def motion_at(self, length: float) -> WallMotion:
        """Return the motion at a length [m]."""
        return [motion for motion in self.motions if motion.shape.length <= length + 1e-12][-1]

    @property
    def price(self) -> float:
        """Price of the fitted numbers and of a contradiction to the kinematics."""
        return PRICE * (sum(change.fitted for change in self.changes) + self.against)

    def numbers(self) -> list[float]:
        """Return all fitted numbers: the wall's heading, and the unknown values of each change."""
        found = [self.wall]
        for i, change in enumerate(self.changes):
            found += [change.length, change.arc][: change.fitted] if i else [change.arc][: change.fitted]
        return found

    def with_numbers(self, numbers: Sequence[float], last: float) -> HingeCourse:
        """Return the course with other numbers, clipped to valid values; `last` is the largest length [m]."""
        rest, changes, least = list(numbers[1:]), list[HingeChange](), self.shape.length
        for i, change in enumerate(self.changes):
            length, arc = change.length, change.arc
            if i and change.fitted:
                least = length = float(np.clip(rest.pop(0), least, last))
            if change.fitted == (2 if i else 1):
                arc = float(np.clip(rest.pop(0), 0, length - 1e-6))
            changes.append(replace(change, length=length, arc=arc))
        return replace(self, wall=float(numbers[0]), changes=tuple(changes))


@dataclass(frozen=True, slots=True, eq=False)
class WallFit:
    """The course of lowest cost."""

    course: HingeCourse
    determined: bool
    """Whether the readings exclude other hinges, and outnumber the fitted values."""


def fit_wall(shape: TubeShape, lengths: Floats, angles: Floats, noise: float, friction: float, rule: Rule) -> WallFit:
    """Find the course with the least sum of squared errors, in units of the noise, and prices (see `PRICE`).

    Args:
        shape: The tube at first contact.
        lengths: Lengths at the readings on this wall, the first at first contact [m], shape (n,).
        angles: Contact angles [rad], shape (n,).
        noise: Standard deviation of the angles [rad].
        friction: Friction coefficient of the tip [-], for the rule.
        rule: Which hinge gives way; its result is only preferred.
    """
    search = _CourseSearch(shape, lengths, angles, max(noise, EXACT), friction, rule)
    found = list[tuple[float, HingeCourse]]()
    for first in search.beginnings():
        limit = min((search.cost(course) for _, course in found), default=np.inf)
        if (course := search.explain(first, limit)) is not None:
            found.append((search.error(course), course))
    error, best = min(found, key=lambda one: one[0] + one[1].price)
    end = best.motion_at(lengths[-1]).shape_at(lengths[-1]).tip
    rivals = [
        course
        for other, course in found
        if course is not best
        and len(course.numbers()) <= len(best.numbers())
        and other <= error + PRICE
        and np.hypot(*(course.motion_at(lengths[-1]).shape_at(lengths[-1]).tip - end)) > 1e-3
    ]
    n = len(lengths)
    explained = error <= n + 4 * np.sqrt(2 * n)
    ends = np.searchsorted(lengths, [*(change.length for change in best.changes[1:]), np.inf])
    begins = np.searchsorted(lengths, [change.length for change in best.changes], side="right")
    # Each change needs its own readings, and all changes together need one more as a check.
    enough = n > 1 + sum(change.fitted for change in best.changes)
    enough &= all(end - begin >= change.fitted for change, begin, end in zip(best.changes, begins, ends, strict=True))
    return WallFit(best, bool(explained and (enough or n == 1) and not rivals))


@dataclass(frozen=True, slots=True, eq=False)
class _CourseSearch:
    """Search for courses that explain the readings."""

    shape: TubeShape
    lengths: Floats
    angles: Floats
    noise: float
    friction: float
    rule: Rule

    def error(self, course: HingeCourse, count: int | None = None) -> float:
        """Sum of squared errors of the first readings, in units of the noise."""
        return float((self._errors(course, count) ** 2).sum())

    def cost(self, course: HingeCourse, count: int | None = None) -> float:
        """Error plus the course's price."""
        return self.error(course, count) + course.price

    def _errors(self, course: HingeCourse, count: int | None) -> Floats:
        return (course.angles(self.lengths[:count]) - self.angles[:count]) / self.noise

    def refine(self, course: HingeCourse, count: int | None = None) -> HingeCourse:
        """Fit all numbers of a course to the first readings."""
        last = float(self.lengths[:count][-1])
        small = 1e-14 if self.noise == EXACT else 1e-5
        fit = least_squares(
            lambda numbers: self._errors(course.with_numbers(numbers, last), count), course.numbers(),
            xtol=small, ftol=small, gtol=small, max_nfev=30,
        )  # fmt: skip
        better = course.with_numbers(fit.x, last)
        return better if self.error(better, count) <= self.error(course, count) else course

    def beginnings(self) -> Iterator[HingeCourse]:
        """Generate candidates for the first motion: that of the rule, or about another node, or about an unknown corner."""
        start, wall = self.shape.length, self.shape.heading + float(self.angles[0])
        predicted = self.rule(self.shape, wall, self.friction)
        if predicted:
            yield self._course(wall, HingeChange(start, *predicted), against=False)
        if len(self.lengths) == 1:
            if not predicted:
                yield self._course(wall, HingeChange(start, 0.0), against=True)
            return
        nodes = [float(arc) for arc in self.shape.arcs[:-1] if start - arc > 1e-6]
        turn = self.shape.arcs[self.shape.turn_node] if self.shape.turn_node > 0 else 0.0
        ways = [(arc, locked) for locked in (False, True) for arc in nodes[::-1] if not locked or arc < turn - 1e-6]
        for way in ways:
            if way != predicted:
                yield self._course(wall, HingeChange(start, *way), against=True)
        arcs = np.linspace(0, start, _ARCS + 1)[:-1]
        few = min(len(self.lengths), 8)
        errors = self._slides(self.shape, wall, arcs, few, 0)
        for k in _lowest(errors):
            yield self._course(wall, HingeChange(start, float(arcs[k]), fitted=1), against=True)

    def _course(self, wall: float, first: HingeChange, against: bool) -> HingeCourse:
        return HingeCourse(self.shape, wall, (first,), self.friction, self.rule, against)

    def _slides(self, shape: TubeShape, wall: float, arcs: Floats, count: int, first: int) -> Floats:
        """Return errors of the readings from `first` to before `count` with the hinge at each of the arcs, shape (arcs,)."""
        reach, ahead = shape.tip - shape.at(arcs), unit(shape.heading)
        growth = self.lengths[first:count] - shape.length
        across = cross(np.broadcast_to(ahead, reach.shape), reach)
        angles = slide_angle((reach @ ahead)[:, None], across[:, None], wall - shape.heading, growth)
        return (((angles - self.angles[first:count]) / self.noise) ** 2).sum(axis=1)

    def explain(self, course: HingeCourse, limit: float) -> HingeCourse | None:
        """Add changes of the hinge one by one as the readings require; None if the cost exceeds a limit."""
        n, exact = len(self.lengths), self.noise == EXACT
        counts = range(2, n + 1) if exact else np.unique(np.linspace(2, n, _PREFIXES).astype(int))
        failed = 0
        for count in map(int, counts):
            if exact and np.abs(self._errors(course, count)).max() < 1:
                continue
            count = min(count + 2, n) if exact else count
            course = self.refine(course, count)
            if self.error(course, count) > 2 * PRICE and len(course.changes) < MOST_CHANGES:
                course = self._replace_or_add_change(course, count)
                failed += self.error(course, count) > 2 * PRICE + 2 * count
            if failed > _FAILED:
                break
            if self.cost(course, count) > limit:
                return None
        return self.refine(course)

    def _replace_or_add_change(self, course: HingeCourse, count: int) -> HingeCourse:
        """Replace the last change of a course, or add a change, if that lowers the cost for the first readings."""
        known = replace(course, changes=course.changes[:-1]) if len(course.changes) > 1 else None
        best, cost = course, self.cost(course, count)
        for base in (known, course):
            if base is None:
                continue
            for candidate in self._add_change(base, count):
                better = self.refine(candidate, count)
                if (now := self.cost(better, count)) < cost:
                    best, cost = better, now
                if self.error(best, count) < PRICE:
                    return best
        return best

    def _add_change(self, course: HingeCourse, count: int) -> Iterator[HingeCourse]:
        """Generate courses with a further change, for the best candidates: at a node, or at an unknown corner."""
        begin = course.changes[-1].length
        first = int(np.searchsorted(self.lengths, begin))
        spread = np.linspace(first, count - 2, _LENGTHS).astype(int)
        positions = np.unique([*spread[spread >= first], *range(max(first, count - 6), count - 1)]).astype(int)
        found = list[tuple[float, HingeChange]]()
        for position in positions:
            length = float(max(self.lengths[position], begin))
            motion = course.motion_at(length)
            shape = motion.shape_at(length)
            nodes = [arc for arc in shape.arcs[:-1] if length - arc > 1e-6]
            arcs = np.concatenate([nodes, np.linspace(0, length, _ARCS + 1)[:-1]])
            errors = self._slides(shape, course.wall, arcs, count, position) + self.error(course, position)
            for k in [*range(len(nodes)), *(len(nodes) + _lowest(errors[len(nodes) :]))]:
                new = k >= len(nodes)
                found.append((float(errors[k]) + PRICE * new, HingeChange(length, float(arcs[k]), fitted=1 + new)))
        found.sort(key=lambda one: one[0])
        kinds = [[change for _, change in found if change.fitted == fitted][:_TRIED] for fitted in (1, 2)]
        for change in [*kinds[0], *kinds[1]]:
            yield replace(course, changes=(*course.changes, change))


def _lowest(errors: Floats) -> Integers:
    """Return indices of the lowest local minima."""
    padded = np.concatenate([[np.inf], errors, [np.inf]])
    minima = np.flatnonzero((errors <= padded[:-2]) & (errors <= padded[2:]))
    return minima[np.argsort(errors[minima])][:_TRIED]

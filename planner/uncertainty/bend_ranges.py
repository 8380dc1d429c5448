"""Ranges of the bends of a tube: how far one may be off, as measured in free space, while tubes still reach the goal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.moment import free_curvature, joint_moments
from environments.environment import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.uncertainty.deviations import SectionErrors, measured_bends, with_bend
from planner.uncertainty.sensitivity import Margin, bend_parameters, compute_margin, section_parameters
from planner.uncertainty.trials import EVALUATING, Worlds, grow_trials
from surrogate.kernels.compiled import Floats

TRIALS = 200
"""Number of tubes grown for each end of a range."""
ONE, TOGETHER = 0.01, 0.05
"""Success that one range may cost, and all ranges together [-]."""
SHARES = tuple(np.arange(10, 0, -1) / 10)
"""Factors by which all ranges are reduced until all together cost at most `TOGETHER` [-]."""

Watch = Callable[[int, int], None]
"""Called with the number of batches grown so far, and of all."""


@dataclass(frozen=True, slots=True)
class BendRange:
    """Angles within which a bend is accepted."""

    low: float
    """[rad]"""
    high: float
    """[rad]"""
    open: tuple[bool, bool] = (False, False)
    """Whether nothing failed at the lowest and highest angle tried, so that the range may be wider."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Ranges of all bends of a design, and how tubes with errors pass them."""

    sections: tuple[BendRange | None, ...]
    """Of the actuators; None of one without pressure, and where no range is found."""
    bends: tuple[BendRange | None, ...]
    """Of the preformed bends."""
    trials: int
    """Number of tubes grown with errors."""
    reached: int
    """Number of these that reach the goal."""
    passed: int
    """Number of these whose bends all lie within the ranges."""
    good: int
    """Number of these that do both."""


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One bend that is measured."""

    section: int | None
    """Its number among the actuators; None of a preformed bend."""
    bend: int
    """Its number among the preformed bends."""
    planned: float
    """[rad]"""
    margin: Margin
    """Error of the angle with which the goal is reached while all else is as planned."""

    def tried(self, side: int) -> float:
        """Return the largest deviation that is tried to a side, -1 or 1 [rad]: more misses even with all else as planned."""
        amount = self.margin.less if side < 0 else self.margin.more
        return self.planned * amount / 100 if self.section is not None else float(np.radians(amount))


def find_ranges(
    design: Design,
    environment: Environment,
    uncertainty: Uncertainty,
    trials: int = TRIALS,
    watch: Watch | None = None,
) -> Acceptance:
    """Find the range of each bend from trials; all of them grow in the same worlds, with seed 0.

    A tube "within a range" has that bend anywhere in it, each angle as likely, and all its other errors as drawn. Each range goes as far
    to either side as tubes on that side reach the goal at most `ONE` less often than tubes whose bends have errors as drawn, and never
    to where a tube that is otherwise as planned misses. Then all are reduced by a common factor until tubes within all of them reach
    it at most `TOGETHER` less often.

    Args:
        trials: Number of tubes for each side of each range.
    """
    parts = _parts(design, environment)
    batches = iter(range(1, 2 * len(parts) + 3))

    def tell() -> None:
        done = next(batches)
        if watch:
            watch(done, 2 * len(parts) + 2)

    worlds = Worlds.draw(environment, design.params, uncertainty, range(EVALUATING, EVALUATING + trials), 0)
    errors = worlds.sections(design)
    usual = grow_trials(design, worlds, errors).reached
    tell()
    sides: list[list[float]] = []
    for part in parts:
        sides.append([])
        for side in (-1, 1):
            sides[-1].append(_find_side(design, worlds, errors, usual, part, side))
            tell()
    share = _common_share(design, worlds, errors, usual, parts, sides)
    tell()
    found = [
        _range_of(part, share * less, share * more, share) for part, (less, more) in zip(parts, sides, strict=True)
    ]
    passed = np.ones(trials, bool)
    for part, one in zip(parts, found, strict=True):
        angle = _angles(design, worlds, errors, part)
        passed &= np.zeros(trials, bool) if one is None else (one.low <= angle) & (angle <= one.high)
    known = dict(zip(((part.section, part.bend) for part in parts), found, strict=True))
    return Acceptance(
        tuple(known.get((k, 0)) for k in range(design.actuators)),
        tuple(known.get((None, k)) for k in range(len(design.preformed))),
        trials, int(usual.sum()), int(passed.sum()), int((passed & usual).sum()),
    )  # fmt: skip


def _parts(design: Design, environment: Environment) -> list[_Part]:
    """List the bends to measure, with their margins."""
    joint = joint_moments(design.params)
    angles = [
        float(free_curvature(joint, one.pressure, one.l_0, one.kind)) * (one.end - one.start) for one in design.actuated
    ]
    margins = [compute_margin(design, environment, one) for one in section_parameters(design, ["bend"])]
    turns = [compute_margin(design, environment, one) for one in bend_parameters(design, ["turn"])]
    actuated = [_Part(k, 0, angles[k], margins[k]) for k, section in enumerate(design.actuated) if section.on]
    formed = [
        _Part(None, k, abs(one.rest(design.params)) * (one.end - one.start), turns[k])
        for k, one in enumerate(design.preformed)
    ]
    return [*actuated, *formed]


def _find_side(
    design: Design, worlds: Worlds, errors: SectionErrors, usual: NDArray[np.bool_], part: _Part, side: int
) -> float:
    """Return the largest deviation of one bend to a side, all of which together cost at most `ONE` [rad]."""
    if not (most := part.tried(side)):
        return 0.0
    wanted = part.planned + side * most * _spread(len(worlds), 2 * _number(part) + (side > 0))
    bent = _bend(design, worlds, errors, part, wanted)
    # A tube bends no further than its cells contract, whatever is wanted.
    off = np.maximum(side * (_angles(design, worlds, bent, part) - part.planned), 0.0)
    lost = usual.astype(int) - grow_trials(design, worlds, bent).reached
    order = np.argsort(off)
    cost = np.cumsum(lost[order]) / np.arange(1, len(off) + 1)
    kept = np.flatnonzero(cost <= ONE)
    return float(off[order[kept[-1]]]) if len(kept) else 0.0


def _common_share(
    design: Design,
    worlds: Worlds,
    errors: SectionErrors,
    usual: NDArray[np.bool_],
    parts: Sequence[_Part],
    sides: Sequence[Sequence[float]],
) -> float:
    """Return the largest factor of all ranges with which they together cost at most `TOGETHER` [-]; 0 if none does."""
    if len(parts) == 1:
        return 1.0
    for share in SHARES:
        bent = errors
        for part, (less, more) in zip(parts, sides, strict=True):
            spread = _spread(len(worlds), 1000 + _number(part))
            bent = _bend(design, worlds, bent, part, part.planned + share * (spread * (less + more) - less))
        if np.mean(usual.astype(int) - grow_trials(design, worlds, bent).reached) <= TOGETHER:
            return float(share)
    return 0.0


def _range_of(part: _Part, less: float, more: float, share: float) -> BendRange | None:
    """Return a range from its deviations [rad]; None if it has no width."""
    if not less + more:
        return None
    # The last tube stands for all up to the largest deviation tried.
    near = 1 - 1e-2
    unlimited = [one is None for one in part.margin.missed]
    opens = [
        share == 1 and free and end >= near * part.tried(side)
        for free, end, side in zip(unlimited, (less, more), (-1, 1), strict=True)
    ]
    return BendRange(part.planned - less, part.planned + more, (opens[0], opens[1]))


def _number(part: _Part) -> int:
    """Return a number of a part, to draw by."""
    return part.section if part.section is not None else 500 + part.bend


def _spread(count: int, stream: int) -> Floats:
    """Return evenly spread numbers from 0 to 1 in a random order, shape (count,)."""
    return np.asarray((np.random.default_rng([0, stream]).permutation(count) + 0.5) / count)


def _angles(design: Design, worlds: Worlds, errors: SectionErrors, part: _Part) -> Floats:
    """Return how far a bend turns in each trial [rad], shape (T,)."""
    if part.section is not None:
        return np.asarray(measured_bends(design, errors, worlds.errors)[:, part.section])
    return np.asarray(part.planned + errors.bend_turn[:, part.bend])


def _bend(design: Design, worlds: Worlds, errors: SectionErrors, part: _Part, angle: Floats) -> SectionErrors:
    """Return errors with which a bend turns by given angles [rad], shape (T,), and all else is as before."""
    if part.section is not None:
        return with_bend(design, errors, worlds.errors, part.section, angle)
    turn = errors.bend_turn.copy()
    turn[:, part.bend] = angle - part.planned
    return replace(errors, bend_turn=turn)

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

TRIALS = 400
"""Number of tubes grown with errors, and with all bends within their ranges; for each angle of one bend, half as many are."""
GRID = np.array([-1.0, -2 / 3, -1 / 3, 0.0, 1 / 3, 2 / 3, 1.0])
"""Angles of one bend that are tried, relative to the largest deviation on their side [-]."""
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
    """Ranges of the actuators; None for one without pressure, and where no range is found."""
    bends: tuple[BendRange | None, ...]
    """Ranges of the preformed bends."""
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
    to either side as tubes on that side reach the goal at most `ONE` less often than tubes whose bend has the errors that are drawn, and
    never to where a tube that is otherwise as planned misses. Then all are reduced by a common factor until tubes within all of them reach
    it at most `TOGETHER` less often.

    Args:
        trials: Number of tubes.
    """
    parts = _parts(design, environment)
    batches = iter(range(1, len(parts) + 3))

    def tell() -> None:
        done = next(batches)
        if watch:
            watch(done, len(parts) + 2)

    worlds, fewer = (
        Worlds.draw(environment, design.params, uncertainty, range(EVALUATING, EVALUATING + count), 0)
        for count in (trials, max(trials // 2, 1))
    )
    errors = worlds.sections(design)
    usual = grow_trials(design, worlds, errors).reached
    tell()
    sides = []
    for part in parts:
        sides.append(_find_sides(design, fewer, part, _angles(design, worlds, errors, part) - part.planned))
        tell()
    share = _common_share(design, worlds, usual, parts, sides)
    tell()
    found = [_range_of(part, pair, share) for part, pair in zip(parts, sides, strict=True)]
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


@dataclass(frozen=True, slots=True)
class _Side:
    """Range of a bend on one side of the planned angle."""

    end: float
    """Largest deviation [rad]."""
    open: bool
    """Whether nothing fails at the largest deviation tried."""


def _find_sides(design: Design, worlds: Worlds, part: _Part, drawn: Floats) -> tuple[_Side, _Side]:
    """Return the range of one bend below and above the planned angle.

    Each world grows tubes with all angles of the grid, so that their success differs by the angle only.

    Args:
        drawn: Deviations of the bend with the errors that are drawn [rad].
    """
    errors = worlds.sections(design)
    tried = np.where(GRID < 0, part.tried(-1), part.tried(1)) * GRID
    success, turned = np.zeros(len(tried)), np.zeros(len(tried))
    for k, (angle, again) in enumerate(zip(tried, np.append(False, tried[1:] == tried[:-1]), strict=True)):
        if again:
            success[k], turned[k] = success[k - 1], turned[k - 1]
            continue
        bent = _bend(design, worlds, errors, part, np.full(len(worlds), part.planned + angle))
        success[k] = grow_trials(design, worlds, bent).reached.mean()
        # A tube bends no further than its cells contract, whatever is wanted.
        turned[k] = _angles(design, worlds, bent, part).max() - part.planned
    usual = float(np.interp(drawn, tried, success).mean())
    below, above = success[GRID <= 0][::-1], success[GRID >= 0]
    less = _widest(part.tried(-1), below, usual - ONE)
    more = min(_widest(part.tried(1), above, usual - ONE), max(float(turned[-1]), 0.0))
    unlimited = [one is None for one in part.margin.missed]
    whole = [float(one.mean()) >= usual - ONE for one in (below, above)]
    return _Side(less, whole[0] and unlimited[0]), _Side(more, whole[1] and unlimited[1])


def _widest(most: float, success: Floats, least: float) -> float:
    """Return the largest deviation up to which the mean success is at least `least` [rad].

    Args:
        most: The largest one tried [rad].
        success: At evenly spaced deviations from 0 to `most` [-].
    """
    fine = np.linspace(0.0, 1.0, 601)
    at = np.interp(fine, np.linspace(0.0, 1.0, len(success)), success)
    mean = np.append(at[0], np.cumsum((at[1:] + at[:-1]) / 2) / np.arange(1, len(fine)))
    kept = np.flatnonzero(mean >= least - 1e-12)
    return float(most * fine[kept[-1]]) if len(kept) else 0.0


def _common_share(
    design: Design,
    worlds: Worlds,
    usual: NDArray[np.bool_],
    parts: Sequence[_Part],
    sides: Sequence[tuple[_Side, _Side]],
) -> float:
    """Return the largest factor of all ranges with which they together cost at most `TOGETHER` [-]; 0 if none does."""
    if len(parts) == 1:
        return 1.0
    for share in SHARES:
        bent = worlds.sections(design)
        for part, (less, more) in zip(parts, sides, strict=True):
            spread = _spread(len(worlds), _number(part))
            angle = part.planned + share * (spread * (less.end + more.end) - less.end)
            bent = _bend(design, worlds, bent, part, angle)
        if usual.mean() - grow_trials(design, worlds, bent).reached.mean() <= TOGETHER:
            return float(share)
    return 0.0


def _range_of(part: _Part, sides: tuple[_Side, _Side], share: float) -> BendRange | None:
    """Return a range from its sides, reduced by a factor; None if it has no width."""
    less, more = sides
    if not share * (less.end + more.end):
        return None
    opens = share == 1 and less.open, share == 1 and more.open
    return BendRange(part.planned - share * less.end, part.planned + share * more.end, opens)


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

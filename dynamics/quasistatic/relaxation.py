"""Relaxation of a vine at constant length to its equilibrium, and its snap-throughs.

A linearised step takes the forces of the present shape, not those of the next one. Where they change much, near a loss of
stability above all, one step does not end in an equilibrium: steps at constant length follow until the vine is at rest. The
joints' viscosity decides which way an unstable vine leaves its place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.chain import moved_since
from dynamics.growth import Span
from dynamics.moment import Vine
from dynamics.quasistatic.step import QuasiStaticTube, QuasiStaticWork, bend_by, bound_growth, share_of_step, solve
from dynamics.records import Records
from surrogate.kernels.compiled import Floats, compiled

MOST_ITERATIONS = 600
"""Maximum number of steps at constant length before a vine is given up."""
MOST_CORRECTIONS = 80
"""Maximum number of steps at constant length of a vine that takes one step per growth, to leave an obstacle."""
LENGTHEN = 1.5
"""Factor of the step's time while the joints do not oscillate [-]."""
MOST_SHARE = 2.0
"""Largest share of a step that is taken where joints keep on moving the same way [-]."""
SHORT = 0.1
"""Steps at constant length that are shorter than this share of `RestCriterion.time` must move less, for the same rest [-]."""
RETREAT, LEAST_RETREAT = 0.1, 2e-3
"""The tip of a vine at rest gives back no more than the first share of its growth since the last rest, and the second of a step [-]."""


class RelaxationProgress(NamedTuple):
    """Progress of a relaxation at constant length."""

    iterations: int
    """Number of steps so far."""
    time: float
    """Time of the next step, in metres of free growth."""
    energy: float
    """Bending energy released so far [J]."""
    share: float
    """Share of the last step that was taken [-]."""


@compiled()
def begin(tube: QuasiStaticTube, work: QuasiStaticWork, segments: int, time: float) -> RelaxationProgress:
    """Begin a relaxation that has not moved anything yet.

    Args:
        time: Time of its first step, in metres of free growth, limited to that of `RestCriterion`.
    """
    work.before[:segments] = 0.0
    return RelaxationProgress(0, min(time, tube.relaxation.time), 0.0, 1.0)


@compiled()
def relax(
    tube: QuasiStaticTube, work: QuasiStaticWork, span: Span, curvature: float, grown: float, known: int
) -> tuple[float, float, int]:
    """Solve one step that was set up, without growth.

    Where contacts press with more than the growth force, the tip gives back what it has grown.

    Args:
        curvature: Curvature of the growing segment [1/m].
        grown: Growth since the vine was last at rest [m].
    Returns:
        Growth, at most 0 [m], motion of the joints [m], and number of active rows.
    """
    bound_growth(work, -grown, 0.0)
    growth, active = solve(tube, work, span, tube.relaxation.time, known, True)
    return growth, bend_by(work, span, curvature, growth)[1], active


@compiled()
def at_rest(
    tube: QuasiStaticTube, limit: float, progress: RelaxationProgress, motion: float, grown: float, growth: float
) -> bool:
    """Whether a vine need not take the step of `relax`; never where the motion is not a number.

    Args:
        limit: Motion of a step as long as `RestCriterion.time` [m].
        motion: Motion of this step [m].
        grown: Growth since the vine was last at rest [m].
        growth: Growth of this step, at most 0 [m].
    """
    rest = tube.relaxation
    if -growth > RETREAT * grown + LEAST_RETREAT * tube.growth_step:
        return False
    return bool(motion <= max(limit * min(1.0, progress.time / (SHORT * rest.time)), rest.trembling))


@compiled()
def share_to_rest(share: float, turned: float, length: float) -> float:
    """Share of a step after which no motion is left along the last one, if the motion depends linearly on the way (secant).

    Args:
        share: Of the last step that was taken [-].
        turned: Product of its bends and those of this step [rad²].
        length: Sum of the squares of its bends [rad²].
    """
    if length <= turned or length == 0.0:
        return MOST_SHARE if length > 0.0 else 1.0
    return max(share * length / (length - turned), 1.0)


@compiled()
def bend_on(
    tube: QuasiStaticTube, vine: Vine, work: QuasiStaticWork, span: Span, progress: RelaxationProgress, motion: float
) -> tuple[float, RelaxationProgress]:
    """Bend a vine by the step of `relax`; returns the share of the step that was taken [-]."""
    angles, bend, before = vine.angles, work.step.bend, work.before
    free, inverse, stiffening = work.step.free, work.step.inverse, work.stiffening
    if progress.iterations == 0:
        moved_since(work.chain, span.segments, work.left)
        for j in range(span.segments):
            work.bent[j] = angles[j]
    damping = tube.bending_viscosity / progress.time
    turned, length, energy = 0.0, 0.0, progress.energy
    for j in range(span.segments):
        turned += bend[j] * before[j]
        length += before[j] * before[j]
        before[j] = bend[j]
    # As published, each correction is one whole step.
    published = tube.relaxation.growing == np.inf
    most = MOST_SHARE if progress.time >= tube.relaxation.time and not published else 1.0
    share = min(share_to_rest(progress.share, turned, length), share_of_step(tube, motion, most))
    for j in range(span.segments):
        moved = share * bend[j]
        energy += moved * (free[j] / inverse[j] - 0.5 * moved * (1.0 / inverse[j] - stiffening[j] - damping))
        angles[j] += moved
    # Steps that oscillate are too long.
    factor = 0.5 if turned < 0.0 and not published else LENGTHEN
    time = min(factor * progress.time, tube.relaxation.time)
    return share, RelaxationProgress(progress.iterations + 1, time, energy, share)


@compiled()
def largest_bend(bend: Floats, segments: int) -> int:
    """The joint that bends most."""
    worst = 0
    for j in range(segments):
        if abs(bend[j]) > abs(bend[worst]):
            worst = j
    return worst


@compiled()
def note_snap(
    tube: QuasiStaticTube, work: QuasiStaticWork, segments: int, length: float, energy: float, records: Records
) -> None:
    """Record a snap-through if a relaxation that ended has moved a joint far; see `dynamics.vine.Rollout.snaps`.

    Args:
        length: Length of the vine when the relaxation began [m].
        energy: Bending energy released by the relaxation [J].
    """
    left, snaps, tip_x, tip_y = work.left, records.snaps, work.left[segments, 0], work.left[segments, 1]
    if moved_since(work.chain, segments, left) > tube.relaxation.snap:
        for k in range(len(snaps)):
            if math.isnan(snaps[k, 0]):
                snaps[k, 0], snaps[k, 1], snaps[k, 2], snaps[k, 3] = length, tip_x, tip_y, energy
                for j in range(segments):
                    records.snapping[k, j] = work.bent[j]
                break

"""Moments in a joint: the inflated tube resists bending, an actuator pulls on one side."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynamics.collapse import folding_moment
from dynamics.tube import VineParams
from dynamics.vine import Integers
from surrogate.force_table import ROWS, CellPosition, ForceTables, cell, force_and_slope, stack
from surrogate.kernels.compiled import Floats, compiled
from surrogate.thickness_table import tabulate_actuator

BENDS = 4096
"""Intervals of the restoring-moment table between the transition and a half turn."""
LARGEST_TRANSITION = 1.0
"""Largest bend of `VineParams.moment_length` at which a tube with a known EI may begin to wrinkle [rad]."""


class Elasticity(NamedTuple):
    """The numbers behind a joint's moments, for the bend of `JointMoments.length` of tube."""

    transition: float
    """Bend up to which the tube is linear elastic [rad]."""
    stiffness: float
    """Slope of the moment there [N m / rad]."""
    per_bend: float
    """Intervals of the moment table per bend [1/rad]."""
    collapse: float
    """Bend at which the tube folds [rad]; the largest one in the table if it does not."""
    pivot: float
    """Distance of a pivot from the centreline where an actuator or a preformed bend is [m], see `VineParams.pivot`."""
    factor: float
    """Factor on the moments of the tables [-]: that of `stiffness` is in it already."""


ARM, TAUT_ARM, PER_BEND = range(3)
"""Columns of `JointMoments.arms`."""


class JointMoments(NamedTuple):
    """Moments of a joint, as an argument of compiled kernels."""

    elasticity: Elasticity
    moment: Floats
    """Restoring moment at evenly spaced bends from the transition on [N m], shape (BENDS + 1,)."""
    rising: Floats
    """Restoring moment without folds [N m], shape (BENDS + 1,). Steps take its slope: the rest of the energy is concave, so its tangent is
    a bound of it, and a step that takes the moment of a fold as constant does not go too far."""
    tables: ForceTables
    arms: Floats
    """Numbers of each actuator, shape (actuators, 3): moment arm about the far wall [m], moment arm against the actuator [m], see
    `VineParams.taut_arm`, and strain per bend about the far wall [1/rad]."""
    length: float
    """Length of tube to whose bend the moments refer [m], see `VineParams.moment_length`."""
    segment_length: float
    """Length over which a joint's bend is spread [m]: a joint has the moment at its bend times length / segment_length."""
    thickness: Floats
    """Tables of `surrogate.thickness_table.look_up_thickness`; zero with the published physics."""


class Vine(NamedTuple):
    """Bends, actuators and preformed bends of one vine, shape (max_segments,) each."""

    angles: Floats
    pivots: Floats
    """Distance of each joint's pivot from the centreline [m], see `dynamics.links.link`."""
    pressure: Floats
    row: Integers
    """Row of each joint's `CellPosition`; the following three fields are its other numbers."""
    weight: Floats
    per_strain: Floats
    per_strain_saturated: Floats
    rest: Floats
    """Bend of `JointMoments.length` of tube that is preformed [rad]: the moments are those of the bend beyond it."""


def critical_strain(pressure: float) -> float:
    """Surface strain at which wrinkling starts [-], over growth pressure [Pa]. Source: Wang et al., fit."""
    p = (pressure - 6167.0) / 5836.0
    return float(np.polyval([0.002077863400343, 0.009091543113141, 0.014512785114617, 0.007656015122415], p))


def transition_bend(pressure: float) -> float:
    """Bend below which the tube is linear elastic [rad], over growth pressure [Pa]. Source: Wang et al., fit."""
    p = (pressure - 8957.0) / 5149.0
    return float(np.polyval([0.003180574067535, 0.020924128997619, 0.048366932757916, 0.037544481890778], p))


def wrinkling(params: VineParams) -> tuple[float, float]:
    """Critical surface strain [-] of a tube, and the bend of its `moment_length` up to which it is linear elastic [rad].

    Where nothing is known of the film they are the fits of Wang et al. over the growth pressure. Where EI is known, a tube is
    an elastic beam up to pi P R^3 / 2, where its film goes slack on one side (Comer and Levy, 1963); Eq. 2 goes on from there.

    Raises:
        ValueError: A tube so soft, or with such a growth pressure, that it would be bent double before it wrinkles.
    """
    stiffness, pressure = params.elastic_stiffness, params.growth_pressure
    if stiffness is None:
        return critical_strain(pressure), transition_bend(pressure)
    onset = np.pi * pressure * params.radius**3 / 2
    transition = onset * params.moment_length / stiffness
    if not transition < LARGEST_TRANSITION:
        least = onset * params.moment_length / LARGEST_TRANSITION
        raise ValueError(
            f"bending stiffness EI = {stiffness:g} N m2 must be greater than {least:.3g}: softer, {1e3 * params.moment_length:g} mm "
            f"of this tube would bend by {LARGEST_TRANSITION:g} rad before they wrinkle"
        )
    return float(np.sin(transition / 2)), float(transition)


def restoring_moment(bend: ArrayLike, params: VineParams) -> Floats:
    """Moment with which an inflated tube resists a bend (wrinkling model).

    Args:
        bend: Bend angle of `params.moment_length` of tube [rad], any shape, |bend| <= pi.
    Returns:
        Moment [N m], same shape and sign as `bend`.
    Source: paper 002, Eq. 2; linear below the transition (`wrinkling`).
    """
    bend = np.asarray(bend, float)
    critical, transition = wrinkling(params)
    magnitude = np.clip(np.abs(bend), transition, np.pi)
    # delta = pi - gamma_0 of Eq. 2b; in it numerator and denominator of Eq. 2a both vanish like delta^3.
    delta = np.arccos(np.clip(1 - 2 * critical / np.sin(magnitude / 2), -1.0, 1.0))
    with np.errstate(invalid="ignore"):
        ratio = (2 * delta - np.sin(2 * delta)) / (4 * (np.sin(delta) - delta * np.cos(delta)))
    ratio = np.where(delta < 0.05, 1 - delta**2 / 10 + 23 * delta**4 / 4200, ratio)
    wrinkled = np.pi * params.growth_pressure * params.radius**3 * ratio
    return np.asarray(np.sign(bend) * wrinkled * np.minimum(np.abs(bend) / transition, 1.0))


def collapse_moment(params: VineParams) -> float:
    """Moment at which a tube folds [N m]; see `VineParams.collapse_share`.

    Raises:
        ValueError: It would fold before it wrinkles.
    """
    full = np.pi * params.growth_pressure * params.radius**3
    onset = float(restoring_moment(wrinkling(params)[1], params) / full)
    if params.collapse_share < onset:
        raise ValueError(
            f"collapse_share = {params.collapse_share:g} must be at least {onset:.3g}: a tube wrinkles before it folds"
        )
    return float(params.collapse_share * full)


@cache
def joint_moments(params: VineParams) -> JointMoments:
    """Tabulate the moments of a tube and its actuators for the compiled kernels (about 0.3 s)."""
    transition, ratio = wrinkling(params)[1], params.moment_length / params.segment_length
    folds = params.collapse_share < 1
    # A segment may fold by half a turn, whatever its length.
    largest = np.pi * max(ratio, 1.0) if folds else np.pi
    bends = np.linspace(transition, largest, BENDS + 1)
    rising = restoring_moment(np.minimum(bends, np.pi), params)
    collapse = collapse_moment(params) if folds else np.inf
    moment = folding_moment(bends, rising, collapse, ratio) if folds else rising
    elasticity = Elasticity(
        transition,
        stiffness=float(rising[0] / transition),
        per_bend=BENDS / (largest - transition),
        pivot=params.pivot,
        factor=1.0,
        collapse=float(bends[min(int(np.searchsorted(rising, collapse)), BENDS)]) if folds else largest,
    )
    published = params.physics == "published"
    tables, thickness = zip(*(tabulate_actuator(one, published) for one in params.actuators), strict=True)
    kinds, length = range(len(tables)), params.moment_length
    arms = np.array([(params.arm(k), params.taut_arm(k), params.arm(k) / length) for k in kinds])
    met = params.thickness_share * np.array(thickness)
    return JointMoments(elasticity, moment, rising, stack(tables), arms, length, params.segment_length, met)


@compiled(forceinline=True)
def moment_and_slope(
    elasticity: Elasticity,
    moments: Floats,
    rising: Floats,
    unsaturated: Floats,
    saturated: Floats,
    taut: Floats,
    arms: Floats,
    bend: float,
    pressure: float,
    of: CellPosition,
) -> tuple[float, float]:
    """`total_moment` with the tables by themselves, for loops over many joints."""
    magnitude = abs(bend)
    if magnitude <= elasticity.transition:
        slope = elasticity.stiffness
        moment = slope * magnitude
    else:
        position = min((magnitude - elasticity.transition) * elasticity.per_bend, BENDS - 1e-9)
        left, factor = int(position), elasticity.factor
        start = factor * moments[left]
        moment = start + (position - left) * (factor * moments[left + 1] - start)
        slope = (factor * rising[left + 1] - factor * rising[left]) * elasticity.per_bend
    if bend < 0.0:
        moment = -moment
    if pressure != 0.0:
        kind = of.row // (ROWS + 1)
        far, per_bend = arms[kind, ARM], arms[kind, PER_BEND]
        per_bend = per_bend if pressure > 0.0 else -per_bend
        arm, against = far, per_bend * bend < 0.0
        if against:
            arm = arms[kind, TAUT_ARM]
            per_bend *= arm / far
        force, force_slope = force_and_slope(unsaturated, saturated, taut, of, per_bend * bend)
        if against:
            straight = (1.0 - of.weight) * unsaturated[of.row, 0] + of.weight * unsaturated[of.row + 1, 0]
            # The moment stays that of the straight tube while the pivot moves from the far to the near wall.
            if arm * force < far * straight:
                arm, force, force_slope = far, straight, 0.0
        moment -= pressure * arm * force
        slope -= pressure * arm * force_slope * per_bend
    return moment, slope


@compiled()
def total_moment(joint: JointMoments, bend: float, pressure: float, of: CellPosition) -> tuple[float, float]:
    """Moment of one joint with its actuator [N m], and its slope [N m / rad].

    Args:
        bend: Bend of `joint.length` of tube [rad].
        pressure: Actuator pressure [Pa], positive where it bends the tube to the left, 0 without actuator.
    Source: paper 002, Eq. 3; rises with the bend, so its integral is a convex potential.
    """
    tables = joint.tables
    return moment_and_slope(
        joint.elasticity,
        joint.moment,
        joint.rising,
        tables.unsaturated,
        tables.saturated,
        tables.taut,
        joint.arms,
        bend,
        pressure,
        of,
    )


@compiled()
def rest_bend(joint: JointMoments, pressure: float, of: CellPosition) -> float:
    """Bend of `joint.length` of tube in free space [rad]: the root of the total moment, at most the bend at which the tube folds."""
    if pressure == 0.0:
        return 0.0
    side = 1.0 if pressure > 0.0 else -1.0
    low, high = 0.0, min(joint.elasticity.collapse, np.pi)
    for _ in range(45):
        middle = 0.5 * (low + high)
        if side * total_moment(joint, side * middle, pressure, of)[0] < 0.0:
            low = middle
        else:
            high = middle
    return side * 0.5 * (low + high)


@compiled()
def _free_curvatures(joint: JointMoments, kind: Integers, pressure: Floats, l_0: Floats, curvature: Floats) -> None:
    for i in range(pressure.size):
        curvature[i] = rest_bend(joint, pressure[i], cell(joint.tables, kind[i], l_0[i])) / joint.length


def free_curvature(joint: JointMoments, pressure: ArrayLike, l_0: ArrayLike, kind: ArrayLike | None = None) -> Floats:
    """Angle by which an actuated tube turns in free space per length of its film [1/m]; see `centerline_curvature`.

    Args:
        pressure: Actuator pressure [Pa], signed by side, any shape.
        l_0: Cell length [m], broadcast against it.
        kind: Number of the actuator in `VineParams.actuators` [-], broadcast against it; None for the first.
    Source: paper 002, Eq. 3b = 0.
    """
    number = np.asarray(0 if kind is None else kind, np.int64)
    pressure, l_0, number = np.broadcast_arrays(np.asarray(pressure, float), np.asarray(l_0, float), number)
    curvature = np.empty(pressure.shape)
    _free_curvatures(joint, number.ravel(), pressure.ravel(), l_0.ravel(), curvature.reshape(-1))
    return curvature


def centerline_curvature(curvature: ArrayLike, params: VineParams) -> Floats:
    """Curvature of the centreline of a tube in free space [1/m], from the angle by which a length of its film turns [1/m].

    The wall on the outer side of the bend keeps its length and has the radius 1 / curvature; the centreline is nearer to the
    centre of the bend by `VineParams.pivot`.

    Args:
        curvature: Turn per length of film [1/m], any shape; see `free_curvature`.
    """
    curvature = np.asarray(curvature, float)
    return np.asarray(curvature / (1.0 - params.pivot * np.abs(curvature)))


@compiled()
def _holding_pressures(joint: JointMoments, kind: Integers, bend: Floats, l_0: Floats, pressure: Floats) -> None:
    for i in range(bend.size):
        if bend[i] != 0.0:
            side, of = np.sign(bend[i]), cell(joint.tables, kind[i], l_0[i])
            moment = total_moment(joint, bend[i], 0.0, of)[0]
            # The pull is linear in pressure: what one pascal takes off the moment is its share.
            pressure[i] = side * moment / (moment - total_moment(joint, bend[i], side, of)[0])


def holding_pressure(
    joint: JointMoments, curvature: ArrayLike, l_0: ArrayLike, kind: ArrayLike | None = None
) -> Floats:
    """Actuator pressure that holds a tube at a curvature in free space [Pa], signed by side: undoes `free_curvature`.

    Args:
        curvature: Angle per length of film [1/m], any shape, short of the cells' full contraction: there the pull ends.
        l_0: Cell length [m], broadcast against it.
        kind: As for `free_curvature`.
    Source: paper 002, Eq. 3b = 0, solved for the pressure.
    """
    number = np.asarray(0 if kind is None else kind, np.int64)
    curvature, l_0, number = np.broadcast_arrays(np.asarray(curvature, float), np.asarray(l_0, float), number)
    pressure = np.zeros(curvature.shape)
    _holding_pressures(joint, number.ravel(), curvature.ravel() * joint.length, l_0.ravel(), pressure.reshape(-1))
    return pressure


def new_vine(angles: Floats, pressure: Floats) -> Vine:
    """Make a vine that refers to these bends and pressures, shape (max_segments,) each; `look_up_cells` fills in the other fields."""
    room = len(pressure)
    row, (pivots, weight, per_strain, saturated, rest) = np.empty(room, np.int64), np.empty((5, room))
    return Vine(angles, pivots, pressure, row, weight, per_strain, saturated, rest)


def new_actuated_vine(
    joint: JointMoments,
    angles: Floats,
    pressure: Floats,
    l_0: Floats,
    preformed: Floats | None = None,
    kind: Integers | None = None,
) -> Vine:
    """Make a vine with given bends and parts of an `Actuation`, shape (max_segments,) each; it refers to `angles` itself.

    Args:
        preformed: None for straight tube.
        kind: None for the first of its actuators.
    """
    vine, straight, first = new_vine(angles, pressure), np.zeros(len(pressure)), np.zeros(len(pressure), np.int64)
    look_up_cells(joint, vine, l_0, straight if preformed is None else preformed, first if kind is None else kind)
    return vine


@compiled()
def look_up_cells(joint: JointMoments, vine: Vine, l_0: Floats, preformed: Floats, kind: Integers) -> None:
    """Fill in the pivots, cells and preformed bends of a vine, from its pressures and the other parts of its `Actuation`."""
    pivot, pressure = joint.elasticity.pivot, vine.pressure
    for j in range(len(l_0)):
        of = cell(joint.tables, kind[j], l_0[j]) if pressure[j] != 0.0 else CellPosition(0, 0.0, 0.0, 0.0)
        side = pressure[j] if pressure[j] != 0.0 else preformed[j]
        vine.pivots[j] = pivot if side > 0.0 else -pivot if side < 0.0 else 0.0
        vine.rest[j] = preformed[j] * joint.length
        vine.row[j], vine.weight[j] = of.row, of.weight
        vine.per_strain[j], vine.per_strain_saturated[j] = of.per_strain, of.per_strain_saturated


@compiled(forceinline=True)
def linearise(
    joint: JointMoments, vine: Vine, segments: int, scale: float, growing: float, moment: Floats, slope: Floats
) -> None:
    """Moment of every joint about its present bend [N m], and its slope over the bend of `joint.length` of tube [N m / rad].

    Args:
        scale: `joint.length` over the length of the vine's segments [-].
        growing: Bend of the last segment, scaled to `joint.length` [rad]: each model has its own for a new segment.
        moment: Written to, as is `slope`, shape (max_segments,).
    """
    # Taking an array out of a tuple costs as much as a look-up in it: do it once.
    elasticity, moments, rising = joint.elasticity, joint.moment, joint.rising
    unsaturated, saturated, taut, arms = joint.tables.unsaturated, joint.tables.saturated, joint.tables.taut, joint.arms
    angles, pressures, row, weight = vine.angles, vine.pressure, vine.row, vine.weight
    per_strain, per_strain_saturated, rest = vine.per_strain, vine.per_strain_saturated, vine.rest
    for j in range(segments):
        bend = (growing if j == segments - 1 else scale * angles[j]) - rest[j]
        of = CellPosition(row[j], weight[j], per_strain[j], per_strain_saturated[j])
        moment[j], slope[j] = moment_and_slope(
            elasticity, moments, rising, unsaturated, saturated, taut, arms, bend, pressures[j], of
        )


@compiled()
def rest_of(joint: JointMoments, vine: Vine, j: int) -> float:
    """Bend of `joint.length` of tube at joint j in free space [rad]: what is preformed, and what its actuator adds."""
    of = CellPosition(vine.row[j], vine.weight[j], vine.per_strain[j], vine.per_strain_saturated[j])
    return vine.rest[j] + rest_bend(joint, vine.pressure[j], of)

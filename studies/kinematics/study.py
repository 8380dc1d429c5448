"""Single-turn vines grown into a flat wall with propagators independent of paper 003, compared with its predictions.

The wall has no friction unless a model says so. The vine starts in the shape in which its tip touches the wall, and
grows slightly further.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product, starmap
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynamics.geometric.kinematics import Behaviour, behaviour, boundaries, hinge_boundaries
from dynamics.impulse.propagator import Impulse
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, VineState, centerlines
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from surrogate.actuators import Grid, Limits
from surrogate.force_table import COLUMNS, FINE_LENGTHS, LENGTHS, NODES, ForceRows
from surrogate.kernels.compiled import Floats

RADIUS, AFTER, SEGMENT = 24e-3, 0.4, 0.1
"""Tube radius, length after the turn, and length of a segment [m]."""
TURNS_DEG, RATIOS, CONTACT_ANGLES_DEG = (20, 40, 60, 80), (0.5, 1.0, 2.0), range(7, 175, 5)
"""Parameters of the collisions: turns, ratios of the lengths before and after the turn, contact angles. None is on a boundary."""
GROWN = 0.04
"""Length that a vine grows in contact [m]."""
SLID = 0.1
"""A tip that slides by less than this share of the grown length is considered fixed [-]."""
STIFF = 200.0
"""Pull of a straightened fold, relative to the maximum that the tube can resist [-]."""
FORMS = {"paper": boundaries, "limit analysis": hinge_boundaries}


@dataclass(frozen=True, slots=True)
class Fold:
    """A preformed turn: film on one side of a segment is folded and taped (paper 003, section 2.2).

    It is modelled as an actuator with a large force until the bend of the segment corresponds to the folded length, and no force
    beyond. So the tube cannot straighten, and only its own moment resists further bending. Its cell length is the folded length.
    """

    kind: ClassVar[str] = "fold"
    cell_name: ClassVar[str] = "fold"

    pull: float = STIFF * np.pi * RADIUS**2 / 2
    """F_t / P of a straightened fold [m^2]."""
    segment_length: float = SEGMENT
    """Length of the segment with the fold [m]."""
    offset: float = 0.0
    """[m]"""
    flat_width: float = 0.0
    """[m]"""
    limits: Limits = field(default_factory=Limits)
    """Not used."""

    @property
    def grid(self) -> Grid:
        """All tabulated lengths."""
        return Grid(LENGTHS)

    def full_contraction(self, l_0: ArrayLike) -> Floats:
        """Strain of the side when the fold is slack [-]."""
        return np.asarray(l_0, float) / self.segment_length

    def force_per_pressure(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """F_t / P [m^2], which decreases linearly to 0."""
        return np.asarray(self.pull * np.maximum(1 - np.asarray(strain, float) / self.full_contraction(l_0), 0.0))

    def thickness(self, strain: ArrayLike, l_0: ArrayLike) -> Floats:
        """Zero: taped film does not stand out [m]."""
        return np.zeros(np.broadcast_shapes(np.shape(strain), np.shape(l_0)))

    def tabulate(self) -> ForceRows:
        """Tabulate the force; a fold does not saturate."""
        force = self.force_per_pressure(NODES * self.full_contraction(LENGTHS)[:, None], LENGTHS[:, None])
        return ForceRows(force, self.full_contraction(FINE_LENGTHS), np.zeros(COLUMNS + 1), np.inf)


@dataclass(frozen=True, slots=True)
class CollisionModel:
    """A propagator and the pressure of its tube."""

    name: str
    propagator: str
    pressure: float
    """Growth pressure [Pa]. The lower it is, the stiffer is the film of the moment model in comparison."""
    friction: float = 0.0
    """Coefficient of friction of the tip [-]."""
    least_height: float = 1.0
    """See `VineParams`."""

    def params(self) -> VineParams:
        """Return the tube: its growth force is pi P R^2, and its viscosities are scaled with that force from those of the default tube."""
        usual = VineParams()
        share, force = RADIUS / usual.radius, np.pi * self.pressure * RADIUS**2
        return VineParams(
            radius=RADIUS,
            growth_pressure=self.pressure,
            segment_length=SEGMENT,
            growth_share=1.0,
            growth_viscosity=usual.growth_viscosity * force / usual.growth_force,
            bending_viscosity=usual.bending_viscosity * force / usual.growth_force * share,
            friction=self.friction,
            least_height=self.least_height,
            physics="published",
            actuator=Fold(),
        )

    def make(self, environment: Environment) -> Propagator:
        """Return the propagator, with short steps because the tube is stiff until it yields."""
        if self.propagator == "impulse":
            # Damping is proportional to the initial stiffness; with the default damping time, its moment equals the tube's.
            params = replace(self.params(), inertia=Inertia(damping_time=1e-3, growth_rate=0.02))
            return Impulse(environment, params, step=2e-3, threads=1)
        return QuasiStatic(environment, self.params(), step=1e-3, threads=1)


MODELS = (
    CollisionModel("quasistatic, 0.5 kPa", "quasistatic", 500.0),
    CollisionModel("quasistatic, 10.3 kPa", "quasistatic", VineParams().growth_pressure),
    CollisionModel("impulse, 0.5 kPa", "impulse", 500.0),
)
EFFECTS = (
    CollisionModel("friction 0.3", "quasistatic", VineParams().growth_pressure, friction=0.3),
    CollisionModel("walls dent the tube", "quasistatic", VineParams().growth_pressure, least_height=0.5),
)
"""`quasistatic` at 10.3 kPa with effects that the default leaves out, one each. Paper 003 measured a friction of 0.3."""


@dataclass(frozen=True, slots=True)
class Collision:
    """A vine with one turn to the left whose tip meets a wall."""

    turn: float
    """[rad]"""
    ratio: float
    """Length before the turn relative to that after it [-]."""
    contact_angle: float
    """[rad]"""

    @property
    def environment(self) -> Environment:
        """The wall along the x axis, with the base placed so that the tip touches the wall at x = 0."""
        heading = -self.contact_angle - self.turn
        legs = AFTER * np.exp(-1j * self.contact_angle) + self.ratio * AFTER * np.exp(1j * heading)
        start = np.array([-legs.real, RADIUS + 1e-4 - legs.imag, heading])
        wall = Obstacles((box_corners(-2.0, -0.2, 2.0, 0.0),))
        goal = np.array([1.8, 1.4, 0.05])
        return Environment("wall", "", np.array([-2.0, -0.2, 2.0, 1.6]), start, goal, wall)

    def possible(self) -> bool:
        """Return whether the base is in front of the wall."""
        return bool(self.environment.start[1] > 1.1 * RADIUS)

    def limits(self, friction: float = 0.0) -> dict[str, Floats]:
        """Contact angles at which the behaviour changes, for each of `FORMS` [rad]."""
        return {name: form(friction, self.turn, self.ratio, RADIUS / AFTER) for name, form in FORMS.items()}


@dataclass(frozen=True, slots=True)
class CollisionOutcome:
    """Motion of a vine in a collision."""

    model: str
    collision: Collision
    base: float
    """Rotation of the line from base to turn [rad]."""
    turn: float
    """Rotation of the line from turn to tip, relative to that [rad]."""
    slid: float
    """Displacement of the tip along the wall [m]."""
    grown: float
    """Length grown in contact [m]."""
    friction: float = 0.0
    """Coefficient of friction of the tip [-]."""

    @property
    def seen(self) -> Behaviour:
        """The observed behaviour."""
        if abs(self.slid) <= SLID * GROWN or self.grown < GROWN / 2:
            return Behaviour.FRICTION_LOCKED
        if self.turn > abs(self.base):
            return Behaviour.PIVOT_AT_TURN
        return Behaviour.POSITIVE_PIVOT if self.base > 0 else Behaviour.NEGATIVE_PIVOT

    def predicted(self, form: str) -> Behaviour:
        """Return the behaviour predicted by one of `FORMS`."""
        return Behaviour(int(behaviour(self.collision.contact_angle, self.collision.limits(self.friction)[form])))

    def off(self, form: str) -> float:
        """Change of the contact angle that would make the prediction of one of `FORMS` right [rad]."""
        edges = np.concatenate([[0.0], self.collision.limits(self.friction)[form], [np.pi]])
        low, high = edges[self.seen], edges[self.seen + 1]
        return float(abs(self.collision.contact_angle - np.clip(self.collision.contact_angle, low, high)))


def list_collisions() -> list[Collision]:
    """Return all possible collisions."""
    cases = product(np.radians(TURNS_DEG), RATIOS, np.radians(CONTACT_ANGLES_DEG))
    made = (Collision(float(turn), ratio, float(angle)) for turn, ratio, angle in cases)
    return [one for one in made if one.possible()]


def collide(model: CollisionModel, collision: Collision) -> CollisionOutcome:
    """Grow one vine in contact with the wall."""
    params, environment = model.params(), collision.environment
    before, after = round(collision.ratio * AFTER / SEGMENT), round(AFTER / SEGMENT)
    count = before + after + int(np.ceil(GROWN / SEGMENT))
    carried = Actuation(np.zeros((1, count)), np.zeros((1, count)))
    angles, fold = np.zeros((1, count)), 2 * RADIUS * collision.turn
    carried.pressure[0, before], carried.l_0[0, before] = params.growth_pressure, fold
    angles[0, before] = SEGMENT * free_curvature(joint_moments(params), params.growth_pressure, fold)
    state = VineState(angles, np.array([before + after]), np.array([SEGMENT]))
    rollout = model.make(environment).grow(state, carried, GROWN, GROWN / 20)
    if not rollout.records[0]:
        return CollisionOutcome(model.name, collision, 0.0, 0.0, 0.0, 0.0, model.friction)
    last = rollout.state(np.zeros(1, np.int64), rollout.records - 1)
    lines = [_lines(one, environment, params, before) for one in (state, last)]
    # Angles are known up to multiples of 2 pi; no line rotates by pi or more.
    base, end = (float(np.angle(now / then)) for then, now in zip(*lines, strict=True))
    grown = (last.segments[0] - state.segments[0]) * SEGMENT + last.last_length[0] - SEGMENT
    slid = rollout.tips[0, rollout.records[0] - 1, 0]
    return CollisionOutcome(model.name, collision, base, end - base, float(slid), float(grown), model.friction)


def cases() -> list[tuple[CollisionModel, Collision]]:
    """Return all combinations of a model and a collision."""
    return list(product((*MODELS, *EFFECTS), list_collisions()))


def run_cases(several: Sequence[tuple[CollisionModel, Collision]]) -> Iterator[CollisionOutcome]:
    """Run cases in sequence."""
    return starmap(collide, several)


def _lines(state: VineState, environment: Environment, params: VineParams, turn: int) -> NDArray[np.complex128]:
    """The lines from base to turn and from turn to tip of one vine, as complex numbers [m]."""
    joints = centerlines(state, environment.start, params)[0]
    x, y = joints[~np.isnan(joints[:, 0])].T
    return np.diff((x + 1j * y)[[0, turn, -1]])

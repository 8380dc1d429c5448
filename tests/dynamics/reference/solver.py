"""Reference for the quasi-static growth of vines in contact: slow, simple, and with no code of the rollout kernels.

The energy of a vine of a given length is that of its joints (`joints.py`) and of its contacts, k/2 times the penetration squared
(`touching.py`). Growth is a sequence of equilibria: after each millimetre the vine follows the descent of this energy with
joints of equal viscosity until nothing moves. Each step of the descent is a quadratic programme with the full Hessian: that of the
bending, of the geometry under the contact forces, and of the contacts that are closed. Its unknowns are the bends and, while
the tip grows, the growth. A step with a Hessian that is not positive definite is repeated with more viscosity, so that a vine
never rests where it is not stable.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from dynamics.tube import VineParams
from environments.environment import Environment
from tests.dynamics.reference.joints import JointLaw
from tests.dynamics.reference.shape import Floats, Shape, material_of, shape_of
from tests.dynamics.reference.touching import SIDE, Touching, curvature_of_gaps, directions, solids_of, touching

GROWTH = 1e-3
"""Growth between two equilibria [m]."""
MARGIN = 12e-3
"""Contacts with a smaller gap are considered [m]."""
LONGEST_MOVE = 3e-3
"""Nothing moves farther in a step [m]."""
LEAST_MOVE = 1e-7
"""Steps that move nothing farther are not checked for overshooting [m]."""
AT_REST = 1e-6
"""A vine of which nothing moves farther in a step with little viscosity [m] is at rest."""
BALANCED = 2e-5
"""Largest moment that may be missing in a joint at rest [N m]."""
LONGEST_STEP, REST_STEP = 1.0, 0.3
"""Longest step, and the shortest after which a vine counts as at rest [m of free growth]."""
MOST_STEPS = 20000
"""Maximum number of steps of one descent."""
SNAP = 20e-3
"""A descent that moves a joint by more is a snap [m]."""
STALL, STALL_CYCLES = 1e-6, 4
"""A vine that grows less in each of so many successive cycles of growth and rest [m] has stalled."""


class NoStep(RuntimeError):
    """A step has no solution, or a descent does not end."""


@dataclass(slots=True)
class Snap:
    """A motion at constant length."""

    length: float
    """Length of the vine [m]."""
    before: Floats
    """Tip before the snap [m], shape (2,)."""


@dataclass(slots=True)
class Grown:
    """End and states of a vine."""

    status: str = "GROWN"
    """A name of `Status`."""
    lengths: list[float] = field(default_factory=list)
    """Length at each recorded equilibrium [m]."""
    joints: list[Floats] = field(default_factory=list)
    """Joints of each from base to tip [m], shape (n + 1, 2)."""
    bends: list[Floats] = field(default_factory=list)
    """Bends of each [rad], shape (n,)."""
    snaps: list[Snap] = field(default_factory=list)


class Reference:
    """One vine in an environment, at an equilibrium."""

    def __init__(
        self,
        environment: Environment,
        params: VineParams,
        pressure: Floats,
        l_0: Floats,
        physics: str = "corrected",
        fine: bool = False,
    ) -> None:
        """A vine of no length.

        Args:
            pressure: Of the actuator of each segment [Pa], negative on the right, 0 where there is none, shape (segments,).
            l_0: Cell length of each [m], same shape.
            physics: "corrected", or "published": links keep their length, the moment is one per joint, taut cells are linear.
            fine: Whether to come to rest twice as often, with steps that move a third as far.
        """
        self.environment, self.params, self.physics = environment, params, physics
        self.solids = solids_of(environment)
        self.law = JointLaw(params, pressure, l_0, physics)
        self.shortens = (pressure != 0) & (physics == "corrected")
        self.longest = len(pressure) * params.segment_length
        self.bends, self.last_length = np.zeros(0), params.segment_length
        self.growth, self.longest_move = (GROWTH / 2, LONGEST_MOVE / 3) if fine else (GROWTH, LONGEST_MOVE)
        self._known: tuple[Shape, Touching, Floats] | None = None
        self.force: dict[tuple[int, int, int], float] = {}
        """Force of each closed contact in the last step [N]."""
        self.solved = 0
        """Linear systems solved."""

    @property
    def length(self) -> float:
        """Length of the material [m]."""
        return max(len(self.bends) - 1, 0) * self.params.segment_length + self.last_length * (len(self.bends) > 0)

    def shape(self, bends: Floats | None = None, last_length: float | None = None) -> Shape:
        """The vine at its own or other bends [rad] and length of the last segment [m]."""
        bends = self.bends if bends is None else bends
        last = self.last_length if last_length is None else last_length
        material = material_of(len(bends), last, self.params.segment_length)
        shortens = self.shortens[: len(bends)]
        return shape_of(self.environment.start, bends, material, shortens, self.params.radius)

    def _material(self, more: float = 0.0) -> Floats:
        return material_of(len(self.bends), self.last_length + more, self.params.segment_length)

    def here(self) -> tuple[Shape, Touching, Floats]:
        """The vine's shape, its contacts, and their `directions`."""
        if self._known is None:
            shape = self.shape()
            contacts = touching(self.solids, shape, self.params.radius, MARGIN)
            self._known = shape, contacts, directions(shape, contacts)
        return self._known

    def residual(self) -> Floats:
        """Moment that is missing in each joint for an equilibrium [N m], shape (n,)."""
        _, contacts, rows = self.here()
        moment = self.law.moment(self.bends, self._material())[0]
        return moment + self.params.contact_stiffness * np.minimum(contacts.gap, 0.0) @ rows

    def _solve(
        self, hessian: Floats, pull: Floats, contacts: Touching, rows: Floats, bounds: tuple[float, float]
    ) -> tuple[Floats, Floats]:
        """Step d and contact forces that minimise d' H d / 2 - pull' d + k/2 |(gap + rows d)-|^2, bounds on its last entry.

        Sweeps over sets of closed contacts until one is right for its own solution: then the step is exact.

        Raises:
            LinAlgError: It has no minimum, or the sweeps go round in a circle.
        """
        stiffness, grows = self.params.contact_stiffness, bounds[1] > 0
        closed = np.array([self.force.get(key, 0.0) > 0 for key in contacts.keys], bool) | (contacts.gap < 0)
        state, size = 1 if grows else 0, len(pull)  # growth: -1 none, 0 free or not asked for, 1 at most
        for _ in range(40):
            active = rows[closed]
            whole = hessian + stiffness * active.T @ active
            right = pull - stiffness * contacts.gap[closed] @ active
            step, self.solved = np.zeros(size), self.solved + 1
            free = slice(0, size - abs(state))
            if state:
                step[-1] = bounds[(state + 1) // 2]
                right = right - whole[:, -1] * step[-1]
            step[free] = cho_solve(cho_factor(whole[free, free]), right[free])
            drive = right[-1] - whole[-1, :-1] @ step[:-1] if state else 0.0
            gap = contacts.gap + rows @ step
            then = gap < 0
            if grows:
                state, before = 0 if state * drive < 0 else state, state
                if before == 0:
                    state = 1 if step[-1] > bounds[1] else -1 if step[-1] < bounds[0] else 0
            if (then == closed).all() and (not grows or state == before):
                return step, np.where(closed, -stiffness * gap, 0.0)
            closed = then
        raise LinAlgError("sets of closed contacts go round in a circle")

    def _step(self, time: float, growth: float) -> tuple[float, float, float]:
        """Bend, and grow by at most a length [m]; returns the motion [m], the growth [m] and the time that the step took."""
        params, count = self.params, len(self.bends)
        shape, contacts, rows = self.here()
        force = np.array([self.force.get(key, 0.0) for key in contacts.keys])
        own = self._material(growth)
        bends, curvature = self.bends, 0.0
        if growth:
            born = self.last_length < 1e-9
            curvature = self.law.free_curvature(count - 1) if born else bends[-1] / self.last_length
            bends = np.append(bends[:-1], curvature * own[-1])
            tip = (contacts.link == count - 1) & (contacts.kind != SIDE)
            ahead = np.where(tip, contacts.normal @ shape.along[-1], 0.0) + curvature * rows[:, -1]
            rows = np.column_stack([rows, ahead])
        geometry = curvature_of_gaps(shape, contacts, force)
        moment, tangent = self.law.moment(bends, own)
        for _ in range(60):
            try:
                slope, damping = tangent, params.bending_viscosity / time
                for _ in range(8):
                    hessian = np.diag(slope + damping) - geometry
                    pull = -moment
                    if growth:
                        hessian = np.pad(hessian, (0, 1))
                        hessian[-1, -1] = params.growth_viscosity / time
                        pull = np.append(pull, params.growth_force)
                    step, force = self._solve(hessian, pull, contacts, rows, (0.0, growth))
                    turn = step[:count]
                    # Where the moment is not linear over the step, its secant replaces the tangent.
                    risen = self.law.moment(bends + turn, own)[0] - moment
                    missed = np.abs(risen - slope * turn).max()
                    if missed < 1e-6 + 1e-3 * damping * np.abs(turn).max():
                        break
                    slope = np.where(np.abs(turn) > 1e-9, risen / np.where(turn == 0, 1.0, turn), tangent)
            except LinAlgError:
                time /= 3
                continue
            more = step[-1] if growth else 0.0
            turned = self.bends + turn
            turned[-1] += curvature * more
            ahead = self.shape(turned, self.last_length + more)
            motion = np.hypot(*(ahead.joints - shape.joints).T).max() - more
            if motion < self.longest_move and missed < 0.05:
                self.bends, self.last_length, self._known = turned, self.last_length + more, None
                self.force = {key: one for key, one in zip(contacts.keys, force, strict=True) if one > 0}
                return motion, more, time
            time /= 2
        raise NoStep(f"no step at {self.length:.4f} m")

    def rest(self) -> float:
        """Descend to rest at constant length; returns how far a joint came [m]."""
        before, time, missing = self.here()[0].joints, 0.1, self.residual()
        for _ in range(MOST_STEPS):
            bends, force, known = self.bends, self.force, self._known
            motion, _, took = self._step(time, 0.0)
            last, missing = missing, self.residual()
            turn = self.bends - bends
            if motion > LEAST_MOVE and missing @ turn > abs(last @ turn) / 2:
                # It went past the lowest energy of its way.
                self.bends, self.force, self._known, missing, time = bends, force, known, last, took / 3
                continue
            if motion < AT_REST and took >= REST_STEP and np.abs(missing).max() < BALANCED:
                return np.hypot(*(self.here()[0].joints - before).T).max()
            time = min(
                LONGEST_STEP,
                took * (4 if motion < self.longest_move / 8 else 1.5 if motion < self.longest_move / 2 else 1),
            )
        raise NoStep(f"no rest at {self.length:.4f} m")

    def _lengthen(self, most: float, grown: Grown) -> float:
        """Grow by at most a length [m] within a segment and come to rest; returns the growth [m]."""
        _, growth, _ = self._step(0.01, most)
        tip = self.here()[0].joints[-1]
        if self.rest() > SNAP:
            grown.snaps.append(Snap(float(self.length), tip))
        return growth

    def outside(self) -> bool:
        """Whether a joint has left the bounds."""
        bounds, joints = self.environment.bounds, self.here()[0].joints
        return bool((joints < bounds[:2]).any() or (joints > bounds[2:]).any())

    def _record(self, grown: Grown) -> None:
        grown.lengths.append(self.length)
        grown.joints.append(self.here()[0].joints)
        grown.bends.append(self.bends.copy())

    def grow(self, length: float, record_every: float) -> Grown:
        """Grow to a length [m] and record an equilibrium at each multiple of another [m], and the last one."""
        grown, full, idle = Grown(), self.params.segment_length, 0
        length = min(length, self.longest)
        while self.length < length - 1e-9:
            if self.last_length > full - 1e-9:
                self.bends, self.last_length, self._known = np.append(self.bends, 0.0), 0.0, None
            due = (np.floor(self.length / record_every + 1e-6) + 1) * record_every
            grid = (np.floor(self.length / self.growth + 1e-6) + 1) * self.growth
            most = min(full - self.last_length, grid - self.length, due - self.length, length - self.length)
            growth = self._lengthen(most, grown)
            idle = idle + 1 if growth < STALL else 0
            if self.outside():
                grown.status = "OUT_OF_BOUNDS"
                break
            if idle == STALL_CYCLES:
                grown.status = "STALLED"
                break
            if self.length > due - 1e-9:
                self._record(grown)
        if not grown.lengths or self.length > grown.lengths[-1] + 1e-9:
            self._record(grown)
        return grown


def held_forces(vine: Reference) -> NDArray[np.float64]:
    """Forces of the closed contacts of a vine [N], by its penetrations."""
    gap = vine.here()[1].gap
    return -vine.params.contact_stiffness * gap[gap < 0]

"""A steered, growing vine as a point mass on an arc: in 3D (paper 004), and as a planar propagator."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynamics.euler_lagrange.planar import PlanarTube, grow_arc
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import CannotRun, Capabilities, OnHost, checked_lengths
from dynamics.table_edge import TableEdge, overhangs
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, Status, VineState, centerlines, grown_length, pivots_of
from environments.environment import Environment
from surrogate.force_table import cell
from surrogate.kernels.compiled import Floats
from surrogate.kernels.interruption import check_cut

ROUNDING = 1e-6
"""Tolerance of equal bends [rad], and of equal pressures and cell lengths, as a share of those of the first segment [-]."""
LONGEST_STEP = 0.1
"""Maximum time step [s]."""


class EulerLagrange(OnHost):
    """A vine as one arc in a horizontal plane, in free space, with a mass at its tip; each vine starts at rest.

    The moments of tube and actuator are those of the other propagators; growth rate and damping are those of `Inertia`.
    As in paper 004 all mass is at the tip: the mass that it carries, and an equivalent of the tube's own mass.
    The equations of motion are those of an arc as long as the film; the centreline that is recorded is shorter where an actuator
    bends the tube, as in the other propagators (`VineParams.pivot`).
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        contact=False,
        sections=False,
        inertia=True,
        friction=False,
        devices=("cpu",),
        preformed=False,
    )

    def __init__(
        self,
        environment: Environment,
        params: VineParams,
        step: float = 1e-3,
        tip_mass: float = 0.0,
    ) -> None:
        """Prepare the tube's moments (about 0.3 s).

        Args:
            step: Time step [s].
            tip_mass: Mass carried by the tip [kg].
        Raises:
            CannotRun: The environment has obstacles.
            ValueError: The mass or the step is out of its range.
        """
        if environment.solids.shapes():
            solid = "obstacles" if len(environment.obstacles) else "walls as bounds"
            raise CannotRun(
                f"{environment.name} has {solid}, which euler-lagrange does not support (contact=False, sections=False: one arc "
                "in free space): choose an environment without obstacles, or another propagator"
            )
        if not 0 < step <= LONGEST_STEP:
            raise ValueError(f"step = {step:g} s must be greater than 0 and at most {LONGEST_STEP:g}")
        if not 0 <= tip_mass < np.inf:
            raise ValueError(f"tip_mass = {tip_mass:g} kg must be at least 0 and finite")
        self.environment, self.params = environment, params
        self.joint, self.threads = joint_moments(params), 1
        self.tube = PlanarTube(
            tip_mass=tip_mass,
            mass_per_length=params.inertia.mass_per_length,
            growth_force=params.growth_force,
            growth_damping=params.growth_force / params.inertia.growth_rate,
            bending_damping=params.inertia.damping_time * self.joint.elasticity.stiffness,
            time_step=step,
        )

    def refined(self, parts: int = 2) -> EulerLagrange:
        """See `Propagator`."""
        return EulerLagrange(self.environment, self.params, self.tube.time_step / parts, self.tube.tip_mass)

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """See `Propagator`.

        Raises:
            CannotRun: An actuator varies along the tube, a bend is preformed, or a state is not an arc.
        """
        lengths = checked_lengths(state, actuation, length, record_every, self.params)
        broken = state.broken
        state = _reset_vines(state, broken >= 0)
        before = grown_length(state, self.params)
        pressure, l_0, kind = self._uniform_actuator(actuation, before + lengths)
        curvature = free_curvature(self.joint, pressure, l_0, kind)
        bend = self._uniform_bend(state)
        batch = len(lengths)
        most = max(int(np.ceil(lengths.max(initial=0.0) / record_every - 1e-9)), 1)
        at = before[:, None] + np.minimum(record_every * np.arange(1, most + 1), lengths[:, None])
        # The last record is exactly at the end, regardless of rounding.
        at = np.where(before[:, None] + lengths[:, None] - at < 1e-9, before[:, None] + lengths[:, None], at)
        bends, outcome = np.repeat(bend[:, None], most, axis=1), np.zeros((batch, 3), np.int64)
        for b in range(batch):
            check_cut()
            count = int(np.argmax(at[b] >= at[b, -1])) + 1
            if broken[b] >= 0:
                outcome[b] = 0, Status.NOT_FINITE, 0
                continue
            if at[b, -1] == 0.0:
                outcome[b] = 1, Status.GROWN, 0
                continue
            outcome[b] = grow_arc(
                self.tube, self.joint, float(pressure[b]), cell(self.joint.tables, int(kind[b]), float(l_0[b])),
                float(curvature[b]), float(before[b]), at[b, :count], bends[b, :count],
            )  # fmt: skip
        return self._rollout(at, bends, outcome, broken, pivots_of(actuation.pressure, self.params.pivot))

    def _uniform_actuator(self, actuation: Actuation, lengths: Floats) -> tuple[Floats, Floats, Integers]:
        """Pressure [Pa], cell length [m] and actuator of each vine, shape (batch,), which must be the same in all segments up to its
        final length."""
        if actuation.rest is not None and actuation.rest.any():
            raise CannotRun(
                "euler-lagrange does not support preformed bends (preformed=False): use a design without, or another propagator"
            )
        carried = np.arange(actuation.pressure.shape[1]) * self.params.segment_length < lengths[:, None] - 1e-9
        first, cells = actuation.pressure[:, 0], actuation.l_0[:, 0]
        other = np.abs(actuation.pressure - first[:, None]) > ROUNDING * np.abs(first[:, None])
        other |= (np.abs(actuation.l_0 - cells[:, None]) > ROUNDING * cells[:, None]) & (first[:, None] != 0)
        kind = actuation.kinds
        other |= (kind != kind[:, :1]) & (first[:, None] != 0)
        if (other & carried).any():
            raise CannotRun(
                "euler-lagrange bends a tube as one arc (sections=False): the actuator of this tube varies along it, or ends "
                "before its tip; use a design with one section from base to tip, or another propagator"
            )
        # Without an actuator the cell length may have any value, even one outside the force table.
        cells = np.where(first == 0, self.joint.tables.longest[kind[:, 0]], cells)
        return np.ascontiguousarray(first), cells, kind[:, 0]

    def _uniform_bend(self, state: VineState) -> Floats:
        """Bend of each vine [rad], shape (batch,)."""
        bend = state.angles.sum(axis=1)
        length = grown_length(state, self.params)
        expected = self._angles(length, bend, state.angles.shape[1])
        if np.abs(state.angles - expected).max(initial=0.0) > ROUNDING:
            raise CannotRun("euler-lagrange supports only arcs (sections=False): this state is not an arc")
        return np.asarray(bend, float)

    def _angles(self, length: Floats, bend: Floats, max_segments: int) -> Floats:
        """Bend at each joint of arcs [rad], proportional to the length of the segment after it, shape (..., max_segments)."""
        full = self.params.segment_length
        parts = np.clip(length[..., None] - full * np.arange(max_segments), 0.0, full)
        return parts * (bend / np.where(length > 0, length, 1.0))[..., None]

    def _rollout(self, at: Floats, bends: Floats, outcome: Integers, broken: Integers, pivots: Floats) -> Rollout:
        """Records as chains of segments; those from the first one out of bounds are dropped.

        Args:
            pivots: See `Rollout.pivots`.
        """
        full, (batch, most), max_segments = self.params.segment_length, at.shape, pivots.shape[1]
        segments = np.maximum(np.ceil(at / full - 1e-9).astype(np.int64), 1)
        last = at - (segments - 1) * full
        angles = self._angles(at, bends, max_segments)
        of_records = np.repeat(pivots, most, axis=0)
        flat = VineState(angles.reshape(-1, max_segments), segments.ravel(), last.ravel(), of_records)
        joints = centerlines(flat, self.environment.start, self.params).reshape(batch, most, max_segments + 1, 2)
        tip = np.take_along_axis(joints, segments[..., None, None], axis=2)[:, :, 0]
        tips = np.concatenate([tip, self.environment.start[2] + angles.sum(axis=2)[..., None]], axis=2)
        records, status, steps = outcome.T.copy()
        low, high = np.split(np.asarray(self.environment.bounds, float), 2)
        outside = np.any((joints < low) | (joints > high), axis=(2, 3)) | self._hangs_over(flat, joints)
        left = np.where(outside.any(axis=1), outside.argmax(axis=1), most)
        status[left < records] = Status.OUT_OF_BOUNDS
        records = np.minimum(records, left)
        # An arc has one bend: if that becomes non-finite, the first segment stands for all.
        broken = np.where(status == Status.NOT_FINITE, np.maximum(broken, 0), -1)
        return Rollout(angles, segments, last, tips, np.zeros_like(angles), records, status, steps, broken, pivots)

    def _hangs_over(self, state: VineState, joints: Floats) -> NDArray[np.bool_]:
        """Return whether the tube hangs over the edge of a table in each record, shape (batch, records).

        Args:
            state: All records of all vines, as a batch.
            joints: Their joints [m], shape (batch, records, max_segments + 1, 2), NaN beyond the tip.
        """
        if self.environment.edge != "table":
            return np.zeros(joints.shape[:2], bool)
        x, y = np.moveaxis(np.nan_to_num(joints.reshape(-1, *joints.shape[2:])), 2, 0)
        heading = self.environment.start[2] + state.angles.cumsum(axis=1)
        last = state.segments[:, None] - 1
        length = np.where(np.arange(state.angles.shape[1]) <= last, np.hypot(np.diff(x), np.diff(y)), 0.0)
        table = TableEdge(self.environment.bounds, self.params.radius)
        over = overhangs(table, x, y, np.cos(heading), np.sin(heading), length, last)
        return np.asarray(over.any(axis=1).reshape(joints.shape[:2]))


def _reset_vines(state: VineState, vines: NDArray[np.bool_]) -> VineState:
    """Reset vines of the batch to zero length."""
    return VineState(
        np.where(vines[:, None], 0.0, state.angles),
        np.where(vines, 1, state.segments),
        np.where(vines, 0.0, state.last_length),
    )

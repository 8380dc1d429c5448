"""Purely geometric growth among walls: pivots, slides and corners that hold the body (paper 003)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import shapely
from numpy.typing import ArrayLike

from dynamics.drive import Tail
from dynamics.geometric.base import walls_around
from dynamics.geometric.hinges import FRICTION, HingeTube
from dynamics.geometric.kinematics import largest_moment
from dynamics.geometric.rollout import FreeBends, SegmentedGrowth
from dynamics.geometric.walls import MITRE_LIMIT
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import CannotRun, Capabilities, OnHost, checked_lengths, friction_coefficients
from dynamics.records import Batch, Records, grow_batch, of_vine
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, VineState, pivots_of
from environments.environment import Environment
from surrogate.kernels.compiled import thread_count


class Geometric(OnHost):
    """A vine as links that rotate about pivots, corners and turns; a steered or preformed section is a turn at each of its joints.

    Links keep their length while they turn. What the bends of segments under actuators and in preformed bends shorten
    (`VineParams.pivot`) is taken off where the body is laid out in segments, so the centreline is that of the other models.

    The shape depends on the environment, the steering and the length, not on the history: every record is grown from the base,
    as if its steering had been active from the start. A state that cannot be grown in this way remains unchanged and is stalled.
    The only contact force computed is that on the tip. The drag of the tail is that of the body's links and bends; a tube whose
    tip friction holds while pivot and turn bend is checked for it only at the end of that motion.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        contact=True,
        sections=True,
        inertia=False,
        friction=True,
        tail=True,
        devices=("cpu",),
        assumed_friction=FRICTION,
    )

    def __init__(
        self, environment: Environment, params: VineParams, friction: float | None = None, threads: int | None = None
    ) -> None:
        """Inflate the obstacles (a few ms); circles and walls become polygons, see `dynamics.geometric.walls`.

        Args:
            friction: Friction coefficient of the tip on walls [-]. Default: the tube's kinetic one, or else that of the environment, or
                `FRICTION` if it has none either.
        Raises:
            CannotRun: The start is clear of an obstacle, but inside the point to which its corner is inflated.
        """
        self.walls, solids, self.heading = walls_around(environment, params.radius)
        solid = shapely.union_all(solids)
        if solid.contains_properly(shapely.Point(environment.start[:2])):
            raise CannotRun(
                f"geometric inflates corners to points up to {MITRE_LIMIT * 1e3 * params.radius:.4g} mm away, and the start is in "
                "one: move it away from the corner, or use another propagator"
            )
        self.environment, self.params = environment, params
        self.threads = threads or thread_count()
        self.pose = np.asarray(environment.start, float)
        self.joint = joint_moments(params)
        self.moment = params.collapse_share * float(largest_moment(params.growth_pressure, params.radius))
        known = friction_coefficients(params, environment, friction, FRICTION)[0]
        force = params.growth_force
        tail = Tail(params.tail_tension / force, params.tail_drag / force, params.tail_friction)
        self.tube = HingeTube(params.radius, known, self.moment / force, tail)

    def refined(self, parts: int = 2) -> Geometric:  # noqa: ARG002
        """See `Propagator`. The model has no step, so this is the same model."""
        return Geometric(self.environment, self.params, self.tube.friction, self.threads)

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """See `Propagator`."""
        lengths = checked_lengths(state, actuation, length, record_every, self.params)

        curvature = free_curvature(self.joint, actuation.pressure, actuation.l_0, actuation.kind)
        if actuation.rest is not None:
            curvature += actuation.rest
        tolerance = self.params.penetration_tolerance
        pivots = pivots_of(actuation.sides, self.params.pivot)
        model = SegmentedGrowth(self.walls, self.tube, self.joint, self.moment, tolerance, self.pose, self.heading)

        def grow(b: int, batch: Batch, records: Records, outcome: Integers) -> None:
            mine, length = of_vine(records, b), float(lengths[b])
            bends = FreeBends(curvature[b], pivots[b])
            outcome[b, :3] = model.grow(state, b, batch.angles[b], bends, length, record_every, mine)

        return grow_batch(state, actuation, lengths, record_every, self.threads, grow, self.params.pivot)

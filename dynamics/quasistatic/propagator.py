"""Quasi-static growth with exact contact: the default propagator on CPU (paper 002, Eq. 4, without penalties)."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cross_section import cross_section
from dynamics.crossover import least_on_cuda
from dynamics.cuda import check_device, default_device, device_name, may_use, to_device
from dynamics.drive import tail_of
from dynamics.moment import JointMoments, joint_moments, new_vine
from dynamics.pinned import pinned_growth
from dynamics.propagator import Capabilities, OnHost, checked_lengths, friction_coefficients
from dynamics.quasistatic.friction import Friction
from dynamics.quasistatic.models import WorldModels, models_in
from dynamics.quasistatic.rollout import grow_one
from dynamics.quasistatic.step import QuasiStaticModel, QuasiStaticTube, RestCriterion, new_work
from dynamics.records import Batch, Records, batch_of, grow_batch
from dynamics.scene import scene_of
from dynamics.self_contact import segments_apart
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, VineState, to_host
from dynamics.world import BuiltWorlds
from environments.environment import Environment
from surrogate.kernels.compiled import thread_count

if TYPE_CHECKING:
    from dynamics.quasistatic.device import Device

REST, RECORDED_REST = 1e-3, 1e-4
"""A vine of the prototype is at rest where a step at constant length moves no joint farther [m]: while it grows, and to be
recorded."""
TREMBLING = 2e-5
"""See `RestCriterion.trembling`, for the prototype [m]."""
SNAP = 20e-3
"""A vine of the prototype that moves a joint farther than this at constant length has snapped [m]."""


def rest_criterion(params: VineParams, step: float) -> RestCriterion:
    """When a tube is at rest that grows by a step [m]; the published physics takes one solve per growth.

    Of a shorter step less motion is left, or a vine could creep through a snap without ever relaxing.
    """
    if params.physics == "published":
        return RestCriterion(np.inf, np.inf, 0.0, params.segment_length / 6, np.inf)
    growing = REST * params.scale * min(step / (params.segment_length / 6), 1.0)
    recorded, trembling = min(RECORDED_REST * params.scale, growing), TREMBLING * params.scale
    return RestCriterion(growing, recorded, trembling, params.hinge_length, SNAP * params.scale)


class QuasiStatic(OnHost):
    """Each step minimises bending energy, damping and growth under contact inequalities.

    Unknowns are the joints' bends and the growth itself, which may stall. The energy is separable, so the step is a
    complementarity problem in the contacts alone (`complementarity.py`). No accepted state is deeper in an obstacle
    than the penetration tolerance.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        contact=True,
        sections=True,
        inertia=False,
        friction=True,
        body_friction=True,
        dents=True,
        tail=True,
        thickness=True,
        own_body=True,
        rests=True,
        devices=("cpu", "cuda"),
    )

    def __init__(
        self,
        environment: Environment,
        params: VineParams,
        step: float | None = None,
        threads: int | None = None,
        friction: float | None = None,
        device: str | None = None,
    ) -> None:
        """Prepare the scene (about 0.1 s).

        Args:
            step: Growth per step [m]. Default: a sixth of a segment.
            friction: Coulomb friction coefficient [-], static and kinetic. Default: those of the tube or, if it has none, that of the
                environment, or 0. With the published physics only the tip has friction.
            device: "cpu"; "cuda", where states stay on the device; or "auto", whichever is faster for a batch, see
                `dynamics.crossover`. Default: `dynamics.cuda.default_device`.
        Raises:
            ValueError: `friction` is out of its range.
            CannotRun: The device is unknown, or CUDA cannot be used.
        """
        device = device or default_device()
        check_device(device)
        kinetic, static = friction_coefficients(params, environment, friction)
        if not 0 <= kinetic < np.inf:
            raise ValueError(f"friction = {kinetic:g} must be at least 0 and finite")
        self.environment, self.params, self.friction = environment, params, friction
        self.threads = threads or thread_count()
        self.pose = np.asarray(environment.start, float)
        self.scene, margin = scene_of(environment, params)
        self.joint: JointMoments = joint_moments(params)
        stacked = params.physics == "published" or environment.stacked
        self.tube = QuasiStaticTube(
            section=cross_section(params),
            growth_force=params.growth_force,
            tail=tail_of(params),
            growth_viscosity=params.growth_viscosity,
            bending_viscosity=params.bending_viscosity * (params.moment_length / params.segment_length),
            friction=Friction(kinetic, static, params.physics != "published", params.radius),
            tolerance=params.penetration_tolerance,
            growth_step=step or params.segment_length / 6,
            margin=margin,
            most_motion=0.6 * margin,
            segments_apart=0 if stacked else segments_apart(params.radius, params.segment_length),
            relaxation=rest_criterion(params, step or params.segment_length / 6),
            pinned=np.inf,
        )
        self.device = device
        self.on_device: Device | None = None
        """Copies of the model on a CUDA device; None where it does not compute on a device."""
        if may_use(device):
            from dynamics.quasistatic.device import Device

            self.on_device = Device()
        self._as_planned: WorldModels | None = None

    @property
    def device_name(self) -> str:
        """See `Propagator`."""
        if self.on_device is None:
            return super().device_name
        return device_name() if self.device == "cuda" else f"{super().device_name}, or {device_name()}"

    @property
    def resumes(self) -> bool:
        """See `Propagator`: not with friction, whose bounds are those of the forces before."""
        return not self.friction and not self.tube.friction.static and self.on_device is None

    def start(self, batch: int, max_segments: int) -> VineState:
        """See `Propagator`."""
        state = super().start(batch, max_segments)
        return replace(state, angles=to_device(state.angles)) if self.device == "cuda" else state

    def refined(self, parts: int = 2) -> QuasiStatic:
        """See `Propagator`."""
        return self._again(self.tube.growth_step / parts, self.device)

    def stopping_where_pinned(self) -> QuasiStatic:
        """Return this model, which stalls a growing vine whose tip is pinned, see `dynamics.pinned`."""
        stopping = copy(self)
        stopping.tube = self.tube._replace(pinned=pinned_growth(self.params))
        return stopping

    def on(self, device: str) -> QuasiStatic:
        """Return this model on another device."""
        return self._again(self.tube.growth_step, device)

    def _again(self, step: float, device: str) -> QuasiStatic:
        return QuasiStatic(self.environment, self.params, step, self.threads, self.friction, device)

    @property
    def _planned(self) -> QuasiStaticModel:
        return QuasiStaticModel(self.scene, self.joint, self.tube, self.pose)

    def in_worlds(self, worlds: BuiltWorlds) -> WorldModels:
        """The model in worlds that are not quite as planned."""
        return models_in(worlds, self._planned, self.params.static_friction or 0.0)

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """See `Propagator`."""
        made = self._as_planned
        if made is None or any(a is not b for a, b in zip(made.planned, self._planned, strict=True)):
            made = self._as_planned = self.in_worlds(BuiltWorlds.starting(self.scene, self.pose[None]))
        return self.grow_in(made, np.zeros(len(state.angles), np.int64), state, actuation, length, record_every)

    def grow_in(
        self,
        models: WorldModels,
        world: Integers,
        state: VineState,
        actuation: Actuation,
        length: ArrayLike,
        record_every: float,
    ) -> Rollout:
        """Grow each vine of a batch in a world of its own; see `Propagator.grow`.

        Args:
            models: See `in_worlds`.
            world: That of each vine, shape (batch,).
        """
        lengths, pivot = checked_lengths(state, actuation, length, record_every, self.params), self.params.pivot
        if self.on_device and (self.device == "cuda" or len(lengths) >= least_on_cuda(self.on, self.threads)):
            batch = batch_of(state, actuation, lengths, record_every)
            found = self.on_device.grow(models, world, batch, pivot)
            if self.device == "cuda":
                return found
            return replace(found, angles=to_host(found.angles), contact_force=to_host(found.contact_force))

        def grow(b: int, batch: Batch, records: Records, outcome: Integers) -> None:
            vine = new_vine(batch.angles[b], batch.pressure[b])
            grow_one(b, world[b], models, batch, records, outcome, vine, new_work(len(vine.angles)))

        return grow_batch(state, actuation, lengths, record_every, self.threads, grow, pivot)

"""Quasi-static growth with exact contact: the default propagator on CPU (paper 002, Eq. 4, without penalties)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dynamics.cross_section import cross_section
from dynamics.crossover import least_on_cuda
from dynamics.cuda import check_device, default_device, device_name, simulated, to_device, why_not
from dynamics.drive import tail_of
from dynamics.moment import JointMoments, joint_moments
from dynamics.propagator import Capabilities, OnHost, checked_lengths, coefficients
from dynamics.quasistatic.friction import Friction
from dynamics.quasistatic.rollout import grow_one
from dynamics.quasistatic.step import QuasiStaticModel, QuasiStaticTube, Relaxation
from dynamics.records import Batch, Records, batch_of, grow_batch
from dynamics.scene import scene_of
from dynamics.self_contact import segments_apart
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, VineState, host
from dynamics.world import World
from environments.environment import Environment
from surrogate.compiled import thread_count

if TYPE_CHECKING:
    from dynamics.quasistatic.device import Device

REST, RECORDED_REST = 1e-3, 1e-4
"""A vine of the prototype is at rest where a step at constant length moves no joint farther [m]: while it grows, and to be
recorded."""
TREMBLING = 2e-5
"""See `Relaxation.trembling`, for the prototype [m]."""
SNAP = 20e-3
"""A vine of the prototype that moves a joint farther than this at constant length has snapped [m]."""


def _relaxation(params: VineParams, step: float) -> Relaxation:
    """When a tube is at rest that grows by a step [m]; the published physics takes one solve per growth.

    Of a shorter step less motion is left, or a vine could creep through a snap without ever relaxing.
    """
    if params.physics == "published":
        return Relaxation(np.inf, np.inf, 0.0, params.segment_length / 6, np.inf)
    growing = REST * params.scale * min(step / (params.segment_length / 6), 1.0)
    recorded, trembling = min(RECORDED_REST * params.scale, growing), TREMBLING * params.scale
    return Relaxation(growing, recorded, trembling, params.hinge_length, SNAP * params.scale)


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
        own_body=True,
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
        kinetic, static = coefficients(params, environment, friction)
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
            relaxation=_relaxation(params, step or params.segment_length / 6),
        )
        self.device = device
        self.on_device: Device | None = None
        """What the model keeps on a CUDA device; None where it does not compute on one."""
        if device == "cuda" or (device == "auto" and not simulated() and why_not() is None):
            from dynamics.quasistatic.device import Device

            self.on_device = Device()

    @property
    def device_name(self) -> str:
        """See `Propagator`."""
        if self.on_device is None:
            return super().device_name
        return device_name() if self.device == "cuda" else f"{super().device_name}, or {device_name()}"

    def start(self, batch: int, max_segments: int) -> VineState:
        """See `Propagator`."""
        state = super().start(batch, max_segments)
        return replace(state, angles=to_device(state.angles)) if self.device == "cuda" else state

    def refined(self, parts: int = 2) -> QuasiStatic:
        """See `Propagator`."""
        return self._again(self.tube.growth_step / parts, self.device)

    def on(self, device: str) -> QuasiStatic:
        """The same model on another device."""
        return self._again(self.tube.growth_step, device)

    def _again(self, step: float, device: str) -> QuasiStatic:
        return QuasiStatic(self.environment, self.params, step, self.threads, self.friction, device)

    def in_world(self, world: World) -> QuasiStatic:
        """The same model in a world that is not quite as planned; shares everything that is costly."""
        other, tube, moments = copy(self), self.tube, self.joint
        press, stiff, friction = world.growth_pressure, world.growth_pressure * world.moment, tube.friction
        if world.friction is not None:
            static = max(world.friction, self.params.static_friction or 0.0)
            friction = friction._replace(kinetic=world.friction, static=static)
        if stiff != 1.0:
            stiffness = stiff * moments.elasticity.stiffness
            other.joint = moments._replace(elasticity=moments.elasticity._replace(stiffness=stiffness, factor=stiff))
        section = tube.section._replace(
            compliance=world.compliance * tube.section.compliance, pressure=press * tube.section.pressure
        )
        other.tube = tube._replace(section=section, growth_force=press * tube.growth_force, friction=friction)
        other.scene, other.pose = world.scene, world.start
        return other

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """See `Propagator`."""
        rollout = _grow([self] * max(len(state.angles), 1), state, actuation, length, record_every)
        return rollout if self.device == "cuda" else _on_host(rollout)


def grow_in(
    models: Sequence[QuasiStatic], state: VineState, actuation: Actuation, length: ArrayLike, record_every: float
) -> Rollout:
    """Grow each vine of a batch in a world of its own, on the device or the threads of the first model; see `Propagator.grow`.

    The rollout is in host memory.

    Args:
        models: Models of the same tube, one per vine, see `QuasiStatic.in_world`.
    """
    return _on_host(_grow(models, state, actuation, length, record_every))


def _on_host(rollout: Rollout) -> Rollout:
    return replace(rollout, angles=host(rollout.angles), contact_force=host(rollout.contact_force))


def _grow(
    models: Sequence[QuasiStatic], state: VineState, actuation: Actuation, length: ArrayLike, record_every: float
) -> Rollout:
    first = models[0]
    lengths = checked_lengths(state, actuation, length, record_every, first.params)
    if first.on_device and (first.device == "cuda" or len(lengths) >= least_on_cuda(first.on, first.threads)):
        from dynamics.quasistatic.device import grow_on_device

        return grow_on_device(models, first.on_device, batch_of(state, actuation, lengths, record_every))

    def grow(b: int, batch: Batch, records: Records, outcome: Integers) -> None:
        one = models[b]
        grow_one(b, QuasiStaticModel(one.scene, one.joint, one.tube, one.pose), batch, records, outcome)

    return grow_batch(state, actuation, lengths, record_every, first.threads, grow, first.joint.elasticity.pivot)

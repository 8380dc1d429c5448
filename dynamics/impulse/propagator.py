"""Growth with inertia: rigid bodies, joints and contacts as impulses (papers 000/001)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from dynamics.contact_rows import Contacts
from dynamics.cross_section import cross_section
from dynamics.drive import tail_of
from dynamics.impulse.bodies import Bodies, JointRows
from dynamics.impulse.impact import Impact, ImpactNumbers
from dynamics.impulse.input_tables import tabulate_inputs
from dynamics.impulse.inputs import GrowthInputs
from dynamics.impulse.model import ImpulseModel, ImpulseTube, new_work
from dynamics.impulse.rollout import grow_one
from dynamics.moment import JointMoments, joint_moments, new_vine
from dynamics.propagator import CannotRun, Capabilities, OnHost, checked_lengths
from dynamics.records import Batch, Records, grow_batch
from dynamics.scene import scene_of
from dynamics.self_contact import segments_apart
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, VineState
from environments.environment import Environment
from surrogate.kernels.compiled import thread_count

CONTACT_STIFFNESS = 1e7
"""Stiffness of a contact [N/m]: the tip, pressed with the growth force, penetrates by a few micrometres."""
QPS = "banded", "osqp"
"""Solvers of a step: the banded Schur complement, or OSQP."""


class StepSolver(Protocol):
    """Solves the problem of one step, instead of the compiled solver."""

    def solve(
        self, bodies: Bodies, rows: JointRows, contacts: Contacts, impact: Impact, numbers: ImpactNumbers
    ) -> None:
        """Write velocities after the step into `impact.velocity`, and impulses of the contacts into `impact.impulse`."""
        ...


class Hold(NamedTuple):
    """When a held vine ends."""

    still: float = 0.0
    """It is at rest when no joint was farther from its place for a while [m]; with 0, when all of them rest."""
    longest: float = 120.0
    """If it still moves after this time [s], it is stalled."""


DEFAULT_HOLD = Hold()


def check_qp(qp: str) -> None:
    """Check that a solver of a step exists, and that it is installed.

    Raises:
        CannotRun: An unknown one.
        ModuleNotFoundError: OSQP is not installed.
    """
    if qp not in QPS:
        raise CannotRun(f"unknown qp {qp!r}; known: {', '.join(QPS)}")
    if qp == "osqp":
        import osqp  # noqa: F401


class Impulse(OnHost):
    """Each step finds the velocities that joints, springs, growth and contacts allow (paper 000, Eq. 15).

    The tube grows at its tip. Each joint's spring is the tangent of tube and actuator's moment, taken at the end of the
    step. The growth yields in proportion to what presses on the tip and to the drag of the tail, up to the growth force, where
    it stalls.

    With `drag`, every step sets out at rest: the mass of each body over the time of the step is the drag on its motion, and so is
    its inertia on its turning. Such a tube creeps where one with inertia swings, and rests where that does.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        contact=True,
        sections=True,
        inertia=True,
        friction=False,
        dents=True,
        tail=True,
        own_body=True,
        tip_mass=True,
        devices=("cpu",),
    )

    def __init__(
        self,
        environment: Environment,
        params: VineParams,
        step: float = 0.01,
        threads: int | None = None,
        qp: str = "banded",
        drag: bool = False,
        hold: Hold = DEFAULT_HOLD,
        inputs: GrowthInputs | None = None,
    ) -> None:
        """Prepare the scene (about 0.1 s).

        Args:
            step: Of time [s].
            qp: What solves a step, one of `QPS`.
            drag: Whether drag replaces inertia.
            hold: When a held vine ends.
            inputs: Growth rate and body pressure over the time since each call of `grow`; None for those of the tube.
        Raises:
            CannotRun: Another `qp`.
            InvalidInputs: The tube cannot have one of the body pressures.
            ModuleNotFoundError: OSQP is not installed.
        """
        check_qp(qp)
        self.environment, self.params, self.qp = environment, params, qp
        self.threads = 1 if qp == "osqp" else threads or thread_count()
        self.pose = np.asarray(environment.start, float)
        self.scene, margin = scene_of(environment, params)
        # Also with the published physics this model's moments are those of curvature.
        published = params.physics == "published"

        def moments_of(tube: VineParams) -> JointMoments:
            return joint_moments(replace(tube, segment_length=tube.hinge_length) if published else tube)

        self.joint, self.hold, self.inputs = moments_of(params), hold, inputs
        self.tables = tabulate_inputs(inputs, params, moments_of)
        # Inputs set the rate of each step; this one is their highest, by which the time is measured that a vine may take.
        rate = float(self.tables.rates.max(initial=0.0)) if inputs else params.inertia.growth_rate
        stacked = published or environment.stacked
        self.tube = ImpulseTube(
            section=cross_section(params)._replace(compliance=1 / CONTACT_STIFFNESS),
            segment=params.segment_length,
            mass_per_length=params.inertia.mass_per_length,
            tip_mass=params.inertia.tip_mass,
            gyration=params.radius**2 / 2,  # a thin-walled cylinder, or a ring, about a transverse axis
            damping=params.inertia.damping_time * self.joint.elasticity.stiffness,
            growth_rate=rate,
            growth_force=params.growth_force,
            tail=tail_of(params),
            yielding=rate / params.growth_force,
            tolerance=params.penetration_tolerance,
            time_step=step,
            margin=margin,
            most_motion=0.6 * margin,
            drag=drag,
            still=hold.still,
            longest_hold=hold.longest,
            segments_apart=0 if stacked else segments_apart(params.radius, params.segment_length),
        )

    def refined(self, parts: int = 2) -> Impulse:
        """See `Propagator`."""
        step, drag = self.tube.time_step / parts, self.tube.drag
        return Impulse(self.environment, self.params, step, self.threads, self.qp, drag, self.hold, self.inputs)

    def grow(self, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float) -> Rollout:
        """See `Propagator`. Each vine sets out at rest, and is recorded as it moves."""
        if self.qp == "banded":
            return self.grow_with(None, state, actuation, length, record_every)
        from dynamics.impulse.osqp_step import OsqpStep

        return self.grow_with(OsqpStep(), state, actuation, length, record_every)

    def grow_with(
        self, solver: StepSolver | None, state: VineState, actuation: Actuation, length: ArrayLike, record_every: float
    ) -> Rollout:
        """Grow vines as `grow` does, with a solver of steps instead of that of `qp`; None for the compiled banded one."""
        lengths, most = checked_lengths(state, actuation, length, record_every, self.params), state.angles.shape[1]
        kernel: Any = grow_one if solver is None else grow_one.py_func
        model = ImpulseModel(self.scene, self.joint, self.tube, self.pose, self.tables)

        def grow(b: int, batch: Batch, records: Records, outcome: Integers) -> None:
            vine = new_vine(batch.angles[b], batch.pressure[b])
            kernel(b, model, batch, records, outcome, vine, new_work(most, most + 1), solver)

        threads = self.threads if solver is None else 1
        return grow_batch(state, actuation, lengths, record_every, threads, grow, self.joint.elasticity.pivot)

"""The penalty model of a tube in an environment, and the work space of one of its vines, for the kernels of a CPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from dynamics.chain import Chain, new_chain
from dynamics.contact_rows import NO_KEY, Contacts, new_contacts
from dynamics.cross_section import CrossSection
from dynamics.drive import Tail, tail_of
from dynamics.moment import JointMoments, joint_moments
from dynamics.penalty.objective import PenaltyWeights
from dynamics.penalty.pull_on_cpu import PullArrays, has_kernel, pull_arrays
from dynamics.penalty.solvers_on_cpu import Potential, SolverOnCpu, Work, new_work, potential_of
from dynamics.penalty.step import MOST_MOTION
from dynamics.penalty.vines import PenaltyModel
from dynamics.quasistatic.step import RestCriterion
from dynamics.scene import Scene
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats


class PenaltyTube(NamedTuple):
    """Parameters of the tube and of the step, in SI units. Time is measured in metres of free growth."""

    section: CrossSection
    tail: Tail
    rest: RestCriterion
    segment_length: float
    moment_length: float
    bending_viscosity: float
    growth_viscosity: float
    growth_force: float
    """Without a tail [N]."""
    contact_stiffness: float
    """Times its weight [N/m]."""
    tolerance: float
    growth_step: float
    """Growth of a full step, which is also its time [m]."""
    margin: float
    """Contacts with a smaller gap are considered [m]."""
    most_motion: float
    """Largest displacement of a joint in a step [m]."""
    bending: float
    """Weights of the terms of Eq. 4 over those of paper 002, as the following two [-]."""
    growth: float
    contact: float
    by_newton: bool
    inner_steps: int


class KernelModel(NamedTuple):
    """A tube in an environment."""

    scene: Scene
    joint: JointMoments
    potential: Potential
    pull: PullArrays
    tube: PenaltyTube
    base: Floats
    """Base x [m], y [m] and heading [rad], shape (3,)."""


class KernelWork(NamedTuple):
    """Work space of one vine. Rows are those of contacts and of the growth's two bounds, unknowns the bends, dents and growth."""

    chain: Chain
    contacts: Contacts
    solver: Work
    joints: Floats
    """Bend, scale, moment of the actuator and its decrease of each joint, see `Objective`, shape (4, max_segments)."""
    viscosity: Floats
    """Shape (unknowns,)."""
    found: Floats
    """Bends, dents and growth of the last step, same shape."""
    gap: Floats
    """Shape (rows,)."""
    jacobian: Floats
    """Row by row, shape (rows * unknowns,)."""
    dents: Floats
    """Change of the gap of each contact by each dent [m / sqrt(J)], see `dynamics.penalty.section.give`, shape (contacts, contacts)."""
    held: Floats
    """Dents before the step, shape (contacts,)."""
    keys: Integers
    """Contacts of the last step that can dent, `NO_KEY` beyond them, shape (contacts + 1,)."""
    carried: Floats
    """Their forces [N], same shape."""
    forces: Floats
    """Normal force on each segment in the last step [N], shape (max_segments,), as the following ones."""
    push_x: Floats
    """Its part along x [N]."""
    push_y: Floats
    stiffening: Floats
    """Geometric stiffness of each joint [N m/rad], see `dynamics.penalty.relaxation.stiffen`."""
    before: Floats
    """Bend of each joint in the last step at constant length [rad]."""
    needed: Floats
    """Not computed: zero, shape (1,)."""


def new_kernel_work(max_segments: int) -> KernelWork:
    """Allocate the work space of a vine of up to `max_segments` segments."""
    capacity = 6 * max_segments + 64
    rows, unknowns = capacity + 2, max_segments + 1 + capacity
    forces, push_x, push_y, stiffening, before = np.zeros((5, max_segments))
    return KernelWork(
        new_chain(max_segments),
        new_contacts(capacity),
        new_work(rows, unknowns),
        np.empty((4, max_segments)),
        np.empty(unknowns),
        np.empty(unknowns),
        np.empty(rows),
        np.empty(rows * unknowns),
        np.empty((capacity, capacity)),
        np.empty(capacity),
        np.full(capacity + 1, NO_KEY, np.int64),
        np.zeros(capacity + 1),
        forces,
        push_x,
        push_y,
        stiffening,
        before,
        np.zeros(1),
    )


def has_kernels(model: PenaltyModel) -> bool:
    """Return whether a model can be one for kernels: on a CPU, in double precision, with a compiled solver."""
    on_cpu = model.pose.device.type == "cpu" and model.pose.dtype == torch.float64
    return on_cpu and isinstance(model.solver, SolverOnCpu) and has_kernel(model.pull)


def kernel_model(model: PenaltyModel, scene: Scene) -> KernelModel:
    """Make the arrays of a model that has kernels."""
    params, weights, paper = model.params, model.weights, PenaltyWeights()
    if not isinstance(model.solver, SolverOnCpu):
        raise TypeError(f"{model.solver} is no solver of a CPU")
    contact, bending = weights.contact / paper.contact, weights.bending / paper.bending
    tube = PenaltyTube(
        model.section,
        tail_of(params),
        model.rest,
        params.segment_length,
        params.moment_length,
        params.bending_viscosity,
        params.growth_viscosity,
        params.growth_force,
        contact * params.contact_stiffness,
        params.penetration_tolerance,
        model.step,
        model.margin,
        MOST_MOTION * model.margin,
        bending,
        weights.growth / paper.growth,
        contact,
        model.solver.by_newton,
        model.solver.steps,
    )
    pull, potential = pull_arrays(model.pull, params), potential_of(model.restoring, bending)
    return KernelModel(scene, joint_moments(params), potential, pull, tube, model.pose.numpy())

"""A tube in an environment, and the work space of one vine, as the kernels of the impulse propagator take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.chain import Chain, new_chain
from dynamics.contact_rows import NO_KEY, Contacts, new_contacts
from dynamics.cross_section import CrossSection
from dynamics.drive import Tail
from dynamics.impulse.bodies import Bodies, JointDrive, JointRows, new_bodies, new_drive, new_rows
from dynamics.impulse.impact import Impact, new_impact
from dynamics.impulse.schur import Factor, new_factor
from dynamics.moment import BENDS, JointMoments
from dynamics.nearby import Blocks, new_blocks
from dynamics.scene import Scene
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats


class ImpulseTube(NamedTuple):
    """Parameters of the tube and of the step for the kernel, in SI units."""

    section: CrossSection
    segment: float
    """Length of a full segment [m]."""
    mass_per_length: float
    tip_mass: float
    """Mass that the tip carries [kg]."""
    gyration: float
    """Moment of inertia of the cross-section over its mass [m2]."""
    damping: float
    """Moment over rate of bend, for the length that the moments are known for [N m s / rad]."""
    growth_rate: float
    """Rate of growth without resistance [m/s]."""
    growth_force: float
    """Growth force without a tail [N]."""
    tail: Tail
    yielding: float
    """Decrease of the rate of growth per newton on the tip, or of the tail [m/s / N]."""
    tolerance: float
    time_step: float
    """Longest step [s]."""
    margin: float
    """Contacts with a smaller gap are looked at [m]."""
    most_motion: float
    """A step moves no joint farther than this [m], less than the margin: no contact is missed."""
    drag: bool
    """Whether every step sets out at rest, see `Impulse`."""
    still: float
    """A held vine none of whose joints was farther than this from its place for a while [m] is at rest."""
    longest_hold: float
    """A held vine that still moves after this time [s] is stalled."""
    segments_apart: int
    """See `dynamics.self_contact.segments_apart`; 0 if parts of the tube may lie on one another."""


class InputTables(NamedTuple):
    """Inputs over time (`dynamics.impulse.inputs.GrowthInputs`), and the tube at several body pressures; no rows: constant."""

    times: Floats
    """Time of each row [s], ascending, shape (rows,)."""
    rates: Floats
    """Growth rate without resistance [m/s], same shape."""
    pressures: Floats
    """Body pressure [Pa], same shape."""
    levels: Floats
    """Numbers of the tube at ascending, evenly spaced pressures, shape (levels, 6), see `dynamics.impulse.input_tables`."""
    moment: Floats
    """`JointMoments.moment` at these pressures [N m], shape (levels, BENDS + 1)."""
    rising: Floats
    """`JointMoments.rising` at these pressures [N m], same shape."""


NO_INPUTS = InputTables(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, 6)), np.zeros((0, 0)), np.zeros((0, 0)))
"""Constant inputs: those of the tube."""


class ImpulseModel(NamedTuple):
    """A tube in an environment, as the kernels take it."""

    scene: Scene
    joint: JointMoments
    tube: ImpulseTube
    base: Floats
    """x [m], y [m] and heading [rad], shape (3,)."""
    inputs: InputTables = NO_INPUTS


class ImpulseWork(NamedTuple):
    """Work space of one vine."""

    chain: Chain
    contacts: Contacts
    bodies: Bodies
    before: Bodies
    """The bodies before the step, should it have to be taken again."""
    drive: JointDrive
    rows: JointRows
    factor: Factor
    impact: Impact
    holder: Integers
    keys: Integers
    """Contacts that carried a force in the last step, `NO_KEY` beyond them, shape (contacts,)."""
    carried: Floats
    """Their forces [N], same shape."""
    forces: Floats
    """Normal force on each segment in the last step [N], shape (max_segments,)."""
    needed: Floats
    """Force along the heading with which contacts pushed the tip back in the last step [N], shape (1,)."""
    seen: Floats
    """Joints when the vine was last looked at [m], shape (max_segments + 1, 2)."""
    blocks: Blocks
    moments: Floats
    """`JointMoments.moment` and `rising` at the present body pressure [N m], shape (2, BENDS + 1)."""


def new_work(max_segments: int, bodies: int) -> ImpulseWork:
    """Allocate the work space for a chain of a number of segments, made of a number of bodies."""
    contacts = 6 * max_segments + 64
    return ImpulseWork(
        new_chain(max_segments),
        new_contacts(contacts),
        new_bodies(bodies),
        new_bodies(bodies),
        new_drive(bodies),
        new_rows(bodies),
        new_factor(bodies),
        new_impact(bodies, contacts),
        np.arange(max_segments),
        np.full(contacts, NO_KEY, np.int64),
        np.zeros(contacts),
        np.zeros(max_segments),
        np.zeros(1),
        np.zeros((max_segments + 1, 2)),
        new_blocks(max_segments),
        np.empty((2, BENDS + 1)),
    )

"""One impulse step of a vine that grows at its tip: the drive of its bodies, and their motion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynamics.chain import forward_kinematics
from dynamics.contact_rows import NO_KEY, Contacts
from dynamics.cross_section import CrossSection
from dynamics.drive import available_force
from dynamics.growth import Span
from dynamics.impulse.bodies import JointDrive, advance, assemble, lay
from dynamics.impulse.growing import copy_state, dimension, fastest, relative_growth
from dynamics.impulse.impact import ImpactNumbers, contact_rows, solve
from dynamics.impulse.model import ImpulseModel, ImpulseTube, ImpulseWork
from dynamics.moment import JointMoments, Vine, linearise, rest_of
from dynamics.self_contact import CROSSED, SELF_KEY
from dynamics.soft_contacts import held, shared_reach, squeezed_share
from dynamics.touching import touch
from surrogate.kernels.compiled import compiled

DEEPEST = 5e-5
"""A step that ends deeper in an obstacle than this, and than it began [m], is taken again at half the length."""
HALVINGS = 7
"""Most times that a step is halved."""
TRIES = 3
"""Most times that a step is solved, as its growth turns out to be another than expected."""
UNEXPECTED = 0.1
"""By how much of the free growth it may [-]."""
SHORTEST = 1e-6
"""A segment shorter than this is just born [m]."""


@compiled()
def set_springs(
    joint: JointMoments, tube: ImpulseTube, vine: Vine, drive: JointDrive, span: Span, growth: float, dt: float
) -> None:
    """Moment, stiffness and damping of every joint about its present bend.

    The moment is one of curvature: a segment of another length than the moments are known for bends in proportion.

    Args:
        growth: What the last segment is expected to grow in the step [m]; it keeps its curvature meanwhile.
        dt: Time of the step [s].
    """
    last, scale = span.segments - 1, joint.length / tube.segment
    born = span.last_length < SHORTEST
    bend = rest_of(joint, vine, last) if born else joint.length / span.last_length * vine.angles[last]
    stiffness, damping, drift = drive.stiffness, drive.damping, drive.drift
    linearise(joint, vine, span.segments, scale, bend, drive.moment, stiffness)
    for j in range(span.segments):
        if j == last:
            scale = joint.length / max(span.last_length + growth, SHORTEST)
        stiffness[j] *= scale
        damping[j], drift[j] = tube.damping * scale, 0.0
    drift[last] = bend / joint.length * growth / dt


@compiled(forceinline=True)
def _arrive(model: ImpulseModel, vine: Vine, work: ImpulseWork, segments: int, last_length: float) -> int:
    """Bends, chain and contacts where the bodies are now; returns how many contacts there are, or `CROSSED`.

    Inlined: a function that calls others counts a reference to every array of its arguments, and `ImpulseWork` has more than fifty.
    """
    pose, base, angles, tube = work.bodies.pose, model.base, vine.angles, model.tube
    for j in range(segments):
        angles[j] = pose[j, 2] - (pose[j - 1, 2] if j else base[2])
    heading = forward_kinematics(work.chain, angles, vine.pivots, base, segments, last_length, tube.segment)
    if not np.isfinite(heading):
        return 0  # what is nowhere touches nothing
    return touch(model.scene, tube, segments, work)


@compiled(counted=True)
def _deepest(contacts: Contacts, number: int) -> float:
    """Smallest gap, at most 0 [m]."""
    return min(contacts.gap[:number].min(), 0.0) if number else 0.0


@compiled(counted=True)
def _deepest_not_held(work: ImpulseWork, section: CrossSection, number: int) -> float:
    """Smallest gap of a contact that is deeper than the forces of the last step hold it, at most 0 [m]."""
    contacts, deepest, rigid = work.contacts, 0.0, section.most_dent == 0.0
    for c in range(number):
        if contacts.gap[c] < deepest and (
            rigid or not held(section, contacts, number, c, DEEPEST, work.keys, work.carried)
        ):
            deepest = contacts.gap[c]
    return deepest


@compiled()
def _add_forces(work: ImpulseWork, segments: int, number: int, dt: float, lost: float) -> None:
    """Normal force on each segment in the step, and the force that growth needed, of which the area of a squeezed tip lost a part [N].

    The tube's contacts with itself count on both segments.
    """
    cosine, sine, impact = work.chain.cosine[segments - 1], work.chain.sine[segments - 1], work.impact
    for i in range(segments):
        work.forces[i] = 0.0
    work.needed[0], known = lost, 0
    for c in range(number):
        force = impact.impulse[c] / dt
        if force > 0.0:
            work.forces[work.contacts.segment[c]] += force
            if work.contacts.key[c] <= SELF_KEY:
                work.forces[max(work.contacts.first[c] - 1, 0)] += force
            work.keys[known], work.carried[known] = work.contacts.key[c], force
            known += 1
        if impact.body[c] == segments:
            work.needed[0] -= force * (impact.row[c, 0] * cosine + impact.row[c, 1] * sine)
    if known < len(work.keys):
        work.keys[known] = NO_KEY


class Aim(NamedTuple):
    """Expected growth of an attempt to solve a step, and its drive."""

    expected: float
    """Growth [m]."""
    rate: float
    """Rate of growth without resistance [m/s]."""
    yielding: float
    """Decrease of the rate of growth per newton on the tip [m/s / N]."""
    dt: float
    """Time of the step [s]."""


@compiled()
def _aim_again(aim: Aim, growth: float, most_growth: float, growth_rate: float) -> tuple[bool, float, Aim]:
    """Whether a step grows as expected, the growth that it may have [m], and the aim if it is solved again.

    Args:
        growth: Growth by the velocities found [m].
    """
    rate, yielding, dt = aim.rate, aim.yielding, aim.dt
    # A tube that would evert back is held. One that would grow beyond where it is to end gets there as fast, and
    # the step ends: to slow its tip for a whole step would take it off what it presses on.
    reached = min(max(growth, 0.0), most_growth)
    if abs(growth - reached) > 1e-12:
        rate, yielding = 0.0, 0.0
        if reached > 0.0:
            rate, dt = growth / dt, dt * reached / growth
        return False, reached, Aim(reached, rate, yielding, dt)
    return abs(growth - aim.expected) < UNEXPECTED * growth_rate * dt, growth, Aim(growth, rate, yielding, dt)


@compiled(forceinline=True)
def _set_off(tube: ImpulseTube, vine: Vine, work: ImpulseWork, span: Span) -> tuple[Aim, float, float]:
    """First aim of a step, the rate of growth before it [m/s], and the force that a squeezed tip lost [N].

    With `ImpulseTube.drag`, brings the bodies to rest.
    """
    bodies, segments, most_growth = work.bodies, span.segments, span.most_growth
    # The tail's force makes the tip slower like any other.
    lost = tube.growth_force * squeezed_share(tube.section, work.contacts, span.contacts)
    everting = available_force(tube.growth_force - lost, tube.tail, vine.angles, work.chain.length, segments)
    going = min(max(relative_growth(bodies, bodies.velocity, segments), 0.0), tube.growth_rate)
    if tube.drag:
        bodies.velocity[: segments + 1] = 0.0
    dt = tube.time_step
    if going * dt + 1e-12 < most_growth < 2 * going * dt:
        # Two even steps: within a very short one, to come out of an obstacle takes a jolt.
        dt = 0.5 * most_growth / going
    free_rate = tube.growth_rate * (everting / tube.growth_force)
    return Aim(min(going * dt, most_growth), free_rate, tube.yielding, dt), going, lost


@compiled()
def take_step(model: ImpulseModel, vine: Vine, work: ImpulseWork, span: Span, qp: Any) -> tuple[float, float, int]:
    """Solve one step and move the vine by it; halves the step until its contacts are solved and it ends no deeper than it began.

    A step is solved again while its growth is another than expected. That is a loop of this function, not one of its own:
    every level of calls counts references to all arrays again.

    Args:
        qp: None, or what solves a step instead of the Schur complement; then this is called uncompiled.
    Returns:
        Growth [m], time that passed [s], and contacts there are now or `CROSSED`.
    """
    joint, tube, base = model.joint, model.tube, model.base
    bodies, drive, rows, contacts, impact = work.bodies, work.drive, work.rows, work.contacts, work.impact
    segments, last_length, number, most_growth = span
    velocity, count = impact.velocity, segments + 1
    dimension(bodies, tube, segments, last_length)
    first, going, lost = _set_off(tube, vine, work, span)
    copy_state(bodies, work.before, count)
    deepest, dt = _deepest(contacts, number), first.dt
    for halving in range(HALVINGS + 1):
        contact_rows(bodies, contacts, number, work.holder, impact)
        aim = Aim(min(going * dt, most_growth), first.rate, tube.yielding, dt)
        growth, solved = 0.0, True
        for _ in range(TRIES):
            set_springs(joint, tube, vine, drive, span, aim.expected, aim.dt)
            drive.rate[segments], drive.yielding[segments] = aim.rate, aim.yielding
            assemble(bodies, drive, count, aim.dt, base, rows)
            numbers = ImpactNumbers(count, number, aim.dt, shared_reach(tube.section))
            if qp is None:
                solved = solve(bodies, rows, contacts, work.factor, impact, numbers)
            else:
                qp.solve(bodies, rows, contacts, impact, numbers)
            growth = aim.dt * relative_growth(bodies, velocity, segments)
            as_expected, growth, aim = _aim_again(aim, growth, most_growth, tube.growth_rate)
            if as_expected:
                break
        dt, last_try = aim.dt, halving == HALVINGS
        too_far = dt * fastest(bodies, velocity, count) > tube.most_motion
        if (too_far or not solved) and not last_try:
            dt *= 0.5
            continue
        growth = min(max(growth, 0.0), most_growth)
        advance(bodies, velocity, count, dt, base)
        bodies.reach[segments] = last_length + growth
        _add_forces(work, segments, number, dt, lost)
        number = _arrive(model, vine, work, segments, last_length + growth)
        apart = number != CROSSED and _deepest_not_held(work, tube.section, number) >= min(-DEEPEST, deepest)
        if apart or last_try:
            break
        copy_state(work.before, bodies, count)
        lay(bodies, count, base)
        number = _arrive(model, vine, work, segments, last_length)
        dt *= 0.5
    return growth, dt, number

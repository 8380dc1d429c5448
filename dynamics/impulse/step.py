"""One impulse step of a vine that grows at its tip: what its bodies are, what drives them, and how far they get.

Every full segment is a body; the growing one has a body at either end, which a prismatic joint parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dynamics.chain import Chain, forward_kinematics, new_chain
from dynamics.contact_rows import NO_KEY, Contacts, new_contacts
from dynamics.contacts import find_contacts
from dynamics.cross_section import CrossSection
from dynamics.dented import held, shared_reach, squeezed_share
from dynamics.drive import Tail, available_force
from dynamics.growth import Span
from dynamics.impulse.bodies import Bodies, Drive, Rows, advance, assemble, lay, new_bodies, new_drive, new_rows
from dynamics.impulse.impact import Impact, ImpactNumbers, contact_rows, new_impact, solve
from dynamics.impulse.schur import Factor, new_factor
from dynamics.moment import JointMoments, Vine, linearise, rest_of
from dynamics.scene import Scene
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled

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
LIGHTEST = 1e-3
"""The growing segment weighs as if it were no shorter than this [m]."""


class ImpulseTube(NamedTuple):
    """What the kernel needs to know of the vine and of the step, in SI units."""

    section: CrossSection
    segment: float
    """Length of a full segment [m]."""
    mass_per_length: float
    gyration: float
    """Moment of inertia of the cross-section over its mass [m2]."""
    damping: float
    """Moment over rate of bend, for the length that the moments are known for [N m s / rad]."""
    growth_rate: float
    """Without resistance [m/s]."""
    growth_force: float
    """Without a tail [N]."""
    tail: Tail
    yielding: float
    """How much slower a newton on the tip, or of the tail, makes it grow [m/s / N]."""
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


class ImpulseModel(NamedTuple):
    """A tube in an environment, as the kernels take it."""

    scene: Scene
    joint: JointMoments
    tube: ImpulseTube
    base: Floats
    """x [m], y [m] and heading [rad], shape (3,)."""


class Work(NamedTuple):
    """Work space of one vine."""

    chain: Chain
    contacts: Contacts
    bodies: Bodies
    before: Bodies
    """The bodies before the step, should it have to be taken again."""
    drive: Drive
    rows: Rows
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


def new_work(max_segments: int, bodies: int) -> Work:
    """Room for a chain of so many segments, made of so many bodies."""
    contacts = 6 * max_segments + 64
    return Work(
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
    )


@compiled()
def _dimension(bodies: Bodies, tube: ImpulseTube, segments: int, last_length: float) -> None:
    """Masses and lengths: a body for each full segment, and for the growing one a body at either end."""
    for k in range(segments + 1):
        whole = k < segments - 1
        length = tube.segment if whole else 0.5 * max(last_length, LIGHTEST)
        bodies.mass[k] = tube.mass_per_length * length
        bodies.inertia[k] = bodies.mass[k] * (tube.gyration + (length**2 / 12.0 if whole else 0.0))
        bodies.back[k] = bodies.front[k] = 0.5 * length if whole else 0.0
        bodies.slides[k] = k == segments
    bodies.reach[segments] = last_length


@compiled()
def start(work: Work, tube: ImpulseTube, vine: Vine, base: Floats, segments: int, last_length: float) -> None:
    """Lay the bodies at rest where the bends say."""
    heading, angles, pivots = base[2], vine.angles, vine.pivots
    for j in range(len(pivots)):
        work.bodies.pivot[j] = pivots[j]
    for j in range(segments):
        heading += angles[j]
        work.bodies.pose[j, 2] = heading
        work.holder[j] = j
    work.holder[segments - 1] = segments
    for k in range(segments + 1):
        for i in range(3):
            work.bodies.velocity[k, i] = 0.0
    _dimension(work.bodies, tube, segments, last_length)
    lay(work.bodies, segments + 1, base)


@compiled()
def add_segment(work: Work, tube: ImpulseTube, angles: Floats, base: Floats, segments: int) -> None:
    """Let the segment that has grown to its full length be followed by a new one, of no length; velocities stay."""
    bodies, full = work.bodies, tube.segment
    last, tip = segments - 1, segments
    cosine, sine = np.cos(bodies.pose[last, 2]), np.sin(bodies.pose[last, 2])
    pin_x, pin_y, turn = bodies.velocity[last]
    growth = (bodies.velocity[tip, 0] - pin_x) * cosine + (bodies.velocity[tip, 1] - pin_y) * sine
    bodies.velocity[last, 0], bodies.velocity[last, 1] = (
        pin_x - 0.5 * full * turn * sine,
        pin_y + 0.5 * full * turn * cosine,
    )
    for k in range(tip, tip + 2):
        bodies.pose[k, 2] = bodies.pose[last, 2]
        bodies.velocity[k, 0], bodies.velocity[k, 1] = pin_x - full * turn * sine, pin_y + full * turn * cosine
        bodies.velocity[k, 2] = turn
    bodies.velocity[tip + 1, 0] += growth * cosine
    bodies.velocity[tip + 1, 1] += growth * sine
    angles[tip] = 0.0
    work.holder[last], work.holder[tip] = last, tip + 1
    _dimension(bodies, tube, segments + 1, 0.0)
    lay(bodies, segments + 2, base)


@compiled()
def set_springs(
    joint: JointMoments, tube: ImpulseTube, vine: Vine, drive: Drive, span: Span, growth: float, dt: float
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


@compiled()
def fastest(bodies: Bodies, velocity: Floats, count: int) -> float:
    """Speed of the fastest end of a body [m/s]."""
    fastest = 0.0
    for k in range(count):
        turn = velocity[k, 2]
        for arm in (-bodies.back[k], bodies.front[k]):
            vx = velocity[k, 0] - turn * arm * np.sin(bodies.pose[k, 2])
            vy = velocity[k, 1] + turn * arm * np.cos(bodies.pose[k, 2])
            fastest = max(fastest, np.hypot(vx, vy))
    return fastest


@compiled()
def relative_growth(bodies: Bodies, velocity: Floats, segments: int) -> float:
    """Rate at which the last segment grows by these velocities [m/s]."""
    heading = bodies.pose[segments, 2]
    apart_x = velocity[segments, 0] - velocity[segments - 1, 0]
    apart_y = velocity[segments, 1] - velocity[segments - 1, 1]
    return apart_x * np.cos(heading) + apart_y * np.sin(heading)


@compiled()
def _copy_state(of: Bodies, to: Bodies, count: int) -> None:
    """Copy what a step changes."""
    for k in range(count):
        to.reach[k] = of.reach[k]
        for i in range(3):
            to.pose[k, i], to.velocity[k, i] = of.pose[k, i], of.velocity[k, i]


@compiled()
def _arrive(
    scene: Scene,
    tube: ImpulseTube,
    pose: Floats,
    base: Floats,
    angles: Floats,
    pivots: Floats,
    chain: Chain,
    contacts: Contacts,
    segments: int,
    last_length: float,
) -> int:
    """Bends, chain and contacts where the bodies are now; returns how many contacts there are.

    Takes the arrays that it needs: a function that calls others counts a reference to every array of its arguments, and
    `Work` has more than fifty.
    """
    for j in range(segments):
        angles[j] = pose[j, 2] - (pose[j - 1, 2] if j else base[2])
    heading = forward_kinematics(chain, angles, pivots, base, segments, last_length, tube.segment)
    if not np.isfinite(heading):
        return 0  # what is nowhere touches nothing
    return find_contacts(scene, tube.section, tube.margin, chain, segments, contacts)


@compiled(counted=True)
def _deepest(contacts: Contacts, number: int) -> float:
    """Smallest gap, at most 0 [m]."""
    return min(contacts.gap[:number].min(), 0.0) if number else 0.0


@compiled(counted=True)
def _deepest_not_held(work: Work, section: CrossSection, number: int) -> float:
    """Smallest gap of a contact that is deeper than the forces of the last step hold it, at most 0 [m]."""
    contacts, deepest, rigid = work.contacts, 0.0, section.most_dent == 0.0
    for c in range(number):
        if contacts.gap[c] < deepest and (
            rigid or not held(section, contacts, number, c, DEEPEST, work.keys, work.carried)
        ):
            deepest = contacts.gap[c]
    return deepest


@compiled()
def _add_forces(work: Work, segments: int, number: int, dt: float, lost: float) -> None:
    """Normal force on each segment in the step, and the force that growth needed, of which the area of a squeezed tip lost a part [N]."""
    cosine, sine, impact = work.chain.cosine[segments - 1], work.chain.sine[segments - 1], work.impact
    for i in range(segments):
        work.forces[i] = 0.0
    work.needed[0], known = lost, 0
    for c in range(number):
        force = impact.impulse[c] / dt
        if force > 0.0:
            work.forces[work.contacts.segment[c]] += force
            work.keys[known], work.carried[known] = work.contacts.key[c], force
            known += 1
        if impact.body[c] == segments:
            work.needed[0] -= force * (impact.row[c, 0] * cosine + impact.row[c, 1] * sine)
    if known < len(work.keys):
        work.keys[known] = NO_KEY


class Aim(NamedTuple):
    """What a try to solve a step expects of its growth, and drives it with."""

    expected: float
    """Growth [m]."""
    rate: float
    """Rate of growth when nothing resists [m/s]."""
    yielding: float
    """How much slower a newton on the tip makes it [m/s / N]."""
    dt: float
    """Time of the step [s]."""


@compiled()
def _aim_again(aim: Aim, growth: float, most_growth: float, growth_rate: float) -> tuple[bool, float, Aim]:
    """Whether a step grows as it was expected to, by how much it may [m], and what to aim at if it is solved again.

    Args:
        growth: By the velocities found [m].
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


@compiled()
def take_step(model: ImpulseModel, vine: Vine, work: Work, span: Span, qp: Any) -> tuple[float, float, int]:
    """Solve one step and move the vine by it; halves the step until its contacts are solved and it ends no deeper than it began.

    A step is solved again while its growth is another than expected. That is a loop of this function, not one of its own:
    every level of calls counts references to all arrays again.

    Args:
        qp: None, or what solves a step instead of the Schur complement; then this is called uncompiled.
    Returns:
        Growth [m], time that passed [s] and contacts there are now.
    """
    scene, joint, tube, base = model.scene, model.joint, model.tube, model.base
    bodies, drive, rows, contacts, impact = work.bodies, work.drive, work.rows, work.contacts, work.impact
    segments, last_length, number, most_growth = span
    angles, chain, pose, velocity, count = vine.angles, work.chain, bodies.pose, impact.velocity, segments + 1
    _dimension(bodies, tube, segments, last_length)
    # The tail's force makes the tip slower like any other.
    lost = tube.growth_force * squeezed_share(tube.section, contacts, number)
    everting = available_force(tube.growth_force - lost, tube.tail, angles, chain.length, segments)
    free_rate = tube.growth_rate * (everting / tube.growth_force)
    going = min(max(relative_growth(bodies, bodies.velocity, segments), 0.0), tube.growth_rate)
    if tube.drag:
        for k in range(count):
            for i in range(3):
                bodies.velocity[k, i] = 0.0
    _copy_state(bodies, work.before, count)
    deepest, dt = _deepest(contacts, number), tube.time_step
    if going * dt + 1e-12 < most_growth < 2 * going * dt:
        # Two even steps: within a very short one, to come out of an obstacle takes a jolt.
        dt = 0.5 * most_growth / going
    for halving in range(HALVINGS + 1):
        contact_rows(bodies, contacts, number, work.holder, impact)
        aim = Aim(min(going * dt, most_growth), free_rate, tube.yielding, dt)
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
        number = _arrive(scene, tube, pose, base, angles, vine.pivots, chain, contacts, segments, last_length + growth)
        if _deepest_not_held(work, tube.section, number) >= min(-DEEPEST, deepest) or last_try:
            break
        _copy_state(work.before, bodies, count)
        lay(bodies, count, base)
        number = _arrive(scene, tube, pose, base, angles, vine.pivots, chain, contacts, segments, last_length)
        dt *= 0.5
    return growth, dt, number

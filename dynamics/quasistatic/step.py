"""One implicit step of a vine: its bending model, and its motion."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.actuator_contacts import force_share
from dynamics.chain import Chain, new_chain
from dynamics.contact_rows import NO_KEY, Contacts, new_contacts
from dynamics.cross_section import CrossSection
from dynamics.drive import Tail, available_force
from dynamics.growth import Span
from dynamics.links import LEAST_LINK, STRAIGHT, link
from dynamics.moment import JointMoments, Vine, linearise, rest_of
from dynamics.nearby import Blocks, new_blocks
from dynamics.quasistatic.complementarity import solve_step
from dynamics.quasistatic.dual import MOST_ACTIVE, ContactNumbers, Dual, QuadraticStep, new_dual
from dynamics.quasistatic.friction import (
    MOST_RUBBING,
    TIP_KEY,
    Friction,
    FrictionMemory,
    add_friction_rows,
    begin_sticking,
    let_slide,
    normal_force,
    remember_sliding,
    tip_coefficient,
)
from dynamics.scene import Scene
from dynamics.self_contact import SELF_KEY
from dynamics.soft_contacts import shared_reach, squeezed_share
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled


class RestCriterion(NamedTuple):
    """Criterion of a vine at rest, for the kernel, in SI units."""

    growing: float
    """A vine at rest between two records moves by less than this in a step at constant length [m]; inf to take one step
    per growth only, as in paper 002."""
    recorded: float
    """A vine in a state to be recorded is at rest if it moves by less than this in a step at constant length [m]."""
    trembling: float
    """A vine that moves by less in a step at constant length, however short, is at rest too [m]: its contacts come and go."""
    time: float
    """Time of a step at constant length, in metres of free growth: long, so that viscosity hardly delays the rest."""
    snap: float
    """A vine that moves farther than this before it comes to rest has snapped through [m]."""


class QuasiStaticTube(NamedTuple):
    """Parameters of the tube and of the step for the kernel, in SI units. Time is measured in metres of free growth."""

    section: CrossSection
    growth_force: float
    """Growth force without a tail [N]."""
    tail: Tail
    growth_viscosity: float
    bending_viscosity: float
    friction: Friction
    tolerance: float
    growth_step: float
    """Growth of a full step, which is also its time [m]."""
    margin: float
    """Contacts with a smaller gap are considered [m]."""
    most_motion: float
    """Maximum displacement of a joint in a step [m], less than the margin, so that no contact is missed."""
    segments_apart: int
    """See `dynamics.self_contact.segments_apart`; 0 if parts of the tube may lie on one another."""
    relaxation: RestCriterion
    pinned: float
    """Growth over which the tip must move, or the vine is not grown on, see `dynamics.pinned` [m]; inf to grow it anyway."""


class QuasiStaticModel(NamedTuple):
    """A tube in an environment, as an argument of compiled kernels."""

    scene: Scene
    joint: JointMoments
    tube: QuasiStaticTube
    base: Floats
    """Base x [m], y [m] and heading [rad], shape (3,)."""


class QuasiStaticWork(NamedTuple):
    """Work space of one vine."""

    chain: Chain
    contacts: Contacts
    dual: Dual
    step: QuadraticStep
    forces: Floats
    """Normal force on each segment in the last step [N], shape (max_segments,)."""
    keys: Integers
    """Contacts that carried a force in the last step, `NO_KEY` beyond them, shape (MOST_ACTIVE,)."""
    carried: Floats
    """Their forces [N], same shape."""
    slid: Integers
    """Rows of friction that slid in the last step, `NO_KEY` beyond them, shape (MOST_RUBBING + 1,)."""
    way: Integers
    """The bounds at which they were, see `FrictionMemory`, same shape."""
    stiffening: Floats
    """Geometric stiffness of each joint, see `stiffen` [N m / rad], shape (max_segments,)."""
    pressed: Floats
    """Normal force on the tip in the last step [N], shape (1,)."""
    drive: Floats
    """Force with which the tip everts where the last step was set up [N], shape (1,)."""
    lost: Floats
    """Growth force that a squeezed tip lacks [N], shape (1,)."""
    needed: Floats
    """Force that growth needs by the contacts of the last step [N], shape (1,)."""
    held: Integers
    """Number of rows before those of the growth's bounds, shape (1,)."""
    before: Floats
    """Bend of each joint in the last step at constant length [rad], shape (max_segments,)."""
    bent: Floats
    """Bend of each joint where a relaxation began [rad], shape (max_segments,)."""
    left: Floats
    """Joints there [m], shape (max_segments + 1, 2)."""
    seen: Floats
    """Joints at the last check of motion [m], shape (max_segments + 1, 2)."""
    blocks: Blocks


def new_work(max_segments: int) -> QuasiStaticWork:
    """Allocate the work space of a vine of up to `max_segments` segments."""
    capacity = 6 * max_segments + 64
    return QuasiStaticWork(
        new_chain(max_segments),
        new_contacts(capacity),
        new_dual(capacity, max_segments),
        QuadraticStep(np.empty(max_segments), np.empty(max_segments), np.empty(max_segments)),
        np.zeros(max_segments),
        np.full(MOST_ACTIVE, NO_KEY, np.int64),
        np.zeros(MOST_ACTIVE),
        np.full(MOST_RUBBING + 1, NO_KEY, np.int64),
        np.zeros(MOST_RUBBING + 1, np.int64),
        np.zeros(max_segments),
        np.zeros(1),
        np.zeros(1),
        np.zeros(1),
        np.zeros(1),
        np.zeros(1, np.int64),
        np.zeros(max_segments),
        np.zeros(max_segments),
        np.zeros((max_segments + 1, 2)),
        np.zeros((max_segments + 1, 2)),
        new_blocks(max_segments),
    )


@compiled()
def bending_model(
    joint: JointMoments, damping: float, vine: Vine, step: QuadraticStep, stiffening: Floats, span: Span
) -> float:
    """Quadratic model of the bending energy about the present bends; returns the growing segment's curvature [1/m].

    The growing segment keeps its curvature as it lengthens; its unknown is the additional bend.

    Args:
        damping: Moment per bend of a joint in this step [N m / rad].
        stiffening: See `QuasiStaticWork`.
    """
    full, last, spread = joint.length, span.segments - 1, joint.length / joint.segment_length
    inverse, free = step.inverse, step.free
    born = span.last_length < 1e-6
    curvature = rest_of(joint, vine, last) / full if born else vine.angles[last] / span.last_length
    linearise(joint, vine, span.segments, spread, curvature * full, free, inverse)
    growing = full / max(span.last_length + span.most_growth, 1e-6)
    for j in range(span.segments):
        scale = growing if j == last else spread
        moment, slope = free[j], inverse[j]
        inverse[j] = 1.0 / (slope * scale + stiffening[j] + damping)
        free[j] = -moment * inverse[j]
    return curvature


@compiled()
def _most_motion(chain: Chain, step: QuadraticStep, segments: int, growth: float) -> tuple[float, float]:
    """Largest displacement of a joint by the bends of the step, and by its growth too, to first order [m]."""
    turn = turn_x = turn_y = worst = 0.0
    for j in range(segments):
        bend = step.bend[j]
        turn, turn_x, turn_y = turn + bend, turn_x + bend * chain.pivot_x[j], turn_y + bend * chain.pivot_y[j]
        dx, dy = turn_y - chain.y[j + 1] * turn, chain.x[j + 1] * turn - turn_x
        worst = max(worst, dx * dx + dy * dy, (0.05 * bend) ** 2)
    bent, dx, dy = math.sqrt(worst), dx + growth * chain.cosine[segments - 1], dy + growth * chain.sine[segments - 1]
    tip = math.hypot(dx, dy)
    # The tip moves with every bend: if one is not a number, neither is the result.
    return bent, bent if tip <= bent else tip


@compiled()
def _add_growth_rows(contacts: Contacts, count: int, chain: Chain, segments: int, curvature: float) -> None:
    """Add the bending due to growth to the contacts of the last segment; append the two bounds of the growth.

    At the same curvature, the centreline of a segment lengthens as its film does: in proportion. Of that the turn about the pivot
    contains what the bend takes away.
    """
    last = segments - 1
    x, y, film = chain.pivot_x[last], chain.pivot_y[last], chain.film[last]
    lengthening = 1.0
    if film > 0.0:
        back = (x - chain.x[last]) * chain.sine[last] - (y - chain.y[last]) * chain.cosine[last]
        lengthening = chain.length[last] / film + curvature * back
    for k in range(count):
        if contacts.segment[k] == last:
            lever = contacts.alpha[k] + contacts.beta[k] * x + contacts.gamma[k] * y
            contacts.growth[k] = lengthening * contacts.growth[k] + curvature * lever
    for bound in range(2):
        k = count + bound
        contacts.first[k] = contacts.segment[k] = 0
        contacts.key[k] = -1 - bound
        contacts.alpha[k] = contacts.beta[k] = contacts.gamma[k] = 0.0
        contacts.growth[k] = -1.0 if bound == 0 else 1.0


@compiled()
def bound_growth(work: QuasiStaticWork, least: float, most: float) -> None:
    """Set the bounds of the growth in a step that was set up [m]."""
    held = work.held[0]
    work.contacts.gap[held], work.contacts.gap[held + 1] = most, -least


@compiled()
def _recall(contacts: Contacts, numbers: ContactNumbers, dual: Dual, keys: Integers, known: int) -> int:
    """Activate the rows that carried a force in the last step, and those of friction that did not slide; return their number."""
    rows, soft, end, recalled, warm, k = numbers.rows, numbers.soft, numbers.soft + numbers.boxed, dual.is_active, 0, 0
    key, gap = contacts.key, contacts.gap
    for m in range(rows):
        # Where nothing is remembered of a vine at rest, the contacts that it presses on are those that it touches.
        recalled[m] = known == 0 and m < soft and gap[m] < 0.0
    for i in range(known):
        # Most rows follow each other as in the last step: search from the last one found.
        for _ in range(rows):
            at, k = k, k + 1 if k + 1 < rows else 0
            if key[at] == keys[i]:
                recalled[at] = True
                break
    for holds in (False, True):
        # Rows that hold the growth come last, see `solve`.
        for m in range(rows):
            if recalled[m] and (contacts.growth[m] != 0.0) == holds and not soft <= m < end and warm < MOST_ACTIVE:
                dual.active[warm] = m
                warm += 1
    return begin_sticking(dual, numbers, warm)


@compiled()
def set_up(
    tube: QuasiStaticTube, joint: JointMoments, damping: float, vine: Vine, work: QuasiStaticWork, span: Span
) -> float:
    """Set up the quadratic model and all rows of one step; returns the growing segment's curvature [1/m].

    The rows of friction and the two of the growth's bounds follow those of the contacts.

    Args:
        damping: Moment per bend of a joint in this step [N m / rad].
    """
    contacts, chain, segments = work.contacts, work.chain, span.segments
    curvature = bending_model(joint, damping, vine, work.step, work.stiffening, span)
    held = span.contacts
    if tube.friction.static > 0.0:
        memory = FrictionMemory(work.keys, work.carried, work.slid, work.way, work.pressed[0])
        held = add_friction_rows(contacts, held, chain, segments, tube.friction, work.dual, memory)
    work.held[0] = held
    _add_growth_rows(contacts, held, chain, segments, curvature)
    bound_growth(work, 0.0, span.most_growth)
    work.lost[0] = tube.growth_force * squeezed_share(tube.section, contacts, span.contacts)
    full = tube.growth_force - work.lost[0]
    work.drive[0] = available_force(full, tube.tail, vine.angles, chain.length, segments)
    return curvature


@compiled()
def _needed_force(
    tube: QuasiStaticTube, contacts: Contacts, dual: Dual, count: int, active: int, against: float
) -> float:
    """Force that growth needs against the contacts and the friction of a tip that slides on [N].

    At constant length friction may be anything up to that: it is not what the step has found.

    Args:
        against: Normal force on a tip with friction [N].
    """
    needed = tube.friction.kinetic * against * abs(contacts.growth[count]) if against > 0.0 else 0.0
    for i in range(active):
        if dual.active[i] < count:
            needed -= dual.force[dual.active[i]] * contacts.growth[dual.active[i]]
    return needed


@compiled()
def solve(
    tube: QuasiStaticTube, work: QuasiStaticWork, span: Span, time: float, known: int, fresh: bool
) -> tuple[float, int]:
    """Solve a step that was set up; its bends are in `work.step`. Of rows of friction see `dynamics.quasistatic.friction`.

    Args:
        time: Time of the step, in metres of free growth; 0 at constant length.
        known: Number of rows in `work.keys`, which carried a force in the last step.
        fresh: Whether the step was set up after the last solve.
    Returns:
        Growth [m], and number of rows in `work.keys` that carry a force now.
    """
    chain, contacts, dual, step = work.chain, work.contacts, work.dual, work.step
    segments, count, held = span.segments, span.contacts, work.held[0]
    mobility, drive, rows = time / tube.growth_viscosity, work.drive[0], held + (2 if time > 0.0 else 0)
    numbers = ContactNumbers(
        rows, count, segments, drive * mobility, mobility, shared_reach(tube.section), held - count
    )
    active, factored, slides = known, 0, held > count and contacts.key[count] == TIP_KEY
    if fresh or held > count:
        active = _recall(contacts, numbers, dual, work.keys, known)
    else:
        # Only the mobility of the growth may have changed, and with it the factor from the first row on that holds growth.
        while factored < active and contacts.growth[dual.active[factored]] == 0.0:
            factored += 1
    growth, active, _ = solve_step(contacts, chain, step, dual, numbers, active, fresh, factored)
    pressed = normal_force(contacts, chain, dual, numbers, active)
    if tube.friction.static > 0.0:
        memory = FrictionMemory(work.keys, work.carried, work.slid, work.way, work.pressed[0])
        coefficient = tip_coefficient(tube.friction, memory)
        if slides and abs(dual.force[count]) > coefficient * pressed:
            active = let_slide(dual, count, coefficient * work.pressed[0], active)
            growth, active, _ = solve_step(contacts, chain, step, dual, numbers, active, False, active)
            pressed = normal_force(contacts, chain, dual, numbers, active)
        remember_sliding(contacts, dual, numbers, growth, memory)
    work.pressed[0] = pressed
    work.needed[0] = work.lost[0] + _needed_force(tube, contacts, dual, count, active, pressed if slides else 0.0)
    for i in range(active):
        work.keys[i], work.carried[i] = contacts.key[dual.active[i]], dual.force[dual.active[i]]
    if active < MOST_ACTIVE:
        work.keys[active] = NO_KEY
    return min(max(growth, -contacts.gap[held + 1]), contacts.gap[held]), active


@compiled()
def stiffen(vine: Vine, work: QuasiStaticWork, span: Span) -> None:
    """Compute the geometric stiffness of each joint: what the forces of the last solved step add to its own, if positive.

    A force f at q beyond joint j has the second derivative f . (q - p_j) - f . u_j L_j'' of its work over the bend, with p_j its
    pivot, u_j the direction and L_j the length of its link. A step takes the forces as constant; where their moment changes by more
    than the joint resists, steps at constant length would oscillate without this. The two forces of a contact of the tube with itself
    do no work over a joint before both.
    """
    chain, loads, stiffening = work.chain, work.dual.loads, work.stiffening
    angles, pivots, films, cosine, sine = vine.angles, vine.pivots, chain.film, chain.cosine, chain.sine
    xs, ys, pivot_x, pivot_y = chain.x, chain.y, chain.pivot_x, chain.pivot_y
    fx = fy = work_at = 0.0
    for j in range(span.segments - 1, -1, -1):
        x, y = loads[j, 2], -loads[j, 1]
        fx, fy = fx + x, fy + y
        # The normals of contacts within a link are perpendicular to it: as if they were at its end.
        work_at += x * xs[j + 1] + y * ys[j + 1] - loads[j, 3]
        stiffening[j] = max(work_at - fx * pivot_x[j] - fy * pivot_y[j], 0.0)
        shortening = abs(pivots[j] * angles[j])
        if shortening > (1.0 - LEAST_LINK) * films[j] or (shortening < STRAIGHT * films[j] and pivots[j] != 0.0):
            along = fx * cosine[j] + fy * sine[j]
            stiffening[j] += max(-along * link(films[j], angles[j], pivots[j])[2], 0.0)


@compiled()
def sum_forces(work: QuasiStaticWork, span: Span, active: int) -> None:
    """Sum the contact forces of the last solved step by segment; the tube's contacts with itself count on both segments."""
    contacts, dual, forces = work.contacts, work.dual, work.forces
    forces[: span.segments] = 0.0
    for i in range(active):
        k = dual.active[i]
        if k < span.contacts:
            forces[contacts.segment[k]] += force_share(contacts, k) * dual.force[k]
            if contacts.key[k] <= SELF_KEY:
                forces[max(contacts.first[k] - 1, 0)] += dual.force[k]


@compiled()
def bend_by(work: QuasiStaticWork, span: Span, curvature: float, growth: float) -> tuple[float, float]:
    """Correct the solved bend of the growing segment for its growth; returns the motions of `_most_motion`.

    `bending_model` assumes the stiffness of the growing segment after full growth; with less growth it bends less.
    """
    chain, step, last = work.chain, work.step, span.segments - 1
    step.bend[last] *= (span.last_length + growth) / max(span.last_length + span.most_growth, 1e-6)
    step.bend[last] += curvature * growth
    return _most_motion(chain, step, span.segments, growth)


@compiled()
def share_of_step(tube: QuasiStaticTube, motion: float, most: float) -> float:
    """Share of a step that may be taken without missing a contact, at most `most` [-].

    Args:
        motion: Largest displacement of a joint in the whole step [m].
    """
    return min(most, tube.most_motion / motion) if motion > 0.0 else 1.0

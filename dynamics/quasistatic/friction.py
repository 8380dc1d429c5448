"""Coulomb friction of tip and body in contact: each contact sticks, or slides against a force of friction.

Where friction acts: a growing tube everts at its tip. Its film is laid down there and does not move along the walls afterwards, so
growth itself rubs nowhere along the body. The body rubs where it is pushed over a wall: as the tube bends farther back, all beyond the
bend moves, sideways and along. So a contact of the body slides by bends only, and its friction acts at the film that touches, a radius
from the axis. The tip slides along a flat that it meets at an angle, by growth too; as in the models of papers 002 and 003 its
friction acts on the axis. A tip that grows along a wall lays film down on it, without friction.

How: each contact that carried a force in the last step adds one row, its displacement along the wall in this step. The force of that
row is at most the coefficient times the contact's normal force in the last step, in both directions. Between these bounds the contact
sticks: the displacement is 0. At a bound it slides. The bounds are constants of the step, which so remains a convex problem; steps at
constant length follow until bounds and forces agree. A contact that slid in the last step has the kinetic coefficient, any other the
static one. The normal force on a tip may rise from nothing to that of a tube that is locked in a single step. So the tip is held
first, and slides only if that needs more than the coefficient times the normal force with which it is held.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.actuator_contacts import force_share
from dynamics.chain import Chain
from dynamics.contact_rows import NO_KEY, Contacts, is_of_actuator
from dynamics.quasistatic.complementarity import TOLERANCE, gap_change
from dynamics.quasistatic.dual import MOST_ACTIVE, ContactNumbers, Dual
from dynamics.quasistatic.factor import CREEP, remove
from dynamics.soft_contacts import carried_by
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

LEAST_ALONG = 1e-9
"""A contact whose normal has a smaller component against the heading is on the tube's side [-]."""
TIP_KEY = -3
"""Key of the tip's row of friction."""
RUBBING = 2**61
"""Key of a row of friction of the body, less that of its contact."""
MOST_RUBBING = MOST_ACTIVE // 2
"""Maximum number of rows of friction."""


class Friction(NamedTuple):
    """Coulomb friction of a tube."""

    kinetic: float
    """Coefficient where the tube slides [-]; 0 for a tube without friction."""
    static: float
    """Coefficient where it sticks [-], at least the kinetic one."""
    body: bool
    """Whether the body rubs too; otherwise only the tip does."""
    radius: float
    """Distance of the film that touches from the axis [m]."""


class FrictionMemory(NamedTuple):
    """Contacts and forces of the last step, for the friction of the next step."""

    keys: Integers
    """Contacts that carried a force, `NO_KEY` beyond them."""
    carried: Floats
    """Forces of these contacts [N]."""
    slid: Integers
    """Keys of the rows of friction that slid, `NO_KEY` beyond them."""
    way: Integers
    """The bound at which each of these rows was: 1 for the upper, -1 for the lower bound."""
    pressed: float
    """Normal force on the tip [N]."""


@compiled()
def presses_tip(contacts: Contacts, k: int, chain: Chain, segments: int) -> bool:
    """Whether a contact pushes the tip back, against its heading."""
    last = segments - 1
    along = contacts.gamma[k] * chain.cosine[last] - contacts.beta[k] * chain.sine[last]
    return contacts.segment[k] == last and along < -LEAST_ALONG


@compiled()
def _add_row(contacts: Contacts, row: int, k: int, x: float, y: float, key: int) -> None:
    """Write the displacement of a point of the tube [m] along the wall of contact k as a row."""
    # The tangent is the normal (gamma, -beta), turned to the left.
    tx, ty = contacts.beta[k], contacts.gamma[k]
    contacts.first[row], contacts.segment[row] = contacts.first[k], contacts.segment[k]
    contacts.key[row], contacts.gap[row], contacts.growth[row] = key, 0.0, 0.0
    contacts.alpha[row] = x * ty - y * tx
    contacts.beta[row] = -ty
    contacts.gamma[row] = tx


@compiled()
def way_of(key: int, memory: FrictionMemory) -> int:
    """The bound at which a row of friction slid in the last step: 1 for the upper, -1 for the lower one, 0 if it did not."""
    for i in range(len(memory.slid)):
        if memory.slid[i] == NO_KEY:
            break
        if memory.slid[i] == key:
            return int(memory.way[i])
    return 0


@compiled()
def tip_coefficient(friction: Friction, memory: FrictionMemory) -> float:
    """Coefficient of friction of the tip [-]."""
    return friction.static if way_of(TIP_KEY, memory) == 0 else friction.kinetic


@compiled()
def let_slide(dual: Dual, row: int, most: float, active: int) -> int:
    """Bound the force of a row that was held, on both sides, to at most that [N]; return the number of active rows left."""
    dual.lower[row], dual.upper[row] = -most, most
    for i in range(active):
        if dual.active[i] == row:
            return remove(dual, i, active)
    return active


@compiled()
def add_tip_row(contacts: Contacts, count: int, chain: Chain, segments: int) -> int:
    """Append the tip's sliding along the nearest contact that pushes it back; return the new number of rows.

    On the tube's own body it slides relative to that.
    """
    nearest = -1
    for k in range(count):
        if presses_tip(contacts, k, chain, segments) and (nearest < 0 or contacts.gap[k] < contacts.gap[nearest]):
            nearest = k
    if nearest < 0:
        return count
    _add_row(contacts, count, nearest, chain.x[segments], chain.y[segments], TIP_KEY)
    tx, ty = contacts.beta[nearest], contacts.gamma[nearest]
    contacts.growth[count] = tx * chain.cosine[segments - 1] + ty * chain.sine[segments - 1]
    return count + 1


@compiled()
def add_friction_rows(
    contacts: Contacts, count: int, chain: Chain, segments: int, friction: Friction, dual: Dual, memory: FrictionMemory
) -> int:
    """Append the rows of friction with their bounds, that of the tip, which is held, first; return the new number of rows."""
    dual.lower[:], dual.upper[:] = 0.0, np.inf
    rows = add_tip_row(contacts, count, chain, segments)
    if rows > count:
        dual.lower[count], dual.force[count] = -np.inf, 0.0
    if not friction.body:
        return rows
    for k in range(count):
        normal = carried_by(contacts.key[k], memory.keys, memory.carried)
        if normal <= 0.0 or presses_tip(contacts, k, chain, segments):
            continue
        # Two rows are reserved for the bounds of the growth.
        if rows - count == MOST_RUBBING or rows == len(contacts.gap) - 2:
            break
        # Within a segment the normal is perpendicular to it: as if the contact were at its end.
        end = contacts.segment[k] + 1
        aside = friction.radius
        if is_of_actuator(contacts, k):
            aside = (aside + abs(chain.thickness[contacts.segment[k]])) / force_share(contacts, k)
        x, y = chain.x[end] - aside * contacts.gamma[k], chain.y[end] + aside * contacts.beta[k]
        key = RUBBING + contacts.key[k]
        way = way_of(key, memory)
        most = (friction.static if way == 0 else friction.kinetic) * normal
        _add_row(contacts, rows, k, x, y, key)
        dual.lower[rows], dual.upper[rows], dual.force[rows] = -most, most, way
        rows += 1
    return rows


@compiled()
def begin_sticking(dual: Dual, numbers: ContactNumbers, active: int) -> int:
    """Add the rows of friction that did not slide in the last step to the active ones; return how many are active."""
    for k in range(numbers.soft, numbers.soft + numbers.boxed):
        if dual.force[k] == 0.0 and dual.upper[k] > 0.0 and active < MOST_ACTIVE:
            dual.active[active] = k
            active += 1
    return active


@compiled()
def remember_sliding(
    contacts: Contacts, dual: Dual, numbers: ContactNumbers, growth: float, memory: FrictionMemory
) -> None:
    """Write which rows of friction slid in a solved step.

    Args:
        growth: In that step [m].
    """
    known = 0
    for k in range(numbers.soft, numbers.soft + numbers.boxed):
        if not dual.is_active[k] and dual.upper[k] > 0.0:
            slip = gap_change(contacts, dual.turns, k, growth) + CREEP * dual.force[k]
            if abs(slip) > TOLERANCE:
                memory.slid[known], memory.way[known] = contacts.key[k], -1 if slip > 0.0 else 1
                known += 1
    memory.slid[known] = NO_KEY


@compiled()
def normal_force(contacts: Contacts, chain: Chain, dual: Dual, numbers: ContactNumbers, active: int) -> float:
    """Sum of the forces that push the tip back [N]."""
    total = 0.0
    for i in range(active):
        k = dual.active[i]
        if k < numbers.soft and presses_tip(contacts, k, chain, numbers.segments):
            total += dual.force[k]
    return total

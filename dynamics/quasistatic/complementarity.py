"""The contact forces of one implicit step: a small complementarity problem, solved exactly.

A step minimises 1/2 d' D d - f' d over d = (bends, growth), D diagonal, under gap + J d >= 0. Its dual problem is to find forces
lambda >= 0 with r = r0 + A lambda >= 0 and lambda' r = 0, where A = J D^-1 J' + compliance and r0 is the gap
without contact forces. J is affine in the positions of the joints' pivots, so every entry of A, and products with J and J', come from
prefix and suffix sums: O(n + K^2) for K contacts on n joints.

The force of a row of friction is bounded on both sides: lower <= lambda <= upper, with r = 0 between the bounds, r >= 0 at the lower
and r <= 0 at the upper one. So the dual problem is to minimise 1/2 lambda' A lambda + r0' lambda over a box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.chain import Chain
from dynamics.contact_rows import Contacts
from dynamics.cross_section import COMPLIANCE
from dynamics.dented import neighbours, shared_compliance
from surrogate.compiled import Floats, compiled

MOST_ACTIVE = 128
"""Maximum number of contacts that carry a force at the same time."""
TOLERANCE = 1e-8
"""A contact becomes active when its gap is negative by more than this [m], a row at a bound when it moves the wrong way by more."""
CREEP = 1e-8
"""Compliance of a row between two bounds [m/N]: rows of contacts side by side on a straight tube, which move along it together, would
be linearly dependent. In return a contact that sticks with 10 N creeps by 0.1 micrometre in each step."""


class Dual(NamedTuple):
    """Work space of the solver; `capacity` rows, `max_segments` joints."""

    moments: Floats
    """Prefix sums of 1/D times (1, x, y, xx, xy, yy), shape (max_segments + 1, 6)."""
    turns: Floats
    """Prefix sums of d times (1, x, y), shape (max_segments + 1, 3)."""
    loads: Floats
    """Forces times (alpha, beta, gamma) by segment and, at the inner segments of contacts of the tube with itself, times the
    distance of the two parts, shape (max_segments, 4)."""
    free_gap: Floats
    """Gap after the step without contact forces [m], shape (capacity,)."""
    force: Floats
    """Contact forces lambda [N], shape (capacity,)."""
    lower: Floats
    """Bounds of the forces [N], shape (capacity,): 0 and infinite except for rows of friction."""
    upper: Floats
    shared: Floats
    """Dent of each contact by the forces of its neighbours [m], shape (capacity,)."""
    is_active: NDArray[np.bool_]
    active: NDArray[np.int64]
    """Rows whose force is between its bounds, in the order of the factor, shape (MOST_ACTIVE,)."""
    factor: Floats
    """Cholesky factor of A over the active rows, shape (MOST_ACTIVE, MOST_ACTIVE)."""
    trial: Floats
    """Forces that close all active gaps, shape (MOST_ACTIVE,)."""


class Step(NamedTuple):
    """Bends of a step and their quadratic model; for the growth see `ContactNumbers`."""

    inverse: Floats
    """1 / D of each joint [rad / N m], shape (max_segments,)."""
    free: Floats
    """Bend of each joint in the step without contact [rad], shape (max_segments,)."""
    bend: Floats
    """Bend of each joint in the step [rad], shape (max_segments,)."""


class ContactNumbers(NamedTuple):
    """Scalars of one step's problem; its arrays are `Contacts`, `Chain`, `Step` and `Dual`.

    Kernels take them as separate arguments: unpacking an array from nested tuples takes longer than the sums over it.
    """

    rows: int
    """Number of rows in `Contacts`."""
    soft: int
    """Number of leading rows that are contacts, with compliance."""
    segments: int
    free_growth: float
    """Growth without any constraint [m]."""
    inverse_growth: float
    """1 / D of the growth [m/N]."""
    shared_reach: float
    """Contacts that are nearer to each other share compliance [m], see `dynamics.dented.shared_compliance`."""
    boxed: int = 0
    """Number of rows after those of contacts whose force has a finite lower and upper bound."""


@compiled(counted=True)
def new_dual(capacity: int, max_segments: int) -> Dual:
    """Allocate the work space."""
    return Dual(
        np.empty((max_segments + 1, 6)),
        np.empty((max_segments + 1, 3)),
        np.zeros((max_segments, 4)),
        np.empty(capacity),
        np.zeros(capacity),
        np.zeros(capacity),
        np.full(capacity, np.inf),
        np.zeros(capacity),
        np.zeros(capacity, np.bool_),
        np.empty(MOST_ACTIVE, np.int64),
        np.empty((MOST_ACTIVE, MOST_ACTIVE)),
        np.empty(MOST_ACTIVE),
    )


@compiled()
def _entry(contacts: Contacts, moments: Floats, inverse_growth: float, k: int, m: int) -> float:
    """A[k, m] without compliance."""
    first, end = max(contacts.first[k], contacts.first[m]), min(contacts.segment[k], contacts.segment[m]) + 1
    shared = inverse_growth * contacts.growth[k] * contacts.growth[m]
    if end <= first:  # no bend moves both
        return shared
    below, sums = moments[first], moments[end]  # the first row of the sums is 0: exact for contacts with walls
    a, b, c = contacts.alpha[k], contacts.beta[k], contacts.gamma[k]
    p, q, r = contacts.alpha[m], contacts.beta[m], contacts.gamma[m]
    return (
        a * p * (sums[0] - below[0])
        + (a * q + b * p) * (sums[1] - below[1])
        + (a * r + c * p) * (sums[2] - below[2])
        + b * q * (sums[3] - below[3])
        + (b * r + c * q) * (sums[4] - below[4])
        + c * r * (sums[5] - below[5])
        + shared
    )


@compiled()
def _factor_from(contacts: Contacts, dual: Dual, numbers: ContactNumbers, first: int, count: int) -> None:
    """Recompute rows first ... count - 1 of the Cholesky factor."""
    factor, active = dual.factor, dual.active
    for i in range(first, count):
        k = active[i]
        for j in range(i + 1):
            value = _entry(contacts, dual.moments, numbers.inverse_growth, k, active[j])
            if numbers.shared_reach > 0.0 and i != j and max(k, active[j]) < numbers.soft:
                value += shared_compliance(contacts, k, active[j], numbers.shared_reach)
            if i == j and k < numbers.soft:
                value += contacts.pressing[k, COMPLIANCE]
            elif i == j and k < numbers.soft + numbers.boxed:
                value += CREEP
            for h in range(j):
                value -= factor[i, h] * factor[j, h]
            factor[i, j] = np.sqrt(max(value, 1e-14)) if i == j else value / factor[j, j]


@compiled()
def _solve_active(dual: Dual, count: int) -> None:
    """Forces that close all active gaps."""
    factor, trial = dual.factor, dual.trial
    for i in range(count):
        value = -dual.free_gap[dual.active[i]]
        for h in range(i):
            value -= factor[i, h] * trial[h]
        trial[i] = value / factor[i, i]
    for i in range(count - 1, -1, -1):
        value = trial[i]
        for h in range(i + 1, count):
            value -= factor[h, i] * trial[h]
        trial[i] = value / factor[i, i]


@compiled()
def _add_constant(contacts: Contacts, dual: Dual, numbers: ContactNumbers, row: int, force: float) -> None:
    """Add a constant force of a row between two bounds [N] to the free gaps of all rows."""
    for k in range(numbers.rows):
        dual.free_gap[k] += _entry(contacts, dual.moments, numbers.inverse_growth, k, row) * force


@compiled()
def _drop(contacts: Contacts, dual: Dual, numbers: ContactNumbers, position: int, count: int) -> int:
    """Remove one active row, whose force becomes that of the bound which its trial exceeds; return the number of those left."""
    row = dual.active[position]
    dual.is_active[row] = False
    dual.force[row] = 0.0
    if numbers.soft <= row < numbers.soft + numbers.boxed:
        dual.force[row] = dual.lower[row] if dual.trial[position] <= dual.lower[row] else dual.upper[row]
        _add_constant(contacts, dual, numbers, row, dual.force[row])
    for i in range(position, count - 1):
        dual.active[i] = dual.active[i + 1]
    return count - 1


@compiled()
def _sum_turns(turns: Floats, bend: Floats, chain: Chain, segments: int) -> None:
    """Compute the prefix sums that convert bends to displacements."""
    xs, ys = chain.pivot_x, chain.pivot_y
    turns[0] = 0.0
    for j in range(segments):
        turns[j + 1, 0] = turns[j, 0] + bend[j]
        turns[j + 1, 1] = turns[j, 1] + bend[j] * xs[j]
        turns[j + 1, 2] = turns[j, 2] + bend[j] * ys[j]


@compiled()
def gap_change(contacts: Contacts, turns: Floats, k: int, growth: float) -> float:
    """Row k of J d."""
    below, sums = turns[contacts.first[k]], turns[contacts.segment[k] + 1]
    return (
        contacts.alpha[k] * (sums[0] - below[0])
        + contacts.beta[k] * (sums[1] - below[1])
        + contacts.gamma[k] * (sums[2] - below[2])
        + contacts.growth[k] * growth
    )


@compiled(inline="always")
def _add_load(contacts: Contacts, chain: Chain, loads: Floats, k: int, force: float) -> None:
    """Add the force of a row [N] to `Dual.loads`.

    A contact of the tube with itself pushes its inner part as much as its outer part: the two loads cancel on all joints before them.
    """
    segment, first = contacts.segment[k], contacts.first[k]
    alpha, beta, gamma = force * contacts.alpha[k], force * contacts.beta[k], force * contacts.gamma[k]
    loads[segment, 0] += alpha
    loads[segment, 1] += beta
    loads[segment, 2] += gamma
    if first > 0:
        loads[first - 1, 0] -= alpha
        loads[first - 1, 1] -= beta
        loads[first - 1, 2] -= gamma
        # Normals are perpendicular to a segment that is touched within it: as if it were at its end.
        dx, dy = chain.x[segment + 1] - chain.x[first], chain.y[segment + 1] - chain.y[first]
        loads[first - 1, 3] += gamma * dx - beta * dy


@compiled()
def _apply_forces(
    contacts: Contacts, chain: Chain, step: Step, dual: Dual, numbers: ContactNumbers, count: int
) -> float:
    """Compute bends and growth under the active forces and those at a bound; return the growth [m]."""
    loads, segments = dual.loads, numbers.segments
    loads[:segments] = 0.0
    growth = numbers.free_growth
    for i in range(count):
        k = dual.active[i]
        _add_load(contacts, chain, loads, k, dual.force[k])
        growth += numbers.inverse_growth * contacts.growth[k] * dual.force[k]
    for k in range(numbers.soft, numbers.soft + numbers.boxed):
        if not dual.is_active[k]:  # at a bound
            _add_load(contacts, chain, loads, k, dual.force[k])
            growth += numbers.inverse_growth * contacts.growth[k] * dual.force[k]
    bend, free, inverse, xs, ys = step.bend, step.free, step.inverse, chain.pivot_x, chain.pivot_y
    a = b = c = 0.0
    for j in range(segments - 1, -1, -1):
        a, b, c = a + loads[j, 0], b + loads[j, 1], c + loads[j, 2]
        bend[j] = free[j] + inverse[j] * (a + b * xs[j] + c * ys[j])
    _sum_turns(dual.turns, bend, chain, segments)
    if numbers.shared_reach > 0.0:
        _share_dents(contacts, dual, numbers, count)
    return growth


@compiled()
def _share_dents(contacts: Contacts, dual: Dual, numbers: ContactNumbers, count: int) -> None:
    """Compute the dent of each contact by the active forces of its neighbours."""
    shared = dual.shared
    shared[: numbers.soft] = 0.0
    for i in range(count):
        m = dual.active[i]
        if m < numbers.soft:
            first, end = neighbours(contacts, numbers.soft, m, numbers.shared_reach)
            for k in range(first, end):
                if k != m:
                    shared[k] += shared_compliance(contacts, k, m, numbers.shared_reach) * dual.force[m]


@compiled()
def _settle(contacts: Contacts, dual: Dual, numbers: ContactNumbers, first: int, count: int) -> int:
    """Move towards the forces that close all active gaps, and drop rows that reach a bound; return the number of rows left."""
    while True:
        _factor_from(contacts, dual, numbers, first, count)
        _solve_active(dual, count)
        share, stop = 1.0, -1
        for i in range(count):
            k = dual.active[i]
            part, force, trial, low, high = 2.0, dual.force[k], dual.trial[i], dual.lower[k], dual.upper[k]
            if trial <= low:
                part = (force - low) / (force - trial) if force > low else 0.0
            elif trial > high:
                part = (high - force) / (trial - force) if force < high else 0.0
            if part < share or (part <= 1.0 and stop < 0):
                share, stop = min(part, share), i
        for i in range(count):
            k = dual.active[i]
            dual.force[k] += share * (dual.trial[i] - dual.force[k])
        if stop < 0:
            return count
        count = _drop(contacts, dual, numbers, stop, count)
        first = stop


@compiled()
def _from_guess(contacts: Contacts, dual: Dual, numbers: ContactNumbers, count: int) -> int:
    """Compute the forces of the first `count` active rows, and drop those beyond a bound; return the number of rows left."""
    first = 0
    while count:
        _factor_from(contacts, dual, numbers, first, count)
        _solve_active(dual, count)
        before = count
        for i in range(count - 1, -1, -1):
            k = dual.active[i]
            if dual.trial[i] <= dual.lower[k] or dual.trial[i] > dual.upper[k]:
                count, first = _drop(contacts, dual, numbers, i, count), i
        if count == before:
            for i in range(count):
                dual.force[dual.active[i]] = dual.trial[i]
            break
    return count


@compiled(inline="always")
def _wrong(dual: Dual, k: int, gap: float) -> float:
    """Motion of a row at a bound [m], from its gap without its compliance: negative where the force should leave the bound."""
    if dual.lower[k] == dual.upper[k]:
        return 0.0
    gap += CREEP * dual.force[k]
    return -gap if dual.force[k] == dual.upper[k] else gap


@compiled()
def _sum_moments(sums: Floats, inverse: Floats, chain: Chain, segments: int) -> None:
    """Compute the prefix sums for the entries of A, see `Dual.moments`."""
    xs, ys = chain.pivot_x, chain.pivot_y
    sums[0] = 0.0
    for j in range(segments):
        w, x, y = inverse[j], xs[j], ys[j]
        sums[j + 1, 0] = sums[j, 0] + w
        sums[j + 1, 1] = sums[j, 1] + w * x
        sums[j + 1, 2] = sums[j, 2] + w * y
        sums[j + 1, 3] = sums[j, 3] + w * x * x
        sums[j + 1, 4] = sums[j, 4] + w * x * y
        sums[j + 1, 5] = sums[j, 5] + w * y * y


@compiled()
def solve_step(
    contacts: Contacts, chain: Chain, step: Step, dual: Dual, numbers: ContactNumbers, warm: int, fresh: bool
) -> tuple[float, int, bool]:
    """Solve the step by an active-set method: add the most violated row and drop rows that reach a bound, until none is violated.

    This is least squares on the dual with bounds (Stark and Parker 1995; without upper ones, Lawson and Hanson's non-negative
    least squares). It terminates because every round lowers the dual, and there are finitely many sets of active rows.

    Args:
        warm: Number of rows in `dual.active` as an initial guess; other rows between two bounds begin at that of `dual.force`'s sign.
        fresh: Whether chain or `step.inverse` have changed since the last solve.
    Returns:
        Growth [m], number of active rows, and whether the problem was solved.
    """
    rows, soft, end = numbers.rows, numbers.soft, numbers.soft + numbers.boxed
    if fresh:
        _sum_moments(dual.moments, step.inverse, chain, numbers.segments)
    _sum_turns(dual.turns, step.free, chain, numbers.segments)
    for k in range(rows):
        dual.free_gap[k] = contacts.gap[k] + gap_change(contacts, dual.turns, k, numbers.free_growth)
        dual.is_active[k] = False
        if not soft <= k < end:
            dual.force[k] = 0.0
    for i in range(warm):
        dual.is_active[dual.active[i]] = True
    for k in range(soft, end):
        if not dual.is_active[k]:
            dual.force[k] = dual.lower[k] if dual.force[k] < 0.0 else dual.upper[k]
            _add_constant(contacts, dual, numbers, k, dual.force[k])
    count = _from_guess(contacts, dual, numbers, warm)
    refused = -1
    for _ in range(3 * rows + 10):
        growth = _apply_forces(contacts, chain, step, dual, numbers, count)
        worst, row = -TOLERANCE, -1
        for k in range(rows):
            if not dual.is_active[k] and k != refused:
                gap = contacts.gap[k] + gap_change(contacts, dual.turns, k, growth)
                if numbers.shared_reach > 0.0 and k < soft:
                    gap += dual.shared[k]
                if soft <= k < end:
                    gap = _wrong(dual, k, gap)
                if gap < worst:
                    worst, row = gap, k
        if row < 0:
            return growth, count, True
        if count == MOST_ACTIVE:
            return growth, count, False
        dual.active[count] = row
        dual.is_active[row] = True
        if soft <= row < end:
            _add_constant(contacts, dual, numbers, row, -dual.force[row])
        count = _settle(contacts, dual, numbers, count, count + 1)
        # Rounding may drop a row right after it was added: do not add it twice in succession.
        refused = -1 if dual.is_active[row] else row
    return _apply_forces(contacts, chain, step, dual, numbers, count), count, False

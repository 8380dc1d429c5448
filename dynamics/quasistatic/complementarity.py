"""The contact forces of one implicit step: a small complementarity problem, solved exactly.

A step minimises 1/2 d' D d - f' d over d = (bends, growth), D diagonal, under gap + J d >= 0. Its dual problem is to find forces
lambda >= 0 with r = r0 + A lambda >= 0 and lambda' r = 0, where A = J D^-1 J' + compliance and r0 is the gap
without contact forces. J is affine in the positions of the joints' pivots, so every entry of A, and products with J and J', come from
prefix and suffix sums: O(n + K^2) for K contacts on n joints.

The force of a row of friction is bounded on both sides: lower <= lambda <= upper, with r = 0 between the bounds, r >= 0 at the lower
and r <= 0 at the upper one. So the dual problem is to minimise 1/2 lambda' A lambda + r0' lambda over a box.
"""

from __future__ import annotations

from dynamics.chain import Chain
from dynamics.contact_rows import Contacts
from dynamics.quasistatic.dual import MOST_ACTIVE, ContactNumbers, Dual, QuadraticStep
from dynamics.quasistatic.factor import CREEP, add_constant, factor_from, remove, solve_active, sum_moments, tabulate
from dynamics.soft_contacts import neighbours, shared_compliance
from surrogate.kernels.compiled import Floats, compiled

TOLERANCE = 1e-8
"""A contact becomes active when its gap is negative by more than this [m], a row at a bound when it moves the wrong way by more."""


@compiled()
def _drop(contacts: Contacts, dual: Dual, numbers: ContactNumbers, position: int, count: int) -> int:
    """Remove one active row, whose force becomes that of the bound which its trial exceeds; return the number of those left."""
    row = dual.active[position]
    dual.is_active[row] = False
    dual.force[row] = 0.0
    if numbers.soft <= row < numbers.soft + numbers.boxed:
        dual.force[row] = dual.lower[row] if dual.trial[position] <= dual.lower[row] else dual.upper[row]
        add_constant(contacts, dual, numbers, row, dual.force[row])
    return remove(dual, position, count)


@compiled()
def _sum_turns(turns: Floats, bend: Floats, chain: Chain, segments: int) -> None:
    """Compute the prefix sums that convert bends to displacements."""
    xs, ys = chain.pivot_x, chain.pivot_y
    turn = turn_x = turn_y = 0.0
    turns[0] = 0.0
    for j in range(segments):
        turn, turn_x, turn_y = turn + bend[j], turn_x + bend[j] * xs[j], turn_y + bend[j] * ys[j]
        turns[j + 1, 0], turns[j + 1, 1], turns[j + 1, 2] = turn, turn_x, turn_y


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


@compiled(forceinline=True)
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
    contacts: Contacts, chain: Chain, step: QuadraticStep, dual: Dual, numbers: ContactNumbers, count: int
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
    factor_from(contacts, dual, numbers, first, count)
    while True:
        solve_active(dual, count)
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


@compiled()
def _from_guess(contacts: Contacts, dual: Dual, numbers: ContactNumbers, known: int, count: int) -> int:
    """Compute the forces of the first `count` active rows, and drop those beyond a bound; return the number of rows left.

    Args:
        known: Number of leading rows whose factor is that of the last solve.
    """
    factor_from(contacts, dual, numbers, known, count)
    before = -1
    while count != before:
        solve_active(dual, count)
        before = count
        for i in range(count - 1, -1, -1):
            k = dual.active[i]
            if dual.trial[i] <= dual.lower[k] or dual.trial[i] > dual.upper[k]:
                count = _drop(contacts, dual, numbers, i, count)
    for i in range(count):
        dual.force[dual.active[i]] = dual.trial[i]
    return count


@compiled(forceinline=True)
def _wrong(dual: Dual, k: int, gap: float) -> float:
    """Motion of a row at a bound [m], from its gap without its compliance: negative where the force should leave the bound."""
    if dual.lower[k] == dual.upper[k]:
        return 0.0
    gap += CREEP * dual.force[k]
    return -gap if dual.force[k] == dual.upper[k] else gap


@compiled()
def _begin(
    contacts: Contacts, chain: Chain, step: QuadraticStep, dual: Dual, numbers: ContactNumbers, warm: int
) -> None:
    """Compute the gaps without the forces of the first `warm` active rows; other rows of friction are at a bound."""
    soft, end, growth = numbers.soft, numbers.soft + numbers.boxed, numbers.free_growth
    for k in range(numbers.rows):
        dual.is_active[k] = False
        if not soft <= k < end:
            dual.force[k] = 0.0
    for i in range(warm):
        dual.is_active[dual.active[i]] = True
    for k in range(soft, end):
        if not dual.is_active[k]:
            dual.force[k] = dual.lower[k] if dual.force[k] < 0.0 else dual.upper[k]
    if numbers.boxed > 0:
        growth = _apply_forces(contacts, chain, step, dual, numbers, 0)
        for k in range(numbers.rows):
            dual.free_gap[k] = contacts.gap[k] + gap_change(contacts, dual.turns, k, growth)
        return
    _sum_turns(dual.free_turns, step.free, chain, numbers.segments)
    for i in range(warm):
        k = dual.active[i]
        dual.free_gap[k] = contacts.gap[k] + gap_change(contacts, dual.free_turns, k, growth)


@compiled()
def solve_step(
    contacts: Contacts,
    chain: Chain,
    step: QuadraticStep,
    dual: Dual,
    numbers: ContactNumbers,
    warm: int,
    fresh: bool,
    factored: int,
) -> tuple[float, int, bool]:
    """Solve the step by an active-set method: add the most violated row and drop rows that reach a bound, until none is violated.

    This is least squares on the dual with bounds (Stark and Parker 1995; without upper ones, Lawson and Hanson's non-negative
    least squares). It terminates because every round lowers the dual, and there are finitely many sets of active rows.

    Args:
        warm: Number of rows in `dual.active` as an initial guess; other rows between two bounds begin at that of `dual.force`'s sign.
        fresh: Whether chain, rows or `step.inverse` have changed since the last solve, but for gaps and bounds.
        factored: Number of leading rows of the guess to which the factor of the last solve belongs.
    Returns:
        Growth [m], number of active rows, and whether the problem was solved.
    """
    rows, soft, end = numbers.rows, numbers.soft, numbers.soft + numbers.boxed
    if fresh:
        sum_moments(dual.moments, step.inverse, chain, numbers.segments)
        if numbers.boxed > 0:
            tabulate(contacts, dual, rows)
    _begin(contacts, chain, step, dual, numbers, warm)
    count = _from_guess(contacts, dual, numbers, factored, warm)
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
            add_constant(contacts, dual, numbers, row, -dual.force[row])
        elif numbers.boxed == 0:
            dual.free_gap[row] = contacts.gap[row] + gap_change(contacts, dual.free_turns, row, numbers.free_growth)
        count = _settle(contacts, dual, numbers, count, count + 1)
        # Rounding may drop a row right after it was added: do not add it twice in succession.
        refused = -1 if dual.is_active[row] else row
    return _apply_forces(contacts, chain, step, dual, numbers, count), count, False

"""The matrix A = J D^-1 J' + compliance of the contacts of a step, and its Cholesky factor over the active ones."""

from __future__ import annotations

import math

from dynamics.chain import Chain
from dynamics.contact_rows import Contacts
from dynamics.cross_section import COMPLIANCE
from dynamics.quasistatic.dual import ContactNumbers, Dual
from dynamics.soft_contacts import shared_compliance
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

CREEP = 1e-8
"""Compliance of a row between two bounds [m/N]: rows of contacts side by side on a straight tube, which move along it together, would
be linearly dependent. In return a contact that sticks with 10 N creeps by 0.1 micrometre in each step."""
REORDERED = {"reassoc", "contract"}
"""Liberties of the compiler with scalar products: sums in any order."""


@compiled()
def sum_moments(sums: Floats, inverse: Floats, chain: Chain, segments: int) -> None:
    """Compute the prefix sums for the entries of A, see `Dual.moments`."""
    xs, ys = chain.pivot_x, chain.pivot_y
    one = of_x = of_y = of_xx = of_xy = of_yy = 0.0
    sums[0] = 0.0
    for j in range(segments):
        w, x, y = inverse[j], xs[j], ys[j]
        one, of_x, of_y = one + w, of_x + w * x, of_y + w * y
        of_xx, of_xy, of_yy = of_xx + w * x * x, of_xy + w * x * y, of_yy + w * y * y
        sums[j + 1, 0], sums[j + 1, 1], sums[j + 1, 2] = one, of_x, of_y
        sums[j + 1, 3], sums[j + 1, 4], sums[j + 1, 5] = of_xx, of_xy, of_yy


@compiled(forceinline=True)
def _tabulate_row(contacts: Contacts, dual: Dual, k: int) -> None:
    """Compute row k of `Dual.table` from `Dual.moments`."""
    moments, table, end = dual.moments, dual.table, contacts.segment[k] + 1
    a, b, c = contacts.alpha[k], contacts.beta[k], contacts.gamma[k]
    table[k, 0], table[k, 1], table[k, 2], table[k, 3] = a, b, c, contacts.growth[k]
    table[k, 4] = a * moments[end, 0] + b * moments[end, 1] + c * moments[end, 2]
    table[k, 5] = a * moments[end, 1] + b * moments[end, 3] + c * moments[end, 4]
    table[k, 6] = a * moments[end, 2] + b * moments[end, 4] + c * moments[end, 5]


@compiled()
def tabulate(contacts: Contacts, dual: Dual, rows: int) -> None:
    """Compute `Dual.table` of all rows."""
    for k in range(rows):
        _tabulate_row(contacts, dual, k)


@compiled(forceinline=True)
def _entry(
    table: Floats, segment: Integers, first: Integers, moments: Floats, inverse_growth: float, k: int, m: int
) -> float:
    """A[k, m] without compliance."""
    near, far = (k, m) if segment[k] <= segment[m] else (m, k)
    start = max(first[k], first[m])
    value = inverse_growth * table[k, 3] * table[m, 3]
    if start <= segment[near]:  # otherwise no bend moves both
        p, q, r = table[far, 0], table[far, 1], table[far, 2]
        value += p * table[near, 4] + q * table[near, 5] + r * table[near, 6]
        if start > 0:  # a contact of the tube with itself: only the joints between its two parts
            a, b, c = table[near, 0], table[near, 1], table[near, 2]
            value -= p * (a * moments[start, 0] + b * moments[start, 1] + c * moments[start, 2])
            value -= q * (a * moments[start, 1] + b * moments[start, 3] + c * moments[start, 4])
            value -= r * (a * moments[start, 2] + b * moments[start, 4] + c * moments[start, 5])
    return value


@compiled(fastmath=REORDERED)
def factor_from(contacts: Contacts, dual: Dual, numbers: ContactNumbers, first: int, count: int) -> None:
    """Recompute rows first ... count - 1 of the Cholesky factor, and of `Dual.table`."""
    factor, active, table, moments = dual.factor, dual.active, dual.table, dual.moments
    segment, start, inverse_growth = contacts.segment, contacts.first, numbers.inverse_growth
    soft, boxed, scale = numbers.soft, numbers.soft + numbers.boxed, dual.scale
    for i in range(first, count):
        k = active[i]
        _tabulate_row(contacts, dual, k)
        for j in range(i + 1):
            value = _entry(table, segment, start, moments, inverse_growth, k, active[j])
            if numbers.shared_reach > 0.0 and i != j and max(k, active[j]) < soft:
                value += shared_compliance(contacts, k, active[j], numbers.shared_reach)
            if i == j and k < soft:
                value += contacts.pressing[k, COMPLIANCE]
            elif i == j and k < boxed:
                value += CREEP
            known = 0.0
            for h in range(j):
                known += factor[i, h] * factor[j, h]
            value -= known
            if i == j:
                factor[i, i] = math.sqrt(max(value, 1e-14))
                scale[i] = 1.0 / factor[i, i]
            else:
                factor[i, j] = value * scale[j]


@compiled()
def remove(dual: Dual, position: int, count: int) -> int:
    """Remove an active row, also from the factor, by Givens rotations (Golub and Van Loan 2013, section 6.5); return the number left."""
    factor, scale, left = dual.factor, dual.scale, count - 1
    for i in range(position, left):
        dual.active[i] = dual.active[i + 1]
        for j in range(i + 2):
            factor[i, j] = factor[i + 1, j]
    for j in range(position, left):
        length = math.hypot(factor[j, j], factor[j, j + 1])
        cosine, sine = factor[j, j] / length, factor[j, j + 1] / length
        factor[j, j], scale[j] = length, 1.0 / length
        for i in range(j + 1, left):
            one, other = factor[i, j], factor[i, j + 1]
            factor[i, j], factor[i, j + 1] = cosine * one + sine * other, cosine * other - sine * one
    return left


@compiled()
def solve_active(dual: Dual, count: int) -> None:
    """Forces that close all active gaps."""
    factor, trial, scale = dual.factor, dual.trial, dual.scale
    for i in range(count):
        value = -dual.free_gap[dual.active[i]]
        for h in range(i):
            value -= factor[i, h] * trial[h]
        trial[i] = value * scale[i]
    for i in range(count - 1, -1, -1):
        trial[i] *= scale[i]
        for h in range(i):
            trial[h] -= factor[i, h] * trial[i]


@compiled()
def add_constant(contacts: Contacts, dual: Dual, numbers: ContactNumbers, row: int, force: float) -> None:
    """Add a constant force of a row between two bounds [N] to the free gaps of all rows."""
    gap, table, segment, start, moments = dual.free_gap, dual.table, contacts.segment, contacts.first, dual.moments
    for k in range(numbers.rows):
        gap[k] += _entry(table, segment, start, moments, numbers.inverse_growth, k, row) * force

"""The joints' impulses: a block-tridiagonal system, factored in time linear in the number of bodies.

Between M (v - v_free) = A' impulse and A v + slack impulse = target the velocities drop out: S impulse = target - A v_free
with S = A M^-1 A' + slack, which couples a joint with its two neighbours only (Schur complement of the KKT system of
paper 000, Eq. 15, without contacts).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.impulse.bodies import Bodies, Rows
from surrogate.compiled import Floats, compiled


class Factor(NamedTuple):
    """Cholesky factor of S in blocks of three."""

    diagonal: Floats
    """Lower triangles, with the inverse of their diagonal on it, shape (bodies, 3, 3)."""
    below: Floats
    """Blocks left of them, shape (bodies, 3, 3)."""
    impulse: Floats
    """Work space of `project`, shape (bodies, 3)."""


def new_factor(capacity: int) -> Factor:
    """Room for a factor."""
    return Factor(np.zeros((capacity, 3, 3)), np.zeros((capacity, 3, 3)), np.zeros((capacity, 3)))


@compiled(inline="always")
def _weighted(left: Floats, i: int, right: Floats, j: int, per_mass: float, per_inertia: float) -> float:
    """Row i of one block times M^-1 times row j of another."""
    return (left[i, 0] * right[j, 0] + left[i, 1] * right[j, 1]) * per_mass + left[i, 2] * right[j, 2] * per_inertia


@compiled()
def factorise(bodies: Bodies, rows: Rows, count: int, factor: Factor) -> None:
    """Factor S."""
    mass, inertia = bodies.mass, bodies.inertia
    block = np.empty((3, 3))
    for k in range(count):
        near, far, below, low = rows.near[k], rows.far[k], factor.below[k], factor.diagonal[k]
        per_mass, per_inertia = 1.0 / mass[k], 1.0 / inertia[k]
        for i in range(3):
            for j in range(i + 1):
                block[i, j] = _weighted(near, i, near, j, per_mass, per_inertia)
            block[i, i] += rows.slack[k, i]
        if k:
            per_mass, per_inertia = 1.0 / mass[k - 1], 1.0 / inertia[k - 1]
            other, up = rows.near[k - 1], factor.diagonal[k - 1]
            for i in range(3):
                for j in range(i + 1):
                    block[i, j] += _weighted(far, i, far, j, per_mass, per_inertia)
                # below up' = the block of S left of the diagonal
                for j in range(3):
                    value = _weighted(far, i, other, j, per_mass, per_inertia)
                    for m in range(j):
                        value -= below[i, m] * up[j, m]
                    below[i, j] = value * up[j, j]
            for i in range(3):
                for j in range(i + 1):
                    block[i, j] -= below[i, 0] * below[j, 0] + below[i, 1] * below[j, 1] + below[i, 2] * below[j, 2]
        for j in range(3):
            for i in range(j, 3):
                value = block[i, j]
                for m in range(j):
                    value -= low[i, m] * low[j, m]
                low[i, j] = 1.0 / np.sqrt(value) if i == j else value * low[j, j]


@compiled()
def project(bodies: Bodies, rows: Rows, count: int, factor: Factor, velocity: Floats, targets: float) -> None:
    """Give velocities the joints' impulses, in place.

    Args:
        velocity: Without them, shape (bodies, 3).
        targets: 1 for the rows as they are; 0 for the rows' response to a push, whose targets are zero.
    """
    mass, inertia, impulse = bodies.mass, bodies.inertia, factor.impulse
    for k in range(count):
        near, far, below, low = rows.near[k], rows.far[k], factor.below[k], factor.diagonal[k]
        for i in range(3):
            value = targets * rows.target[k, i]
            for j in range(3):
                value -= near[i, j] * velocity[k, j]
            if k:
                for j in range(3):
                    value -= far[i, j] * velocity[k - 1, j] + below[i, j] * impulse[k - 1, j]
            for m in range(i):
                value -= low[i, m] * impulse[k, m]
            impulse[k, i] = value * low[i, i]
    for k in range(count - 1, -1, -1):
        low = factor.diagonal[k]
        for i in range(2, -1, -1):
            value = impulse[k, i]
            if k + 1 < count:
                for j in range(3):
                    value -= factor.below[k + 1, j, i] * impulse[k + 1, j]
            for m in range(i + 1, 3):
                value -= low[m, i] * impulse[k, m]
            impulse[k, i] = value * low[i, i]
    for k in range(count):
        for j in range(3):
            push = 0.0
            for i in range(3):
                push += rows.near[k, i, j] * impulse[k, i]
                if k + 1 < count:
                    push += rows.far[k + 1, i, j] * impulse[k + 1, i]
            velocity[k, j] += push / (inertia[k] if j == 2 else mass[k])

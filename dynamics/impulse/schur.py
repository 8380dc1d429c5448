"""The joints' impulses: a block-tridiagonal system, factored in time linear in the number of bodies.

Between M (v - v_free) = A' impulse and A v + slack impulse = target the velocities drop out: S impulse = target - A v_free
with S = A M^-1 A' + slack, which couples a joint with its two neighbours only (Schur complement of the KKT system of
paper 000, Eq. 15, without contacts).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.impulse.bodies import Bodies, JointRows
from surrogate.kernels.compiled import Floats, compiled


class Factor(NamedTuple):
    """Cholesky factor of S in blocks of three."""

    diagonal: Floats
    """Lower triangles, with the inverse of their diagonal on it, shape (bodies, 3, 3)."""
    below: Floats
    """Blocks left of them, shape (bodies, 3, 3)."""
    impulse: Floats
    """Work space of `project`, shape (bodies, 3)."""


def new_factor(capacity: int) -> Factor:
    """Allocate a factor."""
    return Factor(np.zeros((capacity, 3, 3)), np.zeros((capacity, 3, 3)), np.zeros((capacity, 3)))


@compiled(forceinline=True)
def _weighted(
    left: Floats, k: int, i: int, right: Floats, m: int, j: int, per_mass: float, per_inertia: float
) -> float:
    """Row i of block k of one side times M^-1 times row j of block m of the other."""
    moved = left[k, i, 0] * right[m, j, 0] + left[k, i, 1] * right[m, j, 1]
    return moved * per_mass + left[k, i, 2] * right[m, j, 2] * per_inertia


@compiled(counted=True)
def factorise(bodies: Bodies, rows: JointRows, count: int, factor: Factor) -> None:
    """Factor S."""
    # A slice such as near[k] would count a reference for every body.
    mass, inertia, near, far, slack = bodies.mass, bodies.inertia, rows.near, rows.far, rows.slack
    low, below = factor.diagonal, factor.below
    block = np.empty((3, 3))
    for k in range(count):
        per_mass, per_inertia = 1.0 / mass[k], 1.0 / inertia[k]
        for i in range(3):
            for j in range(i + 1):
                block[i, j] = _weighted(near, k, i, near, k, j, per_mass, per_inertia)
            block[i, i] += slack[k, i]
        if k:
            per_mass, per_inertia = 1.0 / mass[k - 1], 1.0 / inertia[k - 1]
            for i in range(3):
                for j in range(i + 1):
                    block[i, j] += _weighted(far, k, i, far, k, j, per_mass, per_inertia)
                # below up' = the block of S left of the diagonal
                for j in range(3):
                    value = _weighted(far, k, i, near, k - 1, j, per_mass, per_inertia)
                    for m in range(j):
                        value -= below[k, i, m] * low[k - 1, j, m]
                    below[k, i, j] = value * low[k - 1, j, j]
            for i in range(3):
                for j in range(i + 1):
                    block[i, j] -= (
                        below[k, i, 0] * below[k, j, 0]
                        + below[k, i, 1] * below[k, j, 1]
                        + below[k, i, 2] * below[k, j, 2]
                    )
        for j in range(3):
            for i in range(j, 3):
                value = block[i, j]
                for m in range(j):
                    value -= low[k, i, m] * low[k, j, m]
                low[k, i, j] = 1.0 / np.sqrt(value) if i == j else value * low[k, j, j]


@compiled()
def project(bodies: Bodies, rows: JointRows, count: int, factor: Factor, velocity: Floats, targets: float) -> None:
    """Give velocities the joints' impulses, in place.

    Args:
        velocity: Without them, shape (bodies, 3).
        targets: 1 for the rows as they are; 0 for the rows' response to a push, whose targets are zero.
    """
    mass, inertia, near, far, target = bodies.mass, bodies.inertia, rows.near, rows.far, rows.target
    low, below, impulse = factor.diagonal, factor.below, factor.impulse
    for k in range(count):
        for i in range(3):
            value = targets * target[k, i]
            for j in range(3):
                value -= near[k, i, j] * velocity[k, j]
            if k:
                for j in range(3):
                    value -= far[k, i, j] * velocity[k - 1, j] + below[k, i, j] * impulse[k - 1, j]
            for m in range(i):
                value -= low[k, i, m] * impulse[k, m]
            impulse[k, i] = value * low[k, i, i]
    for k in range(count - 1, -1, -1):
        for i in range(2, -1, -1):
            value = impulse[k, i]
            if k + 1 < count:
                for j in range(3):
                    value -= below[k + 1, j, i] * impulse[k + 1, j]
            for m in range(i + 1, 3):
                value -= low[k, m, i] * impulse[k, m]
            impulse[k, i] = value * low[k, i, i]
    for k in range(count):
        for j in range(3):
            push = 0.0
            for i in range(3):
                push += near[k, i, j] * impulse[k, i]
                if k + 1 < count:
                    push += far[k + 1, i, j] * impulse[k + 1, i]
            velocity[k, j] += push / (inertia[k] if j == 2 else mass[k])

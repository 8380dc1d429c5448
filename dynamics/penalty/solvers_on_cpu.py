"""The two inner solvers compiled for a CPU: each vine by itself, until its own minimum is found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dynamics.penalty.joints import Restoring
from dynamics.penalty.objective import Objective, PenaltyWeights
from dynamics.penalty.rows import FAR
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled

LINE_STEPS = 4
"""Number of steps of a line search."""
LONGEST_STEP = 4.0
"""Maximum step of a line search, in units of its direction."""
CLOSE = 1e-14
"""Energy that a further step would gain, below which the minimum is found [J]: of a joint of 0.3 N m/rad it is 0.3 microradians."""
LINE_CLOSE = 1e-9
"""Share of the slope at the beginning of a line, below which its lowest point is found [-]."""


class Potential(NamedTuple):
    """`Restoring`, scaled by the weight of the bending."""

    transition: float
    stiffness: float
    per_bend: float
    moment: Floats
    rising: Floats


class Problem(NamedTuple):
    """`Objective` of one vine."""

    bend: Floats
    scale: Floats
    pull: Floats
    """[N m]"""
    pull_slope: Floats
    """Increase of the moment with the turn [N m/rad]."""
    viscosity: Floats
    gap: Floats
    jacobian: Floats
    growth_force: float
    contact_stiffness: float


class Problems(NamedTuple):
    """`Objective` of a batch, in arrays."""

    bend: Floats
    scale: Floats
    pull: Floats
    pull_slope: Floats
    viscosity: Floats
    gap: Floats
    jacobian: Floats
    growth_force: Floats
    contact_stiffness: float


class Work(NamedTuple):
    """Arrays of a solver, which all vines use in turn."""

    gaps: Floats
    """Gaps at the present unknowns [m], shape (rows,)."""
    change: Floats
    """Their change along the direction [m], same shape."""
    gradient: Floats
    """Shape (unknowns,), as the following ones."""
    diagonal: Floats
    direction: Floats
    before: Floats
    """Gradient of the step before."""
    rate: Floats
    """Diagonal of the first step."""
    force: Floats
    """Shape (rows,)."""
    system: Floats
    """Shape (rows, rows)."""
    near: Integers
    """Rows with a contact, shape (rows,)."""
    pressed: Integers
    """Rows that are pressed, shape (rows,)."""


@compiled(forceinline=True)
def potential_moment(potential: Potential, bend: float) -> tuple[float, float]:
    """See `Restoring.moment_and_slope`."""
    size = abs(bend)
    if size <= potential.transition:
        return potential.stiffness * bend, potential.stiffness
    position, left = (size - potential.transition) * potential.per_bend, 0
    position = min(position, len(potential.moment) - 1.001)
    if position > 0.0:  # not for NaN, which is no index
        left = int(position)
    start = potential.moment[left]
    moment = start + (position - left) * (potential.moment[left + 1] - start)
    slope = (potential.rising[left + 1] - potential.rising[left]) * potential.per_bend
    return (moment if bend > 0.0 else -moment), slope


@compiled()
def _find_near(problem: Problem, work: Work) -> int:
    """List the rows with a contact; return their number."""
    count = 0
    for row in range(len(problem.gap)):
        if problem.gap[row] < 0.5 * FAR:
            work.near[count] = row
            count += 1
    return count


@compiled()
def _press(problem: Problem, work: Work, near: int, d: Floats) -> int:
    """Compute all gaps, and list the pressed rows; return their number."""
    count, jacobian = 0, problem.jacobian
    for k in range(near):
        row = work.near[k]
        gap = problem.gap[row]
        for j in range(len(d)):
            gap += jacobian[row, j] * d[j]
        work.gaps[row] = gap
        if gap < 0.0:
            work.pressed[count] = row
            count += 1
    return count


@compiled()
def _differentiate(potential: Potential, problem: Problem, work: Work, pressed: int, d: Floats) -> None:
    """Gradient, and the diagonal of the Hessian without contact."""
    gradient, diagonal, bends, last = work.gradient, work.diagonal, len(problem.bend), len(d) - 1
    for j in range(len(d)):
        gradient[j], diagonal[j] = problem.viscosity[j] * d[j], problem.viscosity[j]
    for j in range(bends):
        scale, pull_slope = problem.scale[j], problem.pull_slope[j]
        moment, slope = potential_moment(potential, problem.bend[j] + scale * d[j])
        gradient[j] += moment - problem.pull[j] + pull_slope * scale * d[j]
        diagonal[j] += (slope + pull_slope) * scale
    gradient[last] -= problem.growth_force
    for k in range(pressed):
        row = work.pressed[k]
        force = -problem.contact_stiffness * work.gaps[row]
        for j in range(len(d)):
            gradient[j] -= force * problem.jacobian[row, j]


@compiled()
def _find_newton_direction(problem: Problem, work: Work, pressed: int) -> float:
    """Direction by Woodbury's identity; return the slope of the energy along it [J]."""
    gradient, diagonal, direction, jacobian = work.gradient, work.diagonal, work.direction, problem.jacobian
    system, force, count = work.system, work.force, len(problem.viscosity)
    for j in range(count):
        direction[j] = -gradient[j] / diagonal[j]
    for k in range(pressed):
        row = work.pressed[k]
        for m in range(k + 1):
            other, coupling = work.pressed[m], 0.0
            for j in range(count):
                coupling += jacobian[row, j] * jacobian[other, j] / diagonal[j]
            system[k, m] = coupling
        system[k, k] += 1.0 / problem.contact_stiffness
        total = 0.0
        for j in range(count):
            total -= jacobian[row, j] * direction[j]
        force[k] = total
    _solve(system, force, pressed)
    for k in range(pressed):
        row = work.pressed[k]
        for j in range(count):
            direction[j] += force[k] * jacobian[row, j] / diagonal[j]
    along = 0.0
    for j in range(count):
        along += gradient[j] * direction[j]
    return along


@compiled()
def _solve(system: Floats, force: Floats, count: int) -> None:
    """Solve a positive definite system by Cholesky's method, in its lower triangle and the right-hand side."""
    for k in range(count):
        for m in range(k + 1):
            total = system[k, m]
            for i in range(m):
                total -= system[k, i] * system[m, i]
            system[k, m] = math.sqrt(total) if k == m else total / system[m, m]
    for k in range(count):
        total = force[k]
        for i in range(k):
            total -= system[k, i] * force[i]
        force[k] = total / system[k, k]
    for k in range(count - 1, -1, -1):
        total = force[k]
        for i in range(k + 1, count):
            total -= system[i, k] * force[i]
        force[k] = total / system[k, k]


@compiled()
def _search_line(
    potential: Potential, problem: Problem, work: Work, near: int, d: Floats, along: float, guess: float
) -> float:
    """Position of the lowest energy along the direction, see `dynamics.penalty.solvers.search_line`."""
    if not along < 0.0:
        return 0.0
    direction, bends, stiffness = work.direction, len(problem.bend), problem.contact_stiffness
    linear = 0.0
    for j in range(len(d)):
        linear += problem.viscosity[j] * direction[j] ** 2
    for j in range(bends):
        linear += problem.pull_slope[j] * problem.scale[j] * direction[j] ** 2
    for k in range(near):
        row = work.near[k]
        total = 0.0
        for j in range(len(d)):
            total += problem.jacobian[row, j] * direction[j]
        work.change[row] = total
    before = 0.0
    for j in range(bends):
        before += potential_moment(potential, problem.bend[j] + problem.scale[j] * d[j])[0] * direction[j]
    low, high, at = 0.0, LONGEST_STEP, guess
    for _ in range(LINE_STEPS):
        slope, curvature = along + at * linear - before, linear
        for j in range(bends):
            moment, rise = potential_moment(potential, problem.bend[j] + problem.scale[j] * (d[j] + at * direction[j]))
            slope += moment * direction[j]
            curvature += rise * problem.scale[j] * direction[j] ** 2
        for k in range(near):
            row = work.near[k]
            gap, change = work.gaps[row], work.change[row]
            depth = max(-(gap + at * change), 0.0)
            slope += stiffness * (max(-gap, 0.0) - depth) * change
            if depth > 0.0:
                curvature += stiffness * change * change
        if abs(slope) < LINE_CLOSE * -along:
            break
        if slope < 0.0:
            low = at
        else:
            high = at
        ahead = at - slope / curvature
        at = ahead if low <= ahead <= high else 0.5 * (low + high)
    return at


@compiled()
def _newton(potential: Potential, problem: Problem, work: Work, d: Floats, steps: int) -> None:
    """See `dynamics.penalty.solvers.newton`."""
    near = _find_near(problem, work)
    for _ in range(steps):
        pressed = _press(problem, work, near, d)
        _differentiate(potential, problem, work, pressed, d)
        along = _find_newton_direction(problem, work, pressed)
        if not math.isfinite(along):
            along = 0.0
            for j in range(len(d)):
                work.direction[j] = -work.gradient[j] / work.diagonal[j]
                along += work.gradient[j] * work.direction[j]
        at = _search_line(potential, problem, work, near, d, along, 1.0)
        for j in range(len(d)):
            d[j] += at * work.direction[j]
        if not along < -CLOSE:
            break


@compiled()
def _descend(potential: Potential, problem: Problem, work: Work, d: Floats, steps: int) -> None:
    """See `dynamics.penalty.solvers.descend`."""
    near = _find_near(problem, work)
    rate, direction, gradient, before = work.rate, work.direction, work.gradient, work.before
    product = 1.0
    for step in range(steps):
        pressed = _press(problem, work, near, d)
        _differentiate(potential, problem, work, pressed, d)
        if step == 0:
            for j in range(len(d)):
                rate[j], direction[j], before[j] = work.diagonal[j], 0.0, 0.0
        turned, size = 0.0, 0.0
        for j in range(len(d)):
            turned += gradient[j] * (gradient[j] - before[j]) / rate[j]
            size += gradient[j] ** 2 / rate[j]
        if size <= CLOSE:  # never of NaN, which must not go unseen
            break
        turned, along = max(turned / product, 0.0), 0.0
        for j in range(len(d)):
            direction[j] = turned * direction[j] - gradient[j] / rate[j]
            along += direction[j] * gradient[j]
        if not along < 0.0:  # restart from the gradient
            along = -size
            for j in range(len(d)):
                direction[j] = -gradient[j] / rate[j]
        product = max(size, 1e-30)
        for j in range(len(d)):
            before[j] = gradient[j]
        at = _search_line(potential, problem, work, near, d, along, 0.0)
        for j in range(len(d)):
            d[j] += at * direction[j]


@compiled()
def minimise_one(potential: Potential, problem: Problem, work: Work, d: Floats, steps: int, by_newton: bool) -> None:
    """Minimise the objective of one vine, from d, which it replaces."""
    if by_newton:
        _newton(potential, problem, work, d, steps)
    else:
        _descend(potential, problem, work, d, steps)


@compiled()
def _minimise_all(potential: Potential, problems: Problems, work: Work, d: Floats, steps: int, by_newton: bool) -> None:
    """Minimise the objective of every vine, from d, which it replaces."""
    for vine in range(len(d)):
        problem = Problem(
            problems.bend[vine],
            problems.scale[vine],
            problems.pull[vine],
            problems.pull_slope[vine],
            problems.viscosity[vine],
            problems.gap[vine],
            problems.jacobian[vine],
            problems.growth_force[vine],
            problems.contact_stiffness,
        )
        minimise_one(potential, problem, work, d[vine], steps, by_newton)


@dataclass(frozen=True, slots=True)
class SolverOnCpu:
    """`dynamics.penalty.solvers.newton` or `descend` on a CPU, in double precision, with no more steps where the minimum is found."""

    by_newton: bool
    steps: int
    """Maximum number of steps."""

    def __call__(self, objective: Objective, d: Tensor) -> Tensor:
        """Minimise the objective from d [rad, sqrt(J), m], shape (batch, unknowns)."""
        weights = objective.weights
        bending = weights.bending / PenaltyWeights().bending
        problems = Problems(
            _to_array(objective.bend),
            _to_array(objective.scale),
            _to_array(bending * objective.pull),
            _to_array(bending * objective.pull_slope),
            _to_array(objective.viscosity),
            _to_array(objective.gap),
            _to_array(objective.jacobian),
            weights.growth / PenaltyWeights().growth * _to_array(objective.growth_force),
            float(objective.contact_stiffness),
        )
        potential, work = potential_of(objective.restoring, bending), new_work(*objective.jacobian.shape[1:])
        found = _to_array(d).copy()
        _minimise_all(potential, problems, work, found, self.steps, self.by_newton)
        return torch.as_tensor(found, dtype=d.dtype)


def potential_of(restoring: Restoring, weight: float) -> Potential:
    """Return the potential of a tube times a weight [-]."""
    return Potential(
        float(restoring.transition),
        weight * float(restoring.stiffness),
        float(restoring.per_bend),
        weight * _to_array(restoring.moment),
        weight * _to_array(restoring.rising),
    )


def new_work(rows: int, unknowns: int) -> Work:
    """Allocate the arrays of a solver."""
    return Work(
        gaps=np.empty(rows),
        change=np.empty(rows),
        gradient=np.empty(unknowns),
        diagonal=np.empty(unknowns),
        direction=np.empty(unknowns),
        before=np.empty(unknowns),
        rate=np.empty(unknowns),
        force=np.empty(rows),
        system=np.empty((rows, rows)),
        near=np.empty(rows, np.int64),
        pressed=np.empty(rows, np.int64),
    )


def _to_array(tensor: Tensor) -> Floats:
    return np.ascontiguousarray(tensor.detach().numpy(), dtype=np.float64)

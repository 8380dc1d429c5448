"""Joint estimation of trajectory and parameters as a nonlinear programme (paper 000, Eq. 16), solved by IPOPT."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np
from scipy.sparse import csc_matrix, triu

from planner.recordings.identification.matrices import FIRST
from planner.recordings.identification.model import LENGTH
from planner.recordings.identification.observed import WallTouch
from planner.recordings.identification.unknowns import Unknowns, joint_weights
from surrogate.kernels.compiled import Floats

WEIGHT = 0.1
"""Weight of squared residual accelerations, integrated over time, relative to squared distances to the points [s3]: a
velocity error of 1 cm/s within one second costs as much as a distance of 3 mm."""
PRIOR_WEIGHT = 1e-9
"""Weight of the squared logarithms of K and C relative to their initial values [m2]: a tenfold change costs as much as a
distance of 0.07 mm. It is negligible for informative data, and keeps undetermined parameters near their initial values."""
MOST_ITERATIONS = 150
CLOSED = 1e-4
"""Largest error of a joint [m, rad] or of a contact point [m] of a feasible iterate."""
REACH = 30.0
"""Largest factor by which a solution may differ from its start in K and in C, unless another is given."""
AT_LIMIT = 0.02
"""Distance of the logarithms of K and C from a limit at which they count as at it."""
SAME_COST = 1e-3
"""Relative difference of costs below which a minimum is preferred to another iterate."""
OnIterate = Callable[["Iterate"], None]
"""Called with every iterate of the solver."""


@dataclass(frozen=True, slots=True, eq=False)
class Iterate:
    """An iterate of the solver."""

    x: Floats
    """All unknowns; the residual accelerations are those of the equations of motion, not the solver's."""
    cost: float
    """Cost without the prior of K and C [m2]; infinite if the iterate is not feasible."""
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class FitSolution:
    """A minimum, or the feasible iterate of lowest cost if the solver ended elsewhere."""

    x: Floats
    """All unknowns."""
    multipliers: Floats
    """Multipliers of the constraints, where the solver ended."""
    bound_multipliers: Floats
    cost: float
    """Cost without the prior of K and C [m2]; infinite if no iterate was feasible."""
    converged: bool
    """Whether it is a minimum."""
    number: int
    """Number of the iteration that it is from."""
    end: Floats
    """All unknowns where the solver ended."""
    status: str
    """Return status of IPOPT."""
    iterations: int
    seconds: float
    primal: float
    """Largest constraint violation where the solver ended."""
    dual: float
    """Largest component of the Lagrangian's gradient there, as IPOPT scales it."""
    origin: str = ""
    """Part of the search that it is from."""


class FitProblem:
    """The nonlinear programme of one recording.

    Minimise sum |p(q) - measured|^2 + `WEIGHT` sum_k |a_k|^2 h_k over the bodies' coordinates at every node, the impulses
    of joints and contacts and the residual accelerations a_k at every inner node (scaled by M^(-1/2), see `LinkModel.imbalance`;
    h_k is the time that belongs to the node), and the parameters; subject to a_k being the imbalance, all joints closed at
    every node, the touching points on their walls and contact impulses that push. There is one step between nodes, so
    every one of them is a shooting node, and the first two make up the initial state, which is free. p(q) lies on the
    straight lines between joints, at each point's fraction of the length. Costs are in mm2, which suits IPOPT's tolerances.
    """

    def __init__(self, unknowns: Unknowns, on_iterate: OnIterate | None = None) -> None:
        self.unknowns = unknowns
        self.model, self.observed = unknowns.model, unknowns.observed
        parts = {name: casadi.MX.sym(name, *shape) for name, shape in unknowns.shapes.items()}
        q, joint, push, a, parameters = parts.values()
        spans = np.diff(self.observed.times)
        weights = WEIGHT * (spans[:-1] + spans[1:]) / 2
        misfit = self._misfit(q, parameters)
        strayed = casadi.sum1(casadi.DM(weights) * casadi.sum1(a**2).T)
        initial = casadi.MX.sym("initial", 3)
        prior = initial[2] * casadi.sumsqr(parameters[:LENGTH] - initial[:2])
        if self.model.form != "equal":  # joints that the data do not tell apart stay alike
            prior += initial[2] * casadi.sumsqr(parameters[FIRST:])
        rows = [self._imbalance(q, joint, push, parameters) - a, self._joint_errors(q, parameters)]
        rows += [self._gap(touch, q, parameters) for touch in self.observed.touches]
        programme = {
            "x": casadi.vertcat(*map(casadi.vec, parts.values())),
            "p": initial,
            "f": 1e6 * (misfit + strayed) + prior,
            "g": casadi.vertcat(*map(casadi.vec, rows)),
        }
        self._watch = _Watch(self, programme["x"].numel(), programme["g"].numel(), on_iterate)
        options: dict[str, Any] = {"print_level": 0, "sb": "yes", "max_iter": MOST_ITERATIONS}
        settings: dict[str, Any] = {"ipopt": options, "print_time": False, "iteration_callback": self._watch}
        self._solver = casadi.nlpsol("fit", "ipopt", programme, settings)
        self._state = casadi.Function("state", [programme["x"]], [strayed, programme["g"]])

    def _misfit(self, q: Any, parameters: Any) -> Any:
        """Sum of squared distances to the measured points without a constant [m2], as an expression.

        |W P - points|^2 over the joints P is |R P - Q^T points|^2 plus a constant, with W = Q R: the number of rows is that of
        the joints, independent of the number of points.
        """
        count = self.model.links + 1
        triangles, sides = [], []
        for weights, points in zip(self.unknowns.weights, self.observed.points, strict=True):
            rows = max(0, count - len(weights))
            full, triangle = np.linalg.qr(np.pad(weights, ((0, rows), (0, 0))))
            side = full.T @ np.pad(points, ((0, rows), (0, 0)))
            triangles.append(triangle)
            sides.append(side)
        one, own = casadi.SX.sym("q", q.shape[0]), casadi.SX.sym("parameters", self.model.parameter_count)
        factor, aim = casadi.SX.sym("factor", count, count), casadi.SX.sym("aim", count, 2)
        apart = casadi.sumsqr(factor @ self.model.joints(one, own) - aim)
        misfit = casadi.Function("misfit", [one, own, factor, aim], [apart])
        costs = misfit.map("all", "serial", len(sides), [1], [])(
            q[:, self.observed.frames.tolist()], parameters, np.hstack(triangles), np.hstack(sides)
        )
        return casadi.sum2(costs)

    def _imbalance(self, q: Any, joint: Any, push: Any, parameters: Any) -> Any:
        times, inner = self.observed.times, q.shape[1] - 2
        spans, slots = np.diff(times), self._slots()
        most = max([slot + 1 for slot in slots], default=0)
        weights, normals = np.zeros((most, inner, self.model.links + 1)), np.zeros((most, inner, 2))
        pushes = casadi.MX(most, inner)
        for k, (touch, slot) in enumerate(zip(self.unknowns.pushing, slots, strict=True)):
            weights[slot, touch.node - 1] = joint_weights(np.array([touch.fraction]), self.model.links)[0]
            normals[slot, touch.node - 1] = touch.normal
            pushes[slot, touch.node - 1] = push[k]
        clock = np.stack([spans[:-1], spans[1:], times[1:-1]])
        return self.model.imbalance(most).map("all", "serial", inner, [8], [])(
            q[:, :-2], q[:, 1:-1], q[:, 2:], joint, pushes,
            weights.reshape(most, inner * (self.model.links + 1)), normals.reshape(most, 2 * inner), clock, parameters,
        )  # fmt: skip

    def _slots(self) -> list[int]:
        """Number of earlier contacts at the same node, for each contact."""
        nodes = [touch.node for touch in self.unknowns.pushing]
        return [nodes[:k].count(node) for k, node in enumerate(nodes)]

    def _joint_errors(self, q: Any, parameters: Any) -> Any:
        one, own, time = (
            casadi.SX.sym("q", q.shape[0]),
            casadi.SX.sym("parameters", self.model.parameter_count),
            casadi.SX.sym("time"),
        )
        errors = casadi.Function("joint_errors", [one, own, time], [self.model.joint_errors(one, own, time)])
        return errors.map("all", "serial", q.shape[1], [1], [])(q, parameters, self.observed.times[None])

    def _gap(self, touch: WallTouch, q: Any, parameters: Any) -> Any:
        """Distance of a contact point from its contact position [m]."""
        weights = joint_weights(np.array([touch.fraction]), self.model.links)
        point = casadi.DM(weights) @ self.model.joints(q[:, touch.node], parameters)
        return point @ casadi.DM(touch.normal) - touch.offset

    def solve(
        self,
        x: Floats,
        fixed: Mapping[int, float] | None = None,
        prior_weight: float = 0.0,
        most: int | None = None,
        reach: float = REACH,
    ) -> FitSolution:
        """Optimise from `x`, with K and C within a factor of `reach`.

        Without this limit the first steps change K and C by many orders of magnitude where data say little about them, and
        end in minima far from the recorded motion.

        Args:
            x: Initial values, also the centre of the prior of K and C.
            fixed: Values of held parameters, in the form of `x`.
            prior_weight: Weight of the squared logarithms of K and C relative to their values in `x` [m2].
            most: Number of iterations after which to stop; at most `MOST_ITERATIONS`, which is also the default.
            reach: Largest factor by which the solution may differ from `x` in K and in C.
        """
        low, high = self.unknowns.low.copy(), self.unknowns.high.copy()
        start = np.clip(x, low, high)
        first = self.unknowns.slices["parameters"].start
        near = slice(first, first + LENGTH)
        low[near] = np.maximum(low[near], start[near] - np.log(reach))
        high[near] = np.minimum(high[near], start[near] + np.log(reach))
        for parameter, value in (fixed or {}).items():
            start[first + parameter] = low[first + parameter] = high[first + parameter] = value
        begun = time.perf_counter()
        self._watch.begin(most or MOST_ITERATIONS)
        prior = [*start[first : first + 2], 1e6 * prior_weight]
        found = self._solver(x0=start, p=prior, lbx=low, ubx=high, lbg=0, ubg=0)
        stats = self._solver.stats()
        history = stats.get("iterations", {})
        # The solver exceeds bounds by about 1e-8.
        end = np.clip(np.array(found["x"]).ravel(), low, high)
        last, best = self.iterate(end, stats["iter_count"]), self._watch.best
        settled = stats["return_status"] in ("Solve_Succeeded", "Solved_To_Acceptable_Level")
        # At such a limit the minimum is beyond it.
        free = (low[near] < high[near]) & (np.minimum(end[near] - low[near], high[near] - end[near]) < AT_LIMIT)
        settled = settled and not (free & (self.unknowns.room(end)[near] > AT_LIMIT)).any()
        kept = last if best is None or (settled and last.cost <= (1 + SAME_COST) * best.cost) else best
        return FitSolution(
            end if kept is last else kept.x,
            np.array(found["lam_g"]).ravel(),
            np.array(found["lam_x"]).ravel(),
            kept.cost,
            settled and kept is last,
            kept.number,
            end,
            stats["return_status"],
            stats["iter_count"],
            time.perf_counter() - begun,
            history.get("inf_pr", [np.nan])[-1],
            history.get("inf_du", [np.nan])[-1],
        )

    def iterate(self, x: Floats, number: int) -> Iterate:
        """The iterate with unknowns `x`; its cost counts the violation of the equations of motion as residual accelerations."""
        x, moves = np.clip(x, self.unknowns.low, self.unknowns.high), self.unknowns.slices["a"]
        errors = np.array(self._state(x)[1]).ravel()
        split = moves.stop - moves.start
        whole = x.copy()
        whole[moves] += errors[:split]
        feasible = np.isfinite(errors).all() and np.abs(errors[split:]).max() <= CLOSED
        cost = self.unknowns.misfit(whole) + float(self._state(whole)[0])
        return Iterate(whole, cost if feasible else np.inf, number)

    def derivatives(self, solution: FitSolution) -> tuple[csc_matrix, csc_matrix]:
        """Hessian of the Lagrangian [mm2] and Jacobian of the constraints at a solution."""
        held = np.concatenate([solution.x[self.unknowns.slices["parameters"]][:LENGTH], [1e6 * PRIOR_WEIGHT]])
        upper = self._solver.get_function("nlp_hess_l")(solution.x, held, 1.0, solution.multipliers)
        upper = csc_matrix(upper.sparse() if hasattr(upper, "sparse") else upper)
        jacobian = self._solver.get_function("nlp_jac_g")(solution.x, held)[1]
        return (upper + triu(upper, 1).T).tocsc(), csc_matrix(jacobian.sparse())


class _Watch(casadi.Callback):
    """Keeps the feasible iterate of lowest cost, and ends the solver after a number of iterations."""

    def __init__(self, problem: FitProblem, variables: int, constraints: int, report: OnIterate | None) -> None:
        casadi.Callback.__init__(self)
        self._sizes = {"x": variables, "f": 1, "g": constraints, "lam_x": variables, "lam_g": constraints, "lam_p": 3}
        self._problem, self._report = problem, report
        self.begin(0)
        self.construct("watch", {})

    def begin(self, most: int) -> None:
        """Forget the last run."""
        self.best: Iterate | None = None
        self._count, self._most = 0, most

    def get_n_in(self) -> int:
        """Number of inputs of a solver's callback."""
        return casadi.nlpsol_n_out()

    def get_n_out(self) -> int:
        """Number of outputs of a solver's callback: one, which stops it."""
        return 1

    def get_name_in(self, number: int) -> str:
        """Names of a solver's outputs."""
        return casadi.nlpsol_out(number)

    def get_sparsity_in(self, number: int) -> Any:
        """Dense columns of the solver's sizes."""
        return casadi.Sparsity.dense(self._sizes[casadi.nlpsol_out(number)], 1)

    def eval(self, arguments: Any) -> list[int]:
        """Called by the solver at every iterate, first at the initial values."""
        now = self._problem.iterate(np.array(arguments[0]).ravel(), self._count)
        if np.isfinite(now.cost) and (self.best is None or now.cost < self.best.cost):
            self.best = now
        if self._report:
            self._report(now)
        self._count += 1
        return [int(self._count > self._most)]

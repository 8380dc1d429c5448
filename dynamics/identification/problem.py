"""Joint estimation of trajectory and parameters as a nonlinear programme (paper 000, Eq. 16), solved by IPOPT."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import casadi
import numpy as np
from scipy.sparse import csc_matrix, triu

from dynamics.identification.model import DAMPING, GROWTH, LENGTH, STIFFNESS, LinkModel
from dynamics.identification.observed import Observed, Touch
from dynamics.interruption import Interruption
from surrogate.compiled import Floats

WEIGHT = 0.1
"""Weight of squared residual accelerations, integrated over time, relative to squared distances to the points [s3]: a
velocity error of 1 cm/s within one second costs as much as a distance of 3 mm."""
BOUNDS = {STIFFNESS: (1e-6, 1e4), DAMPING: (1e-9, 1e3), LENGTH: (1e-3, 1e3), GROWTH: (-10.0, 10.0)}
"""Bounds of the parameters, in their units."""
PRIOR_WEIGHT = 1e-9
"""Weight of the squared logarithms of K and C relative to their initial values [m2]: a tenfold change costs as much as a
distance of 0.07 mm. It is negligible for informative data, and keeps undetermined parameters near their initial values."""
MOST_ITERATIONS = 150
INTERRUPTED = "User_Requested_Stop"
OnIteration = Callable[[int], None]
"""Called with the number of every iteration."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A minimum, or the last iterate of the solver."""

    x: Floats
    """All variables."""
    multipliers: Floats
    """Multipliers of the constraints."""
    bound_multipliers: Floats
    cost: float
    """Cost without the prior of K and C and without a constant [m2]."""
    status: str
    """Return status of IPOPT."""
    iterations: int
    seconds: float
    primal: float
    """Largest constraint violation."""
    dual: float
    """Largest component of the Lagrangian's gradient, as IPOPT scales it."""

    @property
    def converged(self) -> bool:
        return self.status in ("Solve_Succeeded", "Solved_To_Acceptable_Level")

    @property
    def interrupted(self) -> bool:
        return self.status == INTERRUPTED


class Problem:
    """The nonlinear programme of one recording.

    Minimise sum |p(q) - measured|^2 + `WEIGHT` sum_k |a_k|^2 h_k over the bodies' coordinates at every node, the impulses
    of joints and contacts and the residual accelerations a_k at every inner node (scaled by M^(-1/2), see `LinkModel.imbalance`;
    h_k is the time that belongs to the node), and the four parameters; subject to a_k being the imbalance, all joints closed at
    every node, the touching points on their walls and contact impulses that push. There is one step between nodes, so
    every one of them is a shooting node, and the first two make up the initial state, which is free. p(q) lies on the
    straight lines between joints, at each point's fraction of the length. Costs are in mm2, which suits IPOPT's tolerances.
    """

    def __init__(
        self,
        model: LinkModel,
        observed: Observed,
        on_iteration: OnIteration | None = None,
        interruption: Interruption | None = None,
    ) -> None:
        self.model, self.observed = model, observed
        self._interruption = interruption or Interruption()
        links, nodes = model.links, len(observed.times)
        q = casadi.MX.sym("q", 6 * links, nodes)
        joint, a = casadi.MX.sym("joint", 5 * links, nodes - 2), casadi.MX.sym("a", 6 * links, nodes - 2)
        self.pushing = [touch for touch in observed.touches if 0 < touch.node < nodes - 1]
        push, parameters = casadi.MX.sym("push", len(self.pushing)), casadi.MX.sym("parameters", 4)
        self._parts = {"q": q, "joint": joint, "push": push, "a": a, "parameters": parameters}
        sizes = [part.numel() for part in self._parts.values()]
        ends = np.cumsum(sizes)
        self.slices = {name: slice(end - size, end) for name, end, size in zip(self._parts, ends, sizes, strict=True)}
        self.size = int(ends[-1])
        spans = np.diff(observed.times)
        self._weights = WEIGHT * (spans[:-1] + spans[1:]) / 2
        self.constant, misfit = self._misfit(q, parameters)
        strayed = casadi.sum1(casadi.DM(self._weights) * casadi.sum1(a**2).T)
        initial = casadi.MX.sym("initial", 3)
        prior = initial[2] * casadi.sumsqr(parameters[:LENGTH] - initial[:2])
        rows = [self._imbalance(q, joint, push, parameters) - a, self._joint_errors(q, parameters)]
        rows += [self._gap(touch, q, parameters) for touch in observed.touches]
        programme = {
            "x": casadi.vertcat(*(casadi.vec(part) for part in self._parts.values())),
            "p": initial,
            "f": 1e6 * (misfit + strayed) + prior,
            "g": casadi.vertcat(*(casadi.vec(row) for row in rows)),
        }
        self._watch = _Watch(programme["x"].numel(), programme["g"].numel(), on_iteration, self._interruption)
        options: dict[str, Any] = {"print_level": 0, "sb": "yes", "max_iter": MOST_ITERATIONS}
        settings: dict[str, Any] = {"ipopt": options, "print_time": False, "iteration_callback": self._watch}
        self._solver = casadi.nlpsol("fit", "ipopt", programme, settings)
        self._costs = casadi.Function("costs", [programme["x"]], [misfit, strayed])
        self._low, self._high = self._limits()

    def _misfit(self, q: Any, parameters: Any) -> tuple[float, Any]:
        """Sum of squared distances to the measured points [m2], as a constant and an expression.

        |W P - points|^2 over the joints P is |R P - Q^T points|^2 plus a constant, with W = Q R: the number of rows is that of
        the joints, independent of the number of points.
        """
        count, constant = self.model.links + 1, 0.0
        triangles, sides = [], []
        for fractions, points in zip(self.observed.fractions, self.observed.points, strict=True):
            weights = joint_weights(fractions, self.model.links)
            rows = max(0, count - len(weights))
            full, triangle = np.linalg.qr(np.pad(weights, ((0, rows), (0, 0))))
            side = full.T @ np.pad(points, ((0, rows), (0, 0)))
            triangles.append(triangle)
            sides.append(side)
            constant += float((points**2).sum() - (side**2).sum())
        one, own = casadi.SX.sym("q", q.shape[0]), casadi.SX.sym("parameters", 4)
        factor, aim = casadi.SX.sym("factor", count, count), casadi.SX.sym("aim", count, 2)
        apart = casadi.sumsqr(factor @ self.model.joints(one, own) - aim)
        misfit = casadi.Function("misfit", [one, own, factor, aim], [apart])
        costs = misfit.map("all", "serial", len(sides), [1], [])(
            q[:, self.observed.frames.tolist()], parameters, np.hstack(triangles), np.hstack(sides)
        )
        return constant, casadi.sum2(costs)

    def _imbalance(self, q: Any, joint: Any, push: Any, parameters: Any) -> Any:
        times, inner = self.observed.times, q.shape[1] - 2
        spans, slots = np.diff(times), self._slots()
        most = max([slot + 1 for slot in slots], default=0)
        weights, normals = np.zeros((most, inner, self.model.links + 1)), np.zeros((most, inner, 2))
        pushes = casadi.MX(most, inner)
        for k, (touch, slot) in enumerate(zip(self.pushing, slots, strict=True)):
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
        nodes = [touch.node for touch in self.pushing]
        return [nodes[:k].count(node) for k, node in enumerate(nodes)]

    def _joint_errors(self, q: Any, parameters: Any) -> Any:
        one, own, time = casadi.SX.sym("q", q.shape[0]), casadi.SX.sym("parameters", 4), casadi.SX.sym("time")
        errors = casadi.Function("joint_errors", [one, own, time], [self.model.joint_errors(one, own, time)])
        return errors.map("all", "serial", q.shape[1], [1], [])(q, parameters, self.observed.times[None])

    def _gap(self, touch: Touch, q: Any, parameters: Any) -> Any:
        """Distance of a contact point from its contact position [m]."""
        weights = joint_weights(np.array([touch.fraction]), self.model.links)
        point = casadi.DM(weights) @ self.model.joints(q[:, touch.node], parameters)
        return point @ casadi.DM(touch.normal) - touch.offset

    def _limits(self) -> tuple[Floats, Floats]:
        low, high = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        first = self.slices["parameters"].start
        for parameter, ends in BOUNDS.items():
            row = first + parameter
            low[row], high[row] = np.log(ends) if parameter < LENGTH else ends
        low[self.slices["push"]] = 0.0
        return low, high

    def first_guess(self, stiffness: float, damping: float) -> Floats:
        """Variables from the measured points: headings between the links' ends, and a linearly growing length."""
        observed, links = self.observed, self.model.links
        moments = observed.times[observed.frames]
        growth, length = np.polyfit(moments, observed.lengths, 1)
        length = max(length, 0.5 * observed.lengths.min())
        ends = np.linspace(0, 1, links + 1)
        base = self.model.base
        headings = []
        for fractions, points in zip(observed.fractions, observed.points, strict=True):
            known = np.concatenate([[0.0], fractions]), np.concatenate([base[None, :2], points])
            joints = np.stack([np.interp(ends, known[0], side) for side in known[1].T], axis=-1)
            moves = np.diff(joints, axis=0)
            turns = np.concatenate([[base[2]], np.arctan2(moves[:, 1], moves[:, 0])])
            headings.append(np.unwrap(turns)[1:])
        between = np.stack(
            [np.interp(observed.times, moments, side) for side in np.unwrap(headings, axis=0).T], axis=-1
        )
        x = np.zeros(self.size)
        x[self.slices["q"]] = self.model.configuration(between, length + growth * observed.times, length).ravel()
        x[self.slices["parameters"]] = np.log(stiffness), np.log(damping), length, growth
        return x

    def solve(self, x: Floats, fixed: Mapping[int, float] | None = None, prior_weight: float = 0.0) -> Solution:
        """Optimise from `x`.

        Args:
            x: Initial values, also the centre of the prior of K and C.
            fixed: Values of held parameters, in the form of `x`.
            prior_weight: Weight of the squared logarithms of K and C relative to their values in `x` [m2].
        """
        low, high = self._low.copy(), self._high.copy()
        start = x.copy()
        first = self.slices["parameters"].start
        for parameter, value in (fixed or {}).items():
            start[first + parameter] = low[first + parameter] = high[first + parameter] = value
        begun = time.perf_counter()
        self._watch.count = 0
        found = self._solver(x0=start, p=[*x[first : first + 2], 1e6 * prior_weight], lbx=low, ubx=high, lbg=0, ubg=0)
        stats = self._solver.stats()
        history = stats.get("iterations", {})
        return Solution(
            np.array(found["x"]).ravel(),
            np.array(found["lam_g"]).ravel(),
            np.array(found["lam_x"]).ravel(),
            float(sum(self._costs(found["x"]), casadi.DM(0))),
            stats["return_status"],
            stats["iter_count"],
            time.perf_counter() - begun,
            history.get("inf_pr", [np.nan])[-1],
            history.get("inf_du", [np.nan])[-1],
        )

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has requested the end of the fit."""
        return self._interruption.requested

    def interrupt(self) -> None:
        """End every further solution at its first iterate."""
        self._interruption.requested = True

    def parameters(self, x: Floats) -> Floats:
        """K [N m/rad], C [N m s/rad], first length [m] and growth rate [m/s], shape (4,)."""
        own = x[self.slices["parameters"]].copy()
        own[:LENGTH] = np.exp(own[:LENGTH])
        return own

    def joints(self, x: Floats) -> Floats:
        """Base, joints and tip at every node [m], shape (nodes, links + 1, 2)."""
        half = x[self.slices["parameters"]][LENGTH] / (4 * self.model.links)
        x_y_turn = x[self.slices["q"]].reshape(-1, 2 * self.model.links, 3)[:, 1::2]
        ahead = np.stack([np.cos(x_y_turn[..., 2]), np.sin(x_y_turn[..., 2])], axis=-1)
        base = np.broadcast_to(self.model.base[:2], (len(x_y_turn), 1, 2))
        return np.concatenate([base, x_y_turn[..., :2] + half * ahead], axis=1)

    def contact_forces(self, x: Floats) -> Floats:
        """Largest force of a wall at every node [N], shape (nodes,); 0 at the first and the last, where it is unknown."""
        _, _, length, growth = self.parameters(x)
        forces = np.zeros(len(self.observed.times))
        nodes = [touch.node for touch in self.pushing]
        mass = self.model.mass_per_length * (length + growth * self.model.duration / 2) / (2 * self.model.links)
        np.maximum.at(forces, nodes, mass * x[self.slices["push"]])
        return forces

    def misfit(self, x: Floats) -> float:
        """Sum of squared distances to the measured points [m2]."""
        return max(self.constant + float(self._costs(x)[0]), 0.0)

    def model_rms(self, x: Floats) -> float:
        """Root mean square of the residual accelerations, scaled by M^(-1/2) [m/s2]."""
        return float(np.sqrt(np.mean(x[self.slices["a"]] ** 2)))

    def derivatives(self, solution: Solution) -> tuple[csc_matrix, csc_matrix]:
        """Hessian of the Lagrangian [mm2] and Jacobian of the constraints at a solution."""
        held = np.concatenate([solution.x[self.slices["parameters"]][:LENGTH], [1e6 * PRIOR_WEIGHT]])
        upper = self._solver.get_function("nlp_hess_l")(solution.x, held, 1.0, solution.multipliers)
        upper = csc_matrix(upper.sparse() if hasattr(upper, "sparse") else upper)
        jacobian = self._solver.get_function("nlp_jac_g")(solution.x, held)[1]
        return (upper + triu(upper, 1).T).tocsc(), csc_matrix(jacobian.sparse())

    def room(self, x: Floats) -> Floats:
        """Distance of every variable from its nearer bound; infinite without one."""
        return np.minimum(x - self._low, self._high - x)


class _Watch(casadi.Callback):
    """Reports every iteration, and stops the solver at the current iterate on Ctrl-C."""

    def __init__(
        self, variables: int, constraints: int, report: OnIteration | None, interruption: Interruption
    ) -> None:
        casadi.Callback.__init__(self)
        self._sizes = {"x": variables, "f": 1, "g": constraints, "lam_x": variables, "lam_g": constraints, "lam_p": 3}
        self._report, self.count, self._interruption = report, 0, interruption
        self.construct("watch", {})

    def get_n_in(self) -> int:
        """Number of inputs of a solver's callback."""
        return casadi.nlpsol_n_out()

    def get_n_out(self) -> int:
        """One output: whether to stop."""
        return 1

    def get_name_in(self, number: int) -> str:
        """Names of a solver's outputs."""
        return casadi.nlpsol_out(number)

    def get_sparsity_in(self, number: int) -> Any:
        """Dense columns of the solver's sizes."""
        return casadi.Sparsity.dense(self._sizes[casadi.nlpsol_out(number)], 1)

    def eval(self, _: Any) -> list[int]:
        """Called by the solver at every iterate."""
        try:
            self.count += 1
            if self._report:
                self._report(self.count)
        except KeyboardInterrupt:
            self._interruption.requested = True
        return [int(self._interruption.requested)]


def joint_weights(fractions: Floats, links: int) -> Floats:
    """Weights of linear interpolation between joints for points at fractions of the length, shape (points, links + 1)."""
    at = fractions * links
    return np.maximum(1 - np.abs(at[:, None] - np.arange(links + 1)), 0.0)

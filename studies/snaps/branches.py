"""Random vines with and without rests: how many take another way with a longer step, and how many recorded states are equilibria."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from dynamics.chain import forward_kinematics
from dynamics.growth import Span
from dynamics.moment import new_actuated_vine
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.step import new_work, set_up
from dynamics.thickness import thicken
from dynamics.touching import touch
from dynamics.tube import Physics, VineParams
from dynamics.vine import Actuation, Integers, Rollout, VineState, centerlines
from environments import Environment
from planner.design.catalogue import Catalogue
from surrogate.kernels.compiled import Floats

WRONG = 20e-3
"""Vines of the prototype whose last tips are farther apart than this took different branches [m]."""
PARTS = 1, 2, 4, 8
"""Steps are the default divided by these."""
FINEST = 16
"""Divisor of the default for the step with which the others are compared."""
MOVED = 1e-3, 10e-3
"""Motions to rest that are counted [m]."""
SAMPLED = 8
"""Every this many recorded states, one is relaxed."""
TOUCHING = 0.5e-3
"""A contact may press if its gap is smaller than this [m]."""

QUANTILES = {"median": 0.5, "90_percent": 0.9, "largest": 1.0}


@dataclass(frozen=True, slots=True)
class BranchShares:
    """Random vines in one environment with one kind of step."""

    environment: str
    physics: Physics
    rests: bool
    """Whether the vines relax to equilibrium after each step."""
    vines: int
    wrong: dict[int, int]
    """Number of vines that end elsewhere than with the finest step of the same kind, by the part of the default step."""
    wrong_of_rests: dict[int, int]
    """Number of vines that end elsewhere than with the finest step with rests, by the part of the default step."""
    states: int
    """Number of recorded states that were relaxed."""
    unsettled: int
    """Number of those that did not come to rest."""
    moved: tuple[int, ...]
    """Number of those that came to rest farther away than each of `MOVED`."""
    farthest: float
    """Longest way of a joint to its rest [m]."""
    residuals: tuple[float, ...]
    """Largest moment of a joint in each of these states, before it was relaxed, that no contact force balances [N m]."""

    def quantiles(self) -> dict[str, float]:
        """Quantiles of the residuals by name [N m]; empty without states."""
        values = np.quantile(self.residuals, list(QUANTILES.values())) if self.residuals else ()
        return dict(zip(QUANTILES, map(float, values), strict=False))

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "environment": self.environment,
            "physics": self.physics,
            "rests": self.rests,
            "vines": self.vines,
            "wrong_by_part_of_step": {f"1/{part}": count for part, count in self.wrong.items()},
            "wrong_against_finest_with_rests": {f"1/{part}": count for part, count in self.wrong_of_rests.items()},
            "states": self.states,
            "unsettled": self.unsettled,
            **{f"moved_more_than_{1e3 * limit:g}_mm": count for limit, count in zip(MOVED, self.moved, strict=True)},
            "farthest_mm": round(1e3 * self.farthest, 3),
            **{f"{name}_residual_N_mm": float(f"{1e3 * value:.4g}") for name, value in self.quantiles().items()},
        }


def make_random_vines(params: VineParams, batch: int, segments: int, seed: int) -> Actuation:
    """Sections of 0.1 to 0.5 m with an actuator on the left, on the right or none, with cells and pressures of the catalogue's range."""
    rng, catalogue = np.random.default_rng(seed), Catalogue.of(params)
    cells, most = (catalogue.l_0.min(), catalogue.l_0.max()), catalogue.pressure.max()
    shortest, longest = (max(round(length / params.segment_length), 1) for length in (0.1, 0.5))
    pressure, l_0 = np.zeros((batch, segments)), np.full((batch, segments), cells[0])
    for vine in range(batch):
        first = 0
        while first < segments:
            after = first + int(rng.integers(shortest, longest + 1))
            pressure[vine, first:after] = rng.integers(-1, 2) * rng.uniform(most / 7, most)
            l_0[vine, first:after] = rng.uniform(*cells)
            first = after
    return Actuation(pressure, l_0)


def make_model(environment: Environment, params: VineParams, rests: bool, part: int = 1) -> QuasiStatic:
    """Make a propagator whose step is the default divided by `part`, with or without rests, whatever the physics of its tube."""
    step = params.segment_length / 6 / part
    model = QuasiStatic(environment, params, step)
    corrected, published = get_args(Physics)
    other = QuasiStatic(environment, replace(params, physics=corrected if rests else published), step)
    model.tube = model.tube._replace(relaxation=other.tube.relaxation)
    return model


def grow_vines(model: QuasiStatic, vines: Actuation) -> Rollout:
    """Vines grown from the start to the end of their actuation, recorded at the end of every segment."""
    batch, segments = vines.pressure.shape
    length = model.params.segment_length
    return model.grow(model.start(batch, segments), vines, segments * length, length)


def ends_elsewhere(one: Rollout, other: Rollout, limit: float) -> NDArray[np.bool_]:
    """Vines whose growth ended in another way, or whose last recorded tips are farther apart than a limit [m], shape (batch,)."""
    batch = np.arange(len(one.status))
    tips = [rollout.tips[batch, np.maximum(rollout.records - 1, 0), :2] for rollout in (one, other)]
    known = (one.records > 0) & (other.records > 0)
    far = np.hypot(*(tips[0] - tips[1]).T) > limit
    return (one.status != other.status) | ((one.records > 0) != (other.records > 0)) | (known & far)


def measure_branches(environment: Environment, params: VineParams, vines: Actuation) -> list[BranchShares]:
    """Grow vines with every step, without rests and then with them."""
    limit, found = WRONG * params.scale, []
    models = {
        rests: {part: make_model(environment, params, rests, part) for part in (*PARTS, FINEST)}
        for rests in (False, True)
    }
    rollouts = {
        rests: {part: grow_vines(model, vines) for part, model in each.items()} for rests, each in models.items()
    }
    for rests, grown in rollouts.items():
        wrong, of_rests = (
            {part: int(ends_elsewhere(grown[part], finest, limit).sum()) for part in PARTS}
            for finest in (grown[FINEST], rollouts[True][FINEST])
        )
        states, of = sample_states(grown[1])
        carried = vines.of(of)
        motion = motion_to_rest(models[rests][1], states, carried)
        settled = motion[np.isfinite(motion)]
        residuals = moment_residuals(models[rests][1], states, carried)
        found.append(
            BranchShares(
                environment=environment.name,
                physics=params.physics,
                rests=rests,
                vines=len(vines.pressure),
                wrong=wrong,
                wrong_of_rests=of_rests,
                states=len(of),
                unsettled=len(motion) - len(settled),
                moved=tuple(int((settled > shift).sum()) for shift in MOVED),
                farthest=float(settled.max(initial=0.0)),
                residuals=tuple(residuals.tolist()),
            )
        )
    return found


def sample_states(rollout: Rollout) -> tuple[VineState, Integers]:
    """One recorded state in `SAMPLED`, and the vine that each is of."""
    index = np.arange(rollout.tips.shape[1])
    vines, records = np.nonzero((index < rollout.records[:, None]) & (index % SAMPLED == SAMPLED - 1))
    return rollout.state(vines, records), vines


def motion_to_rest(model: QuasiStatic, states: VineState, vines: Actuation) -> Floats:
    """Largest motion of the joints of each state when it is held until it is at rest [m]; inf if it does not come to rest."""
    if not len(states.segments):
        return np.empty(0)
    held = model.grow(states, vines, 0.0, model.params.segment_length)
    after = held.state(np.arange(len(states.segments)), np.zeros(len(states.segments), np.int64))
    lines = (centerlines(state, model.pose, model.params) for state in (states, after))
    motion = np.nanmax(np.linalg.norm(np.subtract(*lines), axis=-1), axis=1)
    return np.where((held.records > 0) & (held.status == 0), motion, np.inf)


def moment_residuals(model: QuasiStatic, states: VineState, vines: Actuation) -> Floats:
    """The largest moment of a joint in each state that contact forces do not balance [N m], with the forces that balance them best.

    Non-negative forces, without friction, at all contacts that touch, by least squares.
    """
    full, most = model.params.segment_length, states.angles.shape[1]
    work, found = new_work(most), np.empty(len(states.segments))
    for k, (segments, last_length) in enumerate(zip(states.segments, states.last_length, strict=True)):
        vine = new_actuated_vine(model.joint, states.angles[k].copy(), vines.pressure[k], vines.l_0[k])
        thicken(model.joint, vine, work.chain.thickness, work.chain.stiffness)
        forward_kinematics(work.chain, vine.angles, vine.pivots, model.pose, segments, last_length, full)
        chain, contacts = work.chain, work.contacts
        count = touch(model.scene, model.tube, segments, work)
        touching = np.flatnonzero(contacts.gap[:count] < TOUCHING)
        set_up(model.tube, model.joint, 0.0, vine, work, Span(segments, last_length, count, 0.0))
        moment = -work.step.free[:segments] / work.step.inverse[:segments]
        levers = np.array([contacts.alpha[touching], contacts.beta[touching], contacts.gamma[touching]])
        pivots = np.stack([np.ones(segments), chain.pivot_x[:segments], chain.pivot_y[:segments]], axis=1)
        joints = np.arange(segments)[:, None]
        turning = (joints >= contacts.first[touching]) & (joints <= contacts.segment[touching])
        lever = np.where(turning, pivots @ levers, 0.0)
        left = moment - lever @ nnls(lever, moment)[0] if len(touching) else moment
        found[k] = np.abs(left).max()
    return found

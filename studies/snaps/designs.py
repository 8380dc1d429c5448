"""Designs that the planner finds: where they snap, and whether three ways of moving end in the same rest."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.relaxations import PARTED, WAYS, Relaxations
from dynamics.snaps import Snaps
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines, pivots_of
from environments import Environment
from planner.design.design import Design
from planner.design.replay import make_simulation, replay
from planner.search.run import Budget, Run
from studies.snaps.branches import make_model
from surrogate.kernels.compiled import Floats

PART = 8
"""Designs are grown with the default step divided by this."""

VISCOUS = WAYS.index("viscous")


@dataclass(frozen=True, slots=True, eq=False)
class Snap:
    """A snap of a design, and where the three ways of moving lead from it."""

    length: float
    """Length at which it snapped [m]."""
    place: tuple[float, float]
    """x and y of the tip before [m]."""
    energy: float
    """Bending energy released [J]."""
    rests: Floats
    """Joints of each of `WAYS` at rest [m], shape (3, joints, 2); NaN where there is no rest."""
    apart: float
    """Largest distance of a joint of one rest from that of another [m]; inf if one is missing."""
    limit: float
    """Distance from which on the snap is ambiguous [m]."""
    moved: float
    """Largest way of a joint to its rest by viscosity [m]."""
    far: float
    """Longer ways than this are snaps [m]."""

    @property
    def again(self) -> bool:
        """Whether it snaps by viscosity when it is let go."""
        return self.moved > self.far

    @property
    def ambiguous(self) -> bool:
        """Whether the rests part."""
        return self.apart > self.limit

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        tips = {way: line[~np.isnan(line[:, 0])][-1:] for way, line in zip(WAYS, self.rests, strict=True)}
        return {
            "length_mm": round(1e3 * self.length, 3),
            "tip_mm": [round(1e3 * one, 2) for one in self.place],
            "energy_J": float(f"{self.energy:.4g}"),
            "tips_at_rest_mm": {
                way: np.round(1e3 * tip[0], 2).tolist() if len(tip) else None for way, tip in tips.items()
            },
            "apart_mm": round(1e3 * self.apart, 3) if math.isfinite(self.apart) else None,
            "ambiguous": self.ambiguous,
            "moved_mm": round(1e3 * self.moved, 3),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Snapped:
    """The snaps of one design."""

    environment: Environment
    which: str
    """"first" solution, or "best" one kept; "first, best" if they are the same."""
    design: Design
    """With its centreline as the shorter step predicts it."""
    status: Status
    in_goal: bool
    """Whether it ends in the goal with the shorter step."""
    snaps: list[Snap]
    refused: int
    """Number of other candidates that reached the goal and were refused for an ambiguous snap."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "environment": self.environment.name,
            "design": self.which,
            "actuators": self.design.actuators,
            "length_mm": round(1e3 * self.design.length, 3),
            "status": self.status.name.lower(),
            "ends_in_goal": self.in_goal,
            "refused_as_ambiguous": self.refused,
            "snaps": [snap.content() for snap in self.snaps],
        }


@dataclass(frozen=True, slots=True)
class Unsolved:
    """An environment for which no design was found."""

    environment: str
    refused: int
    """See `Snapped`."""


def plan_designs(
    environment: Environment, params: VineParams, iterations: int, seed: int = 0
) -> tuple[dict[str, Design], int]:
    """Return the first solution of a search and the best one kept, by name, and the number of ambiguous candidates.

    Without a solution there are no designs.
    """
    run = Run.prepare(environment, params, seed=seed)
    first: Design | None = None
    for _ in run.run(Budget(math.inf, iterations)):
        if first is None and run.best:
            first = run.best.design
    refused = run.solutions.ambiguous
    if first is None or run.best is None:
        return {}, refused
    best = run.best.design
    return ({"first, best": best} if best is first else {"first": first, "best": best}), refused


def measure_designs(environment: Environment, params: VineParams, iterations: int) -> list[Snapped | Unsolved]:
    """Plan, grow the designs with the shorter step, and relax each snap in three ways."""
    designs, refused = plan_designs(environment, params, iterations)
    model, relaxations = make_model(environment, params, True, PART), Relaxations(environment, params)
    found = [relax_snaps(which, design, model, relaxations, refused) for which, design in designs.items()]
    return [*found] if found else [Unsolved(environment.name, refused)]


def relax_snaps(which: str, design: Design, model: QuasiStatic, relaxations: Relaxations, refused: int = 0) -> Snapped:
    """Grow one design and relax its snaps."""
    rollout, carried = replay(design, model), design.actuation(design.segments)
    found = Snaps.of(rollout, 0)
    snaps = [_relax(model, carried, relaxations, found.select(k)) for k in range(len(found.vine))]
    end = make_simulation(design, model.environment, rollout)
    return Snapped(model.environment, which, end.design, end.status, end.ends_in_goal, snaps, refused)


def _relax(model: QuasiStatic, carried: Actuation, relaxations: Relaxations, snap: Snaps) -> Snap:
    """Relax the vine in three ways from its state just before a snap."""
    params = model.params
    state = replace(snap.states(params), pivots=pivots_of(carried.sides, params.pivot))
    rests = relaxations.relax(state, carried)
    way = np.linalg.norm(rests.joints[VISCOUS, 0] - centerlines(state, model.pose, params)[0], axis=-1)
    place = float(snap.tip[0, 0]), float(snap.tip[0, 1])
    return Snap(
        float(snap.length[0]),
        place,
        float(snap.energy[0]),
        rests.joints[:, 0],
        float(rests.apart[0]),
        PARTED * params.scale,
        float(np.nanmax(way, initial=0.0)),
        model.tube.relaxation.snap,
    )

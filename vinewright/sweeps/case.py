"""One case of a sweep: a plan and trials of its design, or trials of a design that exists; its results are a row of a table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.tube_file import tube_of
from environments import Environment
from environments.environment_file import parse_environment
from environments.reach import WalledIn
from planner.design.design import Design
from planner.design.design_file import parse_design
from planner.design.drive_margin import drive_margin
from planner.design.known_design import KnownDesign
from planner.design.replay import make_simulation, replay
from planner.plan.inputs import Inputs
from planner.plan.plan import Result, plan
from planner.plan.problem import Problem
from planner.uncertainty.errors import named_errors
from planner.uncertainty.trials import TOGETHER_ON_CUDA, Worlds, grow_trials

Value = str | int | float | bool | None
Row = dict[str, Value]
BLOCK = 100
"""Number of trials that are grown together on a CPU, to limit memory."""
DESIGN, BELOW = "design", "below success"
"""Outcomes of plans with a design: one that is enough (`planner.plan.enough`), and one that is not."""
COUNTED = "trials", "reached", "ended elsewhere", "stalled", "left the bounds", "no room", "not at rest", "not finite"


@dataclass(frozen=True, slots=True)
class CaseTrials:
    """Growth of a design with errors."""

    first: int
    """Number of the first trial, which determines its errors together with the seed."""
    number: int
    uncertainty: str | None = None
    """Name of a preset; None for the errors of environment and tube."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Case:
    """One row of the table, before it is computed. Environment, tube and designs are digests of inputs of the sweep."""

    factors: dict[str, Value]
    """Values that distinguish this case from others: the first columns of its row."""
    environment: str
    tube: str | None = None
    """None for a design that exists."""
    design: str | None = None
    """None for a plan."""
    plan: dict[str, Any] = field(default_factory=dict)
    """Options of the plan, see `Inputs`."""
    trials: CaseTrials | None = None
    device: str = "cpu"
    """On which everything grows: "cpu" or "cuda"."""
    known: str | None = None
    """Design with which a plan begins, that of its option `start_from`; None for none."""

    def inputs(self) -> list[str]:
        """Digests of everything that the case reads."""
        return [one for one in (self.environment, self.tube, self.design, self.known) if one is not None]

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        parts = {name: getattr(self, name) for name in ("environment", "tube", "design", "known")}
        trials = self.trials and {name: getattr(self.trials, name) for name in CaseTrials.__slots__}
        device = None if self.device == "cpu" else self.device
        found = {"factors": self.factors, **parts, "plan": self.plan or None, "trials": trials, "device": device}
        return {key: value for key, value in found.items() if value is not None}

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Case:
        """The inverse of `content`."""
        trials = content.get("trials")
        return cls(
            content["factors"],
            content["environment"],
            content.get("tube"),
            content.get("design"),
            content.get("plan") or {},
            CaseTrials(**trials) if trials else None,
            content.get("device", "cpu"),
            content.get("known"),
        )


@dataclass(frozen=True, slots=True)
class Input:
    """An environment, a tube or a design, as text."""

    name: str
    text: str

    def environment(self, tube_radius: float = 0.0) -> Environment:
        """The environment in it.

        Raises:
            InvalidEnvironment: The tube does not fit at its start.
        """
        return parse_environment(self.text.encode(), self.name, tube_radius)

    def tube(self) -> VineParams:
        """The tube in it."""
        return tube_of(json.loads(self.text))

    def design(self) -> Design:
        """The design in it."""
        return parse_design(json.loads(self.text), self.name)


def run_case(case: Case, inputs: Mapping[str, Input]) -> Row:
    """Compute a case on its device, whatever the default is: results of another device differ in their last bits.

    Args:
        inputs: Those of the case, by digest.
    Returns:
        Its row: factors, then results. The columns are the same for all cases of a sweep.
    """
    if case.design is not None:
        design = inputs[case.design].design()
        environment = inputs[case.environment].environment(design.params.radius)
        return {**case.factors, **_facts(case.device, design, environment), **_try_design(case, design, environment)}
    assert case.tube is not None  # a plan has one
    tube = inputs[case.tube].tube()
    environment = inputs[case.environment].environment(tube.radius)
    try:
        options = Inputs(actuator=tube.kinds, device=case.device, **case.plan)
        known = None
        if case.known is not None:
            known = KnownDesign(inputs[case.known].design(), inputs[case.known].name, case.known)
        result = plan(Problem.of(environment, tube, options, known))
    except WalledIn:
        return {**case.factors, "outcome": "walled in", **_search(None), **_facts(case.device), **_try_design(case)}
    if result.interrupted:
        raise KeyboardInterrupt  # a plan that had less time than the others is of no use
    best = result.best
    outcome = "no design" if best is None else BELOW if result.shortfall else DESIGN
    found = {"outcome": outcome, **_search(result), **_facts(case.device, best, environment)}
    return {**case.factors, **found, **_try_design(case, best, environment)}


def _search(result: Result | None) -> Row:
    """Numbers that a plan reports of itself."""
    names = "iterations_done", "vine_steps", "nodes", "own_reached", "own_trials"
    if result is None:
        return dict.fromkeys(names)
    chosen = result.choice.chosen.estimate if result.choice else None
    search = result.run.search
    numbers = result.iterations, search.vine_steps, len(search.tree)
    own = (chosen.reached, chosen.trials) if chosen else (None, None)
    return dict(zip(names, (*numbers, *own), strict=True))


def _facts(device: str, design: Design | None = None, environment: Environment | None = None) -> Row:
    """Properties of a design and of its growth as planned."""
    names = "actuators", "length_mm", "reaches_as_planned", "contact_share", "greatest_contact_force_n", "drive_margin"
    if design is None or environment is None:
        return dict.fromkeys(names)
    rollout = replay(design, QuasiStatic(environment, design.params, device=device))
    grown = make_simulation(design, environment, rollout)
    force = grown.contact_force
    touched = float((force > 0).any(axis=1).mean()) if len(force) else 0.0
    margin = drive_margin(rollout, design.params)
    least = None if margin is None else round(float(margin.margin.min()), 6)
    greatest = round(float(force.max(initial=0.0)), 4)
    values = design.actuators, round(1e3 * design.length, 3), grown.reached, round(touched, 4), greatest, least
    return dict(zip(names, values, strict=True))


def _try_design(case: Case, design: Design | None = None, environment: Environment | None = None) -> Row:
    """The counts of a design's trials; None in all columns without a design, and no column without trials."""
    trials = case.trials
    if trials is None:
        return {}
    names = [name.replace(" ", "_") for name in COUNTED]
    if design is None or environment is None:
        return dict.fromkeys(names)
    _, uncertainty = named_errors(environment, design.params, trials.uncertainty)
    counts = np.zeros(len(COUNTED) - 1, int)
    block = BLOCK if case.device == "cpu" else TOGETHER_ON_CUDA
    for first in range(trials.first, trials.first + trials.number, block):
        numbers = range(first, min(first + block, trials.first + trials.number))
        worlds = Worlds.draw(environment, design.params, uncertainty, numbers, trials.seed, case.device)
        found = grow_trials(design, worlds).counts()
        counts += [found[name] for name in COUNTED[1:]]
    return dict(zip(names, [trials.number, *counts.tolist()], strict=True))

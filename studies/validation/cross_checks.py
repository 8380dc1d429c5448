"""The best designs in the shipped environments, grown with every propagator: comparison of their tips, contacts and paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from dynamics.propagator import CannotRun, PropagatorFactory
from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.design.comparison.changes import changed_propagators
from planner.design.comparison.growths import Comparison, RecordedGrowth, grow_recorded
from planner.design.comparison.paths import TOUCH
from planner.design.design import Design
from planner.output.markdown import markdown_table
from planner.search.run import Budget, Run
from studies.validation.contacts import with_contact

ENVIRONMENTS = ("plus", "maze", "pickone", "needle", "long", "tube", "divider")
SEED, ITERATIONS = 1, 60
"""Seed and iterations of the search: reproducible on one machine, and about as good as a search of 20 s."""
HALVED = "half step"
"""Suffix of the name of the default propagator with half its step."""
COLUMNS = (
    *("environment", "actuators", "propagator", "end", "mm", "in goal", "tips apart mm", "at most mm"),
    *("contacts", "same way"),
)


@cache
def plan_best(name: str, iterations: int = ITERATIONS) -> tuple[Environment, Design]:
    """Return the best design found in a shipped environment in this many iterations, reproducible on one machine.

    Raises:
        CannotRun: No design was found.
    """
    params = VineParams(thickness_share=0.0)  # as in the other propagators
    environment = load_environment(name, params.radius)
    run = Run.prepare(environment, params, seed=SEED)
    for _ in run.run(Budget(np.inf, iterations=iterations)):
        pass
    if run.best is None:
        raise CannotRun(f"{name}: no design found in {iterations} iterations")
    return environment, run.best.design


def columns(names: Sequence[str]) -> list[str]:
    """Names of the growths of a design: the default, the default at half its step, and the other propagators with contact."""
    default = propagators()[0]
    return [default, f"{default}, {HALVED}", *(name for name in with_contact(names) if name != default)]


def _model(name: str) -> PropagatorFactory:
    """Return the factory of the propagator for one of `columns`."""
    made: PropagatorFactory = load_propagator(name.removesuffix(f", {HALVED}"))
    return made if not name.endswith(HALVED) else lambda environment, params: made(environment, params).refined()


def _changes(name: str) -> dict[str, PropagatorFactory]:
    """See `changed_propagators`; of these designs, which were found without friction, only `geometric` assumes any."""
    return changed_propagators(_model(name), name.removesuffix(f", {HALVED}"), name == "geometric")


def check_design(environment: Environment, design: Design, names: Sequence[str]) -> Iterator[Comparison]:
    """Grow a design with each of `columns`, and again with each of `changes` if it misses the goal."""

    def grown(make: PropagatorFactory) -> RecordedGrowth:
        return grow_recorded(environment, design, make(environment, design.params))

    default, *others = columns(names)
    first = grown(_model(default))
    yield Comparison(environment, design, default, first, first)
    shaken = tuple(change for change, make in _changes(default).items() if not grown(make).reached)
    for name in others:
        own = grown(_model(name))
        cures: tuple[str, ...] = ()
        if first.reached and not own.reached:
            cures = tuple(change for change, make in _changes(name).items() if grown(make).reached)
        yield Comparison(environment, design, name, own, first, cures, shaken)


def run_cross_checks(names: Sequence[str], environments: Sequence[str] = ENVIRONMENTS) -> Iterator[Comparison]:
    """Plan in each environment and check the design; yields `len(environments) * len(columns(names))` checks."""
    for name in environments:
        yield from check_design(*plan_best(name), names)


def report(checks: Sequence[Comparison]) -> list[str]:
    """Return a table as lines of Markdown, and possible causes for each design that misses the goal."""
    lines = [
        f"The best design of {ITERATIONS} iterations of the search (seed {SEED}) in each environment, found by",
        f"`{propagators()[0]}`, is grown by the others. *Tips apart*: distance from the tip of the default, at the last",
        "length that both reach, and at most. *Contacts*: number of obstacles touched during growth (centreline within",
        f"the radius + {1e3 * TOUCH:g} mm at a record), and whether they are those of the default, in the same order of",
        "first contact, up to that length. *Same way*: whether the centrelines are homotopic at the last length that both",
        "reach (a dash if an obstacle lies between the tips).",
        "",
        *markdown_table(COLUMNS, map(_row, checks)),
    ]
    failing = [one for one in checks if one.fails]
    if failing:
        lines += ["", "Designs that miss the goal here:", ""]
        lines += [f"- {one.environment.name}, `{one.propagator}`: {'; '.join(one.causes())}." for one in failing]
    return lines


def _row(one: Comparison) -> list[str]:
    known = one.common > 0
    return [
        one.environment.name,
        str(one.design.actuators),
        one.propagator,
        one.own.status.name.lower().replace("_", " "),
        f"{1e3 * one.own.length:.0f}",
        "yes" if one.own.reached else "passes" if one.own.enters else "no",
        f"{1e3 * one.apart[-1]:.2f}" if known else "-",
        f"{1e3 * one.apart.max():.2f}" if known else "-",
        f"{len(one.own.touched)}, {one.contacts}",
        {True: "yes", False: "no", None: "-"}[one.same_class],
    ]

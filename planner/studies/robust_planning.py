"""What choosing designs by success is worth, and at what price in actuators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.vine import VineParams
from environments import load_environment
from planner.bench import machine
from planner.planning import Budget, Run
from planner.robustness.selection import CANDIDATES, FINAL, SLACK, THRESHOLD, Champion, Choice, Selection
from planner.robustness.trials import Spread


@dataclass(frozen=True, slots=True)
class Judged:
    """One planning run, and its designs judged: the cheapest, and the likeliest for every number of actuators."""

    environment: str
    seed: int
    choice: Choice
    search_seconds: float
    trials: int
    """Trials that it took in all."""

    def content(self) -> dict[str, Any]:
        """For a JSON file."""
        return {
            "environment": self.environment,
            "seed": self.seed,
            "search_s": round(self.search_seconds, 2),
            "trials": self.trials,
            **self.choice.content(),
        }


def study(
    environments: Sequence[str], seeds: int, seconds: float, level: float, on_trials: Callable[[int], None]
) -> Iterator[Judged]:
    """Plan with every seed in every environment and judge what was found, up to two actuators more than the cheapest.

    Args:
        seconds: Of each search [s].
        level: Standard deviation of obstacles and of bending [-].
        on_trials: Called with the number of trials after each batch.
    """
    params = VineParams()
    for name in environments:
        environment = load_environment(name, params.radius)
        for seed in range(seeds):
            run = Run.prepare(environment, params, seed=seed, keep=CANDIDATES, slack=SLACK)
            for _ in run.run(Budget(seconds)):
                pass
            counted: list[int] = []

            def count(trials: int, counted: list[int] = counted) -> None:
                counted.append(trials)
                on_trials(trials)

            if designs := [solution.design for solution in run.solutions.best]:
                spread = Spread.of_levels(level, level)
                replayer = run.solutions.replayer
                selection = Selection(environment, spread, run.search.catalogue, seed, FINAL, count, replayer)
                cheapest = Champion(designs[0], selection.judge(designs[0]), 1)
                choice = Choice(level, THRESHOLD, cheapest, list(selection.champions(designs)))
                yield Judged(environment.name, seed, choice, run.seconds, sum(counted))


def report(judged: Sequence[Judged], command: str, seconds: float, took: float) -> tuple[str, dict[str, Any]]:
    """Tables for people, and the same for programs.

    Args:
        seconds: Of each search [s].
        took: The whole study [s].
    """
    level = judged[0].choice.level
    lines = [
        "# Planning for success",
        "",
        f"Made by `{command}` on {machine()}, in {took:.0f} s. Each search took {seconds:g} s and kept up to {CANDIDATES} distinct",
        f"solutions with up to two actuators more than the cheapest. Success: {FINAL} trials in which obstacles, pressures and cell",
        f"lengths differ from the plan by {100 * level:g} % (standard deviations), with 95 % intervals; none of these trials chose the",
        "design. For each number of actuators the likeliest of the solutions and their variants was found by successive halving.",
        "",
        "| environment | seed | cheapest: actuators | its success % | likeliest with as many | with one more | with two more | trials |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in judged:
        cheapest = one.choice.cheapest
        cells = [one.environment, f"{one.seed}", f"{cheapest.design.actuators}", str(cheapest.estimate)]
        others = [_with_more(one, more) for more in range(3)]
        cells += [str(other.estimate) if other else "-" for other in others]
        lines.append(f"| {' | '.join([*cells, f'{one.trials}'])} |")
    lines += ["", "## What it gains", ""]
    for name in dict.fromkeys(one.environment for one in judged):
        lines.append(f"- {_gain([one for one in judged if one.environment == name])}")
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "seconds": round(took, 1),
        "runs": [one.content() for one in judged],
    }
    return "\n".join(lines) + "\n", content


def _with_more(one: Judged, more: int) -> Champion | None:
    """The champion with so many more actuators than the cheapest, where there is one."""
    wanted = one.choice.cheapest.design.actuators + more
    return next((champion for champion in one.choice.champions if champion.design.actuators == wanted), None)


def _gain(judged: Sequence[Judged]) -> str:
    """Mean gain over the cheapest design, in points, by the price in actuators."""
    words = ["with as many actuators", "with one more", "with two more"]
    parts = []
    for more in range(3):
        pairs = [(one.choice.cheapest, other) for one in judged if (other := _with_more(one, more))]
        if pairs:
            gain = np.mean([100 * (other.estimate.rate - cheapest.estimate.rate) for cheapest, other in pairs])
            parts.append(f"{gain:+.0f} points {words[more]} ({len(pairs)} of {len(judged)} runs)")
    met = sum(one.choice.met for one in judged)
    mean = 100 * np.mean([one.choice.cheapest.estimate.rate for one in judged])
    return (
        f"{judged[0].environment}: from {mean:.0f} % on the mean {', '.join(parts)}; {100 * THRESHOLD:g} % is reached in "
        f"{met} of {len(judged)} runs."
    )

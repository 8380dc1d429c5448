"""`vinewright plan A B --same-design`: one tube for several environments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.search.planners import SST_STAR
from vinewright.console.answer import Answer
from vinewright.console.errors import BadInput, NothingKept
from vinewright.console.options import print_hints
from vinewright.console.terminal import actuators_text, doubt_words, print_thickness, section_table

if TYPE_CHECKING:
    from dynamics.tube import VineParams
    from environments import Environment
    from planner.plan.inputs import Inputs
    from planner.plan.several.choice import CommonChoice
    from planner.plan.several.plan import CommonResult

COUNTED = {2: "both"}
"""Words for numbers of environments; `all N` for others."""


def plan_for_all(
    every: Sequence[tuple[Environment, VineParams]],
    inputs: Inputs,
    out: Path | None,
    force: bool,
    full_tree: bool,
    answer: Answer,
) -> int:
    """Plan one tube for several environments, write and report; returns the exit code.

    Args:
        every: Each environment, and the tube that was chosen for it.
    Raises:
        BadInput: Two environments have the same name, their tubes differ, or an option is for one environment only.
        NothingKept: Ctrl-C came before a tube reached every goal.
    """
    from environments.reach import WalledIn
    from planner.output.claim import claim
    from planner.output.folder import stem_of
    from planner.plan.problem import Problem
    from planner.plan.several.folder import same_content, write_same
    from planner.plan.several.plan import plan_same
    from planner.uncertainty.errors import named_errors
    from vinewright.console.plan_progress import ConsoleWatcher

    _check(every, inputs)
    environments, tube = [one for one, _ in every], every[0][1]
    stems = [stem_of(one.name) for one in environments]
    console, names = answer.console, [one.name for one in environments]
    with claim(out, Path("runs") / "+".join(stems), force) as folder:
        for environment in environments:
            print_hints(console, environment, tube.radius, named_errors(environment, tube, inputs.uncertainty)[1])
        try:
            problems = [Problem.of(environment, tube, inputs) for environment in environments]
            result = plan_same(problems, ConsoleWatcher(console))
        except WalledIn as error:
            return answer.end({"environments": names, "found": False}, missed=f"no solution: {error}")
        if result.choice is None:
            if result.interrupted:
                raise NothingKept("interrupted before a tube reached every goal")
            return answer.end({"environments": names, "found": False}, missed=_nothing(result))
        write_same(folder, result, full_tree)
        _report(answer, result, folder, stems)
        content = {"found": True, **same_content(result)}
        return answer.end(content, [folder], _unmet(result, folder))


def _check(every: Sequence[tuple[Environment, VineParams]], inputs: Inputs) -> None:
    from planner.output.folder import stem_of

    stems = [stem_of(environment.name) for environment, _ in every]
    for k, stem in enumerate(stems):
        if stem in stems[:k]:
            raise BadInput(
                f"--same-design: two environments are called {stem}; give each its own name, which names its folder"
            )
    (first, tube), *others = every
    for environment, other in others:
        if other != tube:
            raise BadInput(
                f"--same-design: {first.name} and {environment.name} name different tubes; choose one with --tube for all"
            )
    given = {
        "--first": inputs.first,
        "--from": inputs.start_from is not None,
        "--target-actuators": inputs.target_actuators is not None,
        "--steer": inputs.steer > 0,
        "--particles": inputs.particles > 1,
        "--verify": inputs.verify is not None,
        "--planner": inputs.planner != SST_STAR,
    }
    if refused := [option for option, value in given.items() if value]:
        raise BadInput(f"{refused[0]} is for one environment; it cannot be given with --same-design")
    if inputs.propagator != "quasistatic":
        raise BadInput(f"--same-design needs --propagator quasistatic; not {inputs.propagator}")


def _nothing(result: CommonResult) -> str:
    """Why there is no tube."""
    spent = f"{sum(run.seconds for run in result.runs):.0f} s of search"
    if result.unsolved:
        return f"no solution for {', '.join(result.unsolved)} alone after {spent}"
    return f"no tube that was tried reaches every goal, after {spent}; try a longer --time-budget or another --seed"


def _unmet(result: CommonResult, out: Path) -> str:
    """List what the chosen tube lacks, and how to go on; empty if it is enough."""
    if result.choice is None or not (short := result.choice.shortfall):
        return ""
    longer = f"plan longer, with --time-budget {2 * result.options.time_budget_s:.3g}"
    if result.options.iterations is not None:
        longer = f"plan longer, with --iterations {2 * result.options.iterations}"
    return f"{short}. To go on, {longer}; or make it as it is, from {out}/"


def _report(answer: Answer, result: CommonResult, out: Path, stems: Sequence[str]) -> None:
    """The tube, its success in each environment, and what was written."""
    console, choice = answer.console, result.choice
    if choice is None:
        return
    for run, design in zip(result.runs, result.designs, strict=True):
        console.print(f"in {design.environment}, grown to {1e3 * design.length:.0f} of {1e3 * design.built:.0f} mm:")
        console.print(section_table(design))
        print_thickness(console, design, run.environment, result.options.propagator)
    if choice.tried:
        console.print(_table(choice))
    console.print(closing_line(result), style="bold")
    console.print(
        f"wrote {out}/: same-design.json, and a run for each environment in {', '.join(stems)}; it cannot be resumed"
    )
    console.print(ended_line(result))


def _table(choice: CommonChoice) -> Any:
    """The front, for a terminal."""
    from rich.table import Table

    names = [one.design.environment for one in choice.front[0].each]
    table = Table(
        "actuators", "tube mm", *(f"{name} %" for name in names), "", title="success in trials (95 % interval)"
    )
    for one in choice.front:
        rates = [part.estimate.words() for part in one.each]
        chosen = "chosen" if one is choice.champion else ""
        table.add_row(f"{one.actuators}", f"{1e3 * one.each[0].design.built:.0f}", *rates, chosen)
    return table


def closing_line(result: CommonResult) -> str:
    """Return the success of the chosen tube in each environment as text."""
    from planner.design.arrival import outside_words

    choice, designs = result.choice, result.designs
    if choice is None:
        return ""
    parts = []
    for design, champion in zip(designs, choice.champion.each, strict=True):
        as_planned = f"{outside_words(champion.outside) or 'reaches the goal'} as planned"
        success = design.success.words if design.success else as_planned
        actuators = "actuators" if len(design.off) > 1 else "actuator"
        off = f", {actuators} {' and '.join(map(str, design.off))} off" if design.off else ""
        parts.append(f"{design.environment} {success}{off}")
    line = f"{actuators_text(designs[0])} for {COUNTED.get(len(designs), f'all {len(designs)}')}: {'; '.join(parts)}"
    return line + doubt_words(choice.champion)


def ended_line(result: CommonResult) -> str:
    """Return when and why the plan ended as text."""
    reasons = result.reasons[-1:] if result.interrupted else dict.fromkeys(result.reasons)
    return f"ended after {result.seconds:.1f} s: {'; '.join(reasons)}"

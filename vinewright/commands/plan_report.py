"""`vinewright plan`: its results as text."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.design.design_file import design_content
from planner.output.contents import CHECKPOINT
from planner.output.text import plural
from planner.plan.more_time import expected_gain
from planner.plan.run.success import jump_of, with_trials
from planner.plan.searching import INTERRUPTED
from planner.search.run import TIME_SPENT
from vinewright.commands.plan_verify import unverified, verdict
from vinewright.console.options import solution_note
from vinewright.console.terminal import (
    CROSSING,
    actuators_text,
    doubt_words,
    print_thickness,
    rejection_text,
    section_table,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from planner.plan.choice.front import Choice
    from planner.plan.inputs import Inputs
    from planner.plan.plan import Result
    from planner.search.run import Run


def advice(run: Run) -> str:
    """Return advice for a plan without a design."""
    return (
        "Try a longer --time-budget, another --seed, or a larger goal; check that every passage is wider than "
        f"{2e3 * run.params.radius:.0f} mm."
    )


def unmet(result: Result, out: Path, resume: str) -> str:
    """Return the unmet request as text, and how to go on; empty if all requests are met.

    Args:
        out: Folder of the run.
        resume: Command that continues the plan; "" if none does.
    """
    best, asked = result.best, result.options
    if best is None:
        return _no_solution(result.run, result.reason)
    said = []
    if asked.target_actuators is not None and best.actuators > asked.target_actuators:
        said.append(f"the design has {actuators_text(best)}, at most {asked.target_actuators} were asked")
    if result.verification and not result.verification.verified:
        said.append(unverified(result.verification))
    if short := result.shortfall:
        longer = f"plan longer: {resume}" if resume else "plan again with another --seed or a larger goal"
        said.append(
            f"{short}{_earlier(result)}{_later(result)}. To go on, {longer}; or make it as it is: "
            f"vinewright export {shlex.quote(str(out))} --out pack"
        )
    return "; ".join(said)


def _earlier(result: Result) -> str:
    """Success that the rounds before the last one reached, as text, to judge by what more time brings; "" without any."""
    rounds = result.choice.rounds[:-1] if result.choice else []
    return f" (before: {', '.join(one.words for one in rounds)})" if rounds else ""


def _later(result: Result) -> str:
    """Success that twice the time brought to plans with as much success as this one, as text; "" if it did not end by its limit."""
    limited = result.reason == TIME_SPENT and result.choice and not result.choice.chosen.outside
    gain = expected_gain(result.choice.chosen.estimate.rate) if limited and result.choice else None
    return f"; {gain.words}" if gain else ""


def plan_content(result: Result) -> dict[str, Any]:
    """The result for a JSON document."""
    best, run = result.best, result.run
    content: dict[str, Any] = {
        "environment": run.environment.name,
        "found": best is not None,
        "stopped": result.reason,
        "iterations": result.iterations,
        "search_s": round(run.seconds, 3),
        "solutions_kept": len(result.designs),
    }
    if best:
        content |= {
            "time_to_first_s": round(run.history[0].seconds, 3),
            "actuators": best.actuators,
            "length_mm": round(1e3 * best.length, 3),
            "crosses_itself": best.crosses_itself,
            "trials": result.choice.content() if result.choice else None,
            "verification": result.verification.content() if result.verification else None,
            "design": design_content(best),
        }
    return content


def _no_solution(run: Run, reason: str) -> str:
    """Why there is no design."""
    import numpy as np

    tips = run.search.tree.tips[run.search.tree.used]
    goal = run.environment.goal
    nearest = max(float(np.hypot(*(tips[:, :2] - goal[:2]).T).min() - goal[2]), 0.0)
    solutions = run.solutions
    why = rejection_text(solutions.rejected, solutions.ambiguous)
    missed = f"; of {solutions.replayed} candidates replayed, {why}" if solutions.rejected else ""
    done = run.search.iteration
    return (
        f"no solution: {reason} after {run.seconds:.1f} s, {plural(done, 'iteration')}; "
        f"the nearest tip ended {nearest * 1e3:.0f} mm outside the goal{missed}"
    )


def resume_command(run: Run, inputs: Inputs, out: Path, reason: str) -> str:
    """Return the command that continues the plan; "" if nothing is left to do or no checkpoint could be written.

    Args:
        reason: Why the plan ended, or its first search.
    """
    if (run.search.exhausted and reason != INTERRUPTED) or not (out / CHECKPOINT).exists():
        return ""
    more = f" --time-budget {2 * max(inputs.time_budget_s, run.seconds):.3g}"
    if reason == "iterations done":
        more = f" --iterations {2 * run.search.iteration}"
    return f"vinewright plan --resume {shlex.quote(str(out))}{more * (reason != INTERRUPTED)}"


def report(console: Console, result: Result, out: Path) -> None:
    """The design, how it was found, and what was written."""
    design, run = result.best, result.run
    if design is None:
        return
    console.print(section_table(design))
    solutions = run.solutions
    others, why = len(solutions.best) - 1, rejection_text(solutions.rejected, solutions.ambiguous)
    done = run.search.iteration
    ways = f"; they pass the obstacles in {result.ways} different ways" if result.ways > 1 else ""
    # With trials, the closing line says it.
    jump = None if result.choice else jump_of(design, None, solutions.best)
    console.print(
        f"{actuators_text(design)}, tube {design.length * 1e3:.0f} mm, tip at "
        f"({design.tip[0] * 1e3:.0f}, {design.tip[1] * 1e3:.0f}) mm; first solution after {run.history[0].seconds:.2f} s"
        + (f"; {jump.words}" if jump else ""),
        style="bold",
    )
    ended = "its share of the time budget" if result.choice and result.reason == TIME_SPENT else result.reason
    console.print(
        f"search: {plural(done, 'iteration')} in {run.seconds:.1f} s, {ended}; {solutions.replayed} candidates replayed at an "
        f"eighth of the step, of which {why}; {plural(others, 'other distinct solution')} kept{ways}"
    )
    if tree := run.reverse_tree:
        guided = f"guided by a reverse tree of {len(tree.poses)} vertices, grown in {tree.seconds:.2f} s"
        console.print(f"note: planned without cost-to-go: {tree.failure}" if tree.failure else guided)
    if result.choice:
        console.print(stages_line(result.choice))
        console.print(choice_table(result.choice))
        console.print(success_line(result.choice), style="bold")
        for line in result.choice.chosen.estimate.influence_lines:
            console.print(line)
    elif not result.options.fast:
        console.print("not tried under errors: the plan was interrupted before", style="bold")
    if result.verification:
        console.print(verdict(result.verification), style="bold")
    if note := solution_note(out):
        console.print(f"note: {note}")
    if design.crosses_itself:
        console.print(CROSSING)
    print_thickness(console, design, result.environment, result.options.propagator)
    stages = "".join(f", {name}" for name in result.stages.files) if result.stages else ""
    console.print(
        f"wrote {out}/: design.json, plan.png, environment.toml, solutions.json, solutions.png, trajectory.npz, run.json, "
        f"{'trials.npz, ' * bool(result.choice)}checkpoint.npz{stages}"
    )


def stages_line(choice: Choice) -> str:
    """Return the times of the stages after the first search as text."""
    friction = choice.friction_search_s
    searches = f"searches with friction: {friction:.1f} s; " if friction > 0 else ""
    return f"{searches}refinement and trials: {choice.refinement_s + choice.trials_s:.1f} s"


def success_line(choice: Choice) -> str:
    """Return the success of the chosen design as text."""
    chosen = with_trials(choice.chosen.design, choice)
    doubt = doubt_words(choice.chosen)
    doubt += f"; {choice.chosen.jump.words}" if choice.chosen.jump else ""
    line = ", ".join([actuators_text(chosen), *([chosen.success.words] if chosen.success else [])])
    return line + doubt


def choice_table(choice: Choice) -> Table:
    """The front, for a terminal."""
    from rich.table import Table

    table = Table(
        "actuators", "tube mm", "success % (95 % interval)", "trials", "", title=f"success under {choice.errors} errors"
    )
    for column in table.columns[:4]:
        column.justify = "right"
    for champion in choice.front:
        table.add_row(
            f"{champion.design.actuators}",
            f"{1e3 * champion.design.length:.0f}",
            champion.estimate.words(),
            f"{champion.estimate.trials}",
            "chosen" if champion is choice.chosen else "",
        )
    return table

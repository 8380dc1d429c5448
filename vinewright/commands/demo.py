"""`vinewright demo`: a tour in the terminal."""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.console.answer import end_command
from vinewright.console.errors import NothingKept, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.terminal import make_console

if TYPE_CHECKING:
    from rich.console import Console

    from environments import Environment
    from planner.design.design import Design
    from planner.plan.plan import Result

ENVIRONMENT = "divider"
"""The environment of the tour: small, with a wall to go round."""
ITERATIONS, TRIALS, SEED = 10, 200, 1
"""Iterations of the search, number of trials, and seed of both."""
WIDEST, NARROWEST = 72, 24
"""Width of the picture [characters]."""


def demo(
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the design. Default: nothing is written.")
    ] = None,
    force: ForceOption = False,
) -> int:
    """Take a tour of one minute: plan, grow with a second model, try under errors. Nothing is written without --out."""
    console = make_console()
    with readable_errors():
        from environments import load_environment
        from planner.output.claim import claim

        with claim(out, out, force) if out else nullcontext():
            environment = load_environment(ENVIRONMENT)
            _say(
                console,
                "A vine robot is a soft tube that grows from its tip, as air turns its film inside out. Actuators along it bend it as it "
                "grows. Obstacles bend it too. Which actuators does it need to grow to a goal? The first run compiles the models, which "
                "takes minutes.",
            )
            result = _plan(console, environment)
            if result.best is None:
                return end_command(console, f"no design: {result.reason}")
            if out:
                result.write(out)
            if result.interrupted and not out:
                raise NothingKept("interrupted before the end of the tour")
            if not result.interrupted:
                _show_design(console, environment, result.best)
                _compare_models(console, environment, result.best)
                _try_under_errors(console, environment, result.best)
            if out:
                console.print(f"wrote {out}/")
            _suggest_commands(console, out)
    return 0


def _say(console: Console, text: str) -> None:
    """Print a paragraph, wrapped to the width of the terminal, after an empty line."""
    console.print()
    console.print(fill(text, console.width))


def _plan(console: Console, environment: Environment) -> Result:
    """Plan in the environment, and show the progress."""
    from dynamics.tube_choice import choose_tube
    from planner.plan.inputs import Inputs
    from planner.plan.plan import plan
    from planner.plan.problem import Problem
    from vinewright.console.plan_progress import ConsoleWatcher

    inputs = Inputs(fast=True, iterations=ITERATIONS, seed=SEED)
    problem = Problem.of(environment, choose_tube(None, environment), inputs)
    return plan(problem, watcher=ConsoleWatcher(console))


def _show_design(console: Console, environment: Environment, design: Design) -> None:
    """Print the sections of the design, and a picture."""
    from planner.drawing.text import LEGEND, text_picture
    from vinewright.console.terminal import actuators_text, section_table

    _say(
        console,
        f"The design has {actuators_text(design)}, and its tube is {design.length:.2f} m long. The table says where actuators are fixed, "
        "of which cells they are made, and at which pressure they are held:",
    )
    console.print(section_table(design))
    columns = max(min(console.width, WIDEST), NARROWEST)
    for line in text_picture(environment, design, design.centerline, columns):
        console.print(line.rstrip())
    console.print(fill(LEGEND, console.width))


def _compare_models(console: Console, environment: Environment, design: Design) -> None:
    """Grow the design with a second model, and print the distance between the tips."""
    import numpy as np

    from planner.design.replay import make_simulation, replay, resolve_growth
    from vinewright.console.compiling import compiling

    design, make = resolve_growth(design, environment, "impulse")
    with compiling(console, "impulse"):
        growth = make_simulation(design, environment, replay(design, make(environment, design.params)))
    apart = 1e3 * float(np.hypot(*(growth.tip[:2] - design.tip[:2])))
    _say(
        console,
        f"Can the model be trusted? The plan grew the tube quasi-statically. The propagator impulse, which has inertia, "
        f"{'reaches' if growth.reached else 'misses'} the goal with the same design; its tip ends {apart:.0f} mm from the first.",
    )


def _try_under_errors(console: Console, environment: Environment, design: Design) -> None:
    """Grow the design in worlds with errors, and print how often it reaches the goal."""
    from planner.design.estimate import Estimate
    from planner.uncertainty.errors import named_errors
    from planner.uncertainty.survey import ALL, Survey
    from vinewright.console.progress import gather

    named, errors = named_errors(environment, design.params, None)
    survey = Survey.of(design, environment, errors, TRIALS, SEED, alone=False)
    done, _ = gather(console, survey.run(), len(survey.batches()), "batches of trials", transient=True)
    if done:
        _say(
            console,
            f"Nothing is built exactly. With the errors {named}, the design reaches the goal in "
            f"{Estimate(survey.counts[ALL]['reached'], sum(done))}. A plan without --fast refines designs until more of them succeed.",
        )


def _suggest_commands(console: Console, out: Path | None) -> None:
    """Print three commands to try."""
    folder = shlex.quote(str(out or f"runs/{ENVIRONMENT}"))
    _say(console, "What to try next:")
    console.print(f"  vinewright plan {ENVIRONMENT}")
    console.print(f"  vinewright simulate {ENVIRONMENT} {folder} --animate growth.gif")
    console.print("  vinewright plan --help")

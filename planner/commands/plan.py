"""`vinewright plan`: from a place to a design."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.commands.plan_progress import INTERRUPTED, actuators_of, search
from planner.commands.plan_verify import VerifyOption, second_model, verdict, verified
from planner.console.compiling import compiling
from planner.console.errors import BadInput, known_actuator, needs, readable_errors, readable_options
from planner.console.options import (
    DeviceOption,
    FrictionOption,
    PropagatorOption,
    SolverOption,
    SurrogateOption,
    chosen_model,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from planner.design import Design
    from planner.robustness.selection import Choice
    from planner.runs.inputs import Inputs
    from planner.search.run import Run
    from planner.verification import Verification

CROSSING = (
    "note: this tube crosses over itself; the model knows no contact of the tube with itself, so try it out first"
)

UNLIMITED = 1e6
"""Seconds that stand for as long as it takes."""


def plan(
    ctx: typer.Context,
    env: Annotated[
        str | None, typer.Argument(metavar="ENV", help="A shipped environment, or the path of a TOML file.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the results.  [default: runs/ENV]")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random generator.")] = 0,
    batch: Annotated[int, typer.Option(min=1, max=2000, help="Vines grown in each iteration.")] = 100,
    time_budget: Annotated[float, typer.Option(metavar="S", help="Seconds to search, compiling apart.")] = 20.0,
    iterations: Annotated[int | None, typer.Option(min=1, help="Most iterations.")] = None,
    first: Annotated[bool, typer.Option("--first", help="Stop at the first solution.")] = False,
    target_actuators: Annotated[int | None, typer.Option(min=0, help="Stop at so few actuators.")] = None,
    solutions: Annotated[int, typer.Option(min=1, max=1000, metavar="K", help="Distinct solutions to keep.")] = 5,
    heuristic: Annotated[
        bool,
        typer.Option(
            help="Be guided by ways to the goal without contact (OMPL's RRT*): for large places with dead ends."
        ),
    ] = False,
    robust: Annotated[
        bool,
        typer.Option(
            help="Choose by success in trials with errors, from designs of up to two actuators more and variants of them."
        ),
    ] = False,
    level: Annotated[
        float | None,
        typer.Option(min=0, max=100, help="Errors of --robust: standard deviations in percent.  [default: 5]"),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=100, help="Success that --robust asks for, in percent.  [default: 90]"),
    ] = None,
    verify: VerifyOption = None,
    actuator: Annotated[str, typer.Option(help="Muscle that bends the tube: spam or pouch.")] = "spam",
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    friction: FrictionOption = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Go on with the run in this folder instead of ENV; --time-budget and --iterations count from its beginning.",
        ),
    ] = None,
) -> int:
    """Find a design with the fewest actuators that grows to the goal. Ctrl-C stops early and keeps the best."""
    from rich.console import Console

    anew = _given_anew(ctx) if resume else {}
    if not 0 < time_budget < 1e7:
        raise BadInput(f"--time-budget {time_budget:g} must be greater than 0 and finite, in seconds")
    if env is None and resume is None:
        raise BadInput("give the environment, ENV, or a run to go on with, --resume DIR")
    if not robust and (level is not None or threshold is not None):
        raise BadInput("--level and --threshold are for --robust")
    if robust and friction:
        raise BadInput("--robust tries designs without friction; leave out --friction or --robust")
    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from environments.reach import WalledIn, goal_within_reach
        from planner.runs.checkpoint import read_checkpoint
        from planner.runs.folder import check_folder, save_checkpoint, stem_of, sweep, write_run
        from planner.runs.inputs import Inputs
        from surrogate.registry import actuators

        checkpoint = None
        if resume:
            sweep(resume)
            checkpoint = read_checkpoint(resume)
            inputs = checkpoint.inputs.model_copy(update=anew)
        else:
            with readable_options():
                inputs = Inputs(
                    actuator=actuator, propagator=propagator, device=device, solver=solver, surrogate=surrogate,
                    heuristic=heuristic, seed=seed, batch=batch, time_budget_s=time_budget, iterations=iterations, first=first,
                    target_actuators=target_actuators, solutions=solutions, robust=robust, level=level, threshold=threshold,
                    friction=friction, verify=verify,
                )  # fmt: skip
        params = VineParams(actuator=actuators()[known_actuator(inputs.actuator)]())
        environment = checkpoint.environment if checkpoint else load_environment(str(env), params.radius)
        try:
            goal_within_reach(environment, params.clearance)
        except WalledIn as error:
            console.print(f"no solution: {error}.", style="bold")
            console.print(f"Open a passage wider than {2e3 * params.radius:.0f} mm, or move the start or the goal.")
            return 3

        from planner.commands.plan_robust import choose
        from planner.robustness.selection import CANDIDATES, SLACK
        from planner.search.run import Run
        from planner.search.sst import ALTERNATIVES

        make = chosen_model(
            params, inputs.propagator, inputs.device, inputs.solver, inputs.surrogate, friction=inputs.friction
        )
        # device, solver and surrogate as they were chosen, where there is a choice
        inputs = inputs.model_copy(update=getattr(make, "keywords", {}))
        second = second_model(params, inputs, console)(environment, params) if inputs.verify else None
        out = out or resume or Path("runs") / stem_of(environment)
        sweep(out)
        check_folder(out)
        console.print(
            f"planning {environment.name}: {inputs.actuator}, {inputs.propagator}, seed {inputs.seed}, {inputs.time_budget_s:g} s",
            style="bold",
        )
        with compiling(console, inputs.propagator, inputs.heuristic), needs("ompl"):
            keep, slack = (
                (max(inputs.solutions, CANDIDATES), SLACK) if inputs.robust else (inputs.solutions, ALTERNATIVES)
            )
            run = Run.prepare(environment, params, make, inputs.seed, inputs.batch, keep, inputs.heuristic, slack=slack)
            if checkpoint:
                checkpoint.restore(run)
        if checkpoint:
            console.print(f"going on after iteration {run.search.iteration}, {run.seconds:.1f} s{checkpoint.caution}")
        reason = search(console, run, inputs.budget, partial(save_checkpoint, out, run, inputs))
        if run.best is None:
            console.print(_no_solution(run, reason))
            _tell_how_to_go_on(console, run, inputs, out, reason)
            return 3
        choice = choose(console, run, inputs.level, inputs.threshold) if inputs.robust else None
        verification = verified(console, run, inputs.verify, second, choice) if inputs.verify and second else None
        write_run(out, run, inputs, reason, choice, verification)
    _report(console, run, out, reason, choice, verification, inputs.friction)
    _tell_how_to_go_on(console, run, inputs, out, reason)
    return 3 if verification and not verification.verified else 0


def _given_anew(ctx: typer.Context) -> dict[str, Any]:
    """What ends the search and who verifies, as given with --resume: all that ended it before is replaced.

    Raises:
        BadInput: An option that the run has already been searched with.
    """
    stops = {"time_budget": "time_budget_s", "iterations": "iterations", "first": "first"}
    stops["target_actuators"] = "target_actuators"
    given = [name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"]
    for name in given:
        if name not in (*stops, "verify", "resume", "out"):
            option = "ENV" if name == "env" else f"--{name.replace('_', '-')}"
            raise BadInput(
                f"{option} cannot be given with --resume: a run goes on as it began; --time-budget, --iterations, --first, "
                "--target-actuators, --verify and --out can be given anew"
            )
    anew = {stops[name]: ctx.params[name] for name in given if name in stops}
    if anew:
        # What is not given anew must not end the search at once: the time that it was to take has mostly passed.
        anew = {"iterations": None, "first": False, "target_actuators": None, "time_budget_s": UNLIMITED, **anew}
    return anew | ({"verify": ctx.params["verify"]} if "verify" in given else {})


def _no_solution(run: Run, reason: str) -> str:
    import numpy as np

    tips = run.search.tree.tips[run.search.tree.used]
    goal = run.environment.goal
    nearest = max(float(np.hypot(*(tips[:, :2] - goal[:2]).T).min() - goal[2]), 0.0)
    missed = f"; {run.solutions.rejected} candidates missed the goal when replayed" if run.solutions.rejected else ""
    return (
        f"no solution: {reason} after {run.seconds:.1f} s, {run.search.iteration} iterations; "
        f"the nearest tip ended {nearest * 1e3:.0f} mm outside the goal{missed}.\n"
        "Try a longer --time-budget, another --seed, or a larger goal; see that every passage is wider than "
        f"{2e3 * run.params.radius:.0f} mm."
    )


def _tell_how_to_go_on(console: Console, run: Run, inputs: Inputs, out: Path, reason: str) -> None:
    if run.search.exhausted:
        return
    more = f" --time-budget {2 * max(inputs.time_budget_s, run.seconds):.3g}"
    if reason == "iterations done":
        more = f" --iterations {2 * run.search.iteration}"
    console.print(f"go on with: vinewright plan --resume {shlex.quote(str(out))}{more * (reason != INTERRUPTED)}")


def _report(
    console: Console,
    run: Run,
    out: Path,
    reason: str,
    choice: Choice | None,
    verification: Verification | None,
    friction: float | None,
) -> None:
    from planner.runs.folder import design_to_write

    design = design_to_write(run, choice, verification)
    console.print(section_table(design))
    solutions = run.solutions
    others = len(solutions.best) - 1
    console.print(
        f"{actuators_of(design)}, tube {design.length * 1e3:.0f} mm, tip at "
        f"({design.tip[0] * 1e3:.0f}, {design.tip[1] * 1e3:.0f}) mm; first solution after {run.history[0].seconds:.2f} s",
        style="bold",
    )
    console.print(
        f"{run.search.iteration} iterations in {run.seconds:.1f} s, {reason}; {solutions.replayed} candidates replayed at half the step, "
        f"{solutions.rejected} of them missed the goal; {others} other distinct solution{'s' * (others != 1)} kept"
    )
    if tree := run.reverse_tree:
        guided = f"guided by a reverse tree of {len(tree.poses)} vertices, grown in {tree.seconds:.2f} s"
        console.print(f"note: planned without cost-to-go: {tree.complaint}" if tree.complaint else guided)
    if choice:
        from planner.commands.plan_robust import choice_table

        console.print(choice_table(choice))
    if verification:
        console.print(verdict(verification), style="bold")
    if design.crosses_itself:
        console.print(CROSSING)
    if friction:
        console.print(
            f"note: found with friction; grow it by `simulate --friction {friction:g}`, as robustness and export know none"
        )
    console.print(
        f"wrote {out}/: design.json, plan.png, environment.toml, solutions.json, trajectory.npz, run.json, checkpoint.npz"
    )


def section_table(design: Design) -> Table:
    """The sections of a design, for a maker."""
    from rich.table import Table

    cell = design.params.actuator.cell_name
    table = Table("from mm", "to mm", "side", f"{cell} mm", "pressure kPa", "curvature 1/m", "radius mm")
    for column in table.columns:
        column.justify = "right"
    for section in design.sections:
        cells = ["-"] * 4
        if section.side != "none":
            cells = [
                f"{section.l_0 * 1e3:.0f}",
                f"{section.pressure * 1e-3:.1f}",
                f"{section.curvature:.2f}",
                f"{1e3 / section.curvature:.0f}",
            ]
        table.add_row(f"{section.start * 1e3:.0f}", f"{section.end * 1e3:.0f}", section.side, *cells)
    return table

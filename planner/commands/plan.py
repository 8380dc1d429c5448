"""`vinewright plan`: from a place to a design."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from planner.commands.errors import BadInput, known_actuator, needs, readable_errors
from planner.commands.models import DeviceOption, PropagatorOption, SolverOption, SurrogateOption, chosen_model
from planner.commands.verify import VerifyOption, second_model, verdict, verified

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from planner.design import Design
    from planner.planning import Budget, Run
    from planner.robustness.selection import Choice
    from planner.verification import Verification

CROSSING = (
    "note: this tube crosses over itself; the model knows no contact of the tube with itself, so try it out first"
)
LAST_KERNEL = {
    "quasistatic": "quasistatic_*/*grow_one",
    "penalty": "_free_curvatures",
    "impulse": "impulse_*/*grow_one",
    "geometric": "grow_turns",
    "euler-lagrange": "grow_arc",
}
"""The kernel of each propagator that is compiled last, as its file is found."""
PLAIN_EVERY = 2.0
"""Seconds between progress lines where there is no terminal."""


def plan(
    env: Annotated[str, typer.Argument(metavar="ENV", help="A shipped environment, or the path of a TOML file.")],
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
) -> int:
    """Find a design with the fewest actuators that grows to the goal. Ctrl-C stops early and keeps the best."""
    from rich.console import Console

    if not 0 < time_budget < 1e7:
        raise BadInput(f"--time-budget {time_budget:g} must be greater than 0 and finite, in seconds")
    if not robust and (level is not None or threshold is not None):
        raise BadInput("--level and --threshold are for --robust")
    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors():
        from dynamics.vine import VineParams
        from environments import load_environment
        from environments.reach import WalledIn, goal_within_reach
        from surrogate.registry import actuators

        params = VineParams(actuator=actuators()[known_actuator(actuator)]())
        environment = load_environment(env, params.radius)
        try:
            goal_within_reach(environment, params.clearance)
        except WalledIn as error:
            console.print(f"no solution: {error}.", style="bold")
            console.print(f"Open a passage wider than {2e3 * params.radius:.0f} mm, or move the start or the goal.")
            return 3

        from planner.commands.robust import choose
        from planner.planning import Budget, Run
        from planner.robustness.selection import CANDIDATES, SLACK
        from planner.run_folder import check_folder, stem_of, write_run
        from planner.sst import ALTERNATIVES

        make = chosen_model(params, propagator, device, solver, surrogate)
        second = second_model(params, verify, propagator)(environment, params) if verify else None
        out = out or Path("runs") / stem_of(environment)
        check_folder(out)
        console.print(
            f"planning {environment.name}: {actuator}, {propagator}, seed {seed}, {time_budget:g} s", style="bold"
        )
        start = time.perf_counter()
        with compiling(console, propagator, heuristic), needs("ompl"):
            keep, slack = (max(solutions, CANDIDATES), SLACK) if robust else (solutions, ALTERNATIVES)
            run = Run.prepare(environment, params, make, seed, batch, keep, heuristic, slack=slack)
        prepared = time.perf_counter() - start
        reason = _search(console, run, Budget(time_budget, iterations, first, target_actuators))
        if run.best is None:
            console.print(_no_solution(run, reason))
            return 3
        inputs = {
            "environment": environment.name, "sha256": environment.sha256, "actuator": actuator, "propagator": propagator,
            **getattr(make, "keywords", {}),  # device, solver and surrogate, where there is a choice
            "heuristic": heuristic, "seed": seed, "batch": batch, "time_budget_s": time_budget, "iterations": iterations, "first": first,
            "target_actuators": target_actuators, "solutions": solutions, "stopped": reason,
            "robust": robust, "verify": verify,
        }  # fmt: skip
        choice = choose(console, run, level, threshold) if robust else None
        verification = verified(console, run, verify, second, choice) if verify and second else None
        write_run(out, run, inputs, prepared, choice, verification)
    _report(console, run, out, reason, choice, verification)
    return 3 if verification and not verification.verified else 0


@contextmanager
def compiling(console: Console, propagator: str = "quasistatic", heuristic: bool = False) -> Iterator[None]:
    """Say why the first start takes longer, and show on a terminal that it is alive."""
    from surrogate.compiled import cache_folder

    last = [LAST_KERNEL[propagator], *(["_biarcs"] if heuristic else [])]
    if all(any(cache_folder().rglob(f"*{kernel}*.nbi")) for kernel in last):
        yield
        return
    console.print("compiling the kernels, once (15 to 30 s) ...")
    with console.status("compiling"):
        yield


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM instead of breaking off; a second Ctrl-C breaks off."""
    caught: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        if len(caught) > 1:
            signal.default_int_handler(number, frame)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _search(console: Console, run: Run, budget: Budget) -> str:
    """Search with progress on the console; returns why it ended."""
    from rich.live import Live
    from rich.text import Text

    from dynamics.propagator import CannotRun

    shown = 0.0
    with _interruptible() as caught, Live(console=console, auto_refresh=False, transient=True) as live:
        live.update(Text("growing the first vines"), refresh=console.is_terminal)
        try:
            for _ in run.run(budget):
                line = _progress(run, budget)
                if console.is_terminal:
                    live.update(Text(line), refresh=True)
                elif run.seconds >= shown + PLAIN_EVERY:
                    shown = run.seconds
                    console.print(line)
                if caught:
                    return "interrupted"
        except CannotRun as error:
            if run.best is None:
                raise
            return str(error)  # what was found is kept
    best = run.best and run.best.design
    if best and (budget.first or (budget.target_actuators is not None and best.actuators <= budget.target_actuators)):
        return "target reached"
    if run.search.exhausted:
        return "nothing better left to try"
    return "iterations done" if run.search.iteration == budget.iterations else "time budget spent"


def _progress(run: Run, budget: Budget) -> str:
    best = "no solution yet"
    if run.best:
        design = run.best.design
        best = f"{_actuators(design)}, {design.length:.2f} m"
    left = max(budget.seconds - run.seconds, 0.0)
    rate = run.search.vine_steps / max(run.seconds, 1e-9)
    return f"iteration {run.search.iteration}  best: {best}  nodes {len(run.search.tree)}  {rate:,.0f} vine-steps/s  {left:.0f} s left"


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


def _report(
    console: Console, run: Run, out: Path, reason: str, choice: Choice | None, verification: Verification | None
) -> None:
    from planner.run_folder import design_to_write

    design = design_to_write(run, choice, verification)
    console.print(section_table(design))
    solutions = run.solutions
    others = len(solutions.best) - 1
    console.print(
        f"{_actuators(design)}, tube {design.length * 1e3:.0f} mm, tip at "
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
        from planner.commands.robust import choice_table

        console.print(choice_table(choice))
    if verification:
        console.print(verdict(verification), style="bold")
    if design.crosses_itself:
        console.print(CROSSING)
    console.print(f"wrote {out}/: design.json, plan.png, environment.toml, solutions.json, trajectory.npz, run.json")


def _actuators(design: Design) -> str:
    return f"{design.actuators} actuator{'s' * (design.actuators != 1)}"


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

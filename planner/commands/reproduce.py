"""`vinewright reproduce`: what the papers show, made again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.console.errors import BadInput, needs, readable_errors, writable
from planner.console.options import DeviceOption, PropagatorOption, SolverOption, SurrogateOption, chosen_model

if TYPE_CHECKING:
    from rich.console import Console

    from planner.studies.planning_runs import Case, Record

app = typer.Typer(help="Make again what the papers show.", no_args_is_help=True)

RunsOption = Annotated[int, typer.Option(min=1, max=1000, help="Runs of each kind in each environment.")]
BudgetOption = Annotated[
    float, typer.Option("--time-budget", min=0.1, max=1e5, metavar="S", help="Seconds of each run.")
]
EnvironmentsOption = Annotated[
    list[str] | None, typer.Option("--env", metavar="ENV", help="Only these; may be repeated.")
]
FolderOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for tables, their data and pictures.")]


@app.command()
def tip_steering(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the picture.")] = Path("results"),
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
) -> int:
    """Hold a vine behind a narrow passage while its tip is steered. Exit code 3 if it does not get through that."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors():
        import numpy as np

        from dynamics.tube import VineParams
        from dynamics.vine import Status
        from planner.console.compiling import compiling
        from planner.studies.tip_steering.plots import save_picture
        from planner.studies.tip_steering.study import MOVES, place, steer

        params = VineParams()
        make = chosen_model(params, propagator, device, solver, surrogate)
        with writable(out):
            environment = place(params)
            with compiling(console, propagator):
                stages = steer(make(environment, params), environment, params)
            save_picture(out / "tip-steering.png", environment, params, stages)
    table = Table("pressure kPa", "length mm", "tip x mm", "tip y mm", "turn deg", "in free space deg", "status")
    for column in table.columns[:-1]:
        column.justify = "right"
    for stage in stages:
        values = [1e-3 * stage.pressure, 1e3 * stage.length, *1e3 * stage.joints[-1]]
        turns = [f"{np.degrees(turn):.2f}" for turn in (stage.heading, stage.free)]
        table.add_row(*(f"{value:.0f}" for value in values), *turns, stage.status.name.lower())
    console.print(table)
    console.print(f"wrote {out / 'tip-steering.png'}")
    done = len(stages) == len(MOVES) and all(stage.status == Status.GROWN for stage in stages)
    return 0 if done else 3


@app.command()
def table2(
    runs: RunsOption = 30,
    time_budget: BudgetOption = 10.0,
    env: EnvironmentsOption = None,
    out: FolderOption = Path("results"),
) -> None:
    """Plan with the reverse tree and without, many times; tables, and pictures of who was solved when. Ctrl-C keeps the rest."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), needs("ompl"):
        from dynamics.tube import VineParams
        from environments import known_environments, load_environment
        from environments.reach import goal_within_reach
        from planner.search.catalogue import Catalogue
        from planner.search.reverse_tree import ReverseTree
        from planner.studies.planning.study import PAPER
        from planner.studies.table2.plots import save_costs, save_success, save_trees
        from planner.studies.table2.report import report
        from planner.studies.table2.study import cases, places

        names, params = env or [*PAPER, *(name for name in known_environments() if name not in PAPER)], VineParams()
        environments = [load_environment(name, params.radius) for name in names]
        for place in environments:
            goal_within_reach(place, params.clearance)
        with writable(out):
            records = _study(console, cases(names, runs, time_budget))
            if not places(records):
                raise BadInput("interrupted before any environment was planned both ways; nothing was written")
            command = _command("table2", runs, time_budget, env, interrupted=len(records) < 2 * runs * len(names))
            write_tables(console, out / "table2", *report(records, command))
            save_success(out / "success-vs-time.png", records)
            save_costs(out / "cost-vs-time.png", records)
            tightest = Catalogue.of(params).reachable[1]
            trees = [(place, ReverseTree.grow(place, params, tightest)) for place in environments]
            save_trees(out / "reverse-trees.png", trees)
    console.print(f"wrote {out}/success-vs-time.png, {out}/cost-vs-time.png, {out}/reverse-trees.png")


@app.command()
def ablations(
    runs: RunsOption = 6,
    time_budget: BudgetOption = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = Path("results"),
) -> None:
    """Plan with one part of the search off, or set otherwise, at a time. Ctrl-C keeps what was measured."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.studies.ablations.report import report
        from planner.studies.ablations.study import VARIANTS, cases

        names = env or ["maze", "needle", "long"]
        for name in names:
            load_environment(name, VineParams().radius)
        with writable(out):
            records = _study(console, cases(names, runs, time_budget))
            if not records:
                raise BadInput("interrupted before a run was over; nothing was written")
            interrupted = len(records) < len(VARIANTS) * runs * len(names)
            write_tables(
                console, out / "ablations", *report(records, _command("ablations", runs, time_budget, env, interrupted))
            )


@app.command()
def robust_planning(
    runs: Annotated[int, typer.Option(min=1, max=100, help="Planning runs in each environment.")] = 3,
    time_budget: BudgetOption = 20.0,
    level: Annotated[float, typer.Option(min=0, max=100, help="Errors: standard deviations in percent.")] = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = Path("results"),
) -> None:
    """Choose designs by their success in trials with errors; what that gains. Ctrl-C keeps what was judged."""
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors():
        from dynamics.quasistatic.propagator import QuasiStatic
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.console.compiling import compiling
        from planner.console.progress import stoppable
        from planner.search.run import warm_up
        from planner.studies.robust_planning.report import report
        from planner.studies.robust_planning.study import study

        names = env or ["divider", "maze"]
        environments = [load_environment(name, VineParams().radius) for name in names]
        with writable(out), compiling(console):
            warm_up(QuasiStatic(environments[0], VineParams()))
        judged, start = [], time.perf_counter()
        with Progress(
            *Progress.get_default_columns()[:2], TextColumn("{task.completed:.0f} trials"), console=console
        ) as bar:
            task = bar.add_task("planning and judging", total=None)
            try:
                with stoppable():
                    for one in study(names, runs, time_budget, level / 100, lambda trials: bar.advance(task, trials)):
                        judged.append(one)
                        console.print(f"{one.environment}, seed {one.seed}: {one.choice.chosen.estimate}")
            except KeyboardInterrupt:
                console.print(f"interrupted after {len(judged)} of {runs * len(names)} runs")
        if not judged:
            raise BadInput("no design was judged; nothing was written. Try a longer --time-budget")
        command = _command("robust-planning", runs, time_budget, env, len(judged) < runs * len(names))
        command = command.replace("--time-budget", f"--level {level:g} --time-budget")
        write_tables(
            console, out / "robust-planning", *report(judged, command, time_budget, time.perf_counter() - start)
        )


@app.command()
def impulse_runtime(out: FolderOption = Path("results")) -> None:
    """Time the impulse simulator's steps for more and more bodies, by its own solver and by OSQP. Ctrl-C keeps the rest."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), needs("osqp"), writable(out):
        import osqp  # noqa: F401

        from planner.console.progress import gathered
        from planner.studies.impulse.plots import save_runtime
        from planner.studies.impulse.report import report
        from planner.studies.impulse.study import SIZES, SOLVERS, measure

        timings = gathered(console, measure(), len(SIZES) * len(SOLVERS), "robots")
        if not timings:
            raise BadInput("interrupted before a robot was timed; nothing was written")
        command = "vinewright reproduce impulse-runtime"
        if len(timings) < len(SIZES) * len(SOLVERS):
            command += ", interrupted,"
        write_tables(console, out / "impulse-runtime", *report(timings, command))
        save_runtime(out / "impulse-runtime.png", timings)
    console.print(f"wrote {out}/impulse-runtime.png")


@app.command()
def impulse_clutter(out: FolderOption = Path("results")) -> None:
    """Grow the papers' robot through their cluttered place: still frames and an animation."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), writable(out):
        from planner.console.progress import columns
        from planner.drawing.animation import save_animation
        from planner.studies.impulse.plots import save_stills
        from planner.studies.impulse.study import as_design, clutter_motion, clutter_place, clutter_robot

        place, robot = clutter_place(), clutter_robot()
        with console.status("compiling the kernels, if they are not, and growing"):
            motion = clutter_motion()
        design = as_design(motion, robot, place)
        save_stills(out / "impulse-clutter.png", place, design, motion)
        with Progress(*columns(), console=console) as bar:
            task = bar.add_task("animating", total=None)
            save_animation(
                out / "impulse-clutter.gif", place, design, motion.joints[::6],
                lambda drawn, of: bar.update(task, completed=drawn, total=of),
            )  # fmt: skip
    x, y = 1e3 * motion.joints[-1, -1]
    console.print(f"tip at ({x:.0f}, {y:.0f}) mm; at no time more than {1e3 * motion.deepest.max():.3f} mm deep")
    console.print(f"wrote {out}/impulse-clutter.png, {out}/impulse-clutter.gif")


@app.command()
def euler_lagrange(out: FolderOption = Path("results")) -> int:
    """Move paper 004's robot as its figures do, by itself and by a controller. Exit code 3 if it does not follow closely."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), writable(out):
        from planner.console.progress import gathered
        from planner.studies.euler_lagrange.plots import save_all
        from planner.studies.euler_lagrange.report import ALLOWED, report
        from planner.studies.euler_lagrange.study import chases, experiments, run

        with console.status("compiling the kernels, if they are not"):
            run(experiments()[0])
        every = experiments()
        results = gathered(console, map(run, every), len(every), "motions")
        if len(results) < len(every):
            raise BadInput("interrupted; nothing was written")
        with console.status("following a reference"):
            followed = list(chases())
        write_tables(console, out / "euler-lagrange", *report(results, followed, "vinewright reproduce euler-lagrange"))
        written = save_all(out, results, followed[0].tracking)
    console.print(f"wrote {', '.join(map(str, written))}")
    return 0 if (followed[0].errors < ALLOWED).all() else 3


@app.command()
def fitting(
    wall_growth: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The published wall experiment, an HDF5 file.")
    ] = None,
    out: FolderOption = Path("results"),
) -> int:
    """Fit the dynamic model to a known motion, and to the published wall experiment.

    Exit code 3 if K or C miss the truth, or the wall's fit does not converge.
    """
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    start = time.perf_counter()
    with readable_errors(), needs("fit"):
        from planner.commands.fit import fit_with_progress, load_experiment
        from planner.console.progress import stoppable
        from planner.fitting.plots import save_fits
        from planner.studies.fitting.report import report
        from planner.studies.fitting.study import oscillation_fits

        seen = load_experiment(wall_growth) if wall_growth else None
        with writable(out):
            try:
                with stoppable(), console.status("oscillation: fitting") as status:
                    starts = oscillation_fits(lambda words: status.update(f"oscillation: {words}"))
                wall = fit_with_progress(console, seen) if seen else None
            except KeyboardInterrupt:
                raise BadInput("interrupted; nothing was written") from None
            if wall and wall.interrupted:
                raise BadInput("interrupted; nothing was written")
            command = "vinewright reproduce fitting" + (" --wall-growth FILE" if wall else "")
            write_tables(console, out / "fitting", *report(starts, wall, command, time.perf_counter() - start))
            save_fits(out / "fitting.png", [starts[-1].found, *([wall] if wall else [])])
    if not wall:
        console.print("the wall experiment was left out: give its file with --wall-growth FILE")
    console.print(f"wrote {out}/fitting.png")
    return 0 if all(one.kept for one in starts) and (wall is None or wall.convergence.converged) else 3


def _command(name: str, runs: int, time_budget: float, env: list[str] | None, interrupted: bool) -> str:
    command = f"vinewright reproduce {name} --runs {runs} --time-budget {time_budget:g}"
    return command + "".join(f" --env {place}" for place in env or []) + (", interrupted," if interrupted else "")


def _study(console: Console, cases: Sequence[Case]) -> list[Record]:
    """Make all runs, with progress on the console; those that were over, in the cases' order, if Ctrl-C comes first."""
    from rich.progress import Progress

    from planner.console.compiling import compiling
    from planner.console.progress import columns, stoppable
    from planner.studies.planning_runs import run_case, run_cases

    with compiling(console, heuristic=cases[0].heuristic):
        run_case(replace(cases[0], time_budget=1e-3))
    records: list[Record] = []
    with Progress(*columns(), console=console) as bar:
        task = bar.add_task("planning", total=len(cases))
        try:
            with stoppable():
                for record in run_cases(cases):
                    records.append(record)
                    bar.advance(task)
                    if not console.is_terminal and len(records) % 20 == 0:
                        console.print(f"{len(records)} of {len(cases)} runs")
        except KeyboardInterrupt:
            console.print(f"interrupted after {len(records)} of {len(cases)} runs")
    return sorted(records, key=lambda record: cases.index(record.case))


def write_tables(console: Console, stem: Path, table: str, content: dict[str, Any]) -> None:
    """Write a table as Markdown and its data as JSON, and show it."""
    from planner.runs.folder import write_json

    write_json(stem.with_suffix(".json"), content)
    stem.with_suffix(".md").write_text(table, encoding="utf-8")
    console.print(table)
    console.print(f"wrote {stem}.md, {stem}.json")

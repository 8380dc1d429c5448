"""`vinewright reproduce`: repeat the studies. Each command builds its `Study`; `run_study` does the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.console.errors import BadInput, needs, readable_errors
from planner.console.options import (
    DeviceOption,
    PropagatorOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
    chosen_model,
    chosen_tube,
)
from planner.console.studies import RESULTS, BudgetOption, EnvironmentsOption, FolderOption, RunsOption, command_line
from planner.console.terminal import new_console
from planner.studies.study import Study, run_study

if TYPE_CHECKING:
    from dynamics.recording import Recording
    from planner.studies.planning_runs import Record

app = typer.Typer(help="Repeat a study: experiments of the papers, measurements of the planner.", no_args_is_help=True)


def measured(study: Study[Any, Any], command: str, out: Path) -> int:
    """Run a study on the console; returns the exit code."""
    return run_study(study, command, out, new_console()).code


@app.command()
def tip_steering(
    out: FolderOption = RESULTS,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    tube: TubeOption = None,
) -> int:
    """Steer the tip of a vine that is held in a narrow passage. Exit code 3 if a movement is not completed."""
    with readable_errors():
        from dynamics.vine import Status
        from planner.studies.tip_steering.plots import save_picture
        from planner.studies.tip_steering.report import report
        from planner.studies.tip_steering.study import MOVES, passage, steer

        params = chosen_tube(tube)
        make = chosen_model(params, propagator, device, solver, surrogate)
        environment = passage(params)
        study = Study(
            "tip-steering",
            MOVES,
            lambda moves: steer(moves, make(environment, params), environment, params),
            lambda stages: report(stages, propagator),
            {"tip-steering.png": lambda path, stages: save_picture(path, environment, params, stages)},
            "pressures",
        )
        chosen = {"propagator": propagator if propagator != "quasistatic" else None, "solver": solver}
        command = command_line("reproduce tip-steering", **chosen, surrogate=surrogate, tube=tube)
        found = run_study(study, command, out, new_console())
    done = len(found.results) == len(MOVES) and all(stage.status == Status.GROWN for stage in found.results)
    return found.code or (0 if done else 3)


@app.command()
def table2(
    runs: RunsOption = 30,
    time_budget: BudgetOption = 10.0,
    env: EnvironmentsOption = None,
    out: FolderOption = RESULTS,
) -> int:
    """Plan many times with and without the reverse tree; compare times and costs. Ctrl-C keeps the runs done."""
    with readable_errors(), needs("ompl"):
        from dynamics.tube import VineParams
        from environments import known_environments, load_environment
        from environments.reach import goal_within_reach
        from planner.search.catalogue import Catalogue
        from planner.search.reverse_tree import ReverseTree
        from planner.studies.planning.study import PAPER
        from planner.studies.planning_runs import study_of_runs
        from planner.studies.table2.plots import save_costs, save_success, save_trees
        from planner.studies.table2.report import report
        from planner.studies.table2.study import cases, environments_of

        names, params = env or [*PAPER, *(name for name in known_environments() if name not in PAPER)], VineParams()
        environments = [load_environment(name, params.radius) for name in names]
        for environment in environments:
            goal_within_reach(environment, params.radius, params.penetration_tolerance)

        def draw_trees(path: Path, _records: list[Record]) -> None:
            tightest = Catalogue.of(params).reachable[1]
            save_trees(path, [(one, ReverseTree.grow(one, params, tightest)) for one in environments])

        study = replace(
            study_of_runs("table2", cases(names, runs, time_budget), report),
            draw={"success-vs-time.png": save_success, "cost-vs-time.png": save_costs, "reverse-trees.png": draw_trees},
            enough=lambda records: bool(environments_of(records)),
            least="any environment was planned both with and without the tree",
        )
        return measured(study, command_line("reproduce table2", runs=runs, time_budget=time_budget, env=env), out)


@app.command()
def ablations(
    runs: RunsOption = 6,
    time_budget: BudgetOption = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = RESULTS,
) -> int:
    """Plan with one part of the search at a time off or changed. Ctrl-C keeps the runs done."""
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.studies.ablations.report import report
        from planner.studies.ablations.study import cases
        from planner.studies.planning_runs import study_of_runs

        for name in (names := env or ["maze", "needle", "long"]):
            load_environment(name, VineParams().radius)
        study = study_of_runs("ablations", cases(names, runs, time_budget), report)
        return measured(study, command_line("reproduce ablations", runs=runs, time_budget=time_budget, env=env), out)


@app.command()
def robust_planning(
    runs: Annotated[int, typer.Option(min=1, max=100, help="Number of planning runs in each environment.")] = 3,
    time_budget: BudgetOption = 20.0,
    level: Annotated[float, typer.Option(min=0, max=100, help="Random errors: standard deviation in percent.")] = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = RESULTS,
) -> int:
    """Measure what is gained by choosing designs by their success in trials. Ctrl-C keeps the runs done."""
    with readable_errors():
        from dynamics.quasistatic.propagator import QuasiStatic
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.search.run import warm_up
        from planner.studies.robust_planning.report import report
        from planner.studies.robust_planning.study import run_cases

        names = env or ["divider", "maze"]
        environments = [load_environment(name, VineParams().radius) for name in names]
        study = Study(
            "robust-planning",
            [(name, seed) for name in names for seed in range(runs)],
            lambda cases: run_cases(cases, time_budget, level / 100),
            lambda evaluated: report(evaluated, time_budget),
            prepare=lambda: warm_up(QuasiStatic(environments[0], VineParams())),
            tell=lambda one: f"{one.environment}, seed {one.seed}: {one.choice.chosen.estimate}",
            least="a design was evaluated",
        )
        command = command_line("reproduce robust-planning", runs=runs, level=level, time_budget=time_budget, env=env)
        return measured(study, command, out)


@app.command()
def reliability(
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of random environments.")] = 1000,
    time_budget: BudgetOption = 2.0,
    out: FolderOption = RESULTS,
) -> int:
    """Plan in many random environments; check every state with Shapely, and the memory. Exit code 3 if a check fails.

    Ctrl-C keeps the runs done.
    """
    with readable_errors():
        from planner.studies.reliability.plots import save_reliability
        from planner.studies.reliability.report import InvalidCounts, fuzz_lines, report
        from planner.studies.reliability.study import cases, run_case, run_cases

        try:
            fuzz = fuzz_lines(out / "reliability" / "fuzz.json")
        except InvalidCounts as error:
            raise BadInput(str(error)) from None
        every = cases(count, time_budget)
        study = Study(
            "reliability",
            every,
            run_cases,
            lambda records: report(records, fuzz),
            {"reliability.png": save_reliability},
            "environments",
            prepare=lambda: run_case(replace(every[0], time_budget=1e-3)),
        )
        command = command_line("reproduce reliability", count=count, time_budget=time_budget)
        found = run_study(study, command, out, new_console())
    return found.code or (3 if any(record.faults for record in found.results) else 0)


app.command("soak", hidden=True, help="The same as reliability.")(reliability)


@app.command()
def funneling(
    vines: Annotated[int, typer.Option(min=20, max=1000, help="Number of vines in each fan.")] = 50,
    fields: Annotated[int, typer.Option(min=1, max=1000, help="Number of random fields of each density.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of fields and actuators.")] = 0,
    out: FolderOption = RESULTS,
) -> int:
    """Grow fans of vines into random obstacles and measure how their ends concentrate. Ctrl-C keeps the fields done."""
    with readable_errors():
        from dynamics.tube import VineParams
        from planner.studies.funneling.plots import save_fans, save_ratio
        from planner.studies.funneling.report import Findings, report
        from planner.studies.funneling.study import run_fields

        study = Study(
            "funneling",
            range(fields),
            lambda numbers: run_fields(numbers, vines, seed, VineParams()),
            lambda sets: report(Findings(sets, seed), VineParams()),
            {
                "funneling.png": lambda path, sets: save_fans(path, sets[0]),
                "funneling-ratio.png": lambda path, sets: save_ratio(path, Findings(sets, seed)),
            },
            "fields of each density",
            prepare=lambda: next(run_fields([0], 2, seed, VineParams())),
        )
        command = command_line("reproduce funneling", vines=vines, fields=fields, seed=seed)
        return measured(study, command, out)


@app.command()
def impulse_runtime(out: FolderOption = RESULTS) -> int:
    """Time the steps of the impulse simulator with increasing numbers of bodies, and compare with OSQP. Ctrl-C keeps the sizes done."""
    with readable_errors(), needs("osqp"):
        import osqp  # noqa: F401

        from planner.studies.impulse.plots import save_runtime
        from planner.studies.impulse.report import report
        from planner.studies.impulse.study import cases, measure

        study = Study("impulse-runtime", cases(), measure, report, {"impulse-runtime.png": save_runtime}, "robots")
        return measured(study, "vinewright reproduce impulse-runtime", out)


@app.command()
def impulse_clutter(out: FolderOption = RESULTS) -> int:
    """Grow the robot of paper 000 through its cluttered environment: still frames and an animation."""
    with readable_errors():
        from planner.studies.impulse.plots import clutter_pictures
        from planner.studies.impulse.report import clutter_report
        from planner.studies.impulse.study import clutter_motion, clutter_robot

        study = Study(
            "impulse-clutter",
            [clutter_robot()],
            lambda cases: (clutter_motion() for _ in cases),
            lambda motions: clutter_report(motions[0]),
            clutter_pictures(),
            "robots",
        )
        return measured(study, "vinewright reproduce impulse-clutter", out)


@app.command()
def euler_lagrange(out: FolderOption = RESULTS) -> int:
    """Reproduce the figures of paper 004, with and without a controller. Exit code 3 if the tracking error is too large."""
    with readable_errors():
        from planner.studies.euler_lagrange.plots import pictures
        from planner.studies.euler_lagrange.report import ALLOWED, report
        from planner.studies.euler_lagrange.study import cases, experiments, run, run_cases, split

        every = cases()
        study = Study(
            "euler-lagrange",
            every,
            run_cases,
            lambda found: report(*split(found)),
            pictures(),
            "motions",
            prepare=lambda: run(experiments()[0]),
            enough=lambda found: len(found) == len(every),
            least="all motions were computed",
        )
        found = run_study(study, "vinewright reproduce euler-lagrange", out, new_console())
    return found.code or (0 if (split(found.results)[1][0].errors < ALLOWED).all() else 3)


@app.command()
def fitting(
    wall_growth: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The published wall experiment, an HDF5 file.")
    ] = None,
    out: FolderOption = RESULTS,
) -> int:
    """Fit the dynamic model to a known motion, and to the published wall experiment.

    Exit code 3 if the fitted stiffness or damping is inaccurate, or the fit of the wall experiment does not converge.
    """
    with readable_errors(), needs("fit"):
        from planner.commands.fit import load_experiment
        from planner.fitting.plots import save_fits
        from planner.studies.fitting.report import report
        from planner.studies.fitting.study import STARTS, fits, split

        cases: list[tuple[float, float] | Recording] = [*STARTS]
        cases += [load_experiment(wall_growth)] if wall_growth else []

        def draw(path: Path, found: list[Any]) -> None:
            starts, wall = split(found)
            save_fits(path, [starts[-1].found, *([wall] if wall else [])])

        study = Study(
            "fitting",
            cases,
            fits,
            lambda found: report(*split(found)),
            {"fitting.png": draw},
            "fits",
            enough=lambda found: len(found) == len(cases),
            least="all fits were finished",
        )
        command = "vinewright reproduce fitting" + " --wall-growth FILE" * bool(wall_growth)
        found = run_study(study, command, out, new_console())
    starts, wall = split(found.results)
    return found.code or (0 if all(one.kept for one in starts) and (not wall or wall.convergence.converged) else 3)


@app.command()
def kinematics(out: FolderOption = RESULTS) -> int:
    """Grow vines with one turn into a wall, and compare with the kinematics of paper 003. Ctrl-C keeps the collisions done."""
    with readable_errors():
        from planner.studies.kinematics.plots import save_kinematics
        from planner.studies.kinematics.report import report
        from planner.studies.kinematics.study import cases, run_cases

        study = Study("kinematics", cases(), run_cases, report, {"kinematics.png": save_kinematics}, "collisions")
        return measured(study, "vinewright reproduce kinematics", out)


@app.command()
def geometric(out: FolderOption = RESULTS) -> int:
    """Time deployments of the geometric propagator, check them against the visibility graph, and compare with quasistatic."""
    with readable_errors(), needs("ompl"):
        import networkx  # noqa: F401

        from planner.studies.geometric.plots import save_deployments
        from planner.studies.geometric.report import report
        from planner.studies.geometric.study import cases, run_cases, split

        study = Study(
            "geometric",
            cases(),
            run_cases,
            lambda found: report(*split(found)),
            {"geometric.png": lambda path, _found: save_deployments(path)},
            "environments",
            enough=lambda found: all(split(found)),
            least="an environment was timed and another compared",
        )
        return measured(study, "vinewright reproduce geometric", out)


@app.command()
def mapping(
    places: Annotated[int, typer.Option(min=2, max=1000, help="Number of environments of each kind.")] = 10,
    out: FolderOption = RESULTS,
) -> int:
    """Map random environments with vines: compare policies, turns and kinds of information. Ctrl-C keeps the environments done."""
    with readable_errors():
        from planner.studies.mapping.plots import save_curves, save_example
        from planner.studies.mapping.report import report
        from planner.studies.mapping.study import cases, run_cases, time_loop, whole_environments

        loop: list[float] = []
        study = Study(
            "mapping",
            cases(places),
            run_cases,
            lambda records: report(whole_environments(records), loop[0]),
            {
                "mapping.png": lambda path, records: save_curves(path, whole_environments(records)),
                "mapping-example.png": lambda path, _records: save_example(path),
            },
            "cases",
            prepare=lambda: loop.append(time_loop()),
            enough=lambda records: len(whole_environments(records)) >= len(cases(2)),
            least="two environments of each kind were mapped",
        )
        return measured(study, command_line("reproduce mapping", places=places), out)


@app.command()
def sensing(out: FolderOption = RESULTS) -> int:
    """Recover walls, pivots and shapes from length and contact angle, with and without noise. Ctrl-C keeps the deployments done."""
    with readable_errors():
        from planner.studies.sensing.plots import save_sensing
        from planner.studies.sensing.report import report
        from planner.studies.sensing.study import cases, run_cases

        study = Study("sensing", cases(), run_cases, report, {"sensing.png": save_sensing}, "deployments")
        return measured(study, "vinewright reproduce sensing", out)

"""`vinewright reproduce`: repeat the studies. Each command builds its `Study`; `run_study` does the rest."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.commands import reproduce_planning as planning
from planner.commands import reproduce_uncertainty as errors
from planner.commands.measured import measured
from planner.console.device import DeviceOption
from planner.console.errors import needs, readable_errors
from planner.console.models import chosen_model
from planner.console.options import (
    ForceOption,
    PhysicsOption,
    PropagatorOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
    chosen_tube,
)
from planner.console.studies import EnvironmentsOption, FolderOption, command_line, study_command
from planner.studies.study import Study

if TYPE_CHECKING:
    from dynamics.recording import Recording

app = typer.Typer(help="Repeat a study: experiments of the papers, measurements of the planner.")


@app.command()
@study_command
def tip_steering(
    out: FolderOption = None,
    force: ForceOption = False,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
) -> int:
    """Steer the tip of a vine that is held in a narrow passage. Exit code 3 if a movement is not completed."""
    with readable_errors():
        from planner.studies.tip_steering.plots import save_picture
        from planner.studies.tip_steering.report import missed, report
        from planner.studies.tip_steering.study import MOVES, passage, steer

        params = chosen_tube(tube, physics=physics)
        make = chosen_model(params, propagator, device, solver, surrogate)
        environment = passage(params)
        study = Study(
            "tip-steering",
            MOVES,
            lambda moves: steer(moves, make(environment, params), environment, params),
            lambda stages: report(stages, propagator),
            {"tip-steering.png": lambda path, stages: save_picture(path, environment, params, stages)},
            "pressures",
            chained=True,
        )
        chosen = {"propagator": propagator if propagator != "quasistatic" else None, "solver": solver}
        command = command_line("reproduce tip-steering", **chosen, surrogate=surrogate, tube=tube, physics=physics)
        return measured(study, command, out, force, missed)


for planning_study in (
    *(planning.table2, planning.contact_price, planning.ompl_planners, planning.ablations, planning.defaults),
    *(planning.steering, planning.clutter, planning.reliability, planning.fewest, planning.actuators),
    *(errors.uncertainty, errors.uncertainty_longer, errors.uncertainty_ablations, errors.uncertainty_random),
):
    app.command()(study_command(planning_study))
app.command("soak", hidden=True, help="The same as reliability.")(study_command(planning.reliability))


@app.command()
@study_command
def funneling(
    vines: Annotated[int, typer.Option(min=20, max=1000, help="Number of vines in each fan.")] = 50,
    fields: Annotated[int, typer.Option(min=1, max=1000, help="Number of random fields of each density.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of fields and actuators.")] = 0,
    out: FolderOption = None,
    force: ForceOption = False,
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
        return measured(study, command, out, force)


@app.command()
@study_command
def impulse_runtime(out: FolderOption = None, force: ForceOption = False) -> int:
    """Time the steps of the impulse simulator with increasing numbers of bodies, and compare with OSQP. Ctrl-C keeps the sizes done."""
    with readable_errors(), needs("osqp"):
        import osqp  # noqa: F401

        from planner.studies.impulse.plots import save_runtime
        from planner.studies.impulse.report import report
        from planner.studies.impulse.study import cases, measure

        study = Study("impulse-runtime", cases(), measure, report, {"impulse-runtime.png": save_runtime}, "robots")
        return measured(study, "vinewright reproduce impulse-runtime", out, force)


@app.command()
@study_command
def impulse_clutter(out: FolderOption = None, force: ForceOption = False) -> int:
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
        return measured(study, "vinewright reproduce impulse-clutter", out, force)


@app.command()
@study_command
def euler_lagrange(out: FolderOption = None, force: ForceOption = False) -> int:
    """Reproduce the figures of paper 004, with and without a controller. Exit code 3 if the tracking error is too large."""
    with readable_errors():
        from planner.studies.euler_lagrange.plots import pictures
        from planner.studies.euler_lagrange.report import missed, report
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
        return measured(study, "vinewright reproduce euler-lagrange", out, force, missed)


@app.command()
@study_command
def fitting(
    wall_growth: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The published wall experiment, an HDF5 file.")
    ] = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Fit the dynamic model to a known motion, and to the published wall experiment.

    Exit code 3 if the fitted stiffness or damping is inaccurate, or the fit of the wall experiment does not converge.
    """
    with readable_errors(), needs("fit"):
        from planner.commands.fit import load_experiment
        from planner.fitting.plots import save_fits
        from planner.studies.fitting.report import missed, report
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
        return measured(study, command, out, force, missed)


@app.command()
@study_command
def kinematics(out: FolderOption = None, force: ForceOption = False) -> int:
    """Grow vines with one turn into a wall, and compare with the kinematics of paper 003. Ctrl-C keeps the collisions done."""
    with readable_errors():
        from planner.studies.kinematics.plots import save_kinematics
        from planner.studies.kinematics.report import report
        from planner.studies.kinematics.study import cases, run_cases

        study = Study("kinematics", cases(), run_cases, report, {"kinematics.png": save_kinematics}, "collisions")
        return measured(study, "vinewright reproduce kinematics", out, force)


@app.command()
@study_command
def geometric(out: FolderOption = None, force: ForceOption = False) -> int:
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
            chained=True,
            enough=lambda found: all(split(found)),
            least="an environment was timed and another compared",
        )
        return measured(study, "vinewright reproduce geometric", out, force)


@app.command()
@study_command
def mapping(
    places: Annotated[int, typer.Option(min=2, max=1000, help="Number of environments of each kind.")] = 10,
    out: FolderOption = None,
    force: ForceOption = False,
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
        return measured(study, command_line("reproduce mapping", places=places), out, force)


@app.command()
@study_command
def sensing(out: FolderOption = None, force: ForceOption = False) -> int:
    """Recover walls, pivots and shapes from length and contact angle, with and without noise. Ctrl-C keeps the deployments done."""
    with readable_errors():
        from planner.studies.sensing.plots import save_sensing
        from planner.studies.sensing.report import report
        from planner.studies.sensing.study import cases, run_case

        run, draw = partial(map, run_case), {"sensing.png": save_sensing}
        study = Study("sensing", cases(), run, report, draw, parallel=True, unit="deployments")
        return measured(study, "vinewright reproduce sensing", out, force)


@app.command(name="real-mapping")
@study_command
def real_mapping(
    recordings: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder with recorded growths of passive tubes (*.json).")
    ],
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Map real environments from recordings, and compare with their measured walls. Ctrl-C keeps the cases done."""
    with readable_errors():
        from planner.studies.real_mapping.plots import save_found
        from planner.studies.real_mapping.report import report
        from planner.studies.real_mapping.study import cases, run_cases
        from planner.studies.validation.recordings import read_recordings

        study = Study(
            "real-mapping",
            cases(read_recordings(recordings)),
            run_cases,
            report,
            {"real-mapping.png": save_found},
            parallel=True,
            unit="cases",
        )
        return measured(study, "vinewright reproduce real-mapping --recordings DIR", out, force)


@app.command()
@study_command
def snaps(
    vines: Annotated[int, typer.Option(min=1, max=1000, help="Number of random vines in each environment.")] = 60,
    iterations: Annotated[int, typer.Option(min=1, max=100_000, help="Number of iterations of each search.")] = 16,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Measure wrong branches, equilibria, snaps of designs and times, without and with rests. Ctrl-C keeps the cases done."""
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.studies.snaps.plots import save_branches, save_designs
        from planner.studies.snaps.report import report
        from planner.studies.snaps.study import cases, prepare, run_cases

        for name in env or []:
            load_environment(name, VineParams().radius)
        study = Study(
            "snaps",
            cases(env),
            lambda several: run_cases(several, vines, iterations),
            report,
            {"branches.png": save_branches, "designs.png": save_designs},
            "cases",
            prepare=prepare,
        )
        command = command_line("reproduce snaps", vines=vines, iterations=iterations, env=env)
        return measured(study, command, out, force)


@app.command()
@study_command
def studio(out: FolderOption = None, force: ForceOption = False) -> int:
    """Measure the speed of the studio's page in headless Chromium: frames a second, reactions, traffic."""
    with readable_errors(), needs("studio"):
        from planner.studies.studio.pictures import NAMES, save_picture
        from planner.studies.studio.report import report
        from planner.studies.studio.study import Case, browser_path, measure

        browser_path()
        cases = [Case(5, 0), Case(100, 1000), Case(1000, 1000), Case(1000, 5000)]
        study = Study("studio", cases, measure, report, {name: save_picture(name) for name in NAMES}, "cases")
        return measured(study, command_line("reproduce studio"), out, force)

"""`vinewright reproduce`: the studies of plans under errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.commands.measured import measured
from planner.console.errors import BadInput, needs, readable_errors
from planner.console.options import ForceOption
from planner.console.studies import BudgetOption, EnvironmentsOption, FolderOption, RunsOption, command_line
from planner.studies.study import Study

if TYPE_CHECKING:
    from environments import Environment


def uncertainty(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 30.0,
    errors: Annotated[str, typer.Option(help="Errors of the trials: the name of a preset.")] = "workshop",
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan under errors, and measure how often the designs reach the goal in new trials. Ctrl-C keeps the runs done."""
    with readable_errors(), needs("torch"):
        from environments.uncertainty import uncertainty_of
        from planner.studies.uncertainty.study import TARGETS

        try:
            uncertainty_of(errors)
        except ValueError as error:
            raise BadInput(f"--errors: {error}") from None
        study = _study("uncertainty", env or [*TARGETS], runs, time_budget, errors)
        command = command_line("reproduce uncertainty", runs=runs, errors=errors, time_budget=time_budget, env=env)
        return measured(study, command, out, force)


def uncertainty_longer(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 120.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Repeat the study `uncertainty` with more time where its chosen designs miss too often. Ctrl-C keeps the runs done.

    Without --env, the environments are those of its report in the folder of --out, or else in `results`.
    """
    with readable_errors(), needs("torch"):
        from environments.uncertainty import DEFAULT
        from planner.studies.uncertainty.missed import InvalidData, missed

        try:
            names = env or missed(out or Path("results"))
        except InvalidData as error:
            raise BadInput(str(error)) from None
        if not names:
            raise BadInput("the chosen designs of `uncertainty` reach the goal often enough everywhere; give --env")
        study = _study("uncertainty-longer", names, runs, time_budget, DEFAULT)
        command = command_line("reproduce uncertainty-longer", runs=runs, time_budget=time_budget, env=names)
        return measured(study, command, out, force)


def _study(name: str, names: list[str], runs: int, seconds: float, errors: str) -> Study[Any, Any]:
    """Plans of some seconds in environments with these names, with seeds 0 ... runs - 1."""
    from planner.studies.uncertainty.plots import save_fronts
    from planner.studies.uncertainty.report import PICTURE, report
    from planner.studies.uncertainty.study import run_cases

    environments = _loaded(names)
    return Study(
        name,
        [(one, seed) for one in names for seed in range(runs)],
        lambda cases: run_cases(cases, seconds, errors),
        lambda plans: report(plans, seconds, errors),
        {PICTURE: save_fronts},
        prepare=lambda: _warm_up(environments[0]),
        tell=str,
        least="a plan was finished",
    )


def uncertainty_ablations(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan under errors with other numbers of particles, and without refinement. Ctrl-C keeps the runs done."""
    with readable_errors():
        from planner.studies.uncertainty_ablations.report import report
        from planner.studies.uncertainty_ablations.study import ENVIRONMENTS, cases, run_cases

        names = env or [*ENVIRONMENTS]
        environments = _loaded(names)
        study = Study(
            "uncertainty-ablations",
            cases(names, runs),
            lambda several: run_cases(several, time_budget),
            lambda plans: report(plans, time_budget),
            prepare=lambda: _warm_up(environments[0]),
            tell=str,
            least="a plan was finished",
        )
        command = command_line("reproduce uncertainty-ablations", runs=runs, time_budget=time_budget, env=env)
        return measured(study, command, out, force)


def uncertainty_random(
    count: Annotated[int, typer.Option(min=1, max=1000, help="Number of random environments.")] = 30,
    time_budget: BudgetOption = 30.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in random environments with --fast and under errors, and compare the designs. Ctrl-C keeps the environments done."""
    with readable_errors():
        from planner.studies.uncertainty_random.plots import save_scatter
        from planner.studies.uncertainty_random.report import PICTURE, report
        from planner.studies.uncertainty_random.study import environment_of, run_cases

        study = Study(
            "uncertainty-random",
            range(count),
            lambda seeds: run_cases(seeds, time_budget),
            lambda compared: report(compared, time_budget),
            {PICTURE: save_scatter},
            "environments",
            prepare=lambda: _warm_up(environment_of(0)),
            tell=str,
            least="an environment was compared",
        )
        command = command_line("reproduce uncertainty-random", count=count, time_budget=time_budget)
        return measured(study, command, out, force)


def _loaded(names: list[str]) -> list[Environment]:
    from dynamics.tube import VineParams
    from environments import load_environment

    return [load_environment(name, VineParams().radius) for name in names]


def _warm_up(environment: Environment) -> None:
    """Compile the kernels."""
    from dynamics.quasistatic.propagator import QuasiStatic
    from dynamics.tube import VineParams
    from planner.search.run import warm_up

    warm_up(QuasiStatic(environment, VineParams()))

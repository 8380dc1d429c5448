"""`vinewright reproduce uncertainty`, `uncertainty-longer`, `uncertainty-ablations` and `uncertainty-random`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from studies.chosen_environments import compile_kernels, load_environments
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    BudgetOption,
    EnvironmentsOption,
    FolderOption,
    RunsOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def uncertainty(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 30.0,
    errors: Annotated[str, typer.Option(help="Errors of the trials: the name of a preset.")] = "workshop",
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan under errors, and measure how often the designs reach the goal in new trials. Ctrl-C keeps the runs done."""
    with readable_errors():
        from environments.uncertainty import uncertainty_of
        from studies.uncertainty.study import TARGETS

        try:
            uncertainty_of(errors)
        except ValueError as error:
            raise BadInput(f"--errors: {error}") from None
        study = _make_study("uncertainty", env or [*TARGETS], runs, time_budget, errors)
        command = command_line("reproduce uncertainty", runs=runs, errors=errors, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)


@study_command
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
    with readable_errors():
        from environments.uncertainty import DEFAULT
        from studies.uncertainty.missed import InvalidData, find_missed

        try:
            names = env or find_missed(out or Path("results"))
        except InvalidData as error:
            raise BadInput(str(error)) from None
        if not names:
            raise BadInput("the chosen designs of `uncertainty` reach the goal often enough everywhere; give --env")
        study = _make_study("uncertainty-longer", names, runs, time_budget, DEFAULT)
        command = command_line("reproduce uncertainty-longer", runs=runs, time_budget=time_budget, env=names)
        return measure_study(study, command, out, force)


@study_command
def uncertainty_ablations(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan under errors with other numbers of particles, and without refinement. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.uncertainty.ablations import ABLATION_ENVIRONMENTS, ablation_cases, run_ablations
        from studies.uncertainty.report import report_ablations

        names = env or [*ABLATION_ENVIRONMENTS]
        environments = load_environments(names)
        study = Study(
            "uncertainty-ablations",
            ablation_cases(names, runs),
            lambda cases: run_ablations(cases, time_budget),
            lambda plans: report_ablations(plans, time_budget),
            prepare=lambda: compile_kernels(environments[0]),
            tell=str,
            least="a plan was finished",
            module=__name__,
        )
        command = command_line("reproduce uncertainty-ablations", runs=runs, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)


@study_command
def uncertainty_random(
    count: Annotated[int, typer.Option(min=1, max=1000, help="Number of random environments.")] = 30,
    time_budget: BudgetOption = 30.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in random environments with --fast and under errors, and compare the designs. Ctrl-C keeps the environments done."""
    with readable_errors():
        from studies.uncertainty.plots import save_scatter
        from studies.uncertainty.random_pairs import make_environment, run_pairs
        from studies.uncertainty.report import SCATTER, report_pairs

        study = Study(
            "uncertainty-random",
            range(count),
            lambda seeds: run_pairs(seeds, time_budget),
            lambda pairs: report_pairs(pairs, time_budget),
            {SCATTER: save_scatter},
            "environments",
            prepare=lambda: compile_kernels(make_environment(0)),
            tell=str,
            least="an environment was compared",
            module=__name__,
        )
        command = command_line("reproduce uncertainty-random", count=count, time_budget=time_budget)
        return measure_study(study, command, out, force)


def _make_study(name: str, names: list[str], runs: int, seconds: float, errors: str) -> Study[Any, Any]:
    """Make a study of plans of a duration [s] in environments with these names, with seeds 0 ... runs - 1."""
    from studies.uncertainty.plots import save_fronts
    from studies.uncertainty.report import FRONTS, report
    from studies.uncertainty.study import run_cases

    environments = load_environments(names)
    return Study(
        name,
        [(environment, seed) for environment in names for seed in range(runs)],
        lambda cases: run_cases(cases, seconds, errors),
        lambda plans: report(plans, seconds, errors),
        {FRONTS: save_fronts},
        prepare=lambda: compile_kernels(environments[0]),
        tell=str,
        least="a plan was finished",
        module=__name__,
    )

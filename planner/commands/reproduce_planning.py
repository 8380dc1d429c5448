"""`vinewright reproduce`: the studies of the planner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.commands.measured import measured
from planner.console.errors import BadInput, needs, readable_errors
from planner.console.options import ForceOption
from planner.console.studies import (
    BudgetOption,
    EnvironmentsOption,
    FolderOption,
    PlannersOption,
    RunsOption,
    command_line,
)
from planner.studies.study import Study

if TYPE_CHECKING:
    from planner.studies.planning_runs import Record


def table2(
    runs: RunsOption = 30,
    time_budget: BudgetOption = 10.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan many times without the reverse tree and with two kinds; compare times and costs. Ctrl-C keeps the runs done.

    Also once in each of 30 random environments, unless environments are given.
    """
    with readable_errors(), needs("ompl"):
        from dynamics.tube import VineParams
        from environments import known_environments, load_environment
        from environments.reach import goal_within_reach
        from planner.design.catalogue import Catalogue
        from planner.search.reverse.reverse_growth import ReverseGrowth
        from planner.search.run import MOST_SAMPLES
        from planner.studies.curves import curves
        from planner.studies.planning.study import PAPER
        from planner.studies.planning_runs import study_of_runs
        from planner.studies.random_environments import HELD_OUT
        from planner.studies.table2.plots import save_trees
        from planner.studies.table2.report import report
        from planner.studies.table2.study import KINDS, by_kind, cases, environments_of

        names, params = env or [*PAPER, *(name for name in known_environments() if name not in PAPER)], VineParams()
        environments = [load_environment(name, params.radius) for name in names]
        for environment in environments:
            goal_within_reach(environment, params.radius, params.clearance)

        def draw_trees(path: Path, _records: list[Record]) -> None:
            reachable = Catalogue.of(params).reachable
            kinds = [(kind, switches.contact) for kind, switches in KINDS.items() if switches.heuristic]
            save_trees(
                path,
                [
                    (one, kind, ReverseGrowth(one, params, reachable, contact=contact).until(MOST_SAMPLES))
                    for one in environments
                    for kind, contact in kinds
                ],
            )

        study = replace(
            study_of_runs("table2", cases(names, runs, time_budget, () if env else HELD_OUT), report),
            draw={**curves(by_kind), "reverse-trees.png": draw_trees},
            enough=lambda records: bool(environments_of(records)),
            least="any environment was planned with each kind of tree and without",
        )
        command = command_line("reproduce table2", runs=runs, time_budget=time_budget, env=env)
        return measured(study, command, out, force)


def _checked(names: Sequence[str]) -> list[str]:
    """The names of environments, each of which can be read.

    Raises:
        InvalidEnvironment: One cannot.
    """
    from dynamics.tube import VineParams
    from environments import load_environment

    for name in names:
        load_environment(name, VineParams().radius)
    return list(names)


def ompl_planners(
    runs: RunsOption = 10,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    planner: PlannersOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan many times with SST* and with each of OMPL's planners; compare times and costs. Ctrl-C keeps the runs done."""
    with readable_errors(), needs("ompl"):
        from environments import known_environments
        from planner.search.ompl.planners import available_planners
        from planner.search.planners import SST_STAR, search_of
        from planner.studies.curves import curves
        from planner.studies.ompl_planners.report import report
        from planner.studies.ompl_planners.study import by_planner, cases
        from planner.studies.planning_runs import study_of_runs

        names = _checked(env or known_environments())
        planners = planner or [SST_STAR, *available_planners()]
        for one in planners:
            search_of(one)
        study = replace(
            study_of_runs("ompl-planners", cases(names, planners, runs, time_budget), report),
            draw=curves(by_planner),
        )
        command = command_line("reproduce ompl-planners", runs=runs, time_budget=time_budget, env=env, planner=planner)
        return measured(study, command, out, force)


def contact_price(
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Fit to the pairs in the data.json of an earlier report.")
    ] = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Fit the price of arcs along walls, for the reverse tree, to vines in random environments. Ctrl-C keeps those done."""
    with readable_errors():
        from planner.studies.contact_price.report import report
        from planner.studies.contact_price.study import pairs_of, stored_pairs
        from planner.studies.random_environments import TRAINING

        try:
            stored = stored_pairs(pairs) if pairs else None
        except ValueError as error:
            raise BadInput(str(error)) from None
        study = Study(
            "contact-price",
            TRAINING if stored is None else [one["seed"] for one in stored],
            partial(map, pairs_of) if stored is None else lambda _seeds: iter(stored),
            report,
            parallel=stored is None,
            unit="environments",
            prepare=lambda: None if stored else pairs_of(TRAINING[0]),
        )
        return measured(study, command_line("reproduce contact-price", pairs=pairs), out, force)


def ablations(
    runs: RunsOption = 6,
    time_budget: BudgetOption = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with one part of the search at a time off or changed. Ctrl-C keeps the runs done."""
    with readable_errors():
        from planner.studies.ablations.report import report
        from planner.studies.ablations.study import cases
        from planner.studies.planning_runs import study_of_runs

        names = _checked(env or ["maze", "needle", "long"])
        study = study_of_runs("ablations", cases(names, runs, time_budget), report)
        command = command_line("reproduce ablations", runs=runs, time_budget=time_budget, env=env)
        return measured(study, command, out, force)


def steering(
    runs: RunsOption = 6,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with constant pressures and with pressures that may change while the tube grows, the same seeds. Ctrl-C keeps the runs done."""
    with readable_errors():
        from planner.studies.curves import curves
        from planner.studies.planning_runs import study_of_runs
        from planner.studies.steering.report import report
        from planner.studies.steering.study import ENVIRONMENTS, by_kind, cases

        names = _checked(env or ENVIRONMENTS)
        study = replace(study_of_runs("steering", cases(names, runs, time_budget), report), draw=curves(by_kind))
        command = command_line("reproduce steering", runs=runs, time_budget=time_budget, env=env)
        return measured(study, command, out, force)


def defaults(
    runs: RunsOption = 4,
    time_budget: BudgetOption = 10.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with the defaults of the search as they were and with changes, the same seeds. Ctrl-C keeps the runs done."""
    with readable_errors():
        from environments import known_environments
        from planner.studies.defaults.report import report
        from planner.studies.defaults.study import cases
        from planner.studies.planning_runs import study_of_runs

        names = _checked(env or known_environments())
        study = study_of_runs("defaults", cases(names, runs, time_budget), report)
        command = command_line("reproduce defaults", runs=runs, time_budget=time_budget, env=env)
        return measured(study, command, out, force)


def clutter(
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Number of random environments of each density.")] = 24,
    time_budget: BudgetOption = 20.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in dense random clutter with the search as it was and as it is, until the first solution. Ctrl-C keeps the runs done."""
    with readable_errors():
        from planner.studies.clutter.report import report
        from planner.studies.clutter.study import by_density, cases
        from planner.studies.curves import save_success
        from planner.studies.planning_runs import study_of_runs

        study = replace(
            study_of_runs("clutter", cases(count, time_budget), report),
            draw={"success-vs-time.png": lambda path, records: save_success(path, by_density(records))},
            enough=lambda records: bool(by_density(records)),
            least="any environment was searched with each search",
        )
        return measured(study, command_line("reproduce clutter", count=count, time_budget=time_budget), out, force)


def reliability(
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Number of random environments.")] = 1000,
    time_budget: BudgetOption = 2.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in many random environments; check every state with Shapely, and the memory. Exit code 3 if a check fails.

    Ctrl-C keeps the runs done.
    """
    with readable_errors():
        from planner.studies.reliability.plots import save_reliability
        from planner.studies.reliability.report import FUZZ, InvalidCounts, fuzz_lines, missed, report
        from planner.studies.reliability.study import cases, died, run_case

        try:
            fuzz = fuzz_lines((out or Path("results")) / "reliability" / FUZZ)
        except InvalidCounts as error:
            raise BadInput(str(error)) from None
        every = cases(count, time_budget)
        study = Study(
            "reliability",
            every,
            partial(map, run_case),
            lambda records: report(records, fuzz),
            {"reliability.png": save_reliability},
            parallel=True,
            died=died,
            unit="environments",
            prepare=lambda: run_case(replace(every[0], time_budget=1e-3)),
            kept=(FUZZ,),
        )
        command = command_line("reproduce reliability", count=count, time_budget=time_budget)
        return measured(study, command, out, force, missed)


def fewest(
    steps: Annotated[
        int, typer.Option(min=1, max=10**9, help="Number of vine-steps of the exhaustive search in each environment.")
    ] = 6_000_000,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Look exhaustively for designs with no or one actuator. Exit code 3 if the planner missed one.

    Ctrl-C keeps the environments done.
    """
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.commands.bench import ENVIRONMENTS
        from planner.studies.fewest.plots import save_map
        from planner.studies.fewest.report import report
        from planner.studies.fewest.study import Case, missed, run_case

        cases = [Case(name, steps) for name in env or ENVIRONMENTS]
        for case in cases:
            load_environment(case.environment, VineParams().radius)
        # Of the default environments the last take longest: begun first, they leave the others to fill the other process.
        study = Study(
            "fewest",
            cases[::-1],
            partial(map, run_case),
            lambda outcomes: report(outcomes[::-1], steps),
            {"fewest.png": lambda path, outcomes: save_map(path, outcomes[::-1])},
            parallel=True,
            unit="environments",
            prepare=lambda: run_case(Case(cases[0].environment, 1, iterations=1)),
            tell=str,
        )
        return measured(study, command_line("reproduce fewest", steps=steps, env=env), out, force, missed)


def actuators(
    seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="Number of seeds, from 0, for each actuator and environment.")
    ] = 3,
    iterations: Annotated[int, typer.Option(min=1, max=100_000, help="Number of iterations of each search.")] = 30,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Compare all actuators: force, curvature, and how many a plan needs in each environment. Ctrl-C keeps the plans done."""
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.commands.bench import ENVIRONMENTS
        from planner.studies.actuators.plots import save_curvatures, save_forces, save_plans
        from planner.studies.actuators.report import report
        from planner.studies.actuators.study import Case, bars_of, cases, run_case
        from surrogate.registry import actuators as known

        every = cases(env or ENVIRONMENTS, seeds, iterations)
        for case in every:
            load_environment(case.environment, VineParams().radius)
        bars = [bars_of(kind) for kind in known()]
        study = Study(
            "actuators",
            every,
            partial(map, run_case),
            lambda outcomes: report(outcomes, bars),
            {
                "actuators-force.png": lambda path, _: save_forces(path, bars),
                "actuators-curvature.png": lambda path, _: save_curvatures(path, bars),
                "actuators-plans.png": save_plans,
            },
            parallel=True,
            unit="plans",
            prepare=lambda: run_case(Case(every[0].kind, every[0].environment, 0, 1)),
        )
        return measured(
            study, command_line("reproduce actuators", seeds=seeds, iterations=iterations, env=env), out, force
        )

"""`vinewright reproduce table2`, `ompl-planners`, `ablations`, `steering` and `clutter`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from studies.chosen_environments import check_environments
from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    BudgetOption,
    EnvironmentsOption,
    FolderOption,
    PlannersOption,
    RunsOption,
    command_line,
    measure_study,
    study_command,
)

if TYPE_CHECKING:
    from environments import Environment
    from studies.planning_runs import RunCase, RunRecord
    from studies.search_variants.report import Sections
    from studies.search_variants.study import VariantStudy


@study_command
def table2(
    runs: RunsOption = 6,
    time_budget: BudgetOption = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan many times without the reverse tree and with two kinds; compare times and costs. Ctrl-C keeps the runs done.

    Also once in each of 30 random environments, unless environments are given.
    """
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import known_environments
        from environments.reach import goal_within_reach
        from studies.chosen_environments import load_environments
        from studies.planning.study import PAPER
        from studies.random_environments import HELD_OUT
        from studies.search_variants.plots import curve_pictures
        from studies.search_variants.study import TABLE2, random_runs
        from studies.search_variants.table2_report import table2 as sections

        names, params = env or [*PAPER, *(name for name in known_environments() if name not in PAPER)], VineParams()
        environments = load_environments(names)
        for environment in environments:
            goal_within_reach(environment, params.radius, params.clearance)
        pairs = TABLE2.runs(names, runs) + random_runs(() if env else HELD_OUT)
        study = replace(
            _make_study(TABLE2, sections, TABLE2.cases(pairs, time_budget)),
            draw={
                **curve_pictures(TABLE2.complete_groups),
                "reverse-trees.png": partial(_draw_trees, environments=environments),
            },
            enough=lambda records: bool(TABLE2.complete_groups(records)),
            least="any environment was planned with each kind of tree and without",
        )
        command = command_line("reproduce table2", runs=runs, time_budget=time_budget, env=env)
        return measure_study(study, command, out, force)


@study_command
def ompl_planners(
    runs: RunsOption = 3,
    time_budget: BudgetOption = 10.0,
    env: EnvironmentsOption = None,
    planner: PlannersOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan many times with SST* and with each of OMPL's planners; compare times and costs. Ctrl-C keeps the runs done."""
    with readable_errors():
        from environments import known_environments
        from planner.search.ompl.planners import available_planners
        from planner.search.planners import SST_STAR, search_of
        from studies.search_variants.plots import curve_pictures
        from studies.search_variants.report import ompl_planners as sections
        from studies.search_variants.study import with_planners

        names = check_environments(env or known_environments())
        planners = planner or [SST_STAR, *available_planners()]
        for name in planners:
            search_of(name)
        variants, options = with_planners(planners), {"runs": runs, "time_budget": time_budget, "env": env}
        pictures = curve_pictures(variants.group)
        return _measure(variants, sections, names, {**options, "planner": planner}, out, force, pictures)


@study_command
def ablations(
    runs: RunsOption = 4,
    time_budget: BudgetOption = 5.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with one part of the search at a time off or changed. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.search_variants.report import ablations as sections
        from studies.search_variants.study import ABLATIONS

        names = check_environments(env or ABLATIONS.environments)
        options = {"runs": runs, "time_budget": time_budget, "env": env}
        return _measure(ABLATIONS, sections, names, options, out, force)


@study_command
def steering(
    runs: RunsOption = 4,
    time_budget: BudgetOption = 30.0,
    env: EnvironmentsOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan with constant pressures and with pressures that may change while the tube grows, the same seeds. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.search_variants.plots import curve_pictures
        from studies.search_variants.report import steering as sections
        from studies.search_variants.study import STEERING

        names = check_environments(env or STEERING.environments)
        options = {"runs": runs, "time_budget": time_budget, "env": env}
        return _measure(STEERING, sections, names, options, out, force, curve_pictures(STEERING.group))


@study_command
def clutter(
    count: Annotated[int, typer.Option(min=1, max=10_000, help="Number of random environments of each density.")] = 12,
    time_budget: BudgetOption = 10.0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in dense random clutter with the search as it was and as it is, until the first solution. Ctrl-C keeps the runs done."""
    with readable_errors():
        from studies.search_variants.clutter_report import clutter as sections
        from studies.search_variants.plots import save_success
        from studies.search_variants.study import CLUTTER, clutter_runs, group_by_density

        study = replace(
            _make_study(CLUTTER, sections, CLUTTER.cases(clutter_runs(count), time_budget)),
            draw={"success-vs-time.png": lambda path, records: save_success(path, group_by_density(records))},
            enough=lambda records: bool(group_by_density(records)),
            least="any environment was searched with each search",
        )
        return measure_study(study, command_line("reproduce clutter", count=count, time_budget=time_budget), out, force)


def _measure(
    variants: VariantStudy,
    sections: Sections,
    names: list[str],
    options: dict[str, Any],
    out: Path | None,
    force: bool,
    draw: dict[str, Any] | None = None,
) -> int:
    """Plan with each variant in each environment, and report; returns the exit code.

    Args:
        names: Environments.
        options: Options of the command, with `runs` of each variant and `time_budget` of each run [s].
        draw: Functions that draw the figures, by file name.
    """
    cases = variants.cases(variants.runs(names, options["runs"]), options["time_budget"])
    study = replace(_make_study(variants, sections, cases), draw=draw or {})
    return measure_study(study, command_line(f"reproduce {variants.name}", **options), out, force)


def _make_study(variants: VariantStudy, sections: Sections, cases: list[RunCase]) -> Study[Any, Any]:
    from studies.planning_runs import make_runs_study
    from studies.search_variants.report import make_report

    return make_runs_study(variants.name, cases, partial(make_report, variants, sections), __name__)


def _draw_trees(path: Path, _records: list[RunRecord], environments: list[Environment]) -> None:
    """Draw both kinds of reverse tree of environments."""
    from dynamics.tube import VineParams
    from planner.design.catalogue import Catalogue
    from planner.search.guidance import MOST_SAMPLES
    from planner.search.reverse.reverse_growth import ReverseGrowth
    from studies.search_variants.plots import save_trees
    from studies.search_variants.study import CONTACT, FREE

    params = VineParams()
    reachable = Catalogue.of(params).reachable
    save_trees(
        path,
        [
            (environment, kind, ReverseGrowth(environment, params, reachable, contact=contact).grow_until(MOST_SAMPLES))
            for environment in environments
            for kind, contact in ((FREE, False), (CONTACT, True))
        ],
    )

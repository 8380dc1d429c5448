"""`vinewright robustness`: probability that a design reaches the goal under random errors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors, same_environment
from vinewright.console.options import (
    DesignArgument,
    EnvironmentArgument,
    PhysicsOption,
    SolutionOption,
    TubeOption,
    UncertaintyOption,
    chosen_design,
    print_hints,
    print_unused_learnt,
    replace_tube,
)
from vinewright.console.schedules import ScheduleOption, apply_schedule
from vinewright.console.study import Report, Study, run_study
from vinewright.console.study_options import command_line

if TYPE_CHECKING:
    from rich.console import Console

    from environments import Environment
    from planner.design.design import Design
    from planner.uncertainty.survey import Survey

DRAWN = 60
"""Number of trials in the picture."""
LevelsOption = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Try standard deviations of obstacles and of bending as well, in percent; all pairs are tried.",
        show_default=False,
    ),
]
SourcesOption = Annotated[
    bool,
    typer.Option("--sources/--no-sources", help="Try each source of error alone as well."),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Write report, data and pictures into the folder robustness-ENV in DIR. Default: directly into the first free one of "
        "RUN-robustness, RUN-robustness-2 and so on, beside the folder RUN of the design.",
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace an earlier report in the folder of --out; continue with a design that was made for another environment.",
    ),
]


def robustness(
    env: EnvironmentArgument,
    design: DesignArgument,
    solution: SolutionOption = None,
    trials: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of trials of each uncertainty.")] = 1000,
    uncertainty: UncertaintyOption = None,
    sources: SourcesOption = True,
    levels: LevelsOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all trials.")] = 0,
    out: OutOption = None,
    force: ForceOption = False,
    schedule: ScheduleOption = None,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
    as_json: JsonOption = False,
) -> int:
    """Grow a design many times with random errors and report how often it succeeds. Ctrl-C keeps the trials done."""
    answer = Answer(as_json)
    console = answer.console
    grid = parse_levels(levels) if levels is not None else []
    with readable_errors():
        from environments import load_environment
        from planner.uncertainty.errors import named_errors
        from planner.uncertainty.survey import Survey

        made = apply_schedule(chosen_design(console, design, solution), schedule)
        made = replace(made, params=replace_tube(console, made.params, tube, physics))
        environment = load_environment(env, made.params.radius)
        named, errors = named_errors(environment, made.params, uncertainty)
        print_hints(console, environment, made.params.radius, errors)
        print_unused_learnt(console, environment, made.params, errors, made)
        same_environment(console, made, environment, force)
        survey = Survey.of(made, environment, errors, trials, seed, grid, sources)
        _print_notes(console, made, environment)
        command = command_line(
            f"robustness {Path(env).name} {design.name if design.is_absolute() else design}{'' if sources else ' --no-sources'}",
            solution=solution,
            trials=trials,
            uncertainty=uncertainty,
            levels=levels,
            seed=seed,
            schedule=schedule,
            tube=tube,
            physics=physics,
        )
        study = _make_study(survey, grid, named)
        found = run_study(study, command, out, console, force, _default_folder(design))
        if survey.broken:
            console.print(
                f"note: {len(survey.broken)} trials failed without a rest or with non-finite numbers; the first: {survey.broken[0]}"
            )
    return answer.end(found.content, [found.folder], code=found.code)


def _default_folder(design: Path) -> Path | None:
    """Return the default folder of a report: beside the folder of a run, a pack or an adapted design, else None."""
    folder = design if design.is_dir() else design.parent
    if not any((folder / name).exists() for name in ("run.json", "pack.json", "adapted.json")):
        return None
    folder = folder if folder.name not in ("", "..") else folder.resolve()
    return folder.with_name(f"{folder.name}-robustness")


def _make_study(survey: Survey, grid: list[float], named: str) -> Study[Any, Any]:
    """Make the study of a survey: its trials in batches, those with a dead actuator, then the margin of each parameter."""
    from planner.drawing.robustness import save_robustness, save_sensitivity
    from planner.output.folder import stem_of
    from planner.uncertainty.dead import DeadActuator, pressurised_numbers, try_dead_actuators
    from planner.uncertainty.report import robustness_report, title
    from planner.uncertainty.sensitivity import Margin, compute_margin, parameters
    from planner.uncertainty.survey import ALL
    from planner.uncertainty.trials import grow_trials

    design, environment = survey.design, survey.environment
    name, varied = f"robustness-{stem_of(environment.name)}", parameters(design, environment)
    figure, margins_figure = f"{name}.png", f"{name}-margins.png"

    def measure(_: Sequence[Any]) -> Iterator[Any]:
        yield from survey.run()
        yield from try_dead_actuators(survey)
        for parameter in varied:
            yield compute_margin(design, environment, parameter)

    def margins(found: list[Any]) -> list[Margin]:
        return [result for result in found if isinstance(result, Margin)]

    def report(found: list[Any]) -> Report:
        dead = [result for result in found if isinstance(result, DeadActuator)]
        lines, content = robustness_report(survey, margins(found), len(varied), grid, dead)
        pictures = ["", f"![Success and trials]({figure})", *[f"![Margins]({margins_figure})"] * bool(margins(found))]
        return Report(title(survey), lines + pictures, content)

    def draw(path: Path, _: list[Any]) -> None:
        worlds = survey.worlds(ALL, range(DRAWN))
        save_robustness(path, survey, grid, grow_trials(design, worlds), worlds, f"{named} errors")

    def draw_margins(path: Path, found: list[Any]) -> None:
        if margins(found):
            save_sensitivity(path, margins(found), len(varied))

    return Study(
        name,
        [*survey.batches(), *pressurised_numbers(design), *varied],
        measure,
        report,
        {figure: draw, margins_figure: draw_margins},
        unit="batches of trials, dead actuators, then margins",
        least="any trial was finished",
        module=__name__,
    )


def _print_notes(console: Console, design: Design, environment: Environment) -> None:
    """Grow a design without any errors; print a note if it misses the goal, and notes on the room that its actuators need."""
    import numpy as np

    from planner.uncertainty.deviations import WorldErrors
    from planner.uncertainty.trials import Worlds, grow_trials
    from vinewright.console.compiling import compiling
    from vinewright.console.terminal import print_thickness

    with compiling(console):
        planned = grow_trials(design, Worlds(environment, design.params, WorldErrors.none(environment, 1)))
    if not planned.reached[0]:
        why = "".join(f": {ending}" for ending in planned.broken.values())
        console.print(f"note: this design misses the goal even without errors{why}")
    line = planned.joints[0]
    grown = replace(design, centerline=line[~np.isnan(line[:, 0])])
    print_thickness(console, grown, environment, "quasistatic")


def parse_levels(text: str) -> list[float]:
    """Parse percentages into fractions, in ascending order and without duplicates."""
    try:
        numbers = {round(float(part), 3) + 0.0 for part in text.split(",")}
    except ValueError:
        raise BadInput(f"--levels {text} must be numbers separated by commas, for example 0,5,10") from None
    if not all(0 <= number <= 100 for number in numbers):
        raise BadInput(f"--levels {text} must be from 0 to 100, in percent")
    if len(numbers) > 40:
        raise BadInput(f"--levels has {len(numbers)} levels; at most 40 are allowed")
    return [number / 100 for number in sorted(numbers)]

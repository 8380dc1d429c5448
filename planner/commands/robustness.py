"""`vinewright robustness`: how likely a design is to reach the goal under random errors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.errors import BadInput, readable_errors, same_environment, writable
from planner.console.options import TubeOption, replaced_tube
from planner.console.terminal import new_console

if TYPE_CHECKING:
    from rich.console import Console

    from environments import Environment
    from planner.design import Design
    from planner.robustness.sensitivity import Margin
    from planner.robustness.survey import Survey

DRAWN = 60
"""Number of trials in the picture."""
SOURCES_HELP = "Try each source of error alone as well. Default: not for a single level, unless --start-mm or --heading-deg is given."
START_MM, HEADING_DEG = 5.0, 1.0
"""Standard deviations of the base's position and direction unless the user gives others."""


def robustness(
    env: Annotated[str, typer.Argument(metavar="ENV", help="A shipped environment, or the path of a TOML file.")],
    design: Annotated[Path, typer.Argument(metavar="DESIGN", help="A design.json, or the folder of a run.")],
    trials: Annotated[int, typer.Option(min=1, max=1_000_000, help="Number of trials at each level.")] = 1000,
    levels: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Standard deviations of obstacles and of bending, in percent; all pairs are tried."
        ),
    ] = "0,5,10,15,20",
    sources: Annotated[
        bool | None, typer.Option("--sources/--no-sources", help=SOURCES_HELP, show_default=False)
    ] = None,
    start_mm: Annotated[
        float, typer.Option(min=0, max=1000, help="Standard deviation of the x and y of the base, in mm.")
    ] = START_MM,
    heading_deg: Annotated[
        float, typer.Option(min=0, max=180, help="Standard deviation of the direction of the base, in degrees.")
    ] = HEADING_DEG,
    tolerances: Annotated[
        str, typer.Option(help="Fabrication errors in every trial: none, or handmade (those of tubes made by hand).")
    ] = "none",
    seed: Annotated[int, typer.Option(min=0, help="Seed of all trials.")] = 0,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for table, data and pictures.")] = Path("results"),
    force: Annotated[
        bool, typer.Option("--force", help="Continue with a design that was made for another environment.")
    ] = False,
    tube: TubeOption = None,
) -> None:
    """Grow a design many times with random errors and report how often it succeeds. Ctrl-C keeps the trials done."""
    console = new_console()
    grid = parsed_levels(levels)
    with readable_errors():
        from dataclasses import replace

        import numpy as np

        from environments import load_environment
        from planner.design_file import load_design
        from planner.robustness.survey import Survey
        from planner.robustness.survey import sources as sources_of
        from planner.robustness.trials import PRESETS

        if tolerances not in PRESETS:
            raise BadInput(f"--tolerances {tolerances} must be one of {', '.join(PRESETS)}")
        made = load_design(design)
        made = replace(made, params=replaced_tube(console, made.params, tube))
        environment = load_environment(env, made.params.radius)
        same_environment(console, made, environment, force)
        _note_a_miss(console, made, environment)
        wanted = (len(grid) > 1 or (start_mm, heading_deg) != (START_MM, HEADING_DEG)) if sources is None else sources
        alone = sources_of(1e-3 * start_mm, np.radians(heading_deg)) if wanted else {}
        survey = Survey.of(made, environment, grid, trials, seed, alone, PRESETS[tolerances])
        shown = design.name if design.is_absolute() else design
        command = f"vinewright robustness {Path(env).name} {shown} --trials {trials} --levels {levels} --seed {seed}"
        command += "" if sources is None else f" --{'no-' * (not sources)}sources"
        command += f" --start-mm {start_mm:g}" * (start_mm != START_MM)
        command += f" --heading-deg {heading_deg:g}" * (heading_deg != HEADING_DEG)
        command += f" --tolerances {tolerances}" * (tolerances != "none")
        command += f" --tube {tube}" * (tube is not None)
        with writable(out):
            command += ", interrupted," * (not _grow(console, survey))
            if not survey.counts:
                raise BadInput("interrupted before any trial was finished; nothing was written")
            if survey.broken:
                console.print(
                    f"note: {len(survey.broken)} trials failed with non-finite numbers; the first: {survey.broken[0]}"
                )
            _write(console, survey, _margins(console, survey), grid, command, out)


def _note_a_miss(console: Console, design: Design, environment: Environment) -> None:
    """Print a note if a design misses the goal without any errors."""
    from planner.console.compiling import compiling
    from planner.robustness.trials import Deviations, grow_trials

    with compiling(console):
        planned = grow_trials(design, environment, Deviations.none(design, environment, 1))
    if not planned.reached[0]:
        why = "".join(f": {ending}" for ending in planned.broken.values())
        console.print(f"note: this design misses the goal even without errors{why}")


def parsed_levels(text: str) -> list[float]:
    """Percentages as fractions, in ascending order and without duplicates."""
    try:
        numbers = {round(float(part), 3) + 0.0 for part in text.split(",")}
    except ValueError:
        raise BadInput(f"--levels {text} must be numbers separated by commas, for example 0,5,10") from None
    if not all(0 <= number <= 100 for number in numbers):
        raise BadInput(f"--levels {text} must be from 0 to 100, in percent")
    if len(numbers) > 40:
        raise BadInput(f"--levels has {len(numbers)} levels; at most 40 are allowed")
    return [number / 100 for number in sorted(numbers)]


def _grow(console: Console, survey: Survey) -> bool:
    """Grow all trials with progress on the console; returns False if interrupted."""
    from rich.progress import Progress

    from planner.console.progress import columns, stoppable

    with Progress(*columns(), console=console) as bar:
        task = bar.add_task("growing", total=len(survey.spreads) * survey.trials)
        try:
            with stoppable():
                for grown in survey.run():
                    bar.advance(task, grown)
        except KeyboardInterrupt:
            console.print("interrupted; the trials so far are kept")
            return False
    return True


def _margins(console: Console, survey: Survey) -> list[Margin]:
    from rich.progress import Progress

    from planner.console.progress import columns, stoppable
    from planner.robustness.sensitivity import margin, parameters

    found: list[Margin] = []
    design, environment = survey.design, survey.environment
    with Progress(*columns(), console=console) as bar:
        try:
            with stoppable():
                for parameter in bar.track(parameters(design, environment), description="margins"):
                    found.append(margin(design, environment, parameter))
        except KeyboardInterrupt:
            console.print("interrupted; the margins so far are kept")
    return found


def _write(console: Console, survey: Survey, margins: list[Margin], grid: list[float], command: str, out: Path) -> None:
    """Write table and data, then draw the pictures."""
    from planner.console.progress import stoppable
    from planner.robustness.plots import save_robustness, save_sensitivity
    from planner.robustness.report import robustness_report
    from planner.robustness.trials import Spread
    from planner.runs.folder import stem_of, write_json

    name = f"robustness-{stem_of(survey.environment)}"
    stem = out / name / name
    stem.parent.mkdir(exist_ok=True)
    table, content = robustness_report(survey, margins, grid, command)
    pictures = f"\n![Success and trials]({stem.name}.png)\n" + f"![Margins]({stem.name}-margins.png)\n" * bool(margins)
    (out / name / "README.md").write_text(table + pictures, encoding="utf-8")
    write_json(out / name / "data.json", content)
    console.print(table)
    console.print(f"wrote {out / name}: README.md, data.json")
    try:
        with stoppable(), console.status("drawing"):
            level = min(grid, key=lambda level: abs(level - 0.1))
            shown = survey.outcome(Spread.of_levels(level, level), range(DRAWN))
            save_robustness(stem.with_suffix(".png"), survey, grid, shown, f"{100 * level:g} % of both")
            if margins:
                save_sensitivity(Path(f"{stem}-margins.png"), margins)
        console.print(f"wrote {stem}.png{f', {stem}-margins.png' * bool(margins)}")
    except KeyboardInterrupt:
        console.print("interrupted; pictures are missing")

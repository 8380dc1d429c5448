"""`vinewright trials`: what was measured of a design that was built."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.commands.trials_learn import learn
from vinewright.commands.trials_options import (
    BendOption,
    LengthOption,
    NoteOption,
    PointOption,
    PressuresOption,
    ReachedOption,
    RecordingOption,
    RunArgument,
    TipOption,
    UnitOption,
    parse_bend,
    parse_growth,
    parse_measured,
    parse_unit,
)
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import SolutionOption, UncertaintyOption

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from environments import Environment
    from planner.built.trial import Growth
    from planner.design.design import Design
    from planner.drawing.trials import PredictedTips
    from vinewright.built.folder import BuiltDesign, Item

MOST_SIMULATED = 10_000
"""Maximum number of simulated trials in a picture."""
BATCH = 20
"""Number of trials that are simulated between two steps of the progress bar."""
RADIUS_TOLERANCE = 0.1
"""Relative difference between the radius of a recorded tube and that of the design, above which it is another tube [-]."""

app = typer.Typer(help="Add, list, remove and draw what was measured of a design that was built, and learn its errors.")
app.command()(learn)


@app.command()
def add(
    run: RunArgument,
    solution: SolutionOption = None,
    reached: ReachedOption = None,
    tip: TipOption = None,
    length: LengthOption = None,
    pressures: PressuresOption = None,
    recording: RecordingOption = None,
    note: NoteOption = None,
    bend: BendOption = None,
    point: PointOption = None,
    unit: UnitOption = "mm",
    as_json: JsonOption = False,
) -> int:
    """Add a growth, bends of single actuators, or points of obstacles that were measured; what is there already stays."""
    answer = Answer(as_json)
    with readable_errors():
        from planner.built.trial import NOTHING
        from planner.built.trials_file import save_trials, trials_content
        from planner.output.contents import MEASUREMENTS
        from vinewright.built.folder import begin_trials, describe, extend_trials, hold

        metres = parse_unit(unit)
        growth = parse_growth(reached, tip, length, pressures, note, metres)
        grown = recording is not None or growth != NOTHING
        bends = tuple(map(parse_bend, bend or []))
        points = tuple(parse_measured(text, metres) for text in point or [])
        if not (grown or bends or points):
            raise BadInput(
                "nothing to add: give --reached or --missed, --tip, --length, --recording, --bend or --point"
            )
        if grown and recording is None and (growth.reached, growth.tip, growth.length) == (None, None, None):
            raise BadInput(
                "--note and --pressures belong to a growth: give --reached or --missed, --tip, --length or --recording"
            )
        with hold(run):
            trials, design, environment = begin_trials(run, solution)
            if recording is not None:
                growth = _with_recording(answer.console, run, growth, recording, design, environment)
            added: list[Item] = [*[growth] * grown, *bends, *points]
            more, notes = extend_trials(trials, added, design, environment)
            for text in notes:
                answer.console.print(f"note: {text}")
            if recording is not None and growth.recording is not None:
                _copy(answer.console, recording, run, growth.recording)
            save_trials(run / MEASUREMENTS, more)
        for item in added:
            answer.console.print(f"added {': '.join(describe(item, design))}")
        answer.console.print(f"wrote {run / MEASUREMENTS}")
    return answer.end(trials_content(more), [run / MEASUREMENTS])


def _with_recording(
    console: Console, run: Path, growth: Growth, recording: Path, design: Design, environment: Environment
) -> Growth:
    """Return a growth with the name that its recording gets in the folder, and with its last tip unless that is known.

    Raises:
        BadInput: It is of another tube.
    """
    from dynamics.recording import load_recording
    from environments.lengths import format_position
    from vinewright.built.folder import final_line

    found, own = load_recording(recording), design.params.radius
    if abs(found.tube_radius - own) > RADIUS_TOLERANCE * own:
        raise BadInput(
            f"{recording}: tube_radius_m = {found.tube_radius:g} differs from that of the design, {own:g} m, by more than "
            f"{100 * RADIUS_TOLERANCE:g} %: it is of another tube"
        )
    if growth.tip is None:
        x, y = (round(one, 4) for one in final_line(found, environment)[-1].tolist())
        growth = replace(growth, tip=(x, y))
        console.print(f"tip from the recording: {format_position((x, y))}")
    return replace(growth, recording=_free_name(run, recording))


def _free_name(run: Path, recording: Path) -> str:
    """Return the name of a recording in a folder: one that is free, or that of a copy of it."""
    from planner.output.folder import stem_of

    data, stem, number = recording.read_bytes(), stem_of(recording.stem).removeprefix("recording-"), 1
    while True:
        name = f"recording-{stem}{f'-{number}' if number > 1 else ''}.json"
        if not (run / name).exists() or (run / name).read_bytes() == data:
            return name
        number += 1


def _copy(console: Console, recording: Path, run: Path, name: str) -> None:
    """Copy a recording into a folder, unless it is there."""
    from planner.output.folder import replace_file

    if not (run / name).exists():
        data = recording.read_bytes()
        replace_file(run, name, lambda path: path.write_bytes(data))
        console.print(f"copied {recording} to {run / name}")


@app.command("list")
def list_trials(run: RunArgument, as_json: JsonOption = False) -> int:
    """List what was measured, with numbers, and compare it with the prediction."""
    answer = Answer(as_json)
    with readable_errors():
        from planner.built.trials_file import trials_content
        from vinewright.built.folder import BuiltDesign, summary

        built = BuiltDesign.read(run)
        answer.console.print(summary(built.trials, built.design))
        if not built.trials.empty:
            answer.console.print(_table(built))
        for note in built.notes:
            answer.console.print(f"note: {note}")
    return answer.end(trials_content(built.trials))


def _table(built: BuiltDesign) -> Table:
    """Return a table of all that was measured, with the numbers by which they are removed."""
    from rich.table import Table

    from planner.built.trial import Growth
    from vinewright.built.folder import describe, items_of

    table = Table("no.", "what", "measured", "note")
    table.columns[0].justify = "right"
    for number, item in enumerate(items_of(built.trials), start=1):
        note = " ".join(item.note.split()) if isinstance(item, Growth) else ""
        table.add_row(f"{number}", *describe(item, built.design), note)
    return table


@app.command()
def remove(
    run: RunArgument,
    number: Annotated[int, typer.Argument(metavar="N", min=1, help="Number of the measurement in `trials list`.")],
    as_json: JsonOption = False,
) -> int:
    """Remove one measurement; those after it get the numbers before. A recording stays in the folder."""
    answer = Answer(as_json)
    with readable_errors():
        from planner.built.trial import Growth
        from planner.built.trials_file import trials_content
        from planner.output.contents import MEASUREMENTS
        from vinewright.built.folder import describe, find_design, remove_measurement

        removed, left = remove_measurement(run, number)
        answer.console.print(f"removed {': '.join(describe(removed, find_design(run, left.design)))}")
        if isinstance(removed, Growth) and removed.recording:
            answer.console.print(f"{removed.recording} stays in {run}")
        answer.console.print(f"wrote {run / MEASUREMENTS}")
    return answer.end(trials_content(left), [run / MEASUREMENTS])


@app.command()
def plot(
    run: RunArgument,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Picture to write. Default: RUN-trials.png, beside RUN.")
    ] = None,
    simulated: Annotated[
        int,
        typer.Option(
            min=0, max=MOST_SIMULATED, help="Number of simulated trials with which they are compared; 0 for none."
        ),
    ] = 200,
    uncertainty: UncertaintyOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulated trials.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing picture.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Draw what was measured over the prediction and its spread. Ctrl-C draws with the simulated trials so far."""
    answer = Answer(as_json)
    if out is not None and out.suffix.lower() != ".png":
        raise BadInput(f"--out {out} must end in .png")
    with readable_errors():
        from planner.built.trials_file import trials_content
        from planner.drawing.trials import save_trials_picture
        from planner.output.claim import claim_file, writing
        from vinewright.built.folder import BuiltDesign, final_line, summary

        built = BuiltDesign.read(run)
        folder = run if run.name not in ("", "..") else run.resolve()
        path = out or folder.with_name(f"{folder.name}-trials.png")
        recordings = [None if one is None else final_line(one, built.environment) for one in built.recordings()]
        with claim_file(path, force, "--out"):
            tips = _simulate(answer.console, built, simulated, uncertainty, seed)
            with writing(path):
                save_trials_picture(path, built.environment, built.design, built.trials, recordings, tips)
        answer.console.print(summary(built.trials, built.design))
        answer.console.print(tips.words)
        answer.console.print(f"wrote {path}")
    content = {"simulated": {"trials": len(tips.reached), "reached": int(tips.reached.sum()), "errors": tips.errors}}
    return answer.end({**content, **trials_content(built.trials)}, [path])


def _simulate(console: Console, built: BuiltDesign, count: int, uncertainty: str | None, seed: int) -> PredictedTips:
    """Grow the design in trials with errors, with a progress bar, and return where its tips end."""
    from planner.drawing.trials import PredictedTips
    from planner.uncertainty.errors import named_errors
    from planner.uncertainty.trials import EVALUATING, Outcome, Worlds, grow_trials
    from vinewright.console.compiling import compiling
    from vinewright.console.progress import gather

    design, environment = built.design, built.environment
    named, errors = named_errors(environment, design.params, uncertainty)
    batches = [
        range(first, min(first + BATCH, EVALUATING + count)) for first in range(EVALUATING, EVALUATING + count, BATCH)
    ]

    def grow(trials: range) -> Outcome:
        return grow_trials(design, Worlds.draw(environment, design.params, errors, trials, seed))

    with compiling(console):
        first = [grow(trials) for trials in batches[:1]]
    rest, _ = gather(console, map(grow, batches[1:]), len(batches) - 1, "batches of simulated trials", transient=True)
    return PredictedTips.of([*first, *rest], named)

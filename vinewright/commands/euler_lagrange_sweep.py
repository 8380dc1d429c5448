"""`vinewright euler-lagrange sweep`: the motions of a robot for every combination of values."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.commands.euler_lagrange_inputs import (
    CoreOption,
    CorePressureOption,
    InputOptions,
    InputsOption,
    PressuresOption,
    TensionsOption,
    parse_start,
    shown_path,
)
from vinewright.commands.euler_lagrange_run import OutOption, check_seconds, result_folder
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, NothingKept, readable_errors
from vinewright.console.options import ForceOption, RobotArgument

if TYPE_CHECKING:
    from rich.table import Table

    from dynamics.euler_lagrange.robot_file import ControlledRobot
    from vinewright.euler_lagrange.sweep import Drive
    from vinewright.euler_lagrange.sweep_pictures import SweptCurve

NAME = "motions"
"""Name of description, table and picture."""
MOST_PRINTED = 20
"""Largest number of motions that are printed."""
MOST_LISTED = 3
"""Largest number of motions that are named because they end early."""
MOVED = {"end_s_m": "end m", "end_theta_rad": "end rad", "greatest_bend_rad": "most rad"}
TRACKED = {
    "greatest_length_error_m": "length m",
    "greatest_bend_error_rad": "bend rad",
    "greatest_tip_error_m": "tip m",
}
"""Columns that are printed under inputs (at the end, and the greatest bend) and along a reference (greatest errors), with their heads."""

VaryOption = Annotated[
    list[str],
    typer.Option(
        metavar="KEY=A,B",
        help="Values of a number of the robot file (of a table: controller.bend_gain_n_m_per_rad), of the start (s_m, theta_rad, phi_rad), "
        "or of constant inputs (core_n, core_kpa, spam_1_n, spam_1_kpa and so on). May be repeated: every combination is computed.",
    ),
]
ReferenceOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv",
        help="Follow this reference, a table as of `track`, instead of moving under inputs.",
    ),
]
StartOption = Annotated[
    str | None,
    typer.Option(
        metavar="S,THETA,PHI",
        help="Length in metres, bend and its plane in radians at rest. Default: 1,0,0, or the first row of the reference.",
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        help="Duration in seconds under inputs. Default: the last time in --inputs, or 10.",
        show_default=False,
    ),
]


def sweep(
    robot: RobotArgument,
    vary: VaryOption,
    reference: ReferenceOption = None,
    inputs: InputsOption = None,
    core: CoreOption = None,
    core_pressure: CorePressureOption = None,
    tensions: TensionsOption = None,
    pressures: PressuresOption = None,
    start: StartOption = None,
    seconds: SecondsOption = None,
    out: OutOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Compute the motions of a robot for every combination of values. Exit code 3 if one ends early, in a full circle for example.

    Ctrl-C keeps the motions that are done.
    """
    answer = Answer(as_json)
    begun = time.perf_counter()
    with readable_errors():
        from dynamics.euler_lagrange.robot_file import load_robot
        from planner.output.provenance import Provenance
        from vinewright.console.progress import gather
        from vinewright.console.study_options import command_line
        from vinewright.euler_lagrange.sweep import list_cases
        from vinewright.euler_lagrange.sweep_pictures import curve_of

        made, options = load_robot(robot), InputOptions(inputs, core, core_pressure, tensions, pressures)
        varied, drive = parse_vary(vary), _drive(reference, options, seconds)
        lasts = None if seconds is None else check_seconds(seconds)
        cases = list_cases(made, drive, varied, None if start is None else parse_start(start), lasts)
        read = (inputs, "table of inputs") if reference is None else (reference, "reference")
        with result_folder(out, robot, force, *read) as folder:
            curves, interrupted = gather(
                answer.console, (curve_of(case.compute()) for case in cases), len(cases), "motions", transient=True
            )
            if not curves:
                raise NothingKept("interrupted before anything was computed; nothing was written")
            rows = [curve.row for curve in curves]
            shown = {"reference": reference and shown_path(reference), **options.shown()}
            command = command_line(
                f"euler-lagrange sweep {shown_path(robot)}", vary=vary, **shown, start=start, seconds=seconds
            )
            content = {
                "robot": shown_path(robot),
                "reference": shown["reference"],
                "inputs": shown["inputs"],
                "asked_s": cases[0].seconds,
                "vary": varied,
                "asked_motions": len(cases),
                "interrupted": interrupted,
                "motions": rows,
            }
            answer.console.print(motions_table([*varied], rows))
            provenance = Provenance.here(command, time.perf_counter() - begun).content()
            files = _write(folder, provenance | content, made, curves)
    answer.console.print(f"wrote {folder}/: {', '.join(files)}")
    return answer.end(content, [folder], _missed([*varied], rows))


def parse_vary(given: Iterable[str]) -> dict[str, list[float]]:
    """Parse the values of `VaryOption`, by their keys.

    Raises:
        BadInput: One is no key with numbers, or a key is given twice.
    """
    found: dict[str, list[float]] = {}
    for text in given:
        key, equals, values = text.partition("=")
        if not (key and equals):
            raise BadInput(f"--vary {text} must be a key and its values, such as mass_kg=0.1,0.2")
        if key in found:
            raise BadInput(f"--vary {key} is given twice; give all its values at once")
        try:
            found[key] = [float(value) for value in values.split(",")]
        except ValueError:
            raise BadInput(f"--vary {text}: the values must be numbers separated by commas") from None
    return found


def _drive(reference: Path | None, options: InputOptions, seconds: float | None) -> Drive:
    """Return the reference, or the inputs.

    Raises:
        BadInput: Options exclude each other.
    """
    from dynamics.euler_lagrange.time_table import read_reference

    if reference is None:
        return options.table()
    for name, value in {**options._asdict(), "seconds": seconds}.items():
        if value is not None:
            raise BadInput(f"--reference and --{name.replace('_', '-')} exclude each other; give one of them")
    return read_reference(reference)


def motions_table(keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the first motions as a table for the console, with the keys that were varied."""
    from rich.table import Table

    printed = TRACKED if TRACKED.keys() <= rows[0].keys() else MOVED
    columns, more = [*keys, "ended", *printed], len(rows) - MOST_PRINTED
    heads = (printed.get(name, name.rpartition(".")[2]) for name in columns)
    title = "greatest errors" if printed is TRACKED else "length and bend at the end, and the greatest bend"
    table = Table(*heads, title=title, title_justify="left", caption=f"and {more} more" if more > 0 else None)
    for row in rows[:MOST_PRINTED]:
        cells = (row.get(name) for name in columns)
        table.add_row(*("-" if one is None else one if isinstance(one, str) else f"{one:.4g}" for one in cells))
    return table


def _write(folder: Path, content: Mapping[str, Any], made: ControlledRobot, curves: Sequence[SweptCurve]) -> list[str]:
    """Write the folder, whole or not at all, and return the names of its files."""
    from dynamics.euler_lagrange.robot_file import robot_text
    from planner.output.csv_table import csv_table
    from planner.output.folder import write_folder, write_json
    from vinewright.euler_lagrange.sweep_pictures import save_sweep

    rows = [curve.row for curve in curves]
    tracked = content["reference"] is not None

    def fill(fresh: Path) -> None:
        write_json(fresh / f"{NAME}.json", dict(content))
        (fresh / f"{NAME}.csv").write_text(csv_table([*rows[0]], ([*row.values()] for row in rows)), encoding="utf-8")
        (fresh / "robot.toml").write_text(robot_text(made), encoding="utf-8")
        title = "Errors along a reference" if tracked else "Motions under given inputs"
        save_sweep(fresh / f"{NAME}.png", [*content["vary"]], curves, tracked, title)

    write_folder(folder, fill)
    return [f"{NAME}.json", f"{NAME}.csv", f"{NAME}.png", "robot.toml"]


def _missed(keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return which motions end early, as text; empty if none does."""
    from vinewright.euler_lagrange.description import COMPLETE

    early = [row for row in rows if row["ended"] != COMPLETE]
    named = [f"{', '.join(f'{key} {row[key]:g}' for key in keys)} is {row['ended']}" for row in early[:MOST_LISTED]]
    more = f"; and {len(early) - MOST_LISTED} more" if len(early) > MOST_LISTED else ""
    return f"{len(early)} of {len(rows)} motions end early: {'; '.join(named)}{more}" if early else ""

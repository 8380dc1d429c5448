"""`vinewright sense`: walls, corners and free area from a recording of a real vine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.output.text import plural
from vinewright.commands.sense_options import (
    ReadingsOption,
    RecordingArgument,
    RuleOption,
    check_readings,
    sense_recording,
)
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors

if TYPE_CHECKING:
    from rich.table import Table

    from dynamics.recording import Recording
    from planner.mapping.recorded import Elements
    from planner.mapping.sensing.found import SensedSurroundings


def sense(
    recording: RecordingArgument,
    env: Annotated[
        str | None,
        typer.Argument(
            metavar="[ENV]",
            help="The environment, to name the walls that were touched: a shipped one, or the path of a TOML file. Default: the walls "
            "in the recording.",
            show_default=False,
        ),
    ] = None,
    unknown: Annotated[bool, typer.Option("--unknown", help="Name no walls, not even those in the recording.")] = False,
    readings: ReadingsOption = "centerlines",
    rule: RuleOption = "limit-analysis",
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it to this file as well.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file of --picture.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Find walls, corners and free area from a recording alone, with 95 % intervals. The environment only names what was touched."""
    answer = Answer(as_json)
    console = answer.console
    if picture and picture.suffix.lower() != ".png":
        raise BadInput(f"--picture {picture} must end in .png")
    if env is not None and unknown:
        raise BadInput(f"{env} and --unknown exclude each other; give one of them")
    with readable_errors():
        from contextlib import ExitStack

        from planner.mapping.sensed_file import found_content
        from planner.output.claim import claim_file, writing

        check_readings(readings, rule)
        with ExitStack() as held:
            if picture:
                held.enter_context(claim_file(picture, force, "--picture"))
            elements = _load_elements(env) if env is not None else None
            read, found = sense_recording(console, recording, readings, rule)
            elements = _recorded_walls(read, unknown) if elements is None else elements
            _print_state(found, read, readings, answer)
            if found.walls or found.corners:
                console.print(_table(found, elements))
            if picture:
                from planner.mapping.sensed_plots import save_found

                with writing(picture):
                    save_found(picture, f"{read.name}, from {readings}", found, elements)
                console.print(f"wrote {picture}")
    content = {"recording": read.name, "readings": readings, "rule": rule} | found_content(found, elements)
    return answer.end(content, [picture])


def _load_elements(env: str) -> Elements:
    from environments import load_environment
    from planner.mapping.recorded import Elements

    return Elements.of_obstacles(load_environment(env, 0.0).obstacles)


def _recorded_walls(read: Recording, unknown: bool) -> Elements:
    from planner.mapping.recorded import Elements

    return Elements.of_walls(read.walls[:0] if unknown else read.walls)


def _print_state(found: SensedSurroundings, read: Recording, readings: str, answer: Answer) -> None:
    """Print the state of the tube and the noise of the recording."""
    import numpy as np

    x, y = 1e3 * found.start[:2]
    heading = np.degrees(found.start[2])
    noise = found.noise
    answer.console.print(
        f"{read.name}: {len(read.centerlines)} frames, tube radius {1e3 * read.tube_radius:.1f} mm, launched at "
        f"({round(x)}, {round(y)}) mm at {heading:.1f} deg, grown to {1e3 * found.length:.0f} mm"
    )
    answer.console.print(
        f"noise of the tip, measured: {1e3 * noise.across:.1f} mm across, {1e3 * noise.along:.1f} mm along, heading "
        f"{np.degrees(noise.heading):.1f} deg"
    )
    answer.console.print(
        f"found from {readings}: {plural(len(found.walls), 'wall')}, {plural(len(found.corners), 'corner')}, "
        f"{1e4 * found.free.area:.0f} cm2 free"
    )
    if found.walls or found.corners:
        answer.console.print(
            "the intervals (95 %) contain the scatter of this recording, not what is the same in all its frames"
        )


def _table(found: SensedSurroundings, elements: Elements) -> Table:
    import numpy as np
    from rich.table import Table

    table = Table("", "from mm", "to mm", "within mm", "deg", "within deg", "frames", "nearest", "apart mm")
    for wall in found.walls:
        ends = [f"({1e3 * x:.0f}, {1e3 * y:.0f})" for x, y in wall.ends]
        nearest = elements.nearest(wall.ends)
        table.add_row(
            "wall" if wall.determined else "wall (not determined)",
            *ends,
            " ".join(f"{1e3 * width:.0f}" for width in wall.within),
            f"{np.degrees(wall.heading):.0f}",
            f"{np.degrees(wall.angle_within):.0f}",
            f"{wall.first}-{wall.last}",
            *((nearest[0], f"{1e3 * nearest[1]:.0f}") if nearest else ("-", "-")),
        )
    for corner in found.corners:
        x, y = 1e3 * corner.touch
        nearest = elements.nearest(corner.touch[None])
        table.add_row(
            "corner",
            f"({x:.0f}, {y:.0f})",
            "-",
            f"{1e3 * corner.within:.0f}",
            "-",
            "-",
            f"{corner.first}-{corner.last}",
            *((nearest[0], f"{1e3 * nearest[1]:.0f}") if nearest else ("-", "-")),
        )
    return table

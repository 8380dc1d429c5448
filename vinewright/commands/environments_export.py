"""`vinewright environments export`: an environment as a map of a robot."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import EnvironmentArgument


def export_map(
    env: EnvironmentArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="File to write; the picture, FILE.pgm, beside it.")],
    resolution: Annotated[float, typer.Option(metavar="MM", help="Side of a cell in mm.")] = 10.0,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write an environment as a map of a robot, for map_server of ROS and Nav2: YAML and PGM."""
    if file.suffix.lower() not in (".yaml", ".yml"):
        raise BadInput(f"{file} must end in .yaml")
    if not 0.1 <= resolution <= 1e6:
        raise BadInput(f"--resolution {resolution:g} must be from 0.1 to 1e6 mm")
    answer, picture = Answer(as_json), file.with_suffix(".pgm")
    with readable_errors():
        from environments import load_environment
        from environments.importing.ros_map_writing import write_ros_map
        from planner.output.claim import claim_file, writing

        environment = load_environment(env, 0.0)
        with claim_file(file, force), claim_file(picture, force), writing(file):
            try:
                columns, rows = write_ros_map(environment, file, 1e-3 * resolution)
            except ValueError as error:
                raise BadInput(f"--resolution {resolution:g} {error}") from None
    answer.console.print(
        f"map of {columns} x {rows} cells of {resolution:g} mm; start and goal are only in comments of {file}"
    )
    if re.fullmatch(r"Imported from .*\.ya?ml\.", environment.description, re.IGNORECASE):
        answer.console.print(
            "hint: what was unknown in the imported map is occupied or free here: no robot should load this one in place of its own"
        )
    answer.console.print(f"wrote {file} and {picture}")
    return answer.end({"columns": columns, "rows": rows, "resolution_mm": resolution}, [file, picture])

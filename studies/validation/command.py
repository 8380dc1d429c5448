"""`vinewright validate`: compare propagators with recordings of real vines, with published results, and with each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study, run_study
from vinewright.console.study_options import FolderOption, command_line


def validate(
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder with recorded growths of passive tubes (*.json).")
    ] = None,
    propagator: Annotated[
        list[str] | None,
        typer.Option(
            "--propagator", metavar="NAME", help="Use only this propagator, compared with the default; may be repeated."
        ),
    ] = None,
    out: FolderOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Compare every propagator with recorded growths, with the others, and with itself at finer steps.

    Takes about 15 minutes; Ctrl-C keeps the comparisons done.
    """
    answer = Answer(as_json)
    console = answer.console
    with readable_errors():
        from dynamics.registry import load_propagator, propagators
        from studies.validation.recordings import read_recordings
        from studies.validation.study import make_parts, part_pictures, report, run_parts

        names = list(dict.fromkeys(propagator or propagators()))
        for name in names:
            if name not in propagators():
                raise BadInput(f"unknown propagator {name!r}; known: {', '.join(propagators())}")
            load_propagator(name)
        parts = make_parts(names, read_recordings(recordings) if recordings else [])
        study = Study(
            "validation",
            [part for part in parts for _ in range(part.total)],
            lambda _cases: run_parts(parts),
            lambda found: report(parts, found),
            part_pictures(parts),
            "comparisons",
            least="a vine was grown",
            module=__name__,
            inputs={"DIR": recordings} if recordings else {},
        )
        command = command_line("validate --recordings DIR" if recordings else "validate", propagator=propagator)
        found = run_study(study, command, out, console, force)
    if not recordings:
        console.print("no recorded growths were compared; give a folder of them with --recordings DIR")
    return answer.end(found.content, [found.folder], code=found.code)

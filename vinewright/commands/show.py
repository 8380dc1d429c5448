"""`vinewright show`: what a result is, in short."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors

if TYPE_CHECKING:
    from vinewright.commands.show_kinds import Kind

_MOST_BYTES = 50_000_000


def show(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="A folder or a file: run, design, solutions, pack, simulation, robustness, recording, fit, map or session.",
        ),
    ],
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it to this file as well.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file of --picture.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Recognise a result by its content and print a summary; --picture draws it."""
    answer = Answer(as_json)
    if picture and picture.suffix.lower() != ".png":
        raise BadInput(f"--picture {picture} must end in .png")
    with readable_errors():
        from planner.output.claim import claim_file, writing

        file, content, kind = _recognised(path)
        shown = kind.read(file, _checked(file, content, kind))
        # a file of another name is not part of a result folder
        patterns = kind.pictures if file.name == kind.file else []
        pictures = [str(one) for pattern in patterns for one in sorted(file.parent.glob(pattern))]
        if picture and shown.draw is None:
            raise BadInput(
                f"--picture: no picture of a {kind.name} is drawn; pictures: {', '.join(pictures) or 'none'}"
            )
        for k, line in enumerate(shown.lines):
            answer.console.print(line, style="" if k or not isinstance(line, str) else "bold")
        if pictures:
            answer.console.print(f"pictures: {', '.join(pictures)}")
        elif shown.draw and not picture:
            answer.console.print("no picture yet: --picture FILE.png draws one")
        if picture and shown.draw:
            with claim_file(picture, force, "--picture"), writing(picture):
                shown.draw(picture)
            answer.console.print(f"wrote {picture}")
    return answer.end({"kind": kind.name, "file": str(file), "pictures": pictures, "content": content}, [picture])


def _recognised(path: Path) -> tuple[Path, Any, Kind]:
    """The file that is shown, its parsed content (None for arrays), and what it is.

    Raises:
        BadInput: It cannot be read, or is none of the known kinds.
    """
    from planner.output.contents import CHECKPOINT, FRICTION, REFINEMENT
    from vinewright.commands.show_kinds import KINDS

    known = f"{', '.join(kind.name for kind in KINDS[:-1])} or {KINDS[-1].name}"
    if path.is_dir():
        file = next((path / kind.file for kind in KINDS if (path / kind.file).is_file()), None)
        if file is None:
            raise BadInput(f"{path} contains no {known}: none of the files {', '.join(kind.file for kind in KINDS)}")
    else:  # later stages are part of what a checkpoint is shown with
        file = path.parent / CHECKPOINT if path.name in (*FRICTION, REFINEMENT) else path
    keys, content = _keys(file)
    for kind in KINDS:
        if kind.keys <= keys:
            if kind.in_folder and file.name != kind.file:
                raise BadInput(f"{file} is the {kind.file} of a {kind.name}; give it under that name in its folder")
            return file, content, kind
    raise BadInput(
        f"{file} is not recognised as {known}; `environments show` and `tube show` show environments and tubes"
    )


def _keys(file: Path) -> tuple[set[str], Any]:
    """Top-level keys of a JSON file and its content, or names of the arrays in an NPZ file; none for any other content."""
    import json
    import zipfile

    from environments.reading import Unreadable, read_file

    try:
        data = read_file(file, _MOST_BYTES)
    except Unreadable as error:
        raise BadInput(f"{file} {error}") from None
    if data[:2] == b"PK":
        try:
            with zipfile.ZipFile(file) as packed:
                return {name.removesuffix(".npy") for name in packed.namelist()}, None
        except (OSError, ValueError, zipfile.BadZipFile):
            return set(), None
    try:
        content = json.loads(data.decode("utf-8-sig"))
        json.dumps(content, indent=1, allow_nan=False)  # what cannot be printed is not recognised either
    except (ValueError, RecursionError):
        return set(), None
    return set(content) if isinstance(content, dict) else set(), content


def _checked(file: Path, content: Any, kind: Kind) -> Any:
    """The validated content of a file, for kinds that no other command reads; else None."""
    from pydantic import ValidationError

    from environments.file_model import describe

    if kind.model is None:
        return None
    try:
        return kind.model.model_validate(content)
    except ValidationError as error:
        raise BadInput(f"{file}: {describe(error, kind.model)}") from None

"""`vinewright show`: a summary of a result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors

if TYPE_CHECKING:
    import networkx

    from vinewright.commands.show_kinds import ResultKind

_MOST_BYTES = 50_000_000


def show(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="A folder or a file: run, design, solutions, pack, simulation, robustness, recording, fit, map, session or motion.",
        ),
    ],
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it to this file as well.")] = None,
    tree: Annotated[
        Path | None,
        typer.Option(metavar="FILE.graphml", help="Write the search tree of a run to this file too, as GraphML."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files of --picture and --tree.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Recognise a result by its content and print a summary; --picture draws it."""
    answer = Answer(as_json)
    if picture and picture.suffix.lower() != ".png":
        raise BadInput(f"--picture {picture} must end in .png")
    if tree and tree.suffix.lower() != ".graphml":
        raise BadInput(f"--tree {tree} must end in .graphml")
    with readable_errors():
        from planner.output.claim import claim_file, writing

        file, content, kind = _recognise(path)
        summary = kind.read(file, _validate(file, content, kind))
        # a file of another name is not part of a result folder
        patterns = kind.pictures if file.name == kind.file else []
        pictures = [str(match) for pattern in patterns for match in sorted(file.parent.glob(pattern))]
        if picture and summary.draw is None:
            raise BadInput(
                f"--picture: no picture of a {kind.name} is drawn; pictures: {', '.join(pictures) or 'none'}"
            )
        graph = _search_tree(file, kind) if tree else None
        for k, line in enumerate(summary.lines):
            answer.console.print(line, style="" if k or not isinstance(line, str) else "bold")
        if pictures:
            answer.console.print(f"pictures: {', '.join(pictures)}")
        elif summary.draw and not picture:
            answer.console.print("no picture yet: --picture FILE.png draws one")
        if picture and summary.draw:
            with claim_file(picture, force, "--picture"), writing(picture):
                summary.draw(picture)
            answer.console.print(f"wrote {picture}")
        if tree and graph is not None:
            import networkx

            from environments.writing import atomic_path

            with claim_file(tree, force, "--tree"), writing(tree), atomic_path(tree) as path:
                networkx.write_graphml(graph, path)
            answer.console.print(f"wrote {tree}: {len(graph)} nodes")
    written = {"kind": kind.name, "file": str(file), "pictures": pictures, "content": content}
    return answer.end(written, [picture, tree])


def _search_tree(file: Path, kind: ResultKind) -> networkx.DiGraph[int]:
    """Return the search tree in the folder of a run, or in its checkpoint.

    Raises:
        BadInput: This is no run, or its planner stores no tree.
    """
    from planner.output.contents import CHECKPOINT
    from planner.plan.run.checkpoint import read_checkpoint

    if kind.file not in ("run.json", CHECKPOINT):
        raise BadInput(f"--tree: a {kind.name} has no search tree; give the folder of a run")
    checkpoint = read_checkpoint(file.parent, file.name if kind.file == CHECKPOINT else CHECKPOINT)
    if len(graph := checkpoint.search_graph()) == 1:
        raise BadInput(
            f"--tree: {file.parent} has only the root of the tree: planner {checkpoint.inputs.planner} cannot store it"
        )
    return graph


def _recognise(path: Path) -> tuple[Path, Any, ResultKind]:
    """Find the file of a result; return its path, its parsed content (None for arrays), and its kind.

    Raises:
        BadInput: The file cannot be read, or is of no known kind.
    """
    from planner.output.contents import CHECKPOINT, FRICTION, REFINEMENT
    from vinewright.commands.show_kinds import KINDS

    known = f"{', '.join(kind.name for kind in KINDS[:-1])} or {KINDS[-1].name}"
    if path.is_dir():
        file = next((path / kind.file for kind in KINDS if (path / kind.file).is_file()), None)
        if file is None:
            raise BadInput(f"{path} contains no {known}: none of the files {', '.join(kind.file for kind in KINDS)}")
    else:  # files of later stages are shown with the checkpoint
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
    """Return the top-level keys and the content of a JSON file, or the names of the arrays in an NPZ file; otherwise no keys."""
    import json
    import zipfile

    from environments.reading import UnreadableFile, read_file

    try:
        data = read_file(file, _MOST_BYTES)
    except UnreadableFile as error:
        raise BadInput(f"{file} {error}") from None
    if data[:2] == b"PK":
        try:
            with zipfile.ZipFile(file) as packed:
                return {name.removesuffix(".npy") for name in packed.namelist()}, None
        except (OSError, ValueError, zipfile.BadZipFile):
            return set(), None
    try:
        content = json.loads(data.decode("utf-8-sig"))
        json.dumps(content, indent=1, allow_nan=False)  # content that cannot be printed is not recognised
    except (ValueError, RecursionError):
        return set(), None
    return set(content) if isinstance(content, dict) else set(), content


def _validate(file: Path, content: Any, kind: ResultKind) -> Any:
    """Return the validated content of a file if its kind has a model, else None."""
    from pydantic import ValidationError

    from environments.error_messages import describe

    if kind.model is None:
        return None
    try:
        return kind.model.model_validate(content)
    except ValidationError as error:
        raise BadInput(f"{file}: {describe(error, kind.model)}") from None

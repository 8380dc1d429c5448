"""The importer of a file, by the end of its name."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Unpack

from environments.importing.backdrop import Backdrop
from environments.importing.build import Imported, build_obstacles
from environments.importing.options import ImportArguments, ImportOptions
from environments.importing.traced import Tracing, UnusableFile

KINDS = {
    ".yaml": "map",
    ".yml": "map",
    ".dxf": "dxf",
    ".svg": "svg",
    ".geojson": "geojson",
    ".json": "geojson",
    ".png": "photo",
    ".jpg": "photo",
    ".jpeg": "photo",
}
"""Kinds of files, by the end of their names."""

_INSTEAD = {
    (
        "geojson",
        "known",
    ): ": it has its own scale, the metres of its UTM zone or degrees; otherwise give unit, one of mm, cm, m, in, ft"
}
"""Advice in place of an option that a kind of file does not have, by the kind and the option."""


def import_environment(path: str | PathLike[str], **options: Unpack[ImportArguments]) -> Imported:
    """Import the obstacles of a map of a robot (.yaml), a drawing (.dxf, .svg, .geojson) or a photograph (.png, .jpg).

    Args:
        options: The fields of `environments.importing.options.ImportOptions`.
    Returns:
        The obstacles, and in `notes` what was read and changed. Its `environment()` needs start and goal, from the file or given.
    Raises:
        UnusableFile: The file cannot be imported.
        TypeError: An unknown option.
    """
    return import_file(Path(path), ImportOptions(**options))


def import_file(path: Path, options: ImportOptions) -> Imported:
    """Import a file.

    Raises:
        UnusableFile: It cannot be imported, or an option is not for such a file or has no usable value.
    """
    kind = _kind(path)
    if foreign := options.foreign_names(kind):
        instead = _INSTEAD.get((kind, foreign[0]), "")
        raise UnusableFile(
            f"{foreign[0].replace('_', '-')} is not for files such as {path.name}, which is imported as a {kind}{instead}"
        )
    options.check()
    traced, backdrop = _read(kind, path, options)
    if options.simplify is None and backdrop:
        options = replace(options, simplify={"map": 0.5, "photo": 1.0}[kind] * backdrop.pixel)
    return build_obstacles(path.name, traced, backdrop, options)


def _kind(path: Path) -> str:
    if path.suffix.lower() == ".pgm":
        raise UnusableFile(f"{path.name} is the picture of a map: give the YAML file of the map, which names it")
    if path.suffix.lower() not in KINDS:
        raise UnusableFile(f"{path.name or path} must end in one of {', '.join(KINDS)}")
    if not path.exists():
        raise UnusableFile(f"{path} does not exist")
    return KINDS[path.suffix.lower()]


def _read(kind: str, path: Path, options: ImportOptions) -> tuple[Tracing, Backdrop | None]:
    """Read a file by its importer; the libraries of the importer are loaded only here."""
    match kind:
        case "map":
            from environments.importing.ros_map import read_ros_map

            return read_ros_map(path, options.unknown_free)
        case "photo":
            from environments.importing.photo import read_photo

            return read_photo(path, options)
        case "dxf":
            from environments.importing.dxf import read_dxf

            return read_dxf(path, options), None
        case "svg":
            from environments.importing.svg import read_svg

            return read_svg(path, options), None
        case _:
            from environments.importing.geojson import read_geojson

            return read_geojson(path, options), None

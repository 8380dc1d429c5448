"""Maps of robots: the YAML file and the picture that map_server of ROS reads and slam_toolbox, cartographer and gmapping write.

A cell is a pixel. Its occupancy is how dark it is, from 0 to 1, or how light it is with `negate`. From `occupied_thresh` on the
cell is occupied, up to `free_thresh` it is free. Between them it is unknown, or in the mode `scale` has a cost, which rises from 0
at `free_thresh` to 1 at `occupied_thresh`: it is free below half of that, and occupied otherwise. In the mode `raw` the value of
the pixel is the occupancy in percent, and above 100 it is unknown. Cells that are not opaque are unknown; in the mode `raw` only
those that are fully transparent.

Source: `nav2_map_server/src/map_io.cpp` of Nav2, and https://wiki.ros.org/map_server.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import shapely
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from environments.error_messages import describe
from environments.importing.backdrop import Backdrop
from environments.importing.cells import outline_cells
from environments.importing.marks import quote_name
from environments.importing.pixels import read_pixels
from environments.importing.traced import Tracing, UnusableFile
from environments.lengths import format_length
from environments.reading import UnreadableFile, read_file

FREE, OCCUPIED, UNKNOWN = 0, 1, 2
_CHEAP, _DEAR = 3, 4
"""Cells with a cost below half, and of half or more."""
SHADES = np.array([255, 60, 205], np.uint8)
"""Grey of such cells in the picture of what was found."""
_UNKNOWN_VALUE = 205
"""The value that map_saver writes for unknown cells."""
_FEW = 0.01
"""Smallest share of cells with this value that are free for which a hint is given [-]."""
_FEW_FREE = 0.05
"""Share of free cells below which a hint is given [-]."""
_MOST_BYTES = 100_000
_MOST_LEVELS = 10
_Share = Annotated[float, Field(ge=0, le=1)]
_Coordinate = Annotated[float, Field(ge=-1e4, le=1e4)]


def _to_plain(mode: Any) -> Any:
    return mode.strip().lower() if isinstance(mode, str) else mode


class MapFile(BaseModel):
    """The YAML file; other keys are ignored."""

    model_config = ConfigDict(allow_inf_nan=False)
    image: Annotated[str, Field(min_length=1, max_length=1000)]
    """Path of the picture, relative to the file."""
    resolution: Annotated[float, Field(gt=0, le=1000)]
    """Side of a cell [m]."""
    origin: Annotated[list[_Coordinate], Field(min_length=3, max_length=3)]
    """x, y [m] and rotation [rad] of the lower left corner of the picture."""
    negate: bool
    """Whether light cells are occupied instead of dark ones; 0 or 1 in most files."""
    occupied_thresh: _Share
    """Occupancy from which on a cell is occupied, dimensionless."""
    free_thresh: _Share
    """Occupancy up to which a cell is free, dimensionless."""
    mode: Annotated[Literal["trinary", "scale", "raw"], BeforeValidator(_to_plain)] = "trinary"
    """Conversion of the value of a pixel to an occupancy; capitals do not matter."""


def read_ros_map(path: Path, unknown_free: bool = False) -> tuple[Tracing, Backdrop]:
    """Read a map, with outlines exactly along the edges of its cells.

    The bounds are the edges of the picture; those of a rotated one are the smallest box around it, and what is outside of the
    picture is unknown.

    Args:
        path: The YAML file.
        unknown_free: Whether unknown cells are free; otherwise they are obstacles.
    Raises:
        UnusableFile: One of the two files cannot be used.
    """
    file = _parse(path)
    picture = _find_picture(path, file.image)
    pixels = read_pixels(picture, ("PNG", "PPM", "BMP"), f"{path.name}: image {quote_name(picture.name)}")
    grid, told, usual = _read_cells(pixels, file)
    del pixels
    counts = np.bincount(grid.ravel(), minlength=3)
    hints = _share_hint(counts, path.name), "" if unknown_free else _threshold_hint(grid[usual], grid.size, file)
    del usual
    backdrop = Backdrop(SHADES[grid], file.resolution, (file.origin[0], file.origin[1], file.origin[2]))
    solid = (grid == OCCUPIED) if unknown_free else (grid != FREE)
    del grid
    polygons = backdrop.place(outline_cells(solid[::-1], path.name))
    frame = backdrop.frame
    bounds = frame.bounds
    if outside := [] if unknown_free else list(_corners(frame)):
        polygons += outside
    height, width = solid.shape
    shares = [f"{100 * count / solid.size:.1f} %" for count in counts]
    notes = [
        f"map of {width} x {height} cells of {format_length(1e3 * file.resolution, 'mm')} mm",
        f"{shares[OCCUPIED]} occupied, {shares[FREE]} free, {shares[UNKNOWN]} unknown, taken as {'free' if unknown_free else 'obstacles'}",
        *told,
    ]
    if outside:
        notes.append(
            f"rotated by {math.degrees(file.origin[2]):.1f} deg: the corners of the bounds outside of it are obstacles"
        )
    given = tuple(hint for hint in hints if hint)
    return Tracing(solid=tuple(polygons), bounds=bounds, notes=tuple(notes), hints=given), backdrop


def _share_hint(counts: NDArray[np.int_], name: str) -> str:
    """Return a hint that nearly all cells are occupied or unknown; "" if they are not.

    Args:
        counts: Number of cells of each kind.
        name: The YAML file, for messages.
    """
    free, occupied, unknown = (counts / counts.sum()).tolist()
    if free >= _FEW_FREE:
        return ""
    kind = "unknown" if unknown >= 1 - _FEW_FREE else "occupied" if occupied >= 1 - _FEW_FREE else "occupied or unknown"
    return f"{100 * (occupied + unknown):.1f} % of the cells are {kind}: check negate, occupied_thresh, free_thresh and mode in {name}"


def _threshold_hint(usual: NDArray[np.uint8], size: int, file: MapFile) -> str:
    """Return a hint that cells that are usually unknown are free; "" if they are not, or if they are few.

    Args:
        usual: Kinds of the cells with the value that is usual for unknown ones.
        size: Number of all cells.
    """
    if len(usual) <= _FEW * size or (usual != FREE).any():
        return ""
    value = f"the value {_UNKNOWN_VALUE}, usual for unknown ones (occupancy {1 - _UNKNOWN_VALUE / 255:.3f})"
    mode = f"mode: {file.mode} and " if file.mode == "scale" else ""
    other = "mode: trinary and free_thresh: 0.196" if mode else "0.196"
    return (
        f"{100 * len(usual) / size:.1f} % of the cells have {value}, and are free with {mode}free_thresh = {file.free_thresh:g}: "
        f"with {other} they are unknown"
    )


def _corners(frame: shapely.Polygon) -> NDArray[np.object_]:
    """Return the parts of the box around a rotated picture that are not in the picture."""
    parts = shapely.get_parts(shapely.box(*frame.bounds).difference(frame))
    return parts[shapely.area(parts) > 1e-9 * frame.area]


# ---- the YAML file ----


def _parse(path: Path) -> MapFile:
    import yaml

    try:
        text = read_file(path, _MOST_BYTES).decode("utf-8-sig")
        _check_events(path.name, text)
        content: Any = yaml.safe_load(text)
        if not isinstance(content, dict):
            raise UnusableFile(f"{path.name} is not the file of a map: it has no keys such as image and resolution")
        file = MapFile.model_validate(content)
    except UnreadableFile as error:
        raise UnusableFile(f"{path.name} {error}") from None
    except UnicodeDecodeError as error:
        raise UnusableFile(
            f"{path.name} is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}"
        ) from None
    except ValidationError as error:
        raise UnusableFile(f"{path.name}: {describe(error, MapFile)}") from None
    except yaml.YAMLError as error:
        raise UnusableFile(f"{path.name} is not YAML: {' '.join(str(error).split())[:200]}") from None
    except UnusableFile:
        raise
    except ValueError as error:  # dates that do not exist, and integers too long for Python
        raise UnusableFile(f"{path.name} is not YAML: {str(error)[:200]}") from None
    if file.free_thresh > file.occupied_thresh:
        limits = f"free_thresh = {file.free_thresh:g} must be at most occupied_thresh = {file.occupied_thresh:g}"
        raise UnusableFile(f"{path.name}: {limits}")
    return file


def _check_events(name: str, text: str) -> None:
    """Refuse YAML that no map needs: aliases, which can grow without limit, and many levels, which take long to read."""
    import yaml

    level = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise UnusableFile(f"{name} has aliases (*name), which are not allowed; write its values out")
        if level > _MOST_LEVELS:
            raise UnusableFile(f"{name} is nested too deeply: a map has at most {_MOST_LEVELS} levels")


def _find_picture(path: Path, image: str) -> Path:
    """Return the path of the picture, which must be in the folder of the map: a map from elsewhere names no other file of this machine."""
    try:
        folder = path.resolve().parent
        picture = (folder / image).resolve()
        inside = picture.is_relative_to(folder) and picture != path.resolve() and picture.is_file()
    except (OSError, ValueError, RuntimeError):  # too long, or with a zero byte, or a loop of links
        inside = False
    if not inside:
        known = "a picture (.pgm, .png or .bmp) in the folder of the map or below it; copy it there, and give its name"
        raise UnusableFile(f"{path.name}: image = {image[:100]!r} must be {known}")
    return picture


# ---- the cells ----


def _read_cells(
    pixels: NDArray[np.uint8 | np.uint16 | np.int32], file: MapFile
) -> tuple[NDArray[np.uint8], list[str], NDArray[np.bool_]]:
    """Return `FREE`, `OCCUPIED` or `UNKNOWN` for each pixel, the top row first, notes, and where the value is that of unknown cells."""
    clear = np.zeros(pixels.shape[:2], bool)
    notes = []
    if pixels.ndim == 3 and pixels.shape[2] == 4:
        alpha, pixels = pixels[..., 3], pixels[..., :3]
        clear = alpha < (1 if file.mode == "raw" else 255)
        if partly := np.count_nonzero(clear & (alpha > 0)):
            notes.append(f"cells that are partly transparent, taken as unknown: {partly}")
    # Each sum of the channels is looked up in a table.
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    most = 255 if pixels.dtype == np.uint8 else 65535
    sums = pixels if channels == 1 else pixels.sum(axis=2, dtype=np.uint16)
    table = _kinds(np.arange(channels * most + 1) / (channels * most), file)
    grid: NDArray[np.uint8] = table[sums]
    grid[clear] = UNKNOWN
    if file.mode == "scale":
        costs = np.bincount(grid[(grid >= _CHEAP) & ~clear], minlength=_DEAR + 1)
        if costs.any():
            told = f"{costs.sum()} cells have a cost between 0 and 100 %"
            notes.append(f"{told}: {costs[_CHEAP]} below 50 % are free, {costs[_DEAR]} others are occupied")
        grid = np.array([FREE, OCCUPIED, UNKNOWN, FREE, OCCUPIED], np.uint8)[grid]
    return grid, notes, (sums == _UNKNOWN_VALUE * channels * most // 255) & ~clear


def _kinds(shade: NDArray[np.float64], file: MapFile) -> NDArray[np.uint8]:
    """Return the kind of cells with these shades, from 0 to 1: one of the constants above."""
    # In single precision, as map_server has it: that decides whether a shade is equal to a threshold.
    light = shade.astype(np.float32)
    occupancy: NDArray[np.floating[Any]] = light if file.negate else 1 - light
    if file.mode == "raw":
        occupancy = np.round(255 * light) / 100
    table = np.full(len(shade), UNKNOWN, np.uint8)
    if file.mode == "scale":
        table[:] = np.where(2 * occupancy < file.free_thresh + file.occupied_thresh, _CHEAP, _DEAR)
    table[occupancy >= file.occupied_thresh] = OCCUPIED
    table[occupancy <= file.free_thresh] = FREE
    if file.mode == "raw":
        table[occupancy > 1] = UNKNOWN
    return table

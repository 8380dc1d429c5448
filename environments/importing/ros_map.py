"""Maps of robots: the YAML file and the picture that map_server of ROS reads and slam_toolbox, cartographer and gmapping write.

A cell is a pixel. Its occupancy is how dark it is, from 0 to 1, or how light it is with `negate`. Above `occupied_thresh` the
cell is occupied, below `free_thresh` it is free, and between them it is unknown. In the mode `raw` the value of the pixel is the
occupancy in percent, and above 100 it is unknown. In the mode `scale` transparent cells are unknown.

Source: `nav2_map_server/src/map_io.cpp` of Nav2, and https://wiki.ros.org/map_server.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import shapely
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from environments.file_model import describe
from environments.importing.backdrop import Backdrop
from environments.importing.cells import outline_cells
from environments.importing.pixels import read_pixels
from environments.importing.traced import Tracing, UnusableFile
from environments.lengths import format_length
from environments.reading import UnreadableFile, read_file

FREE, OCCUPIED, UNKNOWN = 0, 1, 2
SHADES = np.array([255, 60, 205], np.uint8)
"""Grey of such cells in the picture of what was found."""
_UNKNOWN_VALUE = 205
"""The value that map_saver writes for unknown cells."""
_FEW = 0.01
"""Smallest share of cells with this value that are free for which a hint is given [-]."""
_MOST_BYTES = 100_000
_MOST_LEVELS = 10
_Share = Annotated[float, Field(ge=0, le=1)]
_Coordinate = Annotated[float, Field(ge=-1e4, le=1e4)]


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
    """Occupancy above which a cell is occupied, dimensionless."""
    free_thresh: _Share
    """Occupancy below which a cell is free, dimensionless."""
    mode: Literal["trinary", "scale", "raw"] = "trinary"
    """Conversion of the value of a pixel to an occupancy."""


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
    pixels = read_pixels(_find_picture(path, file.image), ("PNG", "PPM", "BMP"), f"{path.name}: image")
    grid = _occupancy(pixels, file)
    hint = "" if unknown_free else _threshold_hint(pixels, grid, file)
    del pixels
    backdrop = Backdrop(SHADES[grid], file.resolution, (file.origin[0], file.origin[1], file.origin[2]))
    solid = (grid == OCCUPIED) if unknown_free else (grid != FREE)
    counts = np.bincount(grid.ravel(), minlength=3)
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
    ]
    if outside:
        notes.append(
            f"rotated by {math.degrees(file.origin[2]):.1f} deg: the corners of the bounds outside of it are obstacles"
        )
    hints = (hint,) if hint else ()
    return Tracing(solid=tuple(polygons), bounds=bounds, notes=tuple(notes), hints=hints), backdrop


def _threshold_hint(pixels: NDArray[np.uint8 | np.uint16 | np.int32], grid: NDArray[np.uint8], file: MapFile) -> str:
    """Return a hint that the threshold makes those cells free that are usually unknown; "" if it does not, or if they are few."""
    if pixels.dtype != np.uint8 or pixels.ndim != 2:
        return ""
    usual = pixels == _UNKNOWN_VALUE
    share = np.count_nonzero(usual) / usual.size
    if share <= _FEW or (grid[usual] != FREE).any():
        return ""
    value = f"the value {_UNKNOWN_VALUE}, usual for unknown ones (occupancy {1 - _UNKNOWN_VALUE / 255:.3f})"
    return (
        f"{100 * share:.1f} % of the cells have {value}, and are free with free_thresh = {file.free_thresh:g}: "
        "with 0.196 they are unknown"
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


def _occupancy(pixels: NDArray[np.uint8 | np.uint16 | np.int32], file: MapFile) -> NDArray[np.uint8]:
    """`FREE`, `OCCUPIED` or `UNKNOWN` for each pixel, the top row first."""
    if pixels.ndim == 3 and pixels.shape[2] == 4 and file.mode != "trinary":
        clear = pixels[..., 3] < 255
        pixels = pixels[..., :3]
    else:
        clear = np.zeros(pixels.shape[:2], bool)
    # Each sum of the channels is looked up in a table; in the mode trinary alpha is one of them.
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    most = 255 if pixels.dtype == np.uint8 else 65535
    sums = pixels if channels == 1 else pixels.sum(axis=2, dtype=np.uint16)
    shade = np.arange(channels * most + 1) / (channels * most)
    occupancy = shade if file.negate else 1 - shade
    if file.mode == "raw":
        occupancy = np.round(255 * shade) / 100
    table = np.full(len(shade), UNKNOWN, np.uint8)
    table[occupancy > file.occupied_thresh] = OCCUPIED
    table[occupancy < file.free_thresh] = FREE
    if file.mode == "raw":
        table[occupancy > 1] = UNKNOWN
    grid: NDArray[np.uint8] = table[sums]
    if file.mode == "scale":
        grid[clear] = UNKNOWN
    return grid

"""SVG drawings, written for tests and read."""

from pathlib import Path
from typing import Any

import numpy as np
import shapely

from environments.importing.options import ImportOptions
from environments.importing.svg import read_svg
from environments.importing.traced import Tracing

MM = 'width="200mm" height="100mm" viewBox="0 0 200 100"'


def read(tmp_path: Path, body: str, size: str = MM, **options: Any) -> Tracing:
    """Read a drawing with this body, on a page of 200 x 100 mm with y downwards."""
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    inkscape = 'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    path = tmp_path / "drawing.svg"
    path.write_text(f"<svg {names} {inkscape} {size}>{body}</svg>")
    return read_svg(path, ImportOptions(**options))


def box(traced: Tracing) -> tuple[float, ...]:
    """The box around the solids [mm]."""
    return tuple(1000 * side for side in shapely.total_bounds(np.array(traced.solid)))


def boxes(traced: Tracing) -> list[tuple[float, ...]]:
    """The box around each of the solids, sorted [mm]."""
    return sorted(tuple((1000 * np.array(part.bounds)).round(6).tolist()) for part in traced.solid)


def area(traced: Tracing) -> float:
    """The area of the solids [mm^2]."""
    return float(shapely.union_all(list(traced.solid)).area) * 1e6


def note(traced: Tracing, word: str) -> str:
    """The only note with this word."""
    (found,) = [one for one in traced.notes if word in one]
    return found

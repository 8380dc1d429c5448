"""Colours and line styles of all figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from scipy.spatial import cKDTree

from environments.writing import atomic_path

INK, FAINT, SEARCHED, GOAL = "#23282f", "#6b7480", "#b4add0", "#0a8f62"
JUMPED = "#7065ae"
"""The part of a search tree that follows a jump: a darker tone, which is told from the other without seeing colours."""


NAME = "#3f4752"
"""Names of obstacles: dark enough on them and beside them."""


DIMENSION = "#a3195b"
"""Dimension lines and their figures."""


REACHED, MISSED = GOAL, "#b54d00"
"""Trials that reached the goal, and those that missed it."""


OBSTACLE: dict[str, Any] = {"facecolor": "#bcc2c9", "edgecolor": "#8d95a0", "linewidth": 0.7}


OUTLINE: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.8, "joinstyle": "round"}


OVERLAP: dict[str, Any] = {"facecolor": "none", "edgecolor": "#a0006e", "linewidth": 1.1, "hatch": "//////"}


# Blue, orange and a neutral colour, which are distinguishable with all common forms of colour blindness, and in grey.
TUBE = {"left": "#8ec3e6", "right": "#f6bd7a", "none": "#f3ead2"}


ACTUATOR = {"left": "#0a5a96", "right": "#b54d00"}


OFF: dict[str, Any] = {"facecolor": "none", "edgecolor": FAINT, "linewidth": 0.8}
"""An actuator without pressure: hollow."""


LARGE = 1e-3
"""Share of a picture from which on a colour stays, however near it is to another."""


BAND = 64
"""Number of rows of a picture that are converted together."""


_PLACES = np.array([256**2, 256, 1])


def save_figure(path: Path, figure: Figure, dpi: int) -> None:
    """Write a figure as a PNG, atomically."""
    FigureCanvasAgg(figure)
    with atomic_path(path) as partial:
        figure.savefig(partial, dpi=dpi, format="png")


def palette_of(image: Image.Image) -> Image.Image:
    """Return the colours of all large areas, and well separated ones of the others: the file is a third of the size."""
    pixels = image.width * image.height
    counted = sorted(image.getcolors(pixels) or [], reverse=True)
    left = np.array([colour for _, colour in counted])
    large = np.array([count for count, _ in counted]) > LARGE * pixels
    chosen: list[Any] = []
    while len(left) and len(chosen) < 256:
        chosen.append(left[0])
        other = large[1:] | (np.linalg.norm(left[1:] - left[0], axis=1) > 12)
        left, large = left[1:][other], large[1:][other]
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.array(chosen, np.uint8).tobytes())
    return palette


def few_colours(image: Image.Image) -> Image.Image:
    """Return an RGB picture with its palette. Unlike Pillow, which rounds to four levels, takes the nearest colour."""
    palette = palette_of(image)
    chosen = np.array(palette.getpalette()).reshape(-1, 3)
    counted = image.getcolors(image.width * image.height) or []
    colours = np.array(sorted(colour for _, colour in counted))
    numbers, nearest = colours @ _PLACES, cKDTree(chosen).query(colours)[1].astype(np.uint8)
    few = Image.new("P", image.size)
    for top in range(0, image.height, BAND):  # the numbers of all pixels together would take 32 bytes for each
        band = image.crop((0, top, image.width, min(top + BAND, image.height)))
        place = np.searchsorted(numbers, np.asarray(band) @ _PLACES)
        few.paste(Image.fromarray(nearest[place]), (0, top))
    few.putpalette(chosen.astype(np.uint8).tobytes())
    return few

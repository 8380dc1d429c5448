"""Picture of Fig. 8: several solutions in each environment, and beside it their shapes in free space, smaller."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Polygon
from matplotlib.transforms import Affine2D, Transform

from planner.design.design import Design
from planner.drawing.base import base_shapes
from planner.drawing.plan import draw_in_axes, save_page
from planner.drawing.style import INK
from planner.drawing.tube import tube_patches
from studies.paper_figures.free_shapes import ENVIRONMENTS, Solved
from studies.paper_figures.study import Part, Parts
from surrogate.kernels.compiled import Floats

COLOURS = "#1f77b4", "#c8620a", "#3a3f46"
"""Colours of the solutions: blue, orange and grey, which are told apart without seeing red or green."""
BODY = 0.2
"""Opacity of a tube's body [-]: several lie over one another."""
ROWS = ENVIRONMENTS[:2], ENVIRONMENTS[2:4], ENVIRONMENTS[4:]
"""Environments that lie side by side."""
WIDTH, SIDE, GAP, TITLE = 11.6, 0.25, 0.35, 0.42
"""Width of the page, its margin, gap between panels and height of a title [inch]."""
BESIDE = 0.8, 0.32
"""Width of the space for shapes in free space, relative to the height of the environment and to its width [-]; the larger counts."""
APART = 0.11
"""Gap between these shapes, relative to the height of the environment [-]."""
STEP = 0.01
"""Step of their scale [-]."""
LABEL = 7.0
"""Distance of a shape's number behind its base [point]."""


def save_solutions(path: Path, results: Sequence[Part]) -> None:
    """Draw the solutions of all environments that were searched."""
    if solved := Parts.of(results).solved:
        save_page(path, draw_solutions(solved))


def draw_solutions(solved: Sequence[Solved]) -> Figure:
    """Draw a panel for each environment, those of a row equally high."""
    rows = [some for row in ROWS if (some := [one for one in solved if one.environment.name in row])]
    shares = [[(_size(one)[0] + _beside(one)) / _size(one)[1] for one in row] for row in rows]
    heights = [min((WIDTH - 2 * SIDE - GAP * (len(row) - 1)) / sum(row), WIDTH / 3) for row in shares]
    page = WIDTH, sum(heights) + (TITLE + GAP / 2) * len(rows)
    figure = Figure(figsize=page, facecolor="white")
    top = page[1]
    for row, widths, height in zip(rows, shares, heights, strict=True):
        left, top = SIDE, top - TITLE - height
        for one, share in zip(row, widths, strict=True):
            box = left / page[0], top / page[1], share * height / page[0], height / page[1]
            _draw_solved(figure.add_axes(box), one)
            left += share * height + GAP
        top -= GAP / 2
    return figure


def _size(solved: Solved) -> Floats:
    """Return width and height of an environment [m]."""
    bounds = solved.environment.bounds
    return np.asarray(bounds[2:] - bounds[:2])


def _beside(solved: Solved) -> float:
    """Return the width of the space for shapes in free space [m]."""
    width, height = _size(solved)
    return float(max(BESIDE[0] * height, BESIDE[1] * width))


def _draw_solved(axes: Axes, solved: Solved) -> None:
    """Draw an environment with its solutions, and their shapes in free space at its right."""
    draw_in_axes(axes, solved.environment, None)
    in_metres = Affine2D().scale(1e-3) + axes.transData
    # The solution of lowest cost is drawn last, over the others.
    for design, colour in reversed([*zip(solved.shown, COLOURS, strict=False)]):
        _draw_tube(axes, design, colour, in_metres)
    (width, height), (left, bottom) = _size(solved), solved.environment.bounds[:2]
    facts = "no solution"
    if solved.shown:
        scale = _draw_free(axes, solved)
        counts = ", ".join(str(design.actuators) for design in solved.shown)
        facts = f"actuators: {counts}; free space at {scale:.2g} of the scale"
    right = left + width + _beside(solved)
    axes.set(xlim=(left - 0.01 * width, right), ylim=(bottom - 0.01 * height, bottom + 1.01 * height))
    axes.set_axis_off()
    axes.set_title(solved.environment.name, loc="left", size=11, weight="bold", color=INK)
    axes.set_title(facts, loc="right", size=8.5, color=INK)


def _draw_free(axes: Axes, solved: Solved) -> float:
    """Draw the shapes in free space with their numbers and bases, and return their scale [-]."""
    height, corner, start = _size(solved)[1], solved.environment.bounds[[2, 1]], solved.environment.start
    shapes = [_corners(one.design) for one in solved.free]
    room = Room(_beside(solved), height, APART * height)
    scale, places = room.arrange([np.ptp(shape, axis=0) for shape in shapes])
    behind = -LABEL * math.cos(start[2]), -LABEL * math.sin(start[2])
    style: dict[str, Any] = {"size": 9, "weight": "bold", "ha": "center", "va": "center_baseline"}
    for shape, place, one, colour, number in zip(shapes, places, solved.free, COLOURS, "123", strict=False):
        shift = corner + place - scale * shape.min(axis=0)
        moved = Affine2D().scale(1e-3 * scale).translate(*shift) + axes.transData
        _draw_tube(axes, one.design, colour, moved)
        for part in base_shapes(start, 1e3 * one.design.params.radius):
            axes.add_artist(Polygon(part, facecolor=INK, linewidth=0, zorder=7, transform=moved))
        x, y = scale * start[:2] + shift
        axes.annotate(number, (x, y), behind, textcoords="offset points", color=colour, **style)
    return scale


def _corners(design: Design) -> Floats:
    """Return two opposite corners of every joint's surroundings that its tube takes [m], shape (n, 2)."""
    return np.concatenate([design.centerline - design.params.radius, design.centerline + design.params.radius])


def _draw_tube(axes: Axes, design: Design, colour: str, transform: Transform) -> None:
    """Draw a tube in one colour, with the cells of its actuators."""
    for patch in _recoloured(tube_patches(design, design.centerline), colour):
        patch.set_transform(transform)
        axes.add_artist(patch)


def _recoloured(patches: Sequence[Patch], colour: str) -> Iterator[Patch]:
    """Yield patches of a tube in shades of a colour; where it overlaps itself nothing is marked."""
    for patch in patches:
        kind = str(patch.get_gid()).split()[0]
        if kind == "section":
            patch.set_facecolor(to_rgba(colour, BODY))
        elif kind == "outline":
            patch.set_edgecolor(colour)
        else:
            patch.set_facecolor(colour)
        if kind != "overlap":
            yield patch


@dataclass(frozen=True, slots=True)
class Room:
    """A rectangle for shapes that lie side by side or above one another."""

    width: float
    """[m]"""
    height: float
    """[m]"""
    apart: float
    """Gap between shapes, and at the edges on the left and below [m]."""

    def arrange(self, sizes: Sequence[Floats]) -> tuple[float, list[Floats]]:
        """Return the largest scale [-], a multiple of `STEP`, at which shapes of some sizes fit, and their lower left corners [m].

        Args:
            sizes: Width and height of each shape [m].
        """
        inside = np.array([self.width, self.height]) - self.apart
        fits = []
        for axis in (0, 1):  # side by side, or above one another
            along = inside[axis] - self.apart * (len(sizes) - 1)
            across = inside[1 - axis] / max(size[1 - axis] for size in sizes)
            fits.append(min(along / sum(size[axis] for size in sizes), across))
        axis = int(np.argmax(fits))
        scale = STEP * max(int(fits[axis] / STEP + 1e-9), 1)
        corners, at = list[Floats](), 0.0
        for size in sizes:
            taken = scale * float(size[axis])
            # The first one is on the left, or on top.
            along = self.apart + at if axis == 0 else self.height - at - taken
            corners.append(np.array([along, self.apart] if axis == 0 else [self.apart, along]))
            at += taken + self.apart
        return scale, corners

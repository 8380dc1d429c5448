"""Animations of a growing tube."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from environments.environment import Environment
from environments.writing import atomic_path
from planner.design.design import Design
from planner.drawing.miss import miss_entries
from planner.drawing.mp4 import write_mp4
from planner.drawing.plan import (
    LEFT,
    SCALE_LINE,
    _draw_environment,
    _make_page,
    foreground,
)
from planner.drawing.style import FAINT, palette_of
from planner.drawing.tube import tube_patches
from surrogate.kernels.compiled import Floats

GIF_DPI = 120
MOST_FRAMES, FRAME_MS, LAST_MS = 80, 70, 2500
OnFrame = Callable[[int, int], None]
SHORT = 1e-6
"""Length by which a tube is drawn with the pressures of a slightly shorter one [m]."""
FORMATS = ".gif", ".mp4"
"""Suffixes of animations."""


def save_animation(
    path: Path, environment: Environment, design: Design, points: Floats, on_frame: OnFrame | None = None
) -> None:
    """Write the growth of a design in at most 80 frames, the last of which is held, atomically.

    The suffix decides: `.mp4` is a video, which needs the extra `video`; anything else is a GIF, which repeats.

    Args:
        points: Joints of the tube at each recorded time [m], shape (T, N + 1, 2), NaN beyond its tip; T at least 1.
        on_frame: Called with the number of completed frames and of all frames.
    Raises:
        ValueError: `points` is empty.
        ModuleNotFoundError: A package that an MP4 needs is not installed.
        NoEncoder: There is nothing that encodes an MP4.
        OSError: The file cannot be written.
    """
    if not len(points):
        raise ValueError("points is empty: an animation needs at least one record of the growth")
    moments = np.linspace(0, len(points) - 1, min(len(points), MOST_FRAMES)).round().astype(int)
    images = _frames(environment, design, points[[-1, *moments]])
    last = next(images)

    def draw_frames() -> Iterator[Image.Image]:
        for done, image in enumerate(images, start=1):
            yield image
            if on_frame:
                on_frame(done, len(moments))

    if path.suffix.lower() == ".mp4":
        write_mp4(path, chain(draw_frames(), repeat(last, round(LAST_MS / FRAME_MS) - 1)), 1e3 / FRAME_MS)
    else:
        _write_gif(path, draw_frames(), last)


def _write_gif(path: Path, images: Iterator[Image.Image], last: Image.Image) -> None:
    # The last frame contains every colour. One palette for all frames keeps the background constant and the file small.
    palette = palette_of(last)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    durations = [FRAME_MS] * (len(frames) - 1) + [LAST_MS]
    with atomic_path(path) as partial:
        frames[0].save(partial, format="GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)


def _frames(environment: Environment, design: Design, points: Floats) -> Iterator[Image.Image]:
    """Generate the tube at each recorded time, over a background that is drawn once."""
    last = points[-1][~np.isnan(points[-1][:, 0])]
    page = _make_page(environment, design, points, table=False, more=miss_entries(environment, design, last))
    page.figure.set_dpi(GIF_DPI)
    canvas: Any = FigureCanvasAgg(page.figure)
    _draw_environment(page.axes, environment, page.view)
    canvas.draw()
    background = canvas.copy_from_bbox(page.figure.bbox)
    counter = page.text(LEFT, SCALE_LINE, "", color=FAINT, size=8, va="center")
    heading = float(environment.start[2])
    for joints in (moment[~np.isnan(moment[:, 0])] for moment in points):
        canvas.restore_region(background)
        grown = design.film(joints, heading).sum()
        # Within the tolerance of the lengths, a tube that is about to be held still has its pressures.
        shown = design.drawn_at(float(grown) - SHORT)
        for patch in [*tube_patches(shown, joints, heading), *foreground(environment, design)]:
            page.axes.add_artist(patch)
            page.axes.draw_artist(patch)
            patch.remove()
        counter.set_text(f"grown {1e3 * grown:.0f} of {1e3 * design.length:.0f} mm")
        page.figure.draw_artist(counter)
        yield Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")

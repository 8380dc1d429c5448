"""Pictures of the study: the pages of one pack's template, small, and its checklist, to read."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from environments.writing import atomic_path
from planner.drawing.style import few_colours
from planner.fabrication import FORMATS, GUIDE
from planner.fabrication.formats import write_formats
from planner.fabrication.guide.paper import Page
from planner.fabrication.guide.template import template_pages
from planner.fabrication.pack import Pack
from studies.pack.designs import EXAMPLES
from studies.pack.study import PackRecord, make_pack

PICTURED = "scheduled pouches"
"""Example whose pages are drawn."""
SMALL, LARGE = 60, 100
"""Resolution of a page among others, and of the checklist [dpi]."""
FINER = 3
"""Number of pixels in a row that become one, where a page is small: letters drawn in few pixels run into one another."""
COLUMNS, WIDE_COLUMNS = 4, 3
"""Upright pages in a row, and wide ones."""
GAP = 8
"""Distance between pages [pixels]."""
BEHIND = 200
"""Grey behind the pages."""


@cache
def draw_pages(trials: int) -> tuple[Page, ...]:
    """Draw the template of the pictured pack on A4, with all files of the pack beside it.

    Args:
        trials: Number of trials of its design, and of tubes for its acceptance test.
    """
    return tuple(pages_of(replace(make_pack(EXAMPLES[PICTURED], trials), trials=trials)))


def pages_of(pack: Pack) -> list[Page]:
    """Draw the template of a pack on A4, with all files of the pack beside it."""
    with tempfile.TemporaryDirectory() as folder:
        written = write_formats(pack, [form for form in FORMATS if form != GUIDE], Path(folder))
    names = (*written.files, "template-a4.pdf", "template-letter.pdf")
    return [*template_pages(pack.template("a4"), replace(pack.guide, files=names))]


def save_checklist(path: Path, records: Sequence[PackRecord]) -> None:
    """Draw the first page of the guide: which page and file answers which question."""
    upright, _ = _sorted_pages(records)
    save_image(path, render(next(page for page in upright if _is_checklist(page)), LARGE))


def save_guide(path: Path, records: Sequence[PackRecord], half: int) -> None:
    """Draw half of the upright pages, cover and guide: the first (0) or the second (1)."""
    upright, _ = _sorted_pages(records)
    middle = math.ceil(len(upright) / 2)
    save_image(path, arrange(upright[half * middle : (half + 1) * middle], COLUMNS))


def save_pattern(path: Path, records: Sequence[PackRecord]) -> None:
    """Draw the wide pages: the sheets of the pattern."""
    save_image(path, arrange(_sorted_pages(records)[1], WIDE_COLUMNS))


def _sorted_pages(records: Sequence[PackRecord]) -> tuple[list[Page], list[Page]]:
    """Return the upright and the wide pages."""
    pages = draw_pages(records[0].case.trials)
    return [one for one in pages if one.height > one.width], [one for one in pages if one.height <= one.width]


def _is_checklist(page: Page) -> bool:
    return any("files alone?" in text.get_text() for text in page.figure.texts)


def render(page: Page, dpi: int) -> Image.Image:
    """Render a page in a resolution."""
    page.figure.set_dpi(dpi)
    canvas: Any = FigureCanvasAgg(page.figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def arrange(pages: Sequence[Page], columns: int) -> Image.Image:
    """Render pages of the same size, row by row."""
    small = [render(page, FINER * SMALL).reduce(FINER) for page in pages]
    wide, high = small[0].width + GAP, small[0].height + GAP
    rows = math.ceil(len(small) / columns)
    whole = Image.new("RGB", (columns * wide + GAP, rows * high + GAP), (BEHIND,) * 3)
    for number, image in enumerate(small):
        row, column = divmod(number, columns)
        whole.paste(image, (GAP + column * wide, GAP + row * high))
    return whole


def save_image(path: Path, image: Image.Image) -> None:
    """Write a picture with few colours as a PNG, atomically."""
    with atomic_path(path) as partial:
        few_colours(image).save(partial, format="png", optimize=True)

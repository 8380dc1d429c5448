"""The drawing of the test strips: a ladder of temperatures, and the peel test."""

from __future__ import annotations

from planner.fabrication.guide.paper import Page
from planner.fabrication.guide.sketch import FILM, SEAL, SEALED, PageSketch

HEATED = "#b8508f", "#d58fb9", "#e6b9d3", SEALED
"""Colours of the seals from the hottest setting to the coldest."""


def draw_ladder(page: Page, x: float, y: float) -> None:
    """Draw three strips at each of four temperatures, and the three results of peeling, 170 by 48 mm with its lower left corner at x, y."""
    s = PageSketch(page, x, y)
    s.text(36, 44, "four settings, three strips each", ha="center", weight="bold")
    for row, name in enumerate(("upper end", "", "", "below the range")):
        top = 40 - 9.5 * row
        s.text(0, top - 4.5, name, 7.0, ha="left")
        for column in range(3):
            left = 22 + 18 * column
            s.box(left, top - 7, left + 15, top, FILM)
            s.seal(left + 7.5, top - 7, top, 2.5, HEATED[row])
    s.arrow((8, 13), (8, 33))
    s.text(6.2, 23, "hotter", 7.0, rotation=90, va="center", ha="right")
    s.text(128, 44, "peeled by hand", weight="bold")
    for k, (title, note) in enumerate(
        (("too cold", "seal opens"), ("right", "film tears beside it"), ("too hot", "seal thin, with holes"))
    ):
        middle = 96 + 32 * k
        s.box(middle - 4, 8, middle + 4, 14, FILM)
        s.line((middle - 4, 14), (middle - 9, 30), linewidth=1.4)
        s.line((middle + 4, 14), (middle + 9, 30), linewidth=1.4)
        s.arrow((middle - 9, 31), (middle - 9.8, 36))
        s.arrow((middle + 9, 31), (middle + 9.8, 36))
        if k == 0:
            s.box(middle - 4, 8, middle + 4, 14, "#ffffff", linewidth=0)
            s.line((middle - 4, 14), (middle - 1.5, 8))
            s.line((middle + 4, 14), (middle + 1.5, 8))
            s.line((middle - 3.2, 12), (middle - 2.2, 9.5), color=SEAL, linewidth=1.6)
            s.line((middle + 3.2, 12), (middle + 2.2, 9.5), color=SEAL, linewidth=1.6)
        else:
            s.line((middle - 4, 14), (middle + 4, 14), color=SEAL, linewidth=1.8, dashes=(2, 1.2) if k == 2 else (1, 0))
        if k == 1:
            zigzag = [(-9.4, 23.5), (-7.2, 22.8), (-7.9, 21.6), (-5.6, 21)]
            s.box(middle - 8.2, 21.4, middle - 5.6, 23, "#ffffff", linewidth=0)
            s.line(*[(middle + dx, dy) for dx, dy in zigzag])
        s.text(middle, 3.5, title, 7.5, weight="bold")
        s.text(middle, 0, note, 7.0)

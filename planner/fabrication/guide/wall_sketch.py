"""Small line drawings of a base in a wall, for the guide."""

from __future__ import annotations

from planner.drawing.style import ACTUATOR, FAINT
from planner.fabrication.guide.sketch import PRINT, PageSketch, draw_cup

WOOD = "#e8dcc4"


def draw_clamp_at_root(s: PageSketch) -> None:
    """Draw the body pulled over the neck, with the clamp at the neck's root and the film folded back."""
    draw_cup(s, 6)
    for sign in (1, -1):
        y = 17 + sign * 6.4
        s.line((78, y), (34, y), (33, 17 + sign * 8.2), linewidth=1.3, color=ACTUATOR["left"])
        s.box(34, min(17 + sign * 6.9, 17 + sign * 10.5), 38, max(17 + sign * 6.9, 17 + sign * 10.5), PRINT)
    s.text(38, 29.3, "clamp at the root")
    s.text(64, 16, "body, outside out")
    s.text(14, 1, "vessel")


def draw_growth_from_wall(s: PageSketch) -> None:
    """Draw the vessel on its rods behind the wall, with the tube growing out of the hole."""
    draw_cup(s, 8)
    for low, high in ((1, 10.2), (23.8, 33)):
        s.box(44, low, 48.5, high, WOOD)
    for y in (28.6, 5.4):
        s.line((5, y), (44, y), linewidth=1.2, color=FAINT)
    s.shape([(48, 10.5), (70, 10.5), (74, 13), (75.5, 17), (74, 21), (70, 23.5), (48, 23.5)])
    s.arrow((60, 17), (72, 17))
    s.line((48.5, 1), (48.5, 33), color=FAINT, dashes=(3, 2))
    s.text(51, 29, "wall; start: its inner face", ha="left")
    s.text(24, 30, "rods")

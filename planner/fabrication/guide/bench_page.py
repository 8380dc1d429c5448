"""The pages of the guide about the bench: start, goal, passages and obstacles in numbers, and a drawing to scale."""

from __future__ import annotations

import math

from planner.drawing.style import DIMENSION, GOAL, INK
from planner.fabrication.assembly.tolerance import Placement
from planner.fabrication.guide.bench import Bench, BenchObstacle, signed_mm
from planner.fabrication.guide.bench_drawing import draw_bench, passage_letters
from planner.fabrication.guide.flow import SIZE, Column, Flow, line_height
from planner.fabrication.guide.tolerance_page import sides
from planner.output.text import plural
from planner.uncertainty.sensitivity import MOST, OBJECT, Margin

FAR = 0.5
"""Distance from the start of the second point of the tube's axis [m], to which a string or a rule is laid."""
WEAKEST = 3
"""Number of shifts that are named because success depends most on them."""


def write_bench(flow: Flow, bench: Bench, placement: Placement | None) -> None:
    """Write the pages.

    Args:
        placement: Tolerance of the start; None if the design misses its goal.
    """
    flow.title("Bench", f"Where everything stands, from the datum: environment {_name(bench)}.")
    width, height = (signed_mm(side) for side in bench.extent)
    flow.paragraph(
        f"Datum: the lower left corner of the bounds, marked in the drawing; x to the right, y up, in millimetres. The bounds are {width} "
        f"wide and {height} high, and {_EDGES[bench.environment.edge]}. Mark the datum and both axes on the floor first, "
        "then check the diagonal: "
        f"{signed_mm(math.hypot(*bench.extent))}."
    )
    _write_ends(flow, bench, placement)
    _write_passages(flow, bench)
    for note in bench.notes:
        flow.paragraph(f"{note[0].upper()}{note[1:]}.", mark="!")
    _write_obstacles(flow, bench, placement is not None)
    flow.pages.append(draw_bench(bench, flow.paper))


_EDGES = {
    "open": "nothing stands along them, but the tube's axis must stay inside",
    "table": "they are the edges of the table, over which no part of the tube may hang",
    "wall": "they are solid walls",
}
"""Words for the kinds of bounds."""


def _write_ends(flow: Flow, bench: Bench, placement: Placement | None) -> None:
    """Write the table of start and goal."""
    x, y, heading = bench.start
    ahead = x + FAR * math.cos(heading), y + FAR * math.sin(heading)
    aside, turn = ("-", "-"), ("-", "-")
    if placement:
        aside, turn = sides(placement.aside), sides(placement.heading)
    flow.heading("Start and goal", 4 * line_height(SIZE))
    rows = [
        ("start", "middle of the neck's mouth", signed_mm(x), signed_mm(y), f"right {aside[0]}, left {aside[1]}"),
        (
            "",
            f"axis, {signed_mm(FAR)} ahead of it",
            signed_mm(ahead[0]),
            signed_mm(ahead[1]),
            f"heading {_degrees(heading)} from x",
        ),
        ("", "", "", "", f"turned right {turn[0]}°, left {turn[1]}°"),
        ("goal", f"middle of a disc of diameter {signed_mm(2 * bench.goal[2])}", *map(signed_mm, bench.goal[:2]), ""),
    ]
    columns = (
        Column("", 1.2),
        Column("point", 5.0),
        Column("x", 1.5, "right"),
        Column("y", 1.5, "right"),
        Column("", 0.4),
        Column("exact to [mm]", 4.2),
    )
    flow.table(columns, [(*row[:4], "", row[4]) for row in rows], [INK, INK, INK, GOAL])
    flow.reserve(2)
    if not placement:
        flow.paragraph(
            "This design misses its goal in the model, so nothing says how exact the bench must be.", mark="!"
        )


def _write_passages(flow: Flow, bench: Bench) -> None:
    """Write the table of the narrowest passages: first those that the tube goes through."""
    if not bench.passages:
        return
    tube = 2 * bench.design.params.radius
    flow.heading("Narrowest passages", 3 * line_height(SIZE))
    rows = []
    for letter, passage in zip(passage_letters(), bench.passages, strict=False):
        one, other = bench.sides_of(passage)
        between = f"{one} and {other}" if one != other else f"two sides of {one}"
        if bench.goes_through(passage):
            between += "; the tube goes through"
        x, y = passage.middle - bench.datum
        rows.append(
            (
                letter,
                between,
                signed_mm(x),
                signed_mm(y),
                signed_mm(passage.width),
                f"{1e3 * (passage.width - tube):+.1f}".replace("-", "−"),
            )
        )
    heads = "x of the middle", "y", "width", f"less the tube, {signed_mm(tube)}"
    columns = Column("", 0.6), Column("between", 5.0), *(Column(head, 2.0, "right") for head in heads)
    flow.table(columns, rows, [DIMENSION] * len(rows))
    flow.reserve(2)


def _write_obstacles(flow: Flow, bench: Bench, simulated: bool) -> None:
    """Write the table of the obstacles with how exact each must be placed."""
    if not bench.obstacles:
        flow.heading("Obstacles", line_height(SIZE))
        flow.paragraph("None.")
        return
    flow.heading("Obstacles", 3 * line_height(SIZE))
    if bench.left_out:
        flow.paragraph(
            f"{plural(bench.left_out, 'obstacle')} farther from the tube are only in environment.toml.", mark="!"
        )
    if simulated:
        _write_meaning(flow, bench)
    columns = (
        Column("", 1.0),
        Column("obstacle", 2.1),
        Column("place and size [mm]", 6.6),
        *(Column(head, 1.1, "right") for head in ("left", "right", "down", "up")),
    )
    rows = [(one.mark, one.name, _place(one), *_exact(one.margins, simulated)) for one in bench.obstacles]
    flow.table(columns, rows, rules=True)
    flow.reserve(2)


def _write_meaning(flow: Flow, bench: Bench) -> None:
    """Write what the numbers mean, and which matter most."""
    flow.paragraph(
        "The last four columns say by how much an obstacle, and all that is moved together with it, may be off to each side of the "
        "drawing, in millimetres: the largest shift, with all smaller ones, at which the simulated tube still reaches the goal "
        "while all else is as planned. Errors add up: stay within a third of each (assumed). “any” is an obstacle that the tube "
        f"cannot touch even if it is {1e3 * MOST['mm']:g} mm off."
    )
    if weakest := bench.weakest(WEAKEST):
        words = "; ".join(margin.words for margin in weakest)
        flow.paragraph(f"Smallest shifts that miss the goal: {words}. Place these with most care.", mark="!")
    if bench.size:
        less, more = sides(bench.size)
        flow.paragraph(f"All obstacles together may be up to {less} % smaller and {more} % larger.")


def _place(obstacle: BenchObstacle) -> str:
    """Return place and size of an obstacle, and what is moved together with it."""
    return obstacle.place + (f"; part of {obstacle.piece_of}" if obstacle.piece_of else "")


def _exact(margins: tuple[Margin, Margin] | None, simulated: bool) -> tuple[str, str, str, str]:
    """Return how far an obstacle may be off: left, right, down and up [mm]."""
    if not simulated:
        return "-", "-", "-", "-"
    if margins is None:
        return "any", "any", "any", "any"
    (left, right), (down, up) = map(_shifts, margins)
    return left, right, down, up


def _shifts(margin: Margin) -> tuple[str, str]:
    """Return the largest shifts to both sides as text."""
    smallest = OBJECT[0] * margin.most

    def text(value: float) -> str:
        if value < smallest:
            return f"< {smallest:g}"
        return f"≥ {value:g}" if value >= margin.most else f"{value:g}"

    return text(margin.less), text(margin.more)


def _name(bench: Bench) -> str:
    name = " ".join(bench.environment.name.split())
    return name if len(name) <= 60 else f"{name[:59]}…"


def _degrees(angle: float) -> str:
    """Return an angle [rad] in degrees from -180 to 180, as text."""
    turned = (math.degrees(angle) + 180.0) % 360.0 - 180.0
    return f"{round(turned, 2) + 0.0:g}°".replace("-", "−")

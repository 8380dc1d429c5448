"""Start and goal by mouse, in the picture of an import."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import MouseButton

from planner.drawing.imported import draw_ends
from planner.drawing.style import INK
from surrogate.kernels.compiled import Floats

GOAL_RADIUS = 100
"""Radius of a goal that is clicked, not dragged [mm]: three radii of the default tube."""
DRAGGED = 5.0
"""Distance that the mouse moves between press and release from which on it is dragged [pixel]."""
_ASKED = {
    ("start", False): "click the start, or drag from it in the direction of growth",
    ("start", True): "click a point ahead of the start, towards which the tube grows",
    ("goal", False): f"click the goal ({GOAL_RADIUS} mm radius), or drag from its middle to its edge",
}
"""Titles of the picture, by what is picked and whether the position of the start is known."""


class Picker:
    """Start and goal, from clicks and drags with the left mouse button in axes in millimetres.

    Clicks while the toolbar zooms or moves the picture do not count.
    """

    def __init__(self, axes: Axes, names: Sequence[str], base_radius: float, done: Callable[[], None]) -> None:
        """Listen to the mouse.

        Args:
            axes: Axes of a figure that has a canvas.
            names: What is picked: "start", "goal", or both.
            base_radius: Radius of the tube at the drawn base [mm].
            done: Called when all are picked.
        """
        self.picked: dict[str, tuple[int, int, int]] = {}
        """The start, x, y [mm] and heading [deg], and the goal, x, y and radius [mm], as far as they are picked."""
        self.axes = axes
        self._left, self._base_radius, self._done = list(names), base_radius, done
        self._pressed: Any = None
        self._base: Floats | None = None
        canvas = axes.figure.canvas
        canvas.mpl_connect("button_press_event", self._press)
        canvas.mpl_connect("button_release_event", self._release)
        self._ask()

    def _press(self, event: Any) -> None:
        free = not event.canvas.widgetlock.locked()
        if free and self._left and event.button == MouseButton.LEFT and event.inaxes is self.axes:
            self._pressed = event

    def _release(self, event: Any) -> None:
        if self._pressed is None or event.button != MouseButton.LEFT:
            return
        pixels = np.array([[self._pressed.x, self._pressed.y], [event.x, event.y]], float)
        dragged = math.dist(*pixels) > DRAGGED
        ends = self.axes.transData.inverted().transform(pixels)
        self._pressed = None
        if self._left[0] == "goal":
            self._add(ends[0], max(round(math.dist(*ends)), 1) if dragged else GOAL_RADIUS)
        elif self._base is None and not dragged:
            self._base = ends[0]
        else:
            base = ends[0] if self._base is None else self._base
            ahead = pixels[1] - self.axes.transData.transform(base)
            if math.hypot(*ahead) > DRAGGED:  # so many pixels tell a direction
                self._add(base, round(math.degrees(math.atan2(ahead[1], ahead[0]))))
        self._ask()

    def _add(self, place: Floats, third: int) -> None:
        """Keep what is picked, rounded to millimetres and degrees, draw it, and go on."""
        name, (x, y) = self._left.pop(0), np.round(place).astype(int).tolist()
        self.picked[name] = x, y, third
        if name == "start":
            draw_ends(self.axes, (x / 1e3, y / 1e3, math.radians(third)), None, self._base_radius)
        else:
            draw_ends(self.axes, None, (x / 1e3, y / 1e3, third / 1e3), self._base_radius)

    def _ask(self) -> None:
        """Write what is to be done next, or end."""
        if self._left:
            asked = _ASKED[self._left[0], self._left[0] == "start" and self._base is not None]
            self.axes.set_title(asked, fontsize=10, color=INK)
            self.axes.figure.canvas.draw_idle()
        else:
            self._done()

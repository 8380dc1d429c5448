"""Start and goal by mouse, from events on a canvas without a window."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import shapely
from matplotlib.backend_bases import MouseButton, MouseEvent
from matplotlib.backends.backend_agg import FigureCanvasAgg

from environments.importing.build import build_obstacles
from environments.importing.traced import Tracing
from planner.drawing.imported import base_radius, imported_figure
from planner.drawing.picking import Picker

FOUND = build_obstacles("block.svg", Tracing((shapely.box(0.9, 0.0, 1.1, 0.5),), bounds=(0.0, 0.0, 2.0, 1.0)))

PIXEL = 3
"""More than the size of a pixel [mm], to which positions are told; and what that makes in angles of at least 60 mm [deg]."""


class Mouse:
    """A picture with a mouse in it; positions are in millimetres."""

    def __init__(self, names: Sequence[str] = ("start", "goal")) -> None:
        self.figure, self.ended = imported_figure(FOUND), 0
        self.canvas = FigureCanvasAgg(self.figure)
        self.canvas.draw()
        self.axes = self.figure.axes[0]
        self.picker = Picker(self.axes, names, base_radius(FOUND), self.end)

    def end(self) -> None:
        self.ended += 1

    def send(self, name: str, at: tuple[float, float], button: MouseButton = MouseButton.LEFT) -> None:
        x, y = self.axes.transData.transform(at)
        self.canvas.callbacks.process(name, MouseEvent(name, self.canvas, x, y, button))

    def drag(self, one: tuple[float, float], other: tuple[float, float], **more: MouseButton) -> None:
        self.send("button_press_event", one, **more)
        self.send("button_release_event", other, **more)

    def click(self, at: tuple[float, float], **more: MouseButton) -> None:
        self.drag(at, at, **more)


def click_all(mouse: Mouse) -> None:
    mouse.click((300, 200))
    mouse.click((300 - 200, 200 + 200 * np.sqrt(3)))
    mouse.click((1700, 500))


def drag_all(mouse: Mouse) -> None:
    mouse.drag((300, 200), (300 - 50, 200 + 50 * np.sqrt(3)))
    mouse.drag((1700, 500), (1700 + 60, 500 - 80))


@pytest.mark.parametrize(("pick", "radius"), [(click_all, 100), (drag_all, 100)])
def test_start_and_goal_are_where_the_mouse_is(pick: Callable[[Mouse], None], radius: int) -> None:
    """By clicks on base, heading and goal, or by drags: to a pixel; they are drawn, and the end is told once."""
    mouse = Mouse()
    assert mouse.axes.get_title().startswith("click the start")
    pick(mouse)
    (x, y, heading), goal = mouse.picker.picked["start"], mouse.picker.picked["goal"]
    assert (x, y, heading) == pytest.approx((300, 200, 120), abs=PIXEL)
    assert goal == pytest.approx((1700, 500, radius), abs=PIXEL)
    assert mouse.ended == 1
    drawn = [patch.get_gid() for patch in mouse.axes.patches]
    assert drawn.count("start") == 2
    assert drawn.count("goal") == 1
    mouse.click((1000, 800))
    assert len(mouse.picker.picked) == 2
    assert mouse.ended == 1


def test_a_dragged_goal_has_the_radius_of_the_drag() -> None:
    """From its middle to its edge, in any direction."""
    mouse = Mouse(["goal"])
    mouse.drag((1500, 500), (1500 - 90, 500 + 120))
    assert mouse.picker.picked["goal"] == pytest.approx((1500, 500, 150), abs=PIXEL)
    (disc,) = [patch for patch in mouse.axes.patches if patch.get_gid() == "goal"]
    assert disc.radius == pytest.approx(150, abs=PIXEL)


def test_the_title_says_what_is_next() -> None:
    """First the start, then what it heads for, then the goal."""
    mouse, titles = Mouse(), []
    for at in ((300, 200), (500, 200), (1700, 500)):
        titles.append(mouse.axes.get_title())
        mouse.click(at)
    assert [title.split(",")[0] for title in titles] == [
        "click the start",
        "click a point ahead of the start",
        "click the goal (100 mm radius)",
    ]


def test_other_clicks_do_not_count() -> None:
    """Other buttons, clicks beside the axes, while the toolbar zooms, and a heading without a direction."""
    mouse = Mouse(["start"])
    mouse.click((300, 200), button=MouseButton.RIGHT)
    mouse.click((-900, 200))
    mouse.canvas.widgetlock(mouse)
    mouse.click((400, 200))
    mouse.canvas.widgetlock.release(mouse)
    assert mouse.axes.get_title().startswith("click the start")
    mouse.click((500, 200))
    mouse.click((500, 200))
    assert not mouse.picker.picked
    mouse.click((500, 100))
    assert mouse.picker.picked == {"start": pytest.approx((500, 200, -90), abs=PIXEL)}

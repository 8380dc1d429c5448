"""A design that misses the goal is never drawn as if it arrived."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import vinewright as vw
from dynamics.tube import VineParams
from environments import Environment
from planner.design.design import Design
from planner.drawing.animation import _make_page, miss_entries
from planner.drawing.plan import plan_figure

MakeEnvironment = Callable[..., Environment]
Bent = Callable[..., Design]


@pytest.fixture
def missing(environment: MakeEnvironment, bent: Bent) -> tuple[Environment, Design]:
    """A straight tube of 0.9 m that ends 34 mm before a goal with a radius of 60 mm."""
    design = bent(VineParams(), [0.0] * 36, "n")
    room = environment()
    room.goal[:] = 0.9 + 0.06 + 0.034, 0.0, 0.06
    return room, design


def marks(figure: Figure) -> list[Line2D]:
    return [line for line in figure.axes[0].lines if line.get_gid() == "miss"]


def words(figure: Figure) -> list[str]:
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_the_tip_is_crossed_out_and_the_gap_drawn_and_named(missing: tuple[Environment, Design]) -> None:
    """A cross on the tip, a line of the length of the miss from there to the goal, and the distance in the legend."""
    figure = plan_figure(*missing)
    (mark,) = marks(figure)
    ends = np.array(mark.get_xydata())
    assert ends == pytest.approx(np.array([[900.0, 0.0], [934.0, 0.0]]))
    assert (mark.get_marker(), mark.get_markevery()) == ("X", [0])
    assert "ends 34 mm outside the goal" in words(figure)
    axes = vw.plot(*missing, ax=Figure().subplots())
    (mark,) = [line for line in axes.lines if line.get_gid() == "miss"]
    shown = axes.transData.inverted().transform(mark.get_transform().transform(ends))
    assert shown == pytest.approx(1e-3 * ends)  # `vw.plot` draws in metres


def test_a_tip_in_the_goal_has_neither(missing: tuple[Environment, Design]) -> None:
    """35 mm further, and without a design."""
    room, design = missing
    arrived = replace(design, tip=design.tip + np.array([0.035, 0.0, 0.0]))
    for figure in (plan_figure(room, arrived), plan_figure(room, None)):
        assert not marks(figure)
        assert not any("outside" in one for one in words(figure))


def test_an_animation_tells_of_the_growth_that_it_shows(missing: tuple[Environment, Design]) -> None:
    """A growth that ends elsewhere than predicted is named by its own end."""
    room, design = missing
    assert list(miss_entries(room, design, design.centerline - np.array([0.1, 0.0]))) == [
        "ends 134 mm outside the goal"
    ]
    assert miss_entries(room, design, design.centerline + np.array([0.05, 0.0])) == {}
    page = _make_page(room, design, design.centerline[None], table=False, more=miss_entries(room, design))
    assert "ends 34 mm outside the goal" in words(page.figure)

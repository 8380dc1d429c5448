"""Growths of one design: where the tips part, which obstacles are touched, and what is said of a miss."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment
from planner.design.comparison.growths import Comparison, RecordedGrowth
from planner.design.design import Design, Section
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]


def straight(length: float, goal: Floats) -> Design:
    """A tube without actuators."""
    section = Section(0.0, length, "none", 0.0, 0.0, 0.0)
    return Design("bare", "", VineParams(), (section,), np.append(goal[:2], 0.0), np.array([[0.0, 0.0], [length, 0.0]]))


def to_goal(environment: Environment, x: float, y: float, radius: float) -> Environment:
    """The environment with another goal [m]."""
    return replace(environment, goal=np.array([x, y, radius]))


def growth(tips: list[tuple[float, float]], touched: list[tuple[int, int]], reached: bool = True) -> RecordedGrowth:
    """A straight tube to each of these tips, one a record of 100 mm."""
    lines = [np.array([[0.0, 0.0], tip]) for tip in tips]
    status = Status.GROWN if reached else Status.STALLED
    return RecordedGrowth(0.1 * np.arange(1, len(tips) + 1), lines, touched, status, reached, reached)


def test_growths_are_compared_where_both_are(environment: MakeEnvironment) -> None:
    """Tips part where they are more than 10 mm apart; contacts count up to the last common record."""
    workspace = environment(boxes=[(0.1, 0.5, 0.2, 0.6), (0.3, 0.5, 0.4, 0.6)])
    design = straight(0.4, workspace.goal)
    default = growth([(0.1, 0), (0.2, 0), (0.3, 0), (0.4, 0)], [(0, 1), (1, 3)])
    other = growth([(0.1, 0.005), (0.2, 0.02), (0.3, 0.001)], [(0, 1)], reached=False)
    one = Comparison(workspace, design, "impulse", other, default)
    np.testing.assert_allclose(one.apart, [0.005, 0.02, 0.001])
    assert (one.common, one.parts, one.contacts) == (3, (1, 1), "same")
    assert one.causes()[1].startswith("the tips are apart at 200 mm only, ")
    assert one.causes()[1].endswith("having touched box 1 last, at 200 mm")
    longer = growth([(0.1, 0), (0.2, 0.02), (0.3, 0.02), (0.4, 0)], [(0, 1)], reached=False)
    causes = Comparison(workspace, design, "impulse", longer, default).causes()
    assert causes[1].startswith("the tips are apart from 200 to 300 mm, at first ")
    swapped = Comparison(workspace, design, "impulse", growth([(0.1, 0), (0.2, 0)], [(1, 0), (0, 1)]), default)
    assert swapped.contacts == "more"
    late = growth([(0.1, 0), (0.2, 0), (0.3, 0), (0.4, 0)], [(1, 0), (0, 1)])
    assert Comparison(workspace, design, "impulse", late, default).contacts == "other order"


def test_ends_outside_the_goal_are_measured(environment: MakeEnvironment) -> None:
    """A tube that grows to its length beside the goal: by how much, and whether it came through it."""
    workspace = to_goal(environment(), 0.3, 0.0, 0.05)
    past = RecordedGrowth(np.array([0.4]), [np.array([[0.0, 0], [0.4, 0]])], [], Status.GROWN, True, False)
    here = RecordedGrowth(np.array([0.4]), [np.array([[0.0, 0], [0.3, 0]])], [], Status.GROWN, True, True)
    one = Comparison(workspace, straight(0.4, workspace.goal), "impulse", past, here, ("with more",), ("with less",))
    first, *rest = one.causes()
    assert first == "it reaches the goal and ends 50.0 mm outside"
    assert rest[-2:] == ["with more it ends in the goal", "with less the default misses it"]

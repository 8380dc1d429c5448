"""The set of possible deployments."""

from collections.abc import Callable

import numpy as np
import pytest

from environments import Environment
from planner.mapping.actions import Actions, NoLaunch, launch_points

MakeEnvironment = Callable[..., Environment]
UP = {"bounds": (0, 0, 3, 1), "start": (1.0, 0.0, np.pi / 2)}


def actions_in(environment: Environment, kind: str = "straight", radius: float = 0.01) -> Actions:
    return Actions.of(environment, kind, radius, 2.0)


@pytest.mark.parametrize(("kind", "count", "angles"), [("straight", 100, 50), ("turning", 570, 15)])
def test_as_many_actions_as_in_the_paper(environment: MakeEnvironment, kind: str, count: int, angles: int) -> None:
    """100 straight tubes or 570 with turns, all different, from two launch points within 75 degrees of the heading."""
    launches = actions_in(environment(**UP), kind).launches
    assert len(launches) == count == len(np.unique(launches, axis=0))
    assert np.unique(launches[:, :2], axis=0) == pytest.approx(np.array([[1, 0], [2, 0]]))
    degrees = np.unique(np.degrees(launches[:, 2]).round(9))
    assert degrees == pytest.approx(np.linspace(15, 165, angles))
    assert (launches[:, 3] == 2).all()
    if kind == "turning":
        assert np.unique(launches[:, 4]) == pytest.approx([0, 0.4, 0.8, 1.2])
        assert np.unique(np.degrees(launches[:, 5])) == pytest.approx(range(-60, 61, 20))
        assert (launches[launches[:, 4] == 0, 5] == 0).all()


@pytest.mark.parametrize(
    ("degrees", "expected"), [(10, [[1, -1], [1, 1]]), (170, [[1, -1], [1, 1]]), (80, [[-1, 2], [1, 2]])]
)
def test_launch_points_lie_across_the_heading(
    environment: MakeEnvironment, degrees: float, expected: list[list[float]]
) -> None:
    """On the line through the start perpendicular to the nearest axis, at a third and two thirds of the bounds."""
    square = environment(bounds=(-3, -3, 3, 3), start=(1.0, 2.0, np.radians(degrees)))
    assert launch_points(square) == pytest.approx(np.array(expected))


def test_a_launch_point_in_an_obstacle_is_omitted(environment: MakeEnvironment) -> None:
    """Tubes are launched only at the other point; one radius away is free, slightly nearer is not."""
    for gap, blocked in ((0.0101, 0), (0.0099, 1)):
        made = actions_in(environment(boxes=[(1 + gap, 0, 1.2, 0.2)], **UP))
        assert (len(made.blocked), len(made.points), len(made.launches)) == (blocked, 2 - blocked, 100 - 50 * blocked)


def test_no_launch_point_free(environment: MakeEnvironment) -> None:
    """The message gives the positions and advice."""
    with pytest.raises(NoLaunch, match=r"\(1000, 0\) mm and \(2000, 0\) mm, .* 10 mm; move the start"):
        actions_in(environment(boxes=[(0.5, 0, 2.5, 0.3)], **UP))


def test_a_tube_that_leaves_at_once_is_refused(environment: MakeEnvironment) -> None:
    """The message gives position and angle; a start further inside is accepted."""
    with pytest.raises(NoLaunch, match=r"\(1000, 0\) mm at -165 deg leaves the bounds immediately"):
        actions_in(environment(bounds=(0, 0, 3, 1), start=(1.0, 0.0, -np.pi / 2)))
    inside = environment(bounds=(0, 0, 3, 1), start=(1.0, 0.5, -np.pi / 2))
    assert len(actions_in(inside).launches) == 100

"""Hints at a start so near the bounds that tubes begin outside, against trials of the model."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment, Obstacles, environment_hints
from environments.obstacles import box_corners
from environments.outside import shares_outside
from environments.uncertainty import PRESETS, WORKSHOP, Uncertainty
from planner.design.design import Design, Section
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.trials import Worlds, grow_trials

PARAMS = VineParams()
RADIUS = PARAMS.radius
TRIALS = 400
WALL = Obstacles([box_corners(0.9, 0, 1, 0.5)])
"""A wall from the lower bound, in which a base may be mounted."""


def straight(length: float) -> Design:
    """A tube without actuators."""
    return Design("room", "", PARAMS, (Section(0.0, length, "none", 0.0, 0.0, 0.0),), np.zeros(3), np.zeros((1, 2)))


def place(
    x: float, y: float, degrees: float = 0.0, edge: str = "open", mount: str = "free", **more: object
) -> Environment:
    """A room of 2 m x 3 m without obstacles, in which the tube starts."""
    start = (x, y, math.radians(degrees))
    return Environment("room", "", (0, 0, 2, 3), start, (1.5, 1.5, 0.1), edge=edge, mount=mount, **more)  # type: ignore[arg-type]


def only_base(position: float, heading: float = 0.0) -> Uncertainty:
    return Uncertainty(start_position=position, start_heading=math.radians(heading))


def hint(environment: Environment, uncertainty: Uncertainty = WORKSHOP, unit: str = "mm") -> str:
    return "".join(environment_hints(environment, 2 * RADIUS, uncertainty, unit))


def test_the_hint_names_the_side_its_distance_the_error_and_the_share() -> None:
    """A start 1.6 mm within open bounds, with an error of 4 mm, loses a third of the tubes."""
    told = (
        "from the left bound, and its error is 4 mm: about 34 % of the tubes begin outside; move the bound or the start"
    )
    assert hint(place(1.6e-3, 1.0)) == f"the start is 1.6 mm {told}"
    assert hint(place(1.6e-3, 1.0), unit="cm") == f"the start is 0.16 cm {told.replace('4 mm', '0.4 cm')}"
    for x, y, side in ((1, 0, "lower"), (2, 1, "right"), (1, 3, "upper")):
        assert f"the start is 0 mm from the {side} bound, and its error is 4 mm: about 50 % of" in hint(place(x, y))
    assert "is 4 mm from the left and 0 mm from the upper bound, and its error is 4 mm: about 58 %" in hint(
        place(4e-3, 3)
    )


def test_there_is_no_hint_where_nothing_is_lost() -> None:
    """Less than 1 % is not told, nor walls, nor a base without errors, nor where no errors are known."""
    assert hint(place(4e-3 * 2.32, 1)) != ""
    assert hint(place(4e-3 * 2.33, 1)) == ""
    assert hint(place(0, 1, edge="wall")) == ""
    assert hint(place(0, 1), Uncertainty()) == ""
    assert (
        hint(place(0, 1), replace(WORKSHOP, start_position=0.0)) == ""
    )  # its heading turns it about the base, which stays
    assert environment_hints(place(0, 1), 2 * RADIUS) == []


def test_the_share_follows_the_error() -> None:
    """A base that is set with brackets is safe where one that is set by hand is not."""
    near = place(5e-3, 1)
    assert "error is 4 mm: about 11 %" in hint(near)
    assert hint(near, PRESETS["lasercut"]) == ""
    assert "error is 10 mm: about 31 %" in hint(near, PRESETS["field"])


def test_hints_of_tables_and_of_bases_in_walls() -> None:
    """There the heading counts: the hint gives its error, too, and what is lost in the words of each."""
    table = hint(place(1, RADIUS + 1e-3, edge="table"))
    assert (
        "is 34.35 mm from the lower edge of the table, and its errors are 4 mm and 1.5 degrees: about 41 % of" in table
    )
    assert table.endswith(
        "(66.7 mm wide) hang over it within their first diameter; move the edge or the start, or turn it inwards"
    )
    mounted = hint(place(1, 1e-3, mount="wall", obstacles=WALL))
    assert mounted.startswith(
        "the start is 1 mm from the lower bound, and its errors are 4 mm and 1.5 degrees: about 4"
    )
    assert mounted.endswith("% of the tubes are outside where they leave the wall; move the bound or the start")
    only_turned = hint(place(1, RADIUS + 1e-4, -1e-3, "table"), only_base(0, 30))
    assert "and its error is 30 degrees: about" in only_turned


@settings(max_examples=40, deadline=None)
@given(
    x=st.floats(0, 0.08),
    y=st.floats(0, 0.08),
    degrees=st.floats(-180, 180),
    edge=st.sampled_from(["open", "table"]),
    mount=st.sampled_from(["free", "wall"]),
    position=st.floats(0, 0.03),
    turn=st.floats(0, 20),
)
def test_shares_are_those_of_drawn_bases(
    x: float, y: float, degrees: float, edge: str, mount: str, position: float, turn: float
) -> None:
    """They agree with counts of bases that are drawn as in trials, each judged by the corners of its own outline."""
    environment = place(x, y, degrees, edge, mount, obstacles=Obstacles([box_corners(0.5, 0.5, 0.6, 0.6)]))
    uncertainty = only_base(position, turn)
    drawn = environment.start + WorldErrors.draw(environment, PARAMS, uncertainty, range(2000), seed=3).start
    outside = np.array([begins_outside(environment, *map(float, start)) for start in drawn])
    share, by_side = shares_outside(environment, RADIUS, uncertainty)
    assert max(by_side) - 1e-12 <= share <= sum(by_side) + 1e-12
    assert share == pytest.approx(outside.mean(), abs=4 * math.sqrt(0.25 / len(outside)))


def begins_outside(environment: Environment, x: float, y: float, heading: float) -> bool:
    """Whether the base of a straight tube in the bounds of `place` is outside, or the first diameter hangs over or ends outside."""
    direction = np.array([math.cos(heading), math.sin(heading)])
    base, end = np.array([x, y]), np.array([x, y]) + 2 * RADIUS * direction
    on_table, free = environment.edge == "table", environment.mount == "free"
    across = RADIUS * np.array([-direction[1], direction[0]])
    for axis in range(2):
        for outward, bound in ((-1.0, 0.0), (1.0, 2.0 + axis)):
            reach = [outward * base[axis]] if free else []
            if on_table or not free:
                cap = RADIUS if outward * direction[axis] >= 0 else abs(across[axis])
                reach.append(outward * end[axis] + cap * on_table)
            if max(reach) > outward * bound:
                return True
    return False


@pytest.mark.parametrize(
    ("environment", "uncertainty", "diameters"),
    [
        (place(1.6e-3, 1), WORKSHOP, 1),
        (place(2e-3, 2.997, -45), WORKSHOP, 1),
        (place(1, RADIUS + 2e-3, edge="table"), only_base(4e-3, 1.5), 1.2),
        (place(1, 0.9 * RADIUS, 15, "table"), only_base(20e-3, 2), 2),
        (place(1e-3, 1, edge="table"), only_base(2e-3, 1.5), 2),
        (place(1, 2e-3, mount="wall", obstacles=WALL), only_base(4e-3, 1.5), 1.02),
    ],
    ids=[
        "open",
        "corner",
        "along a table",
        "away from the edge",
        "at the edge of a table",
        "along bounds, out of a wall",
    ],
)
def test_shares_are_those_of_trials(environment: Environment, uncertainty: Uncertainty, diameters: float) -> None:
    """As many trials of a straight tube leave the bounds as are told; in open bounds, those that are lost grow nothing."""
    alone = only_base(uncertainty.start_position, math.degrees(uncertainty.start_heading))
    worlds = Worlds.draw(environment, PARAMS, alone, range(TRIALS), seed=0)
    outcome = grow_trials(straight(2 * RADIUS * diameters), worlds)
    left = outcome.status == Status.OUT_OF_BOUNDS
    share, _ = shares_outside(environment, RADIUS, uncertainty)
    assert 0.05 < share < 0.95
    assert left.mean() == pytest.approx(share, abs=3 * math.sqrt(share * (1 - share) / TRIALS))
    if environment.edge == "open" and environment.mount == "free":
        assert np.isinf(outcome.nearest[left]).all()
        assert np.isfinite(outcome.nearest[~left]).all()

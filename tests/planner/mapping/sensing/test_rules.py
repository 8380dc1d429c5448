"""Rules for the hinge that gives way, against angles calculated by hand from paper 003, and readings that no rule contradicts."""

import numpy as np
import pytest

from planner.mapping.sensing import Readings, sense
from planner.mapping.sensing.rules import RULES, paper_rule
from planner.mapping.sensing.shape import TubeShape

FRICTION = 0.3
SLIP = np.degrees(np.arctan(FRICTION))  # 16.70 degrees


def bent(turn_deg: float, first: float = 0.5, last: float = 0.5) -> TubeShape:
    """A tube from the origin along x, with a turn."""
    return TubeShape.at_launch(np.zeros(3)).extend(first).with_turn_at_tip(np.radians(turn_deg)).extend(first + last)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("angle_deg", "hinge"),
    [
        # phi = 40, lambda = 1, so psi = 20: the limits are 90 - 16.7 - 40 = 33.3, 90 - 16.7 - 20 = 53.3, 90 + 16.7 - 20 = 86.7.
        (33.0, (0.0, False)),
        (33.6, (0.5, False)),
        (53.0, (0.5, False)),
        (53.6, (0.0, True)),
        (86.4, (0.0, True)),
        (87.0, (0.0, False)),
    ],
)
def test_limits_of_a_turn_are_those_of_the_paper(sign: int, angle_deg: float, hinge: tuple[float, bool]) -> None:
    """Positive Pivot, Pivot-at-Turn, Friction-Locked, Negative Pivot, in this order; mirrored for a turn to the right."""
    shape = bent(sign * 40)
    angle = angle_deg if sign > 0 else 180 - angle_deg
    found = paper_rule(shape, shape.heading + np.radians(angle), FRICTION)
    assert found is not None
    assert found == (pytest.approx(hinge[0]), hinge[1])


def test_straight_tube_turns_to_the_side_of_the_larger_angle() -> None:
    """About the last contact that holds it on that side, or about the base; in the middle, friction holds the tip."""
    shape = TubeShape.at_launch(np.zeros(3)).extend(1.0).hold(0.4, 1).hold(0.6, -1)
    wall = np.radians
    assert paper_rule(shape, wall(90 - SLIP - 0.5), FRICTION) == (pytest.approx(0.4), False)
    assert paper_rule(shape, wall(90 + SLIP + 0.5), FRICTION) == (pytest.approx(0.6), False)
    assert paper_rule(shape, wall(90 - SLIP + 0.5), FRICTION) is None
    assert paper_rule(shape, wall(90 + SLIP - 0.5), FRICTION) is None


def test_tube_with_a_turn_pivots_about_a_corner_that_holds_it() -> None:
    """A corner on the right stops a turn to the right only: with it, the pivot is there; in the other direction, the base."""
    shape = bent(40).hold(0.2, -1)
    # From the corner on: lambda = 0.6, so psi = atan2(0.6 sin 40, 1 + 0.6 cos 40) = 14.8 degrees.
    assert paper_rule(shape, shape.heading + np.radians(94), FRICTION) == (pytest.approx(0.2), False)
    assert paper_rule(shape, shape.heading + np.radians(90), FRICTION) == (pytest.approx(0.2), True)
    assert paper_rule(shape, shape.heading + np.radians(20), FRICTION) == (pytest.approx(0.0), False)


@pytest.mark.parametrize("angle_deg", [15, 45, 70, 110, 135, 165])
def test_rules_agree_on_straight_tubes(angle_deg: float) -> None:
    """Without a turn and away from the friction cone, both are Greer's rule."""
    shape = TubeShape.at_launch(np.array([0.1, 0.2, 0.3])).extend(0.9).hold(0.4, 1).hold(0.6, -1)
    hinges = {rule(shape, 0.3 + np.radians(angle_deg), FRICTION) for rule in RULES.values()}
    assert len(hinges) == 1


@pytest.mark.parametrize("rule", RULES)
def test_readings_decide_whatever_the_rule(rule: str) -> None:
    """A straight tube slides on a wall: its tips are recovered with either rule as the prior."""
    wall, met = 0.6, np.array([0.5, 0.0])
    tips = met + np.linspace(0, 0.3, 20)[:, None] * [np.cos(wall), np.sin(wall)]
    headings = np.arctan2(tips[:, 1], tips[:, 0])
    found = sense(Readings(np.hypot(*tips.T), wall - headings), np.zeros(3), rule=rule)
    np.testing.assert_allclose(found.tips, tips, atol=1e-9)


def test_unknown_rule_is_refused() -> None:
    """The message lists the rules."""
    with pytest.raises(ValueError, match="limit-analysis, published"):
        sense(Readings(np.array([0.1]), np.array([np.nan])), np.zeros(3), rule="guess")

"""Set points of adapted tubes: they have the head room that a pack needs."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment
from environments.uncertainty import Uncertainty
from planner.adapting.changes import other_pressures, scaled
from planner.adapting.set_points import FINEST, allowed_pressures, growth_range, nearest_pressure, with_free_bends
from planner.built.posterior import Posterior
from planner.built.predicting import BuiltTube
from planner.design.design import Design
from planner.design.head_room import body_limit, has_head_room, set_point_limit
from planner.design.schedule import Schedule
from planner.design.supply import with_supply
from surrogate.spam import Spam

FREE = Environment("free", "", [-3, -3, 3, 3], np.zeros(3), [2, 2, 0.1])


@pytest.mark.parametrize("l_0", [0.02, 0.04, 0.06])
def test_allowed_pressures_have_head_room(params: VineParams, l_0: float) -> None:
    """Each of them, by the check of a pack; the next higher one has none, or is above the regulators."""
    levels = allowed_pressures(params, l_0, 0)
    assert len(levels) > 50
    assert np.diff(levels) == pytest.approx(FINEST)
    for pressure in levels[[0, len(levels) // 2, -1]].tolist():
        assert has_head_room(pressure, set_point_limit(params, pressure, l_0, 0)[0])
    above = float(levels[-1]) + FINEST
    assert not has_head_room(above, set_point_limit(params, above, l_0, 0)[0])


def test_films_limit_pressures(params: VineParams) -> None:
    """Thin film of the strips allows less than the regulators."""
    assert isinstance(params.actuator, Spam)
    film = replace(params.actuator.film, thickness=10e-6)
    thin = replace(params, actuator=replace(params.actuator, film=film))
    assert allowed_pressures(thin, 0.04, 0).max(initial=0.0) < allowed_pressures(params, 0.04, 0).max() - 1e3


def test_pressures_stay_within_their_limits(planned: Design) -> None:
    """However far a search goes; a planned pressure may stay even where it has no head room."""
    for x in (-9.0, -1.0, 0.3, 9.0):
        made = scaled(planned, np.array([x, -x]))
        for section in made.actuated:
            assert has_head_room(section.pressure, set_point_limit(made.params, section.pressure, section.l_0, 0)[0])
    one = replace(planned.actuated[0], pressure=35e3)
    assert nearest_pressure(planned.params, one, 36e3) == 35e3
    assert nearest_pressure(planned.params, one, 20.04e3) == 20e3


def test_pressures_along_a_schedule(planned: Design) -> None:
    """Each actuator has its factor in all rows; what is vented stays so."""
    steered = planned.scheduled(Schedule([0.0, 0.7, 0.7], [[15e3, 14e3], [15e3, 14e3], [0.0, 10e3]]))
    made = scaled(steered, np.array([1.0, -1.0]))
    assert made.schedule is not None
    up, down = np.exp([0.3, -0.3])
    wanted = [[15e3 * up, 14e3 * down], [15e3 * up, 14e3 * down], [0.0, 10e3 * down]]
    assert made.schedule.pressures == pytest.approx(np.array(wanted), abs=51.0)
    assert [section.pressure for section in made.actuated] == made.schedule.highest.tolist()
    same = scaled(steered, np.zeros(2))
    assert same.schedule is not None
    assert steered.schedule is not None
    assert (same.schedule.pressures == steered.schedule.pressures).all()


def test_the_range_of_the_growth_pressure(planned: Design) -> None:
    """Head room in the film of the body, below the supply of the actuators, and above what a tail needs."""
    own = planned.params.growth_pressure
    low, high = growth_range(planned, FREE)
    assert (low, high) == pytest.approx((0.85 * own, 1.15 * own), abs=FINEST)
    thin = replace(planned, params=replace(planned.params, film_thickness=23e-6))
    assert own < body_limit(thin.params) < 1.15 * own
    assert has_head_room(growth_range(thin, FREE)[1], body_limit(thin.params))
    assert growth_range(thin, FREE)[1] > body_limit(thin.params) - 2 * FINEST
    supplied = replace(planned, params=with_supply(planned.params, "11kPa"))
    assert growth_range(supplied, FREE)[1] == pytest.approx(10.9e3)
    heavy = replace(planned, params=replace(planned.params, tail_tension=22.0))
    assert growth_range(heavy, FREE)[0] > 0.87 * own


def test_free_bends_follow_pressures(planned: Design) -> None:
    """Curvatures in the file are those of pressures and tube."""
    stronger = with_free_bends(scaled(planned, np.array([1.0, 1.0])), planned.params)
    assert all(one.curvature > other.curvature for one, other in zip(stronger.actuated, planned.actuated, strict=True))
    soft = with_free_bends(planned, replace(planned.params, growth_pressure=8e3))
    assert all(one.curvature > other.curvature for one, other in zip(soft.actuated, planned.actuated, strict=True))
    assert [one.curvature for one in soft.sections if one.side == "none"] == [0.0] * 3


def test_a_tube_without_actuators_has_no_pressures(planned: Design) -> None:
    """There is nothing to change."""
    bare = replace(planned, sections=(replace(planned.sections[0], end=1.0),))
    posterior = Posterior(BuiltTube(bare, FREE, Uncertainty()), np.zeros((4, 2)), 4, {}, 0)
    assert not other_pressures(bare, posterior).variants

"""Sensing by deformation, there and back: growths by the simulator, recovered from what a sensor reads of them."""

import numpy as np
import pytest
import shapely

from dynamics.geometric.deployment import Launch
from dynamics.geometric.hinges import HingeTube
from dynamics.geometric.walls import inflate_to_walls
from planner.mapping.sensing import Readings, sense
from studies.sensing.report import report
from studies.sensing.study import LENGTH, NOISES, SensingCase, run_case, take_readings

RADIUS = 0.02
BOUNDS = np.array([0.0, 0.0, 1.0, 1.0])
RAMP = shapely.Polygon([(0.55, 0.1), (0.9, 0.35), (0.9, 0.1)])
POST = shapely.Polygon([(0.4, 0.28), (0.46, 0.28), (0.46, 0.36), (0.4, 0.36)])
FAR = shapely.Polygon([(0.5, 0.8), (0.95, 0.6), (0.95, 0.9)])
FACING = shapely.box(0.6, 0.05, 0.9, 0.95)
ENVIRONMENTS = {
    "ramp": ([RAMP], (0.1, 0.2, 0.05, 0.0, 0.0)),
    "ramp and post": ([RAMP, POST], (0.1, 0.2, 0.05, 0.0, 0.0)),
    "ramp, post and a wall beyond": ([RAMP, POST, FAR], (0.1, 0.2, 0.05, 0.0, 0.0)),
    "a turn into a wall": ([FACING], (0.1, 0.2, 0.1, 0.25, 0.6)),
    "a turn into a wall, steep": ([FACING], (0.1, 0.6, 0.1, 0.25, -1.1)),
    "a turn that rests": ([FACING], (0.1, 0.2, -0.2, 0.25, 0.4)),
    "a turn, then the other way": ([FACING], (0.1, 0.7, -0.9, 0.3, 0.5)),
}
"""Obstacles; x, y, heading, length at which the turn is, and turn."""


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_growths_in_environments_made_by_hand_come_back(name: str) -> None:
    """All tips, which at contact are on the real walls' offset, and the final shape, within 1 mm."""
    solids, (x, y, heading, at, turn) = ENVIRONMENTS[name]
    launch = Launch(x, y, heading, 1.3, at, turn)
    readings = take_readings(inflate_to_walls(solids, BOUNDS, RADIUS), HingeTube(RADIUS, 0.3, RADIUS), launch)
    angles = np.array([one.angle for one in readings])
    assert (~np.isnan(angles)).sum() > 3
    result = sense(Readings(np.array([one.length for one in readings]), angles), np.array([x, y, heading]), at, turn)
    np.testing.assert_allclose(result.tips, [one.shape[-1] for one in readings], atol=1e-3)
    touching = shapely.points(result.tips[~np.isnan(angles)])
    outlines = shapely.union_all(shapely.buffer(solids, RADIUS, join_style="mitre", mitre_limit=2)).boundary
    assert shapely.distance(touching, outlines).max() < 1e-3
    lines = shapely.LineString(readings[-1].shape), shapely.LineString(result.shapes[-1])
    assert shapely.hausdorff_distance(*lines) < 1e-3


@pytest.mark.slow
def test_random_growths_come_back_or_are_said_not_to() -> None:
    """Most of the study's deployments come back within 1 mm; its report counts them, and the rest."""
    trials = [run_case(SensingCase(turning, number)) for turning in (False, True) for number in range(3)]
    assert sum(trial.recovered(0) for trial in trials) >= 5
    made = report(trials)
    table, content = made.text, made.content
    assert [one["number"] for one in content["exact"]] == [3, 3]
    assert {row["noise_deg"] for row in content["errors"]} == set(NOISES)
    assert "Friction" in table or "friction-locked" in table
    assert all(trial.readings[-1].length <= LENGTH for trial in trials)

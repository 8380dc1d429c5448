"""Policies that choose deployments."""

from collections.abc import Callable

import numpy as np
import pytest
import shapely

from dynamics.geometric.deployment import Launch, deploy
from dynamics.geometric.walls import inflate_to_walls, to_polygons
from environments import Environment
from planner.mapping.actions import Actions
from planner.mapping.belief import Belief
from planner.mapping.grid import CELLS, squares
from planner.mapping.plots import map_figure
from planner.mapping.policies import POLICIES, MappingTask, _compute_values, explore, random_scores

MakeEnvironment = Callable[..., Environment]
RADIUS, LENGTH = 0.01, 1.2


@pytest.fixture(scope="module")
def task(environment: MakeEnvironment) -> MappingTask:
    """Two boxes, a circle and a bare wall in one square metre, and straight tubes."""
    cluttered = environment(
        boxes=[(0.2, 0.3, 0.36, 0.46), (0.6, 0.6, 0.76, 0.76)],
        circles=[(0.2, 0.78, 0.09)],
        walls=[(0.55, 0.3, 0.7, 0.35, 0.0)],
        bounds=(0, 0, 1, 1),
        start=(0.5, 0.0, np.pi / 2),
    )
    return MappingTask.of(cluttered, Actions.of(cluttered, "straight", RADIUS, LENGTH), RADIUS)


def test_hits_are_true(task: MappingTask) -> None:
    """Every hit is a covered cell, and every contact of a deployment lies in a hit."""
    hits, rubric = task.found.hits, task.rubric
    assert hits.any()
    assert not (hits & ~rubric).any()
    environment = task.environment
    walls = inflate_to_walls(to_polygons(environment.obstacles), environment.bounds, RADIUS)
    for k, launch in enumerate(task.actions.launches):
        full = shapely.union_all(squares(task.grid, hits[k])).buffer(1e-6)
        for ends in deploy(walls, task.tube, Launch(*launch)).contacts.reshape(-1, 2, 2):
            assert full.contains(shapely.LineString(ends) if (ends[0] != ends[1]).any() else shapely.Point(ends[0]))


def test_free_cells_are_not_inside_obstacles(task: MappingTask) -> None:
    """A cell found free has room for the axis: it is never completely inside an obstacle."""
    solid = shapely.union_all(to_polygons(task.environment.obstacles))
    free = squares(task.grid, task.found.misses.any(axis=0))
    assert not shapely.contains_properly(solid, free).any()


def test_ideal_is_best_at_every_step(task: MappingTask) -> None:
    """At every step no other action would have a higher score, and no action is repeated."""
    steps = list(explore(task, "ideal", 6, np.random.default_rng(0)))
    every = range(len(task.actions.launches))
    before, taken = Belief.blank(), set[int]()
    for step in steps:
        others = [before.after(task.found, k).score(task.rubric) for k in every if k not in taken]
        assert step.score == pytest.approx(max(others))
        before = step.belief
        taken.add(step.action)
    assert len(taken) == len(steps)


@pytest.mark.parametrize("policy", POLICIES)
def test_same_seed_same_map(task: MappingTask, policy: str) -> None:
    """With one thread or two; no action is repeated."""
    one, other = (list(explore(task, policy, 5, np.random.default_rng(8), threads)) for threads in (1, 2))
    assert [step.action for step in one] == [step.action for step in other]
    assert len({step.action for step in one}) == 5
    assert np.array_equal(one[-1].belief.occupancy, other[-1].belief.occupancy)


def test_a_tube_that_ends_before_its_turn_implies_others(environment: MakeEnvironment) -> None:
    """Implied outcomes are the simulated ones: in a room too short for a turn, those of all actions with that heading."""
    walls = [(0.0, 0.3, 1.0, 0.3, 0.0), (0.2, 0.0, 0.2, 0.3, 0.0)]
    room = environment(walls=walls, bounds=(0, 0, 1, 1), start=(0.5, 0.0, np.pi / 2))
    task = MappingTask.of(room, Actions.of(room, "turning", RADIUS, LENGTH), RADIUS)
    implied = np.array([task.implied_by(action) for action in range(len(task.actions.launches))])
    assert implied.diagonal().all()
    assert set(implied.sum(axis=1)) == {
        1,
        7,
        13,
        19,
    }  # itself, or a straight tube and one to three positions of six turns
    for action, others in zip(*np.nonzero(implied), strict=True):
        assert np.array_equal(task.found.hits[action], task.found.hits[others])
        assert np.array_equal(task.found.misses[action], task.found.misses[others])
    steps = list(explore(task, "random", len(implied), np.random.default_rng(0)))
    assert len(steps) < len(implied)
    assert np.array_equal(steps[-1].belief.misses, task.found.misses.any(axis=0))


def test_all_actions_in_any_order_give_the_same_belief(task: MappingTask) -> None:
    """The belief after all deployments does not depend on their order."""
    count = len(task.actions.launches)
    steps = list(explore(task, "random", count, np.random.default_rng(9)))
    assert np.array_equal(steps[-1].belief.hits, task.found.hits.any(axis=0))
    scores = random_scores(task, count, 3, np.random.default_rng(10))
    assert scores.shape == (3, count)
    assert scores[:, -1] == pytest.approx(steps[-1].score)


def test_partial_information(task: MappingTask) -> None:
    """ "area only" has no hits, "wall only" no misses, and each has its part of the full score."""
    area, wall = (
        next(explore(task.restrict(part), "ideal", 1, np.random.default_rng(0))) for part in ("area only", "wall only")
    )
    assert not area.belief.hits.any()
    assert not wall.belief.misses.any()
    assert area.score > 0
    assert wall.score > 0


def test_monte_carlo_beats_chance(task: MappingTask) -> None:
    """After 15 deployments both informed policies exceed the random mean by more than one standard deviation."""
    scores = random_scores(task, 15, 100, np.random.default_rng(11))[:, -1]
    for policy in ("monte-carlo", "information-gain"):
        *_, last = explore(task, policy, 15, np.random.default_rng(12))
        assert last.score > scores.mean() + scores.std()


def test_known_cells_have_no_value(task: MappingTask) -> None:
    """Hulls of known cells may overlap free ones; a contact there has no value for any policy."""
    hits = np.zeros((CELLS, CELLS), bool)
    hits[15:21, 10] = hits[20, 10:16] = True
    known = Belief(hits, ~hits, 0.2)
    for policy in ("monte-carlo", "information-gain"):
        values = _compute_values(task, policy, known, np.random.default_rng(0), 1)
        np.testing.assert_allclose(values, values[0], atol=1e-9)


def test_picture_shows_each_belief_and_its_tube(task: MappingTask) -> None:
    """The panels show the belief after 1, 5 and 7 deployments and the tube deployed last."""
    steps = list(explore(task, "random", 7, np.random.default_rng(2)))
    figure = map_figure(task, "random", steps, np.arange(7.0), np.ones((3, 7)))
    environment = task.environment
    walls = inflate_to_walls(to_polygons(environment.obstacles), environment.bounds, RADIUS)
    for axes, moment in zip(figure.axes[1:4], (1, 5, 7), strict=True):
        shown = np.asarray(axes.images[0].get_array())
        belief = steps[moment - 1].belief
        assert np.array_equal(shown == 2, belief.hits)
        assert np.array_equal(shown == 0, belief.misses & ~belief.hits)
        launch = Launch(*task.actions.launches[steps[moment - 1].action])
        drawn = next(line for line in axes.lines if len(line.get_xdata()) > 1)
        np.testing.assert_allclose(drawn.get_xydata(), 1e3 * deploy(walls, task.tube, launch).shape)

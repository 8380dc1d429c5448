"""Mapping sessions of recorded deployments: cells, elements, the file, and the proposal of the next deployment."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from dynamics.geometric.deployment import Launch
from environments import Obstacles
from planner.mapping.belief import Belief, entropy
from planner.mapping.grid import CELLS, covered_cells
from planner.mapping.policies import SAMPLES
from planner.mapping.proposal import POLICIES, propose
from planner.mapping.recorded import Elements, cells_seen
from planner.mapping.sensing.found import SensedSurroundings
from planner.mapping.sensing.tracked import Track, sense_tracked
from planner.mapping.session import MappingSession, reach
from planner.mapping.session_file import SESSION, InvalidSession, read_session, write_session
from tests.dynamics.grown import grown

RADIUS = 0.03
WALL = shapely.Polygon([(0.4, -0.2), (0.9, 0.3), (1.2, 0.3), (1.2, -0.2)])
"""A wall at 45 degrees in front of the base."""
BOUNDS = np.array([-0.05, -0.5, 1.35, 0.9])
"""Cells of 4 cm."""


@pytest.fixture(scope="module")
def found() -> SensedSurroundings:
    """An exact recording of a tube that slides along the wall."""
    made = grown([WALL], Launch(0.0, 0.0, 0.0, 0.85), RADIUS, 150)
    return sense_tracked(Track.of(made.recording.centerlines, RADIUS, made.recording.base))


@pytest.fixture
def session(found: SensedSurroundings) -> MappingSession:
    begun = MappingSession.begin(RADIUS, 0.9, np.zeros((1, 3)), BOUNDS)
    return begun.with_deployment(found, "first", "0" * 64, "centerlines")


def test_touched_cells_are_covered_and_swept_ones_free(session: MappingSession) -> None:
    """The wall's cells along the slide are hits; the middle of no free cell is in the wall; the way of the tube is free."""
    belief, grid = session.belief, session.grid
    rubric = covered_cells(grid, [WALL])
    assert belief.hits.sum() >= 6
    assert (belief.hits & rubric).sum() == belief.hits.sum()
    assert not (belief.hits & belief.misses).any()
    rows, columns = np.nonzero(belief.misses)
    middles = shapely.points(grid.x + grid.width * (columns + 0.5), grid.y + grid.height * (rows + 0.5))
    assert shapely.distance(middles, WALL).min() > 0
    # Cells whose middle is within half a radius of the axis before it touches, from 5 cm on.
    ahead = (abs(np.array([one.y for one in middles])) < RADIUS / 2).sum()
    assert ahead >= 9
    assert session.belief.score(rubric) > 5


def test_numbers_of_a_deployment_are_those_of_its_cells(session: MappingSession, found: SensedSurroundings) -> None:
    """The session counts what is new in it; the same recording again brings nothing new."""
    hits, misses = cells_seen(session.grid, found)
    (one,) = session.added
    assert (one.hits, one.free, one.walls) == (hits.sum(), misses.sum(), len(found.walls))
    again = session.with_deployment(found, "again", "1" * 64, "centerlines")
    assert (again.added[1].hits, again.added[1].free) == (0, 0)
    np.testing.assert_array_equal(again.belief.hits, session.belief.hits)


def test_covered_cells_stay_so(session: MappingSession, found: SensedSurroundings) -> None:
    """A deployment that sweeps over a covered cell, or sees other cells, does not change it."""
    over = replace(found, walls=(), corners=(), free=shapely.box(*BOUNDS))
    after = session.with_deployment(over, "over", "2" * 64, "centerlines")
    np.testing.assert_array_equal(after.belief.hits, session.belief.hits)
    assert (after.belief.occupancy[session.belief.hits] == 1).all()
    assert after.added[1].free == (~session.belief.hits & ~session.belief.misses).sum()


def test_wide_intervals_mark_no_cell(found: SensedSurroundings) -> None:
    """A wall whose interval is wider than a cell, or that the readings do not determine, is no hit."""
    grid = MappingSession.begin(RADIUS, 0.9, np.zeros((1, 3)), BOUNDS).grid
    for changed in ({"within": np.full(2, 0.05)}, {"determined": False}):
        walls = tuple(replace(wall, **changed) for wall in found.walls)  # type: ignore[arg-type]
        hits, _ = cells_seen(grid, replace(found, walls=walls, corners=()))
        assert not hits.any()


def test_elements_are_named() -> None:
    """The nearest edge of the nearest obstacle, counted from 1; a circle has no edges; a wall of a recording counts from 0."""
    obstacles = Obstacles(
        [[[0, 0], [1, 0], [1, 1], [0, 1]]], circles=[[3, 0, 0.5]], walls=[[5, 0, 5, 2, 0.0]], ends="round"
    )
    elements = Elements.of_obstacles(obstacles)
    assert elements.nearest(np.array([[0.3, -0.1], [0.7, -0.1]])) == ("polygon 1, edge 1", pytest.approx(0.1))
    assert elements.nearest(np.array([[1.2, 0.5]])) == ("polygon 1, edge 2", pytest.approx(0.2))
    assert elements.nearest(np.array([[3.0, 0.6]])) == ("circle 1", pytest.approx(0.1, abs=1e-3))
    assert elements.nearest(np.array([[5.1, 1.0]])) == ("wall 1, edge 1", pytest.approx(0.1))
    walls = Elements.of_walls(np.array([[0.0, 0, 1, 0], [0.0, 1, 1, 1]]))
    assert walls.nearest(np.array([[0.5, 0.8]])) == ("walls_m[1]", pytest.approx(0.2))
    assert Elements.of_walls(np.empty((0, 4))).nearest(np.array([[0.5, 0.8]])) is None


def test_default_bounds_are_all_that_tubes_reach() -> None:
    """A tube of 1 m from the origin, 75 degrees to either side of the x axis, and two radii around it."""
    sine = np.sin(np.radians(75))
    found = reach(np.zeros((1, 3)), 1.0, 0.1)
    np.testing.assert_allclose(found, [-0.2, -sine - 0.2, 1.2, sine + 0.2], atol=1e-12)


def test_file_keeps_the_session(session: MappingSession, tmp_path: Path) -> None:
    """Written and read: the belief to the cell, all else to a micrometre and 1e-4 degrees."""
    write_session(tmp_path / "new", session)
    read = read_session(tmp_path / "new")
    np.testing.assert_array_equal(read.belief.hits, session.belief.hits)
    np.testing.assert_array_equal(read.belief.misses, session.belief.misses)
    np.testing.assert_allclose(read.bounds, session.bounds, atol=1e-6)
    np.testing.assert_allclose(read.bases, session.bases, atol=1e-6)
    assert (read.radius, read.length) == (pytest.approx(RADIUS), pytest.approx(0.9))
    assert [one.name for one in read.added] == ["first"]
    assert read.added[0].hits == session.added[0].hits
    assert read.belief.prior == session.belief.prior


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"map": ["?" * CELLS] * (CELLS - 1)}, "map"),
        ({"map": ["x" * CELLS] * CELLS}, "map[0]"),
        ({"bounds_mm": [0, 0, 0, 1]}, "bounds_mm"),
        ({"prior": 1.5}, "prior = 1.5"),
        ({"bases": []}, "bases"),
        ({"schema": 2}, "schema = 2"),
        ({"extra": 1}, "unknown key extra"),
        ({"tube_radius_mm": -1}, "tube_radius_mm = -1"),
    ],
)
def test_damaged_file_is_one_line(session: MappingSession, tmp_path: Path, change: dict[str, Any], said: str) -> None:
    """The message has the file, the key and the value."""
    write_session(tmp_path, session)
    path = tmp_path / SESSION
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InvalidSession) as error:
        read_session(tmp_path)
    assert str(error.value).startswith(f"{path}: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_and_cut_files_are_one_line(session: MappingSession, tmp_path: Path) -> None:
    """No session says how to begin one; half a file is not JSON."""
    with pytest.raises(InvalidSession, match="begin the session"):
        read_session(tmp_path / "none")
    write_session(tmp_path, session)
    text = (tmp_path / SESSION).read_text()
    (tmp_path / SESSION).write_text(text[: len(text) // 2])
    with pytest.raises(InvalidSession, match="is not JSON"):
        read_session(tmp_path)


@pytest.mark.parametrize("policy", POLICIES)
def test_proposal_is_one_of_the_actions(session: MappingSession, policy: str) -> None:
    """From the base, within the fan; its expectations are possible, and the same again with the same seed."""
    known = session.known("turning")
    first, again = (propose(known, session.belief, policy, np.random.default_rng(2)) for _ in range(2))
    assert (known.actions.launches == first.launch).all(axis=1).any()
    np.testing.assert_array_equal(first.launch, again.launch)
    assert 0 <= first.length <= session.length + 1e-9
    assert first.bits == pytest.approx(entropy(session.belief.prior) * (first.free + first.hits))
    assert SAMPLES * first.hits == pytest.approx(round(SAMPLES * first.hits))


def test_information_is_largest_for_its_policy(session: MappingSession) -> None:
    """The policy that maximises information expects no less of it than one at random, in the same sampled environments."""
    known = session.known("straight")
    best, drawn = (
        propose(known, session.belief, policy, np.random.default_rng(3)) for policy in ("information-gain", "random")
    )
    assert best.bits >= drawn.bits


def test_nothing_is_expected_where_all_is_known(session: MappingSession) -> None:
    """If every cell is known, no deployment brings information."""
    known = session.known("straight")
    every = Belief(session.belief.hits, ~session.belief.hits, session.belief.prior)
    expected = propose(known, every, "information-gain", np.random.default_rng(0))
    assert (expected.bits, expected.free, expected.hits) == (0, 0, 0)

"""A search that begins with a known design: its growth is in the tree, and it is a solution if it reaches the goal."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from shapely import LineString, Point, Polygon

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles, load_environment
from environments.obstacles import box_corners
from environments.uncertainty import Uncertainty
from planner.design.catalogue import LEAST_CELLS, Catalogue
from planner.design.design import Design, Section
from planner.design.known_design import KnownDesign
from planner.output.contents import CHECKPOINT
from planner.plan.inputs import Inputs
from planner.plan.run.checkpoint import read_checkpoint, write_checkpoint
from planner.search.begun import VARIANTS, BegunSearch, controls_of
from planner.search.controls import actuation, sections_of
from planner.search.run import Budget, Run
from planner.search.sst import Switches
from planner.search.tree import Tree
from planner.uncertainty.trials import SEARCHING, Worlds
from tests.planner.plan.known import known_design
from tests.run_state import state_of

PARAMS = VineParams()
BARE = Section(0.0, 0.1, "none", 0.0, 0.0, 0.0)


def prepared(room: Environment, design: Design | None, seed: int = 1, particles: int = 0) -> Run:
    known = None if design is None else KnownDesign(replace(design, params=PARAMS), "known.json", "0" * 64)
    errors = Uncertainty(start_heading=0.02)
    worlds = Worlds.draw(room, PARAMS, errors, range(SEARCHING, SEARCHING + particles), 1) if particles else None
    return Run.prepare(room, PARAMS, QuasiStatic, seed, 20, switches=Switches(known=known, worlds=worlds))


def searched(run: Run, iterations: int) -> Run:
    for _ in run.run(Budget(600.0, iterations)):
        pass
    return run


@pytest.fixture
def blocked(room: Environment) -> Environment:
    """The room with a box in the way of the design."""
    boxes = (*room.obstacles.polygons, box_corners(0.5, -0.3, 0.56, 0.4))
    return replace(room, obstacles=Obstacles(boxes, room.obstacles.circles, room.obstacles.walls, ends="round"))


def on_design(tree: Tree, controls: np.ndarray) -> np.ndarray:
    """Nodes whose vines are beginnings of one with these controls, which has an actuator, from the shortest on."""
    slots = np.flatnonzero(tree.used & (tree.segments > 0) & (tree.segments <= len(controls)))
    rows = tree.pages.controls(slots, len(controls))
    within = np.arange(len(controls)) < tree.segments[slots, None]
    alike = (np.where(within, rows == controls, True)).all(axis=1) & (rows != 0).any(axis=1)
    return slots[alike][np.argsort(tree.segments[slots[alike]])]


def test_controls_are_those_of_the_nearest_vine(room: Environment) -> None:
    """Boundaries within segments go to the nearest ends; the actuators are those of the design, or bend most nearly as they do."""
    catalogue, design = Catalogue.of(PARAMS), known_design(room)
    controls = controls_of(design, catalogue)
    assert len(controls) == design.segments == 35
    assert np.flatnonzero(controls).tolist() == [*range(4, 12)]
    made = sections_of(controls, PARAMS.segment_length, catalogue)
    assert [replace(one, start=0.0, end=0.0) for one in made] == [
        replace(one, start=0.0, end=0.0) for one in design.sections
    ]
    between = replace(design.sections[1], l_0=0.0333, pressure=31.1e3, side="right")
    other = controls_of(replace(design, sections=(replace(between, start=0.0),)), catalogue)
    assert (other < 0).all()
    assert set(other.tolist()) == {-int(catalogue.synthesise(between.curvature)[0]) - 1}
    bends = Catalogue.of(PARAMS, bends=8)
    folded = replace(BARE, side="left", curvature=bends.curvature[-3], preformed=True)
    assert controls_of(replace(design, sections=(folded,)), bends).tolist() == [len(bends.curvature) - 2] * 4


def test_the_first_iteration_grows_the_design_and_the_straight_vine(room: Environment) -> None:
    """States of the design are nodes, each a child of the one before."""
    run = searched(prepared(room, known_design(room)), 1)
    tree, search = run.search.tree, run.search
    assert isinstance(search, BegunSearch)
    nodes = on_design(tree, search.known_controls)
    assert len(nodes) > 5
    assert tree.parent[nodes[1:]].tolist() == nodes[:-1].tolist()
    assert tree.segments[tree.parent[nodes[0]]] <= 4
    assert np.diff(tree.segments[nodes]).max() <= 4, "no farther apart than witnesses"
    assert (tree.actuators[nodes] == 1).all()
    assert not tree.straight[nodes].any()
    carried = actuation(search.known_controls[None], search.catalogue)
    full = PARAMS.segment_length
    alone = search.propagator.grow(search.propagator.start(1, 35), carried, 35 * full, full)
    np.testing.assert_allclose(tree.tips[nodes], alone.tips[0, tree.segments[nodes] - 1], atol=1e-9)
    bent = tree.pages.controls(np.flatnonzero(tree.used), 40)
    longest = tree.segments[tree.used][(bent == 0).all(axis=1)].max()
    assert longest > 60, "the straight vine grows as far as it can"


def test_a_section_that_would_be_too_short_ends_no_node(room: Environment) -> None:
    """Cells of 72 mm need 150 mm of tube: nodes end before the actuator, at six segments of it, or behind it."""
    run = searched(prepared(room, known_design(room)), 1)
    search, tree = run.search, run.search.tree
    assert isinstance(search, BegunSearch)
    entry = abs(int(search.known_controls[5])) - 1
    least = int(np.ceil(LEAST_CELLS * search.catalogue.l_0[entry] / PARAMS.segment_length))
    assert least == 6
    assert tree.segments[on_design(tree, search.known_controls)].min() >= 4 + least
    short = replace(known_design(room), sections=short_sections(room))
    tree = searched(prepared(room, short), 1).search.tree
    assert (tree.actuators[tree.used] == 0).all(), "what lies beyond a section that is too short is no node"


def short_sections(room: Environment) -> tuple[Section, ...]:
    """Sections of which the actuator has room for one cell only."""
    first, second, third = known_design(room).sections
    return first, replace(second, end=0.2), replace(third, start=0.2)


def test_it_is_the_first_solution_as_it_is(room: Environment) -> None:
    """Sections of the design end within segments; it is replayed once, and without it the search takes longer."""
    design = known_design(room)
    run = prepared(room, design)
    for solutions in (1, 0):
        arrived, insert = run.search.grow()
        insert()
        found = [one.solution for one in run.solutions.examine(arrived[np.zeros(0, np.int64)]) if one.solution]
        assert len(found) == solutions
        for one in found:
            assert one.design.sections == design.sections
            assert np.hypot(*(one.design.tip[:2] - room.goal[:2])) < room.goal[2]
            assert len(one.design.centerline) == len(one.controls) + 1 == 36
            assert one.cost == pytest.approx(1.00875)
    assert len(searched(prepared(room, design), 1).history) == 1
    assert searched(prepared(room, None), 1).best is None


def test_where_a_box_stands_in_its_way_the_search_goes_on_from_before(blocked: Environment) -> None:
    """The design is no solution; vines go on from its beginning."""
    run = searched(prepared(blocked, known_design(blocked)), 1)
    assert run.best is None
    assert isinstance(run.search, BegunSearch)
    nodes = on_design(run.search.tree, run.search.known_controls)
    assert len(nodes) > 0
    tree = run.search.tree
    assert tree.tips[nodes, 0].max() < 0.5, "in this environment"
    searched(run, 6)
    assert (np.isin(tree.parent, nodes) & ~np.isin(np.arange(len(tree.used)), nodes)).any()


def test_variants_are_grown_until_there_is_a_solution(room: Environment, blocked: Environment) -> None:
    """They have its sides, and other ends and actuators; their states are in the tree, as children of one another."""
    run = searched(prepared(blocked, known_design(blocked)), 2)
    search, tree = run.search, run.search.tree
    assert isinstance(search, BegunSearch)
    whole = search.whole
    assert len(whole) == VARIANTS
    begins = [int(np.flatnonzero(one)[0]) for one in whole]
    assert len({*begins}) > 2
    assert max(begins) - min(begins) < 12
    assert len({int(one.max()) for one in whole}) > 2
    for controls in whole:
        assert (controls >= 0).all()
        assert len(np.unique(controls[controls > 0])) == 1
    vines = zip(tree.pages.controls(np.arange(len(tree.used)), 60), tree.segments, tree.used, strict=True)
    grown = {row[:segments].tobytes() for row, segments, used in vines if used}
    assert any(one[: n + 1].tobytes() in grown for one in whole for n in range(20, len(one)))
    children = np.flatnonzero(tree.used & (tree.parent >= 0))
    assert (tree.segments[tree.parent[children]] < tree.segments[children]).all()
    assert tree.children.tolist() == np.bincount(tree.parent[children], minlength=len(tree.used)).tolist()
    used = np.flatnonzero(tree.used)
    price = search.prices.of_vines(tree.pages.controls(used, 200), tree.segments[used])
    assert tree.actuators[used].tolist() == price.tolist()
    solved = searched(prepared(room, known_design(room)), 2)
    assert isinstance(solved.search, BegunSearch)
    assert solved.search.whole == []


def test_the_same_seed_makes_the_same_search(blocked: Environment) -> None:
    one, other = (searched(prepared(blocked, known_design(blocked)), 4) for _ in range(2))
    assert state_of(one) == state_of(other)


@pytest.mark.parametrize("iterations", [0, 1, 3])
def test_a_checkpoint_goes_on_to_the_last_bit(room: Environment, tmp_path: Path, iterations: int) -> None:
    """Also one from before the design was grown; a solution keeps sections that end within segments."""
    design = known_design(room)
    # No shorter vine of whole segments reaches the goal.
    design = replace(design, sections=(*design.sections[:2], replace(design.sections[2], end=0.793)))
    run = searched(prepared(room, design), iterations)
    if iterations == 1:
        assert [one.design.sections for one in run.solutions.best] == [design.sections]
    write_checkpoint(tmp_path / CHECKPOINT, run, Inputs(start_from="gone.json", seed=1, batch=20))
    checkpoint = read_checkpoint(tmp_path)
    assert checkpoint.known
    assert (checkpoint.known.file, checkpoint.known.changes) == ("known.json", ())
    assert checkpoint.known.design.sections == design.sections
    again = prepared(room, checkpoint.known.design)
    checkpoint.restore(again)
    assert [one.design.sections for one in again.solutions.best] == [one.design.sections for one in run.solutions.best]
    assert state_of(searched(again, 5)) == state_of(searched(run, 5))


def test_a_checkpoint_without_a_solution_goes_on_too(blocked: Environment, tmp_path: Path) -> None:
    """The next iteration draws the same variants."""
    run = searched(prepared(blocked, known_design(blocked)), 2)
    write_checkpoint(tmp_path / CHECKPOINT, run, Inputs(start_from="gone.json", seed=1, batch=20))
    checkpoint = read_checkpoint(tmp_path)
    assert checkpoint.known
    again = prepared(blocked, checkpoint.known.design)
    checkpoint.restore(again)
    assert state_of(searched(again, 4)) == state_of(searched(run, 4))


def test_particles_grow_with_it(room: Environment) -> None:
    run = searched(prepared(room, known_design(room), particles=2), 1)
    assert isinstance(run.search, BegunSearch)
    assert run.search.particles
    nodes = on_design(run.search.tree, run.search.known_controls)
    assert run.search.particles.alive[nodes].any(axis=1).any()


@pytest.mark.slow
def test_a_first_solution_comes_sooner_where_an_obstacle_has_moved() -> None:
    """In `needle`, with an obstacle beside the tube moved by 20 mm in two directions: in less than half of the iterations.

    Medians over five seeds each, with the design of a short search before the move; four directions took 2 instead of 22.
    """
    room = load_environment("needle", PARAMS.radius)
    design = next(one.design for one in searched(prepared(room, None, 0), 60).solutions.best)
    line = LineString(design.centerline)
    ends = [Point(place[:2]).buffer(2 * PARAMS.radius) for place in (room.start, room.goal)]
    beside = [
        Polygon(one).distance(line) + sum(Polygon(one).intersects(end) for end in ends)
        for one in room.obstacles.polygons
    ]
    nearest = int(np.argmin(beside))
    iterations = []
    for move in (0.02 * np.array([[1, 0], [0, -1]])).tolist():
        polygons = [one + np.array(move) * (k == nearest) for k, one in enumerate(room.obstacles.polygons)]
        moved = replace(room, obstacles=room.obstacles.at(polygons, room.obstacles.circles, room.obstacles.walls))
        for seed in range(5):
            runs = [searched_first(prepared(moved, known, seed)) for known in (None, design)]
            iterations.append([one.search.iteration for one in runs])
    cold, warm = np.median(iterations, axis=0)
    assert warm < cold / 2


def searched_first(run: Run) -> Run:
    """A search up to its first solution."""
    for _ in run.run(Budget(600.0, 60, first=True)):
        pass
    return run

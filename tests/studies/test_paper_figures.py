"""The study of Figs. 2c, 4 and 8 of paper 002: bends, trees of a search, and shapes in free space."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.moment import JointMoments, centerline_curvature, free_curvature, joint_moments
from dynamics.preformed import turn_of_film
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment
from planner.design.design import Design, Section
from planner.design.replay import GrowthEnd
from planner.search.run import Budget, Run
from studies.paper_figures.bending import CELLS, Bending, bend_tube, with_constant_moment
from studies.paper_figures.free_shapes import Solved, choose_different, grow_freely
from studies.paper_figures.plots import save_bending, save_trees
from studies.paper_figures.progress import TreeSnapshot, keep_trees
from studies.paper_figures.report import report
from studies.paper_figures.solved_plot import STEP, Room, save_solutions
from studies.paper_figures.study import BENDING, CASES, run_cases
from tests.conftest import SECTIONS, MakeEnvironment, Table, Vinewright
from tests.run_state import state_of

PNG = b"\x89PNG"


def design_of(sections: tuple[Section, ...] = SECTIONS, line: object = ((0, 0), (1, 0))) -> Design:
    return Design("bare", "", VineParams(), sections, np.zeros(3), np.array(line, float))


@pytest.fixture(scope="module")
def bending(params: VineParams) -> Bending:
    """Bends by both models."""
    return bend_tube(params)


def test_the_wrinkling_based_bends_are_those_of_the_reference(
    bending: Bending, reference: Callable[[str], Table]
) -> None:
    """All cells and pressures of the table are in the figure, within 1e-3."""
    table = reference("free_space_curvature_reference")
    cells = [int(np.argmin(np.abs(np.array(CELLS) - 1e-3 * l_0))) for l_0 in table["l0_mm"]]
    at = [int(np.argmin(np.abs(bending.pressure - 1e3 * pressure))) for pressure in table["pressure_kpa"]]
    assert set(cells) == set(range(len(CELLS)))
    np.testing.assert_allclose(bending.wrinkling[cells, at], 25e-3 * table["curvature_per_m"], rtol=1e-3)


def test_the_constant_moment_balances_the_pull(bending: Bending, params: VineParams) -> None:
    """Where the tube bends, force times arm is pi P R^3 by the analytic sPAM model; it is straight up to the onset only."""
    moment, arm = math.pi * params.growth_pressure * params.radius**3, 2 * params.radius + 17.18e-3
    for k, l_0 in enumerate(CELLS):
        bent = bending.constant[k] > 1e-9
        np.testing.assert_array_equal(bent, bending.pressure > bending.onset[k])
        strain = bending.constant[k][bent] * arm / 25e-3
        force = bending.pressure[bent] * params.actuator.force_per_pressure(strain, l_0)
        np.testing.assert_allclose(force * arm, moment, rtol=2e-3)
        assert bent.sum() > 100


def test_both_models_agree_in_saturation_and_part_below(
    bending: Bending, joint: JointMoments, params: VineParams
) -> None:
    """At 100 MPa both reach the full contraction of the cells; at the regulators' pressures the constant moment bends less."""
    constant, cells = with_constant_moment(joint, params), np.array(CELLS)
    full = np.array([float(params.actuator.full_contraction(l_0)) for l_0 in CELLS]) / params.arm()
    for one in (joint, constant):
        np.testing.assert_allclose(free_curvature(one, 1e8, cells), full, rtol=2e-3)
    assert np.all(bending.constant < bending.wrinkling)
    gap = 1 - bending.constant / bending.wrinkling
    np.testing.assert_allclose(gap[:, 0], 1)
    assert np.all(gap[:, -1] < gap[:, np.argmin(np.abs(bending.pressure - 5e3))])


def test_trees_are_kept_without_changing_the_search(shipped: dict[str, Environment], params: VineParams) -> None:
    """At the marks, the first solution and the end; the state of the search is bit by bit that of one that was not looked at."""
    run, other = (Run.prepare(shipped["divider"], params, seed=1, batch=60) for _ in range(2))
    first, nodes = None, dict[int, int]()
    for _ in other.run(Budget(math.inf, iterations=12)):
        nodes[other.search.iteration] = len(other.search.tree) - 1
        if first is None and other.best:
            first = other.search.iteration
    trees = [*keep_trees(run, 12)]
    assert first is not None
    assert [one.iteration for one in trees] == sorted({1, 5, first, 12})
    assert [one.iteration for one in trees if one.first] == [first]
    assert [len(one.branches) for one in trees] == [nodes[one.iteration] for one in trees]
    assert [one.best is not None for one in trees] == [one.iteration >= first for one in trees]
    assert state_of(run) == state_of(other)


def test_branches_have_the_actuators_of_their_vines(shipped: dict[str, Environment], params: VineParams) -> None:
    """Each ends at the tip of one node, and has its number; a tree that was kept does not change when the search goes on."""
    run = Run.prepare(shipped["divider"], params, seed=1, batch=60)
    trees = keep_trees(run, 5)
    early = next(trees)
    ends = [line[-1].copy() for line in early.branches]
    late = next(trees)
    assert early.iteration < late.iteration == run.search.iteration
    np.testing.assert_array_equal([line[-1] for line in early.branches], ends)
    tree = run.search.tree
    for line, count in zip(late.branches, late.actuators.tolist(), strict=True):
        near = np.flatnonzero(tree.used & (np.hypot(*(tree.tips[:, :2] - line[-1]).T) < 1e-9))
        assert count in tree.actuators[near].tolist()
    assert late.actuators.max() > 0
    assert late.content()["branches_by_actuators"] == np.bincount(late.actuators).tolist()


def test_shapes_in_free_space_are_arcs(environment: MakeEnvironment, params: VineParams) -> None:
    """A wall and bounds in the way do not count: the turn is the sum of those of the sections, a tube without actuators is straight."""
    start = 0.2, -0.1, 0.4
    room = environment(boxes=[(0.3, -0.5, 0.4, 0.5)], start=start, bounds=(0.0, -0.5, 1.0, 0.5))
    curvature = {section: float(free_curvature_of(section, params)) for section in SECTIONS if section.side != "none"}
    sections = tuple(replace(one, curvature=curvature.get(one, 0.0)) for one in SECTIONS)
    straight = Section(0.0, 3.0, "none", 0.0, 0.0, 0.0)
    bent, long = grow_freely([design_of(sections), design_of((straight,))], room)
    assert [bent.status, long.status] == [Status.GROWN, Status.GROWN]
    turn = sum(one.sense * (one.end - one.start) * float(turn_of_film(one.curvature, params)) for one in sections)
    assert abs(turn) > 0.1
    assert bent.tip[2] - start[2] == pytest.approx(turn, abs=2e-3)
    np.testing.assert_allclose(long.tip, [0.2 + 3 * math.cos(0.4), -0.1 + 3 * math.sin(0.4), 0.4], atol=1e-6)


def free_curvature_of(section: Section, params: VineParams) -> float:
    """Curvature of the centreline by the actuator of a section, as a design states it."""
    film = free_curvature(joint_moments(params), section.pressure, section.l_0)
    return float(centerline_curvature(film, params))


def test_the_shapes_that_differ_most_are_shown() -> None:
    """The first one, then the farthest, then that between them; in the order of their cost, never more than there are."""
    lines = [design_of(line=((0, y), (1, y))) for y in (0.0, 0.1, 0.3, 0.9)]
    assert choose_different(lines, 2) == [lines[0], lines[3]]
    assert choose_different(lines, 3) == [lines[0], lines[2], lines[3]]
    assert choose_different(lines[:2], 3) == lines[:2]
    assert choose_different([], 3) == []


@pytest.mark.parametrize(
    ("sizes", "scale", "corners"),
    [
        # Two that are high stand side by side in 1 m: 0.1 m between, left of and below them.
        ([(0.5, 1.8), (0.5, 0.9)], 0.5, [(0.1, 0.1), (0.45, 0.1)]),
        # Two that are wide lie above one another, the first on top.
        ([(1.8, 0.5), (0.9, 0.5)], 0.5, [(0.1, 0.75), (0.1, 0.4)]),
    ],
)
def test_shapes_are_arranged_as_large_as_they_fit(
    sizes: list[tuple[float, float]], scale: float, corners: list[tuple[float, float]]
) -> None:
    """Closed form: 0.9 m is left for 1.8 m."""
    found, places = Room(1.0, 1.0, 0.1).arrange([np.array(size) for size in sizes])
    assert found == pytest.approx(scale)
    np.testing.assert_allclose(places, corners)


def test_arranged_shapes_stay_apart_and_inside() -> None:
    """Random sizes: no larger multiple of the step would fit either way."""
    rng, room = np.random.default_rng(2), Room(1.2, 0.9, 0.05)
    for _ in range(50):
        sizes = [*rng.uniform(0.3, 1.5, (3, 2))]
        scale, places = room.arrange(sizes)
        low, high = np.array(places), np.array(places) + scale * np.array(sizes)
        assert np.all(low >= room.apart - 1e-9)
        assert np.all(high <= [room.width + 1e-9, room.height + 1e-9])
        for k in range(3):
            for other in range(k):
                gap = np.maximum(low[k] - high[other], low[other] - high[k]).max()
                assert gap >= room.apart - 1e-9
        assert scale / STEP == pytest.approx(round(scale / STEP))
        across, up = np.array(sizes).T * (scale + STEP)
        assert max(across.sum() + 3 * room.apart - room.width, up.max() + room.apart - room.height) > 0
        assert max(up.sum() + 3 * room.apart - room.height, across.max() + room.apart - room.width) > 0


def solved(environment: Environment, tips: tuple[tuple[float, float], ...]) -> Solved:
    """Solutions that end in free space at some points, straight from the base."""
    designs = [design_of(line=((0, 0), tip)) for tip in tips]
    free = [
        GrowthEnd(replace(one, tip=np.array([*tip, 0.0])), Status.GROWN, "", False, False)
        for one, tip in zip(designs, tips, strict=True)
    ]
    return Solved(replace(environment, name="plus"), 7, len(tips), designs, free)


def test_the_gap_is_measured_from_the_goal_disc(environment: MakeEnvironment) -> None:
    """A disc of 0.1 m about the origin: 0.5 m away it is 0.4 m, inside it is none."""
    found = solved(environment(), ((0.3, 0.4), (0.05, 0.0)))
    assert [found.free_gap(0), found.free_gap(1)] == [pytest.approx(0.4), 0.0]


def test_an_interrupted_study_reports_and_draws_the_figures_that_it_has(
    environment: MakeEnvironment, bending: Bending, tmp_path: Path
) -> None:
    """Each alone, with its numbers; the others are neither linked nor drawn."""
    tree = TreeSnapshot(15, [np.zeros((2, 2)), np.ones((2, 2))], np.array([0, 3]), design_of(), True)
    save = {"bending.png": save_bending, "search-tree.png": save_trees, "solutions.png": save_solutions}
    cases = {
        "bending.png": (bending, "| 42 | 3.20 | 2.13 / 0.25 |"),
        "search-tree.png": ([tree], "| 15 (first solution) | 2 | 3 | 2 actuators | 1000 |"),
        "solutions.png": (solved(environment(), ((0.3, 0.4),)), "| `plus` | 7 | 1 | 1 | 2 | 1000 | 400 |"),
    }
    for name, (part, row) in cases.items():
        made = report([part], 7, 0)
        assert row in made.text
        assert [other for other in cases if other in made.text] == [name]
        json.dumps(made.content, allow_nan=False)
        for file, draw in save.items():
            draw(tmp_path / file, [part])
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_bytes()[:4] == PNG
        (tmp_path / name).unlink()


def test_an_environment_without_a_solution_is_drawn_empty(environment: MakeEnvironment, tmp_path: Path) -> None:
    """After too few iterations."""
    save_solutions(tmp_path / "empty.png", [solved(environment(), ())])
    assert (tmp_path / "empty.png").read_bytes()[:4] == PNG


def test_cases_are_computed_by_their_names() -> None:
    """The six environments of the paper, and the two other figures; a case is computed when it is asked for."""
    assert CASES == ("bending", "tree", "plus", "maze", "pickone", "needle", "long", "tube")
    (part,) = run_cases([BENDING], 1, 0)
    assert isinstance(part, Bending)
    (found,) = run_cases(["tube"], 3, 0)
    assert isinstance(found, Solved)
    assert found.found >= len(found.shown) == len(found.free) > 0
    assert {one.status for one in found.free} == {Status.GROWN}


@pytest.mark.slow
def test_the_study_is_the_same_again(vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All figures, and the same numbers from the same seed."""
    monkeypatch.chdir(tmp_path)
    contents = []
    for out in ("one", "two"):
        code, _, errors = vinewright("reproduce", "paper-figures", "--iterations", 6, "--out", out)
        assert (code, errors) == (0, "")
        folder = tmp_path / out / "paper-figures"
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["README.md", "bending.png", "data.json", "search-tree.png", "solutions.png"]
        content = json.loads((folder / "data.json").read_text())
        contents.append([content[name] for name in ("bending", "search", "environments")])
    assert contents[0] == contents[1]

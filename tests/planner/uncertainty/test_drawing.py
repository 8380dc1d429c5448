"""Learnt errors, as files state them and trials draw them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from environments import Environment, Obstacles, load_environment
from environments.environment_file import write_environment
from environments.learnt_errors import LearntErrors
from environments.objects import obstacles_digest
from environments.uncertainty import WORKSHOP, Uncertainty
from environments.uncertainty_in_files import StatedUncertainty
from planner.design.design import Design
from planner.uncertainty.causes import COMMON, tube_digest
from planner.uncertainty.drawing import draw_sections, draw_world, unused_learnt
from planner.uncertainty.errors import InvalidErrors, errors_of, read_errors
from planner.uncertainty.trials import Worlds
from planner.uncertainty.weakest import estimate_success

MANY = range(3000)
NAMES = (
    "base: heading [deg]",
    "polygon 1: along x [mm]",
    "all spam actuators: bend [%]",
    "section 1: bend [%]",
    "section 2: bend [%]",
)


def learnt_of(tube: str = "") -> LearntErrors:
    """Errors of every kind, of which two are related."""
    correlation = np.eye(5)
    correlation[0, 1] = correlation[1, 0] = -0.8
    return LearntErrors(
        tube, NAMES, (2.0, 5.0, 8.0, 1.0, -1.0), (0.5, 1.0, 2.0, 0.5, 0.5), tuple(map(tuple, correlation.tolist()))
    )


def test_learnt_errors_have_their_means_deviations_and_correlations(design: Design, room: Environment) -> None:
    """Over 3000 worlds; what was not learnt is as stated."""
    uncertainty = replace(WORKSHOP, learnt=learnt_of())
    world = draw_world(room, design.params, uncertainty, MANY, 1)
    heading, shift = np.degrees(world.start[:, 2]), 1e3 * world.shift[:, 0, 0]
    assert (heading.mean(), heading.std()) == pytest.approx((2.0, 0.5), abs=0.05)
    assert (shift.mean(), shift.std()) == pytest.approx((5.0, 1.0), abs=0.08)
    assert np.corrcoef(heading, shift)[0, 1] == pytest.approx(-0.8, abs=0.03)
    stated = draw_world(room, design.params, WORKSHOP, MANY, 1)
    assert (world.start[:, :2] == stated.start[:, :2]).all()
    assert (world.shift[:, 1:] == stated.shift[:, 1:]).all()
    assert (world.shift[:, 0, 1] == stated.shift[:, 0, 1]).all()


def test_errors_of_sections_are_those_of_one_tube(design: Design) -> None:
    """In that tube the bend is the common part and the own part; of another the common part, and the own part as stated."""
    same = draw_sections(design, replace(WORKSHOP, learnt=learnt_of(tube_digest(design))), MANY, 1)
    assert 100 * same.curvature.mean(axis=0) == pytest.approx([9.0, 7.0], abs=0.2)
    assert 100 * same.curvature.std(axis=0) == pytest.approx(np.hypot(2.0, 0.5), rel=0.06)
    other = draw_sections(design, replace(WORKSHOP, learnt=learnt_of("another")), MANY, 1)
    assert 100 * other.curvature.mean(axis=0) == pytest.approx(8.0, abs=0.3)
    own = 100 * WORKSHOP.curvature_share * np.sqrt(1 - COMMON)
    assert 100 * other.curvature.std(axis=0) == pytest.approx(np.hypot(2.0, own), rel=0.06)
    stated = draw_sections(design, WORKSHOP, MANY, 1)
    for one in (same, other):
        assert one.place == pytest.approx(stated.place)
        assert (one.cell == stated.cell).all()


def test_a_tube_with_one_actuator_has_what_was_learnt_of_its_kind(design: Design) -> None:
    """Film that bends less does so in the next tube, too, however many actuators that has."""
    last = [k for k, one in enumerate(design.sections) if one.actuated][-1]
    single = replace(
        design, sections=tuple(replace(one, side="none") if k == last else one for k, one in enumerate(design.sections))
    )
    assert single.actuators == 1
    drawn = draw_sections(single, replace(WORKSHOP, learnt=learnt_of("another")), MANY, 1).curvature
    assert 100 * drawn.mean(axis=0) == pytest.approx([8.0], abs=0.3)
    own = 100 * WORKSHOP.curvature_share * np.sqrt(1 - COMMON)
    assert 100 * drawn.std(axis=0) == pytest.approx([np.hypot(2.0, own)], rel=0.06)


def test_what_does_not_count_is_said(design: Design, room: Environment) -> None:
    """Errors of an obstacle that was moved, removed or renamed, and those of sections of another tube."""
    own = tube_digest(design)
    learnt = replace(learnt_of(own), obstacles=obstacles_digest(room))

    def notes(there: Environment, tube: Design | None, known: LearntErrors = learnt) -> list[str]:
        return unused_learnt(there, design.params, replace(WORKSHOP, learnt=known), tube)

    assert notes(room, design) == []
    assert unused_learnt(room, design.params, WORKSHOP, design) == []
    of_sections = "learnt, but as stated here: section 1: bend and 1 more: of"
    assert notes(room, design, replace(learnt, tube="another")) == [f"{of_sections} another tube"]
    assert notes(room, None) == [f"{of_sections} sections, and holds for the tube of which it was learnt alone"]
    of_polygon = "learnt, but as stated here: polygon 1: along x: of"
    moved = replace(learnt, obstacles="0" * 16)
    assert notes(room, design, moved) == [f"{of_polygon} obstacles, and one was moved, added or removed since"]
    bare = replace(room, obstacles=Obstacles())
    assert notes(bare, design) == [f"{of_polygon} what is not here, or was renamed since"]
    other = replace(learnt, errors=("crate: along x [mm]", *learnt.errors[1:]))
    assert notes(room, design, other) == [
        "learnt, but as stated here: crate: along x: of what is not here, or was renamed since"
    ]


def test_the_world_as_planned_has_no_error(design: Design, room: Environment) -> None:
    """A trial without a number, of which a search makes its plan, is free of learnt errors, too."""
    worlds = Worlds.draw(room, design.params, Uncertainty(learnt=learnt_of(tube_digest(design))), [None, 3], 0)
    assert worlds.errors.start[0].tolist() == [0.0, 0.0, 0.0]
    assert worlds.errors.start[1, 2] != 0.0
    assert not worlds.sections(design).curvature[0].any()


def test_pressures_do_not_make_another_tube(design: Design) -> None:
    """A tube keeps its digest when its regulators are turned, and not when a section is moved."""
    turned = replace(design, sections=tuple(replace(one, pressure=1.1 * one.pressure) for one in design.sections))
    assert tube_digest(turned) == tube_digest(design)
    first, *others = design.sections
    moved = (replace(first, end=first.end + 0.01), replace(others[0], start=first.end + 0.01), *others[1:])
    assert tube_digest(replace(design, sections=moved)) != tube_digest(design)


def test_files_state_what_was_learnt(design: Design, room: Environment, tmp_path: Path) -> None:
    """A file of errors, and an environment with that table, are read as they were written; the errors are those that are drawn."""
    stated = StatedUncertainty("workshop", learnt=learnt_of("abc"))
    file = tmp_path / "uncertainty.toml"
    file.write_text("\n".join(stated.lines()))
    assert read_errors(str(file)) == stated
    assert errors_of(room, design.params, read_errors(str(file))) == replace(WORKSHOP, learnt=learnt_of("abc"))
    write_environment(replace(room, uncertainty=stated), tmp_path / "room.toml")
    assert load_environment(tmp_path / "room.toml").uncertainty == stated


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("-0.8", "-0.7", "symmetric"),
        ("deviation = [0.5", "deviation = [-0.5", "negative"),
        ("mean = [2.0, ", "mean = [", "4 entries, errors has 5"),
        ("section 2: bend", "section 1: bend", "twice"),
    ],
)
def test_tables_that_contradict_themselves(tmp_path: Path, old: str, new: str, words: str) -> None:
    """One line with the reason."""
    text = "\n".join(StatedUncertainty("workshop", learnt=learnt_of()).lines()).replace(old, new, 1)
    file = tmp_path / "uncertainty.toml"
    file.write_text(text)
    with pytest.raises(InvalidErrors, match=words):
        read_errors(str(file))


def test_learnt_errors_are_among_those_on_which_success_depends(design: Design, room: Environment) -> None:
    """An estimate of success names a learnt error that decides."""
    learnt = LearntErrors("", ("base: heading [deg]",), (0.0,), (5.0,), ((1.0,),))
    uncertainty = Uncertainty(start_position=1e-3, learnt=learnt)
    reached = draw_world(room, design.params, uncertainty, range(200), 0).start[:, 2] > 0
    found = estimate_success(design, room, uncertainty, range(200), 0, reached)
    assert "heading" in str(found.influences[0])


def test_errors_of_obstacles_are_those_of_their_environment(design: Design, room: Environment) -> None:
    """Where an obstacle is moved, obstacles have the stated errors, and the base what was learnt; a goal may move."""
    learnt = replace(learnt_of(), obstacles=obstacles_digest(room))
    uncertainty = replace(WORKSHOP, learnt=learnt)
    assert draw_world(room, design.params, uncertainty, MANY, 1).shift[:, 0, 0].mean() == pytest.approx(5e-3, abs=1e-4)
    farther = replace(room, goal=room.goal + 0.1)
    assert draw_world(farther, design.params, uncertainty, MANY, 1).shift[:, 0, 0].mean() == pytest.approx(
        5e-3, abs=1e-4
    )
    given = room.obstacles
    moved = Obstacles([one + 1e-3 for one in given.polygons], given.circles, given.walls, ends="round")
    found = draw_world(replace(room, obstacles=moved), design.params, uncertainty, MANY, 1)
    stated = draw_world(replace(room, obstacles=moved), design.params, WORKSHOP, MANY, 1)
    assert (found.shift == stated.shift).all()
    assert np.degrees(found.start[:, 2].mean()) == pytest.approx(2.0, abs=0.05)
    content = learnt.content()
    assert LearntErrors.of(content) == learnt
    assert "obstacles" not in learnt_of().content()

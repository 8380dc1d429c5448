"""Designs with preformed bends: sections, files, folds and how they grow and are drawn."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.moment import centerline_curvature
from dynamics.preformed import largest_turn
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, InvalidDesign, Section
from planner.design.design_file import design_content, parse_design
from planner.design.folds import FOLD_TURN, LEAST_DEPTH, Folds
from planner.design.replay import grow_designs
from planner.drawing.plan import side_entries
from planner.drawing.tube import tube_patches
from planner.uncertainty.memo import digest

ROOM = Environment(
    "room", "0" * 64, np.array([-2.0, -2, 2, 2]), np.array([0.1, 0.2, 0.7]), np.array([1.0, 1, 0.1]), Obstacles()
)
BARE, LEFT = Section(0.0, 0.2, "none", 0.0, 0.0, 0.0), Section(0.2, 0.53, "left", 3.0, 0.0, 0.0, preformed=True)
RIGHT = Section(0.53, 0.7, "right", 1.5, 0.0, 0.0, preformed=True)
PRESSED = Section(0.7, 0.98, "right", 1.9, 0.04, 20e3)


def design(*sections: Section) -> Design:
    return Design("room", "0" * 64, VineParams(), sections, ROOM.start, np.array([[0.1, 0.2], [0.3, 0.3]]))


def grown(one: Design) -> Design:
    return grow_designs([one], ROOM, QuasiStatic(ROOM, one.params))[0].design


def test_heading_is_the_integral_of_the_turns() -> None:
    """In free space the tip's heading is that of the base plus turn per length of film times length, signed by side."""
    made, radius = grown(design(BARE, LEFT, RIGHT)), VineParams().radius
    turn = 0.33 * 3.0 / (1 + 3 * radius) - 0.17 * 1.5 / (1 + 1.5 * radius)
    assert made.tip[2] == pytest.approx(0.7 + turn, abs=1e-4)
    mirrored = grown(design(BARE, replace(LEFT, side="right"), replace(RIGHT, side="left")))
    assert mirrored.tip[2] == pytest.approx(0.7 - turn, abs=1e-4)


def test_centreline_has_the_curvature_of_its_section() -> None:
    """A tube preformed all along lies on a circle whose radius is one over the curvature, as a polygon does."""
    made, h = grown(design(replace(LEFT, start=0.0, end=0.5))), VineParams().segment_length
    bend = h * 3.0 / (1 + 3.0 * VineParams().radius)
    corners = made.centerline[1:]
    first = corners[1] - corners[0]
    chord = float(np.hypot(*first))
    circumradius = chord / (2 * math.sin(bend / 2))
    assert circumradius == pytest.approx(1 / 3.0, rel=2e-3)
    normal = np.array([-first[1], first[0]]) / chord
    centre = corners[0] + first / 2 + normal * circumradius * math.cos(bend / 2)
    np.testing.assert_allclose(np.hypot(*(corners - centre).T), circumradius, rtol=1e-4)


def test_counts_bends_apart_from_actuators() -> None:
    """A preformed bend is no actuator; both have labels in their order along the tube."""
    both = design(BARE, LEFT, RIGHT, PRESSED)
    assert (both.actuators, both.actuated, both.preformed) == (1, [PRESSED], [LEFT, RIGHT])
    assert both.words == "1 actuator, 2 preformed bends"
    assert [label for label, _ in both.labelled] == ["F1", "F2", "1"]
    assert design(BARE).words == "no actuators"
    assert both.off == []
    assert not design(replace(LEFT, start=0.0), RIGHT).uniform
    assert design(replace(LEFT, start=0.0), replace(LEFT, start=0.53, end=0.7)).uniform
    assert "preformed left 200 to 530 mm" in repr(both)


def test_files_keep_bends_and_nothing_else_changes() -> None:
    """A bend survives the file; a design without one has no word of it."""
    both = grown(design(BARE, LEFT, RIGHT, PRESSED))
    content = json.loads(json.dumps(design_content(both)))
    assert [part.get("preformed") for part in content["sections"]] == [None, True, True, None]
    assert design_content(parse_design(content, "it")) == content
    assert content["cost"]["actuators"] == 1
    plain = json.dumps(design_content(grown(design(BARE, replace(PRESSED, start=0.2)))))
    assert "preformed" not in plain
    assert digest(both) != digest(design(BARE, replace(LEFT, side="right"), RIGHT, PRESSED))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"side": "none"}, 'side = "none" must be "left" or "right"'),
        ({"curvature_per_m": 0}, "curvature_per_m = 0 must be greater than 0 and at most 14.99"),
        ({"curvature_per_m": 15}, "curvature_per_m = 15 must be greater than 0 and at most 14.99"),
        ({"l0_mm": 40}, "l0_mm = 40 must be 0"),
        ({"pressure_kpa": 10}, "pressure_kpa = 10 must be 0"),
        ({"pressurised": False}, "pressurised = false is for a section with an actuator"),
    ],
)
def test_refuses_sections_that_cannot_be_folded(change: dict[str, Any], message: str) -> None:
    """One line names the section, the key, its value and what is allowed."""
    content = design_content(design(BARE, LEFT))
    content["sections"][1] |= change
    with pytest.raises(InvalidDesign) as caught:
        parse_design(content, "it.json")
    assert message in str(caught.value)
    assert str(caught.value).startswith("it.json: sections[1].")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("radius", [10e-3, 33.35e-3, 60e-3])
@pytest.mark.parametrize("curvature", [0.05, 0.6, 3.0, 7.0])
def test_folds_turn_the_tube_by_what_the_section_turns(radius: float, curvature: float) -> None:
    """All turns together are turn per length times length; a fold of that depth between two mitred tubes has that angle."""
    params = replace(VineParams(), radius=radius)
    section = Section(0.3, 0.9, "right", curvature, 0.0, 0.0, preformed=True)
    folds, total = Folds.of(section, params), 0.6 * curvature / (1 + radius * curvature)
    assert len(folds.at) * folds.turn == pytest.approx(total)
    assert folds.turn <= FOLD_TURN + 1e-12 or folds.depth >= LEAST_DEPTH - 1e-9
    assert folds.depth >= LEAST_DEPTH - 1e-9 or len(folds.at) == 1
    # The cut through a tube at an inclination of t / 2 to its cross-section reaches the width 2 R tan(t / 2) across.
    share = np.linspace(0, 1, 21)
    height = radius * (1 - np.cos(np.pi * share))
    np.testing.assert_allclose(folds.half_width(share), height * math.tan(folds.turn / 2), atol=1e-12)
    assert folds.half_width(np.ones(1))[0] == pytest.approx(folds.depth)
    pitch = 0.6 / len(folds.at)
    np.testing.assert_allclose(np.diff(folds.at), pitch)
    assert folds.at[0] - 0.3 == pytest.approx(pitch / 2) == pytest.approx(0.9 - folds.at[-1])
    assert folds.depth < pitch / 2


def test_tightest_bend_has_folds_that_just_fit() -> None:
    """At the largest turn, a fold laid flat ends where the next one begins, within a percent."""
    params = VineParams()
    most = float(centerline_curvature(largest_turn(params), params))
    folds = Folds.of(Section(0.0, 0.4, "left", most, 0.0, 0.0, preformed=True), params)
    pitch = 0.4 / len(folds.at)
    assert folds.depth == pytest.approx(pitch - 2 * folds.depth, rel=0.02)


def test_folds_are_drawn_on_the_inner_side() -> None:
    """One wedge for each fold lies between the axis and the edge on the side of the bend; the legend names it."""
    made = grown(design(BARE, LEFT))
    patches = tube_patches(made, made.centerline, 0.7)
    (wedges,) = [patch for patch in patches if patch.get_gid() == "folds 1"]
    assert len(wedges.get_path().to_polygons()) == len(Folds.of(LEFT, made.params).at)
    assert not [patch for patch in patches if str(patch.get_gid()).startswith("actuator")]
    corners = np.concatenate(wedges.get_path().to_polygons())
    centre = 1e3 * made.centerline[-1]
    # A left bend has its centre on the left: seen from the chord's right, all wedges are nearer to it than the axis is.
    start, end = 1e3 * made.centerline[8], centre
    across = np.array([-(end - start)[1], (end - start)[0]]) / np.hypot(*(end - start))
    middle = 1e3 * made.centerline[(8 + len(made.centerline)) // 2]
    assert ((corners - middle) @ across).max() > 0.5e3 * made.params.radius
    assert list(side_entries(made.sections)) == ["preformed left", "no actuator"]

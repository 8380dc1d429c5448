"""Rounding to whole cells: the result can be fabricated, is close to the plan, and reaches the goal where possible."""

from dataclasses import replace
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, InvalidDesign, Section
from planner.design.replay import grow_designs
from planner.fabrication.assembly.cells import _roundings, round_to_cells

PARAMS = VineParams()
ROOM = Environment("room", "", np.array([-6.0, -6.0, 6.0, 6.0]), np.zeros(3), np.array([0.0, 0.0, 20.0]), Obstacles())
"""A room covered by the goal: the nearest rounding is taken."""


@pytest.fixture(scope="module")
def model() -> QuasiStatic:
    return QuasiStatic(ROOM, PARAMS)


def design_of(*sections: Section) -> Design:
    return Design("room", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))


def actuated(design: Design) -> list[Section]:
    return [section for section in design.sections if section.side != "none"]


Parts = list[tuple[str, int, int]]
parts = st.lists(
    st.tuples(st.sampled_from(["left", "right", "none"]), st.integers(4, 30), st.integers(20, 80)),
    min_size=1,
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(parts)
def test_rounded_designs_are_whole_and_near(model: QuasiStatic, parts: Parts) -> None:
    """Sections follow each other without gap or overlap. Actuated ones have whole cells, start at whole millimetres, and
    have within one cell of the planned number; the tube is never shorter, and nothing else of a section changes."""
    sections, end = [], 0.0
    for side, segments, cell in parts:
        length = 0.025 * segments
        numbers = (0.0, 0.0, 0.0) if side == "none" else (1.0, 1e-3 * cell, 5e3)
        sections.append(Section(end, end + length, side, *numbers))  # type: ignore[arg-type]
        end += length
    planned = design_of(*sections)
    made = round_to_cells(planned, ROOM, model)[0].design
    assert made.sections[0].start == 0.0
    for one, following in pairwise(made.sections):
        assert one.end == pytest.approx(following.start, abs=1e-12)
    assert made.length >= planned.length - 1e-9
    for one, other in zip(actuated(planned), actuated(made), strict=True):
        assert (one.side, one.l_0, one.pressure, one.curvature) == (
            other.side,
            other.l_0,
            other.pressure,
            other.curvature,
        )
        cells, before = (other.end - other.start) / other.l_0, (one.end - one.start) / one.l_0
        assert cells == pytest.approx(round(cells), abs=1e-6)
        assert abs(cells - before) < 1
        assert 1e3 * other.start == pytest.approx(round(1e3 * other.start), abs=1e-6)


def test_whole_cells_do_not_change(model: QuasiStatic) -> None:
    """A design of whole cells is not changed."""
    sections = (
        Section(0.0, 0.2, "none", 0, 0, 0),
        Section(0.2, 0.6, "left", 1.0, 0.04, 5e3),
        Section(0.6, 1.0, "none", 0, 0, 0),
    )
    made = round_to_cells(design_of(*sections), ROOM, model)[0].design.sections
    for one, other in zip(sections, made, strict=True):
        assert (other.start, other.end) == pytest.approx((one.start, one.end), abs=1e-12)


def test_a_section_keeps_its_middle(model: QuasiStatic) -> None:
    """A single section gets the nearest number of cells about its middle: 10 of 41 mm about 0.4 m."""
    bare = Section(0.0, 0.2, "none", 0, 0, 0), Section(0.6, 1.0, "none", 0, 0, 0)
    planned = design_of(bare[0], Section(0.2, 0.6, "left", 1, 0.041, 5e3), bare[1])
    section = actuated(round_to_cells(planned, ROOM, model)[0].design)[0]
    assert (section.start, section.end) == pytest.approx((0.195, 0.605))


def test_neighbours_that_grow_move_apart(model: QuasiStatic) -> None:
    """Two sections of 100 mm that become 118 mm each move apart symmetrically and do not overlap."""
    sections = [Section(0.0, 0.2, "none", 0, 0, 0)]
    sections += [Section(0.2 + 0.1 * k, 0.3 + 0.1 * k, side, 1, 0.059, 5e3) for k, side in enumerate(("left", "right"))]  # type: ignore[arg-type]
    sections.append(Section(0.4, 0.8, "none", 0, 0, 0))
    first, second = actuated(round_to_cells(design_of(*sections), ROOM, model)[0].design)
    assert (first.start, first.end) == pytest.approx((0.182, 0.3))
    assert (second.start, second.end) == pytest.approx((0.3, 0.418))


def test_a_section_shorter_than_a_cell_is_refused(model: QuasiStatic) -> None:
    """The message gives its ends and cell length in millimetres; a section of exactly one cell is valid."""
    short = Section(0.0, 0.05, "left", 1, 0.06, 5e3), Section(0.05, 0.5, "none", 0, 0, 0)
    with pytest.raises(InvalidDesign, match="from 0 to 50 mm is shorter than one cell of 60 mm"):
        round_to_cells(design_of(*short), ROOM, model)
    exact = replace(short[0], l_0=0.05), short[1]
    assert actuated(round_to_cells(design_of(*exact), ROOM, model)[0].design)[0].end == pytest.approx(0.05)


def test_another_rounding_is_taken_where_the_nearest_misses(model: QuasiStatic) -> None:
    """If the nearest rounding misses the goal and one more cell reaches it, the section gets one more cell."""
    planned = design_of(Section(0.0, 0.51, "left", 3.0, 0.08, 35e3), Section(0.51, 1.51, "none", 0, 0, 0))
    nearest = actuated(round_to_cells(planned, ROOM, model)[0].design)[0]
    assert nearest.end - nearest.start == pytest.approx(0.48)
    more = replace(planned.sections[0], end=0.56), replace(planned.sections[1], start=0.56)
    tip = grow_designs([design_of(*more)], ROOM, model)[0].design.tip
    environment = replace(ROOM, goal=np.array([*tip[:2], 0.03]))
    made, tried = round_to_cells(planned, environment, QuasiStatic(environment, PARAMS))
    assert made.ends_in_goal
    assert tried > 1
    environment = replace(ROOM, goal=np.array([5.0, 5.0, 0.03]))
    missed, tried = round_to_cells(planned, environment, QuasiStatic(environment, PARAMS))
    assert not missed.reached
    assert actuated(missed.design)[0] == nearest
    assert actuated(made.design)[0].end == pytest.approx(0.56)


def test_a_design_without_actuators_is_simulated_too() -> None:
    """There is nothing to round; the result still says whether the design reaches the goal."""
    environment = replace(ROOM, goal=np.array([0.5, 0.0, 0.05]))
    design = design_of(Section(0.0, 0.5, "none", 0, 0, 0))
    made, _ = round_to_cells(design, environment, QuasiStatic(environment, PARAMS))
    assert made.reached
    assert made.design.tip == pytest.approx([0.5, 0, 0], abs=1e-9)


def gaps(design: Design) -> list[float]:
    """Lengths of bare tube before each actuated section [mm], as made."""
    found, end = [], 0.0
    for section in actuated(design):
        found.append(round(1e3 * (section.start - end), 6))
        end = section.end
    return found


def test_slivers_between_sections_are_closed(model: QuasiStatic) -> None:
    """Rounding would leave 7 mm between two sections; both move by half of it, and the first ends where the second starts."""
    sections = (
        Section(0.0, 0.2, "none", 0, 0, 0),
        Section(0.2, 0.3, "left", 1, 0.048, 5e3),  # 96 mm about 250 mm: from 202 to 298 mm
        Section(0.3, 0.4, "right", 1, 0.045, 5e3),  # 90 mm about 350 mm: from 305 to 395 mm
        Section(0.4, 0.8, "none", 0, 0, 0),
    )
    first, second = actuated(round_to_cells(design_of(*sections), ROOM, model)[0].design)
    assert second.start == pytest.approx(first.end, abs=1e-12)
    assert (first.start, first.end) == pytest.approx((0.2055, 0.3015), abs=6e-4)
    assert second.end == pytest.approx(0.3915, abs=6e-4)


def test_a_sliver_at_the_base_is_closed_and_a_gap_stays(model: QuasiStatic) -> None:
    """5 mm of bare tube before the first section vanish; 10 mm between two sections stay."""
    sections = (
        Section(0.0, 0.005, "none", 0, 0, 0),
        Section(0.005, 0.205, "left", 1, 0.04, 5e3),
        Section(0.205, 0.215, "none", 0, 0, 0),
        Section(0.215, 0.415, "right", 1, 0.04, 5e3),
        Section(0.415, 0.8, "none", 0, 0, 0),
    )
    assert gaps(round_to_cells(design_of(*sections), ROOM, model)[0].design) == [0.0, 15.0]
    wider = (
        replace(sections[0], end=0.1),
        *(replace(s, start=s.start + 0.095, end=s.end + 0.095) for s in sections[1:]),
    )
    assert gaps(round_to_cells(design_of(*wider), ROOM, model)[0].design) == [100.0, 10.0]


@settings(max_examples=25, deadline=None)
@given(parts)
def test_no_rounding_leaves_a_sliver(parts: Parts) -> None:
    """No gap before a section is longer than zero and shorter than 10 mm."""
    sections, end = [], 0.0
    for side, segments, cell in parts:
        numbers = (0.0, 0.0, 0.0) if side == "none" else (1.0, 1e-3 * cell, 5e3)
        sections.append(Section(end, end + 0.025 * segments, side, *numbers))  # type: ignore[arg-type]
        end += 0.025 * segments
    for made in islice(_roundings(design_of(*sections)), 20):
        assert all(gap < 1e-3 or gap > 10 - 1e-3 for gap in gaps(made))

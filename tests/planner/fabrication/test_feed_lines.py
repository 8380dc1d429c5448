"""Feed lines: where they run, how long they are, and how feed ends are led past the cells of other sections."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.tube import VineParams
from planner.fabrication.assembly.build import Build
from planner.fabrication.plumbing.feed_lines import HOSE, LANE, FeedLine, FeedLines, length_of_end

MakeBuild = Callable[..., Build]
BODY, STRIP = 33.35e-3, 17.18e-3
"""Radii of body and strips [m]."""


def by_name(build: Build) -> dict[str, FeedLine]:
    return {one.name: one for one in FeedLines(build).each}


def test_lengths_are_those_of_the_way(example: Build) -> None:
    """Along the body to the middle of the fitting, a quarter of the circumference from the top to the fold, and 300 mm to the valve."""
    for line in FeedLines(example).each:
        section, slack = line.actuator.section, line.actuator.contraction
        assert line.fitting == pytest.approx(section.start - slack / 3 - 0.02)
        assert line.length == pytest.approx(line.fitting + np.pi / 2 * BODY + 0.3)
        assert (line.place, line.aside, line.behind, line.past) == ("fold", 0.0, 0.0, ())
        assert line.tapes == np.ceil(line.fitting / 0.1)


def test_a_feed_end_behind_the_base_line_is_named(make_build: MakeBuild) -> None:
    """A section that begins at 50 mm has less fold than its feed end takes; its fitting can lie behind the base line."""
    build = make_build(("none", 0.05), ("left", 8, 0.04), ("none", 0.3))
    (line,) = FeedLines(build).each
    assert line.behind == pytest.approx(length_of_end(line.actuator) - 0.05)
    first = by_name(make_build(("left", 8, 0.04), ("none", 0.3)))["L1"]
    assert first.fitting < 0
    assert (first.along, first.tapes) == (0.0, 0)
    assert first.length == pytest.approx(np.pi / 2 * BODY + 0.3)


def test_a_feed_end_is_led_beside_the_cells_of_another_section(make_build: MakeBuild) -> None:
    """L3 begins 60 mm behind L1: its end lies beside L1, where the two inflated tubes touch neither each other nor the body's middle."""
    build = make_build(("none", 0.2), ("left", 5, 0.04), ("right", 1, 0.06), ("left", 5, 0.04), ("none", 0.2))
    lines = by_name(build)
    assert [lines[name].place for name in ("L1", "R2", "L3")] == ["fold", "fold", "aside"]
    assert lines["L3"].past == ("L1",)
    angle = lines["L3"].aside / BODY
    centres = (BODY + STRIP) * np.array([[0.0, 1.0], [np.sin(angle), np.cos(angle)]])
    assert np.hypot(*(centres[1] - centres[0])) == pytest.approx(2 * STRIP)
    assert lines["L3"].aside + BODY * np.arcsin(STRIP / (BODY + STRIP)) < np.pi / 2 * BODY
    assert not FeedLines(build).warnings


def test_a_feed_end_fits_a_free_fold_of_its_length(make_build: MakeBuild) -> None:
    """With room for the end seal of L1 and the length of the feed end between them it lies on the fold; with 2 mm less, aside."""
    probe = make_build(("left", 4, 0.04), ("none", 0.3), ("left", 5, 0.04), ("none", 0.2))
    needed = probe.actuators[0].head + length_of_end(probe.actuators[1])
    for gap, place in ((needed, "fold"), (needed - 2e-3, "aside")):
        build = make_build(("left", 4, 0.04), ("none", gap), ("left", 5, 0.04), ("none", 0.2))
        assert by_name(build)["L2"].place == place


def test_a_feed_end_without_room_is_refused_with_advice(make_build: MakeBuild) -> None:
    """The ends of L2 and L3 would both lie beside the short sections before them."""
    build = make_build(("none", 0.3), ("left", 2, 0.03), ("left", 2, 0.03), ("left", 5, 0.04), ("none", 0.2))
    lines = by_name(build)
    assert [lines[name].place for name in ("L1", "L2", "L3")] == ["fold", "aside", "none"]
    (warning,) = FeedLines(build).warnings
    assert "L3 has no room beside L1 and L2" in warning
    assert f"leave {1e3 * length_of_end(build.actuators[2]):.0f} mm of the fold free" in warning


def test_feed_lines_do_not_cross_or_touch(make_build: MakeBuild) -> None:
    """On each side the line of the farthest section is next to the middle, and each is beside the next, clear of the strips."""
    parts = [part for k in range(6) for part in (("none", 0.2), ("left" if k % 2 else "right", 3, 0.03))]
    build = make_build(*parts, ("none", 0.2))
    strip = BODY * np.arcsin(STRIP / (BODY + STRIP))
    for side in ("left", "right"):
        lines = [one for one in FeedLines(build).each if one.actuator.section.side == side]
        assert np.diff([one.from_fold for one in lines]) == pytest.approx([LANE, LANE])
        assert lines[-1].from_fold == pytest.approx(np.pi / 2 * BODY - LANE / 2)
        assert all(one.from_fold - HOSE / 2 > strip and one.course == "top" for one in lines)


def test_lines_that_the_top_cannot_take_run_below_or_are_refused(make_build: MakeBuild) -> None:
    """A body of 20 mm radius has room for a few lines on each half; the next run on the underside, and then there is a warning."""
    parts = [part for _ in range(9) for part in (("none", 0.3), ("left", 2, 0.03))]
    build = make_build(*parts, ("none", 0.2), params=replace(VineParams(), radius=20e-3))
    lines = FeedLines(build).each
    courses = [one.course for one in reversed(lines[1:])]  # the first passes no strip
    assert courses == sorted(courses, key=["top", "underside", "none"].index)
    assert {*courses} == {"top", "underside", "none"}
    strip = 20e-3 * np.arcsin(STRIP / (20e-3 + STRIP))
    for one in lines[1:]:
        assert one.course == "none" or one.from_fold - HOSE / 2 >= strip
    assert any("no room on the tube beside the others" in warning for warning in FeedLines(build).warnings)


parts_of_tubes = st.lists(
    st.tuples(st.sampled_from(["none", "left", "right"]), st.integers(1, 8), st.sampled_from([0.03, 0.04, 0.06])),
    min_size=1,
    max_size=9,
)


@settings(deadline=None, max_examples=150)
@given(parts=parts_of_tubes)
def test_nothing_lies_on_anything_else(make_build: MakeBuild, parts: list[tuple[str, int, float]]) -> None:
    """Cells, feed ends and lines of any tube as rectangles on its film: where no warning names them, no two overlap."""
    made = [("none", cells * l_0) if side == "none" else (side, cells, l_0) for side, cells, l_0 in parts]
    lines = FeedLines(make_build(*made, ("none", 0.1))).each
    half = BODY * np.arcsin(STRIP / (BODY + STRIP))
    for side in ("left", "right"):
        own = [one for one in lines if one.actuator.section.side == side]
        cells = [shapely.box(one.actuator.section.start, -half, one.actuator.section.end + 0.02, half) for one in own]
        placed = [one for one in own if one.place != "none"]
        ends = {
            one.name: shapely.box(one.fitting - 0.04, one.aside - half, one.actuator.section.start, one.aside + half)
            for one in placed
        }
        for k, one in enumerate(own):
            for other in own[:k]:
                cell = cells[own.index(other)]
                if one.name in ends:
                    assert ends[one.name].intersection(cell).area < 1e-3 * half
                    if other.name in ends:
                        assert ends[one.name].intersection(ends[other.name]).area < 1e-3 * half
                if one.course == "top" and one.along:
                    hose = shapely.box(0.0, one.from_fold - HOSE / 2, one.along, one.from_fold + HOSE / 2)
                    assert hose.intersection(cell).area < 1e-9
                    assert other.name not in ends or hose.intersection(ends[other.name]).area < 1e-9
            assert one.from_fold < np.pi / 2 * BODY

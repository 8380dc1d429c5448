"""Cut list, table of sections and pressures: every figure computed by hand."""

import csv
import io
from collections.abc import Callable

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import VineParams
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.pressures import pressure_content
from planner.fabrication.lists.cut_list import cut_list, section_table
from planner.uncertainty.bend_ranges import BendRange
from surrogate.pouch import PouchMotor

MakeBuild = Callable[..., Build]
PARAMS = VineParams()


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def slack(pressure: float, l_0: float, length: float) -> float:
    """Shortening of an actuator in free space [mm]: the strain at its arm (paper 002, Eq. 3) over its length."""
    arm = 2 * 33.35 + 17.18
    return arm * float(free_curvature(joint_moments(PARAMS), pressure, l_0)) * length


def test_parts_have_their_lengths(example: Build) -> None:
    """Body: 100 mm clamp, 1300 mm tube, 20 mm seal. A strip: two seals of 20 mm, 2.5 mm for the last
    bracket, 40 mm fitting, its cells, its shortening."""
    parts = {(row["part"], row["name"]): row for row in rows(cut_list(example))}
    body = parts["body", "body"]
    assert (body["quantity"], body["cut_length_mm"], body["width_mm"]) == ("1", "1420", f"{np.pi * 33.35:.1f}")
    for actuator in example.actuators:
        section = actuator.section
        length = section.end - section.start
        expected = 82.5 + 1e3 * length + slack(section.pressure, section.l_0, length)
        row = parts["actuator", actuator.name]
        assert float(row["cut_length_mm"]) == pytest.approx(expected, abs=0.06)
        assert float(row["width_mm"]) == pytest.approx(np.pi * 17.18, abs=0.05)
        fitting = 1e3 * section.start - 20 - slack(section.pressure, section.l_0, length) / 3
        feed = fitting + np.pi / 2 * 33.35 + 300
        assert float(parts["feed line", actuator.name]["cut_length_mm"]) == pytest.approx(feed, abs=0.06)
    assert parts["bracket", ""]["quantity"] == str(8 + 13)
    assert parts["tape", ""]["quantity"] == str(8 + 13)
    assert parts["fitting", ""]["quantity"] == "2"


def test_allowances_add_up(example: Build) -> None:
    """The stated components of a cut length add up to it."""
    for row in rows(cut_list(example)):
        if row["cut_length_mm"] and "+" in row["made_up_of"]:
            numbers = [float(part.strip().split()[0]) for part in row["made_up_of"].split("+")]
            assert sum(numbers) == pytest.approx(float(row["cut_length_mm"]), abs=0.15), row


def test_section_table_matches_the_design(example: Build) -> None:
    """Start, end, side, cells and every cell end are those of the design."""
    one, other = rows(section_table(example))
    assert (one["name"], one["start_mm"], one["end_mm"], one["side"]) == ("L1", "300", "594", "left")
    assert (one["l0_mm"], one["cells"]) == ("42", "7")
    assert [float(end) for end in one["cell_ends_mm"].split()] == pytest.approx(300 + 42 * np.arange(8))
    assert (other["name"], other["cells"]) == ("R2", "12")
    assert [float(end) for end in other["cell_ends_mm"].split()] == pytest.approx(800 + 30 * np.arange(13))


def test_pouches_need_no_brackets(make_build: MakeBuild) -> None:
    """Pouch motors are taped along their length and need no printed parts."""
    build = make_build(("left", 5, 0.04), ("none", 0.2), params=VineParams(actuator=PouchMotor()))
    parts = [row["part"] for row in rows(cut_list(build))]
    assert "bracket" not in parts
    tape = next(row for row in rows(cut_list(build)) if row["part"] == "tape")
    assert tape["cut_length_mm"] == "200"


def test_a_bare_tube_needs_a_body_and_its_tube_at_the_base(make_build: MakeBuild) -> None:
    """Without actuators no other part is listed."""
    build = make_build(("none", 1.0))
    assert [row["part"] for row in rows(cut_list(build))] == ["body", "base tube", "base tube"]
    assert rows(section_table(build)) == []


def test_pressures_are_set_points_with_limits(example: Build) -> None:
    """Set points in kPa and psi, hoop stress P R / t, and the pressures at which the bends are accepted."""
    kept, joint = ((30e3, 34e3), (20e3, 60e3)), joint_moments(example.design.params)
    ranges = []
    for actuator, within in zip(example.actuators, kept, strict=True):
        low, high = free_curvature(joint, within, actuator.section.l_0) * (
            actuator.section.end - actuator.section.start
        )
        ranges.append(BendRange(low, high))
    body, one, other = pressure_content(example, ranges)["lines"]
    assert body["set_psi"] == pytest.approx(1.5)
    assert body["hoop_stress_mpa"] == pytest.approx(10.342 * 33.35 / 0.05 / 1e3, abs=0.01)
    assert body["limit_kpa"] == pytest.approx(16e3 * 0.05 / 33.35, abs=0.01)
    for line, (low, _) in zip((one, other), kept, strict=True):
        assert line["set_kpa"] == 35.0
        assert line["goal_kept_from_kpa"] == pytest.approx(low / 1e3, abs=0.01)
        # The range never exceeds the limit, and has the set point.
        assert line["goal_kept_to_kpa"] == 35.0
        assert line["hoop_stress_mpa"] == pytest.approx(35 * 17.18 / 0.05 / 1e3, abs=0.01)
        assert line["limit_kpa"] == 35.0  # what the regulators hold; the film would hold 46.6


def test_a_missed_goal_has_no_pressure_range(example: Build) -> None:
    """If the set points do not reach the goal, there is no range."""
    _, one, _ = pressure_content(example, [None, None])["lines"]
    assert (one["goal_kept_from_kpa"], one["goal_kept_to_kpa"]) == (None, None)

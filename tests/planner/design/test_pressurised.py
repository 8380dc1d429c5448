"""A tube for several environments: actuators without pressure, and growth that stops before its end."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from environments.uncertainty import WORKSHOP
from planner.design.design import Design, InvalidDesign, Section
from planner.design.design_file import design_content, load_design
from planner.design.replay import grow_designs, replay
from planner.drawing.plan import plan_figure
from planner.drawing.style import FAINT
from planner.fabrication.guide.guide import guide_pages
from planner.fabrication.pack import Pack
from planner.uncertainty.deviations import actuation_of
from planner.uncertainty.trials import Worlds, grow_trials
from vinewright.console.terminal import section_table

PARAMS = VineParams()


def without_pressure(design: Design, *numbers: int) -> Design:
    """The design with some actuators off, counted from 1."""
    off = [design.actuated[number - 1] for number in numbers]
    return replace(design, sections=tuple(replace(one, on=one not in off) for one in design.sections))


def bare(section: Section) -> Section:
    return Section(section.start, section.end, "none", 0.0, 0.0, 0.0)


def test_an_actuator_without_pressure_is_built_but_does_not_bend(design: Design, room: Environment) -> None:
    """It counts, and the tube grows to the bit as if it were not there."""
    off = without_pressure(design, 2)
    assert (off.actuators, off.off, design.off) == (2, [2], [])
    assert off.actuated[1].signed_pressure == 0.0
    assert off.actuated[1].pressure == design.actuated[1].pressure
    assert "right 700 to 1000 mm (off)" in repr(off)
    missing = replace(design, sections=(*design.sections[:-1], bare(design.sections[-1])))
    there, gone = grow_designs([off, missing], room, QuasiStatic(room, PARAMS))
    assert (there.centerline == gone.centerline).all()
    assert (off.film(there.centerline) == missing.film(gone.centerline)).all()
    assert not np.allclose(there.tip, grow_designs([design], room, QuasiStatic(room, PARAMS))[0].tip)


def test_errors_of_the_others_stay_theirs(design: Design, room: Environment) -> None:
    """The second actuator has the same errors whether the first has pressure or not; without the first it has others."""
    worlds = Worlds.draw(room, PARAMS, WORKSHOP, range(5), seed=3)
    off, gone = (
        without_pressure(design, 1),
        replace(design, sections=(bare(Section(0, 0.6, "none", 0, 0, 0)), *design.sections[2:])),
    )
    whole, part, other = (
        actuation_of(one, worlds.sections(one), worlds.errors).pressure for one in (design, off, gone)
    )
    second = np.abs(whole) * (whole < 0)
    assert second.any()
    assert (np.abs(part) == second).all()
    assert not np.allclose(np.abs(other), second)


def test_growth_stops_where_it_is_told(design: Design, room: Environment) -> None:
    """The tube is longer than it grows; its tip ends where the whole tube's tip passes."""
    stopped = replace(design, stop=0.75)
    assert (stopped.length, stopped.built, stopped.actuators) == (0.75, 1.0, 2)
    assert replace(design, stop=7.0).length == design.length == 1.0
    model = QuasiStatic(room, PARAMS)
    ended, whole = grow_designs([stopped], room, model)[0], replay(design, model).tips[0]
    assert np.allclose(ended.tip, whole[stopped.segments - 1], atol=1e-3)
    assert not np.allclose(ended.tip, whole[design.segments - 1], atol=0.1)
    worlds = Worlds.draw(room, PARAMS, WORKSHOP, range(3), seed=0)
    assert grow_trials(stopped, worlds).joints.shape[1] < grow_trials(design, worlds).joints.shape[1]


def test_the_file_says_it_only_where_it_is_so(design: Design, tmp_path: Path) -> None:
    """Both are read back; files of other designs are as before."""
    told = design_content(replace(without_pressure(design, 1), stop=0.75))
    assert told["sections"][1]["pressurised"] is False
    assert told["sections"][1]["pressure_kpa"] == 25.0
    assert (told["grow_mm"], told["tube"]["length_mm"], told["cost"]["length_mm"]) == (750.0, 1000.0, 1000.0)
    (tmp_path / "design.json").write_text(json.dumps(told))
    again = load_design(tmp_path)
    assert (again.off, again.stop) == ([1], 0.75)
    assert design_content(again) == told
    assert "pressurised" not in json.dumps(design_content(design))
    assert "grow_mm" not in design_content(design)


@pytest.mark.parametrize(
    ("section", "change", "message"),
    [
        (0, {"pressurised": False}, "sections[0].pressurised = false is for a section with an actuator"),
        (1, {"pressurised": 0}, "pressurised"),
        (None, {"grow_mm": 1001.0}, "grow_mm = 1001 must be at most tube.length_mm = 1000"),
        (None, {"grow_mm": 0.0}, "grow_mm"),
    ],
)
def test_bad_files_are_refused(
    design: Design, tmp_path: Path, section: int | None, change: dict[str, Any], message: str
) -> None:
    """In one line that names the key."""
    content = design_content(design)
    (content if section is None else content["sections"][section]).update(change)
    (tmp_path / "design.json").write_text(json.dumps(content))
    with pytest.raises(InvalidDesign) as caught:
        load_design(tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_picture_shows_it_hollow(design: Design, room: Environment) -> None:
    """The cells are not filled, the number is grey, the legend and the table name it."""
    grown = grow_designs([without_pressure(design, 2)], room, QuasiStatic(room, PARAMS))[0].design
    figure = plan_figure(room, grown)
    cells = {patch.get_gid(): patch for patch in figure.axes[0].patches}
    assert cells["actuator 1"].get_facecolor()[3] == 1.0
    assert cells["actuator 3"].get_facecolor()[3] == 0.0
    words = [text.get_text() for text in figure.findobj(lambda one: hasattr(one, "get_text"))]
    assert {"actuator off", "20 off"} <= set(words)
    assert "actuator right" not in words
    assert [
        patch
        for patch in figure.findobj(lambda one: hasattr(one, "get_radius"))
        if patch.get_facecolor()[:3] == _rgb(FAINT)
    ]


def _rgb(colour: str) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


def test_the_terminal_table_names_it(design: Design) -> None:
    """Beside its pressure."""
    column = section_table(without_pressure(design, 2)).columns[4]
    assert [*column.cells] == ["-", "25.0", "-", "20.0 off"]


def test_the_pack_builds_it_and_says_to_leave_it_off(design: Design, room: Environment) -> None:
    """Strip, line and set point are there; a warning and the guide say which stay off, and where growth stops."""
    pack = Pack.of(replace(without_pressure(design, 2), stop=0.9), room, QuasiStatic(room, PARAMS))
    assert [actuator.name for actuator in pack.build.actuators] == ["L1", "R2"]
    assert pack.build.body_length > 1.0
    said = "Leave R2 without pressure in this environment: the tube is made for several environments."
    assert any(warning.startswith(said) and "Open the line to the air" in warning for warning in pack.warnings)
    assert "Stop the growth at 900 mm: the rest of the tube is for another environment." in pack.warnings
    body, first, second = pack.pressures["lines"]
    assert "pressurised" not in body | first
    assert (second["pressurised"], second["set_kpa"], second["goal_kept_from_kpa"]) == (False, 20.0, None)
    words = [text.get_text() for page in guide_pages(pack.guide, "a4") for text in page.figure.texts]
    assert any(text.startswith("Leave R2 without pressure in this environment:") for text in words)

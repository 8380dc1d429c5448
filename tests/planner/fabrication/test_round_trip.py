"""All that a builder needs is in the files: from drawing and guide alone, read by other programs, the same design is built and grown."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from environments import Obstacles
from planner.design.design import Section
from planner.design.replay import grow_designs
from studies.pack.builder import CannotBuild, build_from, read_drawing
from studies.pack.designs import EXAMPLES, design_of, place_of
from studies.pack.study import Made, PackCase, build, compare, make_pack, run_case

pytestmark = pytest.mark.usefixtures("small_pictures")

TRIALS = 120
"""Trials of the promise."""
QUICK = "pouch", "mixed", "preformed"


@pytest.fixture(scope="module")
def pouch(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return build(make_pack(EXAMPLES["pouch"]), tmp_path_factory.mktemp("pouch"))


def check(made: Made) -> None:
    """The design from the files has the same cells, seams, sides, places and pressures, and grows to the same place."""
    found = compare(made)
    assert found.alike
    assert max(found.cell, found.seam, found.place) < 1e-4
    assert found.pressure < 1.0
    assert found.curvature < 1e-4
    assert found.in_goal
    assert found.tip < 1e-3
    assert found.turn < 2e-3
    assert found.same


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in EXAMPLES]
)
def test_the_files_are_the_design(name: str, pouch: Made, tmp_path: Path) -> None:
    """Same cells, seams, sides, places and pressures; the grown tip within 1 mm."""
    made = pouch if name == "pouch" else build(make_pack(EXAMPLES[name]), tmp_path)
    assert made.pack.grown.ends_in_goal
    assert len(made.built.design.sections) == len(EXAMPLES[name].parts)
    check(made)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_success_is_as_promised(name: str) -> None:
    """In the worlds of the promise, the design from the files succeeds within the interval that the cover states; in other worlds its
    own interval meets that one."""
    found = run_case(PackCase(name, TRIALS))
    assert not found.failure
    assert found.promised is not None
    _, low, high = found.promised
    assert low <= found.reached / TRIALS <= high
    least, most = found.elsewhere.interval
    assert least <= high
    assert low <= most
    assert found.holds


@pytest.mark.parametrize("name", [name for name, example in EXAMPLES.items() if example.touches])
def test_obstacles_stand_in_the_way(name: str) -> None:
    """An example in contact ends at least 5 mm from where it ends without its post."""
    design = design_of(EXAMPLES[name])
    place = place_of(design, touches=True)
    free = replace(place, obstacles=Obstacles())
    (end,) = grow_designs([design], free, QuasiStatic(free, design.params))
    assert np.hypot(*(end.tip - place.goal)[:2]) > 5e-3


def test_holes_are_where_there_is_film_for_them(pouch: Made) -> None:
    """Each strip in the drawing has one hole of 5 mm, between its feed end's seal and its first cell; the body has none."""
    body, strips = read_drawing(pouch.drawing)
    assert body.holes == []
    for strip in strips.values():
        ((centre, diameter),) = strip.holes
        assert diameter == pytest.approx(5.0)
        seals = strip.bands("SEAL")
        assert seals[0][1] + 15 < centre[0] < seals[1][0] - 15


FAULTS: dict[str, Callable[[Section], Section]] = {
    "side": lambda one: replace(one, side="left" if one.side == "right" else "right"),
    "cell": lambda one: replace(one, l_0=one.l_0 + 1.5e-4),
    "place": lambda one: replace(one, start=one.start + 1.5e-4, end=one.end + 1.5e-4),
    "pressure": lambda one: replace(one, pressure=one.pressure + 10),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_design_is_noticed(fault: str, pouch: Made) -> None:
    """A section that is built otherwise does not pass."""
    sections = list(pouch.built.design.sections)
    sections[1] = FAULTS[fault](sections[1])
    wrong = replace(pouch.built, design=replace(pouch.built.design, sections=tuple(sections)))
    with pytest.raises(AssertionError):
        check(replace(pouch, built=wrong))


def test_a_seam_or_cell_that_differs_is_noticed(pouch: Made) -> None:
    """A seam that is 0.2 mm wider, and an actuator with one cell more."""
    name = next(iter(pouch.built.seams))
    for wrong in (
        replace(pouch.built, seams=pouch.built.seams | {name: pouch.built.seams[name] + 2e-4}),
        replace(pouch.built, cells=pouch.built.cells | {name: pouch.built.cells[name] + 1}),
    ):
        with pytest.raises(AssertionError):
            check(replace(pouch, built=wrong))


def test_a_drawing_that_contradicts_the_guide_is_refused(pouch: Made, tmp_path: Path) -> None:
    """A strip whose text states another seam than is drawn: the builder says so, and builds nothing."""
    text = pouch.drawing.read_text()
    assert "pouch, seam 5 mm" in text
    (tmp_path / "pattern.dxf").write_text(text.replace("pouch, seam 5 mm", "pouch, seam 6 mm"))
    with pytest.raises(CannotBuild, match="seams of"):
        build_from(tmp_path / "pattern.dxf", pouch.drawing.parent / "template-letter.pdf", "room")

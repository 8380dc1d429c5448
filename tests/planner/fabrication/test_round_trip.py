"""All that a builder needs is in the files: from drawing and guide alone, read by other programs, the same design is built and grown."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.design.estimate import Estimate, Success
from planner.design.replay import grow_designs
from planner.design.schedule import Schedule
from planner.fabrication.pack import Pack
from planner.uncertainty.errors import named_errors
from planner.uncertainty.survey import Survey
from surrogate.actuators import Limits
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam
from tests.planner.fabrication.built_from_files import Built, build_from, read_drawing

pytestmark = pytest.mark.usefixtures("small_pictures")

BOUNDS = np.array([-4.0, -4.0, 4.0, 4.0])
USUAL = VineParams()
TRIALS = 120
"""Trials of the promise."""
MIXED = (PouchMotor(width=55e-3, seam=8e-3, limits=Limits(longest_cell=50e-3)), Fpam(), Cpam())


@dataclass(frozen=True)
class Case:
    """A tube and its sections: `(side, cells, cell length [mm], pressure [kPa], number of the type)`, lengths without an actuator
    [mm], or `(side, length [mm], curvature [1/m])` where it is preformed."""

    parts: tuple
    params: VineParams = USUAL
    schedule: tuple = ()
    touches: bool = False
    """Whether an obstacle stands in its way."""
    stop: float | None = None
    off: int | None = None
    """Number of the section that is off."""


CASES = {
    "spam": Case((250, ("left", 7, 42, 20), 120, ("right", 9, 30.5, 22.5), 180)),
    "spam in contact": Case((300, ("right", 8, 40, 25), 500), touches=True),
    "spam that is held": Case((180, ("left", 6, 55, 25), 300), VineParams(actuator=Spam(seam=7e-3))),
    "spam off": Case((150, ("left", 5, 40, 20), 100, ("right", 6, 45, 20), 200), off=1),
    "stopped": Case((150, ("left", 5, 40, 20), 700), stop=0.8),
    "pouch": Case((200, ("left", 6, 45, 15), ("right", 7, 38, 17.5), 250), VineParams(actuator=PouchMotor())),
    "pouch, narrow bar": Case(
        (200, ("right", 9, 33, 12.5), 250), VineParams(actuator=PouchMotor(width=48e-3, seam=2e-3))
    ),
    "pouch without seams": Case((120, ("left", 6, 41, 15), 300), VineParams(actuator=PouchMotor(seam=0.0))),
    "pouch in contact": Case((320, ("left", 8, 45, 15), 450), VineParams(actuator=PouchMotor()), touches=True),
    "cpam": Case((200, ("right", 5, 52, 10), 130, ("left", 6, 45, 12.5), 150), VineParams(actuator=Cpam())),
    "cpam, wide bar": Case((("left", 5, 64, 12.5), 400), VineParams(actuator=Cpam(seam=15e-3))),
    "fpam": Case((200, ("left", 8, 40, 12.5), 90, ("right", 5, 40, 10), 260), VineParams(actuator=Fpam())),
    "fpam in contact": Case((300, ("right", 9, 40, 12.5), 500), VineParams(actuator=Fpam()), touches=True),
    "mixed": Case(
        (
            100,
            ("left", 6, 42, 20, 0),
            ("right", 5, 43, 15, 1),
            60,
            ("left", 5, 40, 10, 2),
            ("right", 5, 52, 12.5, 3),
            150,
        ),
        VineParams(others=MIXED),
    ),
    "mixed in contact": Case(
        (250, ("right", 6, 40, 12.5, 2), 200, ("left", 5, 43, 15, 1), 300), VineParams(others=MIXED), touches=True
    ),
    "preformed": Case((150, ("left", 330, 3.0), 100, ("right", 170, 5.0), ("left", 5, 40, 20), 160)),
    "preformed alone": Case((200, ("right", 400, 2.2), 300), touches=True),
    "scheduled": Case(
        (200, ("left", 7, 42, 20), 150, ("right", 6, 40, 20), 200),
        schedule=((0, 20, 20), (494, 20, 20), (494, 12.5, 20), (900, 17.5, 7.5)),
    ),
    "scheduled pouches": Case(
        (150, ("right", 7, 45, 15), 100, ("left", 6, 40, 12.5), 300),
        VineParams(actuator=PouchMotor()),
        schedule=((0, 5, 0), (300, 15, 0), (600, 10, 12.5)),
    ),
    "no actuators": Case((900,), VineParams(radius=40e-3, growth_pressure=8e3)),
}
QUICK = "pouch", "mixed", "preformed"


def design_of(case: Case) -> Design:
    """Design of a case."""
    sections: list[Section] = []
    for part in case.parts:
        start = sections[-1].end if sections else 0.0
        if isinstance(part, int):
            sections.append(Section(start, start + 1e-3 * part, "none", 0.0, 0.0, 0.0))
        elif len(part) == 3:
            sections.append(Section(start, start + 1e-3 * part[1], part[0], part[2], 0.0, 0.0, preformed=True))
        else:
            side, cells, l_0, pressure, *kind = part
            on = len(sections) != case.off
            sections.append(
                Section(start, start + 1e-3 * cells * l_0, side, 1.0, 1e-3 * l_0, 1e3 * pressure, on, kind=sum(kind))
            )
    made = Design("room", "0" * 64, case.params, tuple(sections), np.zeros(3), np.zeros((1, 2)), stop=case.stop)
    if not case.schedule:
        return made
    rows = np.array(case.schedule, float)
    return made.scheduled(Schedule(1e-3 * rows[:, 0], 1e3 * rows[:, 1:]))


def place_of(design: Design, touches: bool) -> Environment:
    """A room in which a design ends in its goal; if it shall touch, a post stands 8 mm in the way of the free tube."""
    room = Environment("room", "0" * 64, BOUNDS, np.zeros(3), np.array([0.0, 0.0, 0.08]), Obstacles())
    (free,) = grow_designs([design], room, QuasiStatic(room, design.params))
    if touches:
        line, along = free.centerline, 4 * len(free.centerline) // 5
        ahead = line[along] - line[along - 1]
        aside = np.array([-ahead[1], ahead[0]]) / np.hypot(*ahead)
        side = {"left": 1.0, "right": -1.0}[next(one.side for one in design.sections if one.side != "none")]
        post = *(line[along] + side * (0.06 + design.params.radius - 8e-3) * aside), 0.06
        room = replace(room, obstacles=Obstacles(circles=[post]))
        (end,) = grow_designs([design], room, QuasiStatic(room, design.params))
        assert np.hypot(*(end.tip - free.tip)[:2]) > 5e-3
        free = end
    return replace(room, goal=np.array([*free.tip[:2], 0.08]))


@dataclass(frozen=True)
class Made:
    """A pack, and what a builder found in its files."""

    pack: Pack
    built: Built
    drawing: Path


def made_of(case: Case, folder: Path, trials: int = 0) -> Made:
    """Write drawing and guide of a case, and read them."""
    planned = design_of(case)
    place = place_of(planned, case.touches)
    planned = replace(planned, sha256=place.sha256)
    if trials:
        counts = trials_of(planned, place, trials)
        planned = replace(planned, success=Success("workshop", counts.reached, counts.trials))
    pack = Pack.of(planned, place, QuasiStatic(place, planned.params), allow_limit=True, trials=20)
    assert pack.grown.ends_in_goal
    pack.write("dxf", folder)
    guide = folder / pack._write_template(folder, "letter")
    return Made(pack, build_from(folder / "pattern.dxf", guide, "room"), folder / "pattern.dxf")


@pytest.fixture(scope="module")
def pouch(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(CASES["pouch"], tmp_path_factory.mktemp("pouch"))


def trials_of(design: Design, place: Environment, trials: int, seed: int = 0, errors: str = "workshop") -> Estimate:
    """Success of a design in trials."""
    survey = Survey.of(design, place, named_errors(place, design.params, errors)[1], trials, seed, alone=False)
    list(survey.run())
    found = survey.estimate_all()
    assert found is not None
    return found


def check(made: Made) -> None:
    """The design from the files has the same cells, seams, sides, places and pressures, and grows to the same place."""
    pack, built = made.pack, made.built
    expected, found = pack.grown.design, built.design
    assert len(found.sections) == len(expected.sections)
    for one, other in zip(found.sections, expected.sections, strict=True):
        assert (one.side, one.on, one.preformed, one.kind) == (other.side, other.on, other.preformed, other.kind)
        assert (one.start, one.end, one.l_0) == pytest.approx((other.start, other.end, other.l_0), abs=1e-4)
        assert one.pressure == pytest.approx(other.pressure, abs=1.0)
        assert one.curvature == pytest.approx(other.curvature, rel=1e-4)
    assert built.cells == {one.name: one.cells for one in pack.build.actuators}
    assert built.seams == pytest.approx({one.name: one.actuator.seam for one in pack.build.actuators}, abs=1e-4)
    assert [one.kind for one in found.params.actuators] == [one.kind for one in expected.params.actuators]
    place = pack.environment
    (grown,) = grow_designs([found], place, QuasiStatic(place, found.params).refined())
    assert grown.ends_in_goal
    assert np.hypot(*(grown.tip - pack.grown.tip)[:2]) < 1e-3
    assert grown.tip[2] == pytest.approx(pack.grown.tip[2], abs=2e-3)
    assert found.length == pytest.approx(expected.length, abs=1e-4)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in CASES])
def test_the_files_are_the_design(name: str, pouch: Made, tmp_path: Path) -> None:
    """Same cells, seams, sides, places and pressures; the grown tip within 1 mm."""
    check(pouch if name == "pouch" else made_of(CASES[name], tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_success_is_as_promised(name: str, tmp_path: Path) -> None:
    """In the worlds of the promise, the design from the files succeeds within the interval that the cover states; in other worlds its
    own interval meets that one."""
    made = made_of(CASES[name], tmp_path, TRIALS)
    assert made.built.promised is not None
    assert made.built.trials == ("workshop", TRIALS)
    low, high = made.built.promised
    place, design = made.pack.environment, made.built.design
    assert low <= trials_of(design, place, TRIALS).rate <= high
    least, most = trials_of(design, place, TRIALS, seed=1).interval
    assert least <= high
    assert low <= most


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

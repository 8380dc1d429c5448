"""Head room: what a search can propose is below the limits of regulators and films, as the export wants it."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.actuator_file import replace_actuators
from dynamics.moment import free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import InvalidTube, VineParams
from dynamics.tube_file import known_tubes, load_tube
from environments import Environment, load_environment
from planner.design.catalogue import Catalogue
from planner.design.design import Design, Section
from planner.design.head_room import check_body, has_head_room
from planner.design.schedule import VENTED, Schedule
from planner.design.supply import InvalidSupply, parse_supply, with_supply
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.pressures import NoHeadRoom, check_head_room, pressure_lines
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.search.ompl.vines import VineGrower
from planner.search.steered.pressure_levels import PressureLevels
from surrogate.actuators import Limits
from surrogate.films import STRIP_FILM
from surrogate.pouch import PouchMotor, half_angle
from surrogate.registry import actuators
from surrogate.spam import Spam

TUBES = pytest.mark.parametrize("tube", known_tubes())
KINDS = pytest.mark.parametrize("kind", actuators())
WEAK = replace(STRIP_FILM, strength=6e6, yield_stress=6e6)
"""Film that holds only some of the usual pressures of pouches."""


def design_of(params: VineParams, *bends: tuple[float, float, int]) -> Design:
    """A design of one actuator of three cells after another, of given pressure, cell length and type."""
    sections, end = [], 0.0
    for pressure, l_0, kind in bends:
        sections.append(Section(end, end + 3 * l_0, "left", 1.0, l_0, pressure, kind=kind))
        end += 3 * l_0
    return Design("plus", "0" * 64, params, tuple(sections), np.zeros(3), np.zeros((1, 2)))


@TUBES
@KINDS
def test_what_a_search_can_propose_can_be_exported(tube: str, kind: str) -> None:
    """The hoop stress P r / t of every entry of the catalogue, also with 100 kPa at hand, is below 16 MPa; the entries of the highest
    pressures, of which every tenth is an actuator of one design, pass the check of the export.
    """
    for params in (own := replace_actuators(load_tube(tube), [kind]), with_supply(own, "100kPa")):
        catalogue, actuator = Catalogue.of(params), params.actuator
        strain = params.arm() * free_curvature(joint_moments(params), catalogue.pressure, catalogue.l_0)
        stress = catalogue.pressure * actuator.film_radius(strain, catalogue.l_0) / 50e-6
        assert np.all(stress < 16e6)
        assert np.all(catalogue.pressure < actuator.limits.most_pressure)
        order = np.argsort(-np.maximum(stress / 16e6, catalogue.pressure / actuator.limits.most_pressure))[:80:10]
        bends = [(catalogue.pressure[k], catalogue.l_0[k], 0) for k in order]
        build = Build(design_of(params, *bends))
        check_head_room(build)
        lines = pressure_lines(build)
        assert len(lines) == len(bends) + 1
        assert all(line["set_kpa"] < line["limit_kpa"] for line in lines)


def test_the_film_of_a_spam_limits_the_supply() -> None:
    """A tube of 17.18 mm holds 0.8 * 20 MPa * 50 um / 17.18 mm = 46.57 kPa: steps of 2.5 kPa go up to 45 kPa, whatever is at hand."""
    for supply, highest in ((100, 45e3), (46.5, 45e3), (45.2, 45e3), (45, 42.5e3), (20, 17.5e3)):
        params = with_supply(VineParams(), f"{supply}kPa")
        assert Catalogue.of(params).pressure.max() == highest, supply
        assert params.actuator.limits.most_pressure == supply * 1e3


def test_the_film_of_pouches_limits_them_by_the_radius_of_their_lens() -> None:
    """Entries are left out that stress the film by P l / (2 theta t) to its limit or more, at the strain of the free bend."""
    params = VineParams(actuator=PouchMotor(film=WEAK, limits=Limits(longest_cell=60e-3, most_pressure=60e3)))
    actuator, catalogue = params.actuator, Catalogue.of(params)
    pressure, l_0 = (part.ravel() for part in np.meshgrid(actuator.grid.pressure, actuator.grid.l_0, indexing="ij"))
    pouch = l_0 - actuator.seam
    strain = 2 * params.radius * free_curvature(joint_moments(params), pressure, l_0) * l_0 / pouch
    stress = pressure * pouch / (2 * half_angle(strain)) / 50e-6
    kept = (stress < 0.8 * 6e6) & (pressure < 60e3)
    assert 0 < kept.sum() < len(kept) - len(actuator.grid.l_0)
    assert np.array_equal(catalogue.pressure, pressure[kept])
    assert np.array_equal(catalogue.l_0, l_0[kept])


def test_published_equations_keep_the_whole_grid() -> None:
    """Paper 002 sets actuators to 35 kPa, the limit of its regulators."""
    assert Catalogue.of(VineParams(physics="published")).pressure.max() == 35e3
    assert Catalogue.of(VineParams()).pressure.max() == 32.5e3


def test_a_set_point_is_below_its_limit_by_the_last_digit_that_files_state() -> None:
    assert has_head_room([34_989.0, 34_990.0, 34_991.0, 35_000.0, 36_000.0], 35e3).tolist() == [
        True,
        True,
        *[False] * 3,
    ]


def test_a_tube_without_head_room_says_what_to_do() -> None:
    """The one pressure of the regulators, and film that holds none of the pressures."""
    single = VineParams(actuator=Spam(limits=Limits(least_pressure=20e3, most_pressure=20e3)))
    with pytest.raises(InvalidTube, match=r"no pressure of spam has head room: 20 kPa.*most_pressure_kpa.*--supply"):
        Catalogue.of(single)
    thin = VineParams(others=(PouchMotor(film=replace(STRIP_FILM, thickness=1e-6)),))
    with pytest.raises(InvalidTube, match=r"no pressure of pouch has head room: 5 kPa.*film of 1 um holds no more"):
        Catalogue.of(thin)


@KINDS
def test_steered_pressures_have_head_room(kind: str) -> None:
    """Levels between which a pressure changes are entries of the catalogue, or vented."""
    catalogue = Catalogue.of(with_supply(VineParams(actuator=actuators()[kind]()), "100"))
    levels = PressureLevels(catalogue)
    known = set(zip(catalogue.pressure, catalogue.l_0, strict=True))
    for control in range(1, len(catalogue.pressure) + 1, 7):
        for entry in [*levels.pressurised(control), levels.nearest(control, 3.0) - 1]:
            assert (levels.catalogue.pressure[entry], levels.catalogue.l_0[entry]) in known
        assert levels.catalogue.pressure[levels.vented(control) - 1] == VENTED


def test_every_pressure_of_a_schedule_needs_head_room() -> None:
    """Not only the set point of the section; a vented actuator needs none."""
    design = design_of(VineParams(), (20e3, 0.04, 0), (30e3, 0.05, 0))
    for highest, refused in ((32.5e3, False), (35e3, True)):
        schedule = Schedule([0.1, 0.1], [[20e3, 0.0], [highest, 30e3]])
        build = Build(replace(design, schedule=schedule))
        if refused:
            with pytest.raises(NoHeadRoom, match="L1 is set to 35 kPa, at its limit"):
                check_head_room(build)
        else:
            check_head_room(build)


@pytest.mark.parametrize("actuator", [PouchMotor(film=WEAK), PouchMotor(), Spam()])
def test_controls_of_ompl_are_entries_of_the_catalogue(actuator: PouchMotor | Spam) -> None:
    """Also where films hold a pressure in a part of the cells only: each entry has a point, and each point has an entry."""
    plus = load_environment("plus")
    growth = VineGrower(QuasiStatic(plus, VineParams(actuator=actuator)))
    entries = len(growth.catalogue.pressure)
    for control in range(1, entries + 1):
        assert growth.decode(*growth.encode(-control, 4)) == (-control, 4)
    rng = np.random.default_rng(0)
    points = rng.uniform([0, 0, 0, 1], [3, growth.cells, growth.pressures, 8], (20_000, 4))
    corners = [[2.9, cell, pressure, 2] for cell in (0, growth.cells) for pressure in (0, growth.pressures)]
    met = {abs(growth.decode(*point)[0]) for point in [*points.tolist(), *corners]} - {0}
    assert met == set(range(1, entries + 1))


def test_the_body_needs_head_room_before_a_plan(shipped: dict[str, Environment]) -> None:
    """16 MPa * 20 um / 33.35 mm = 9.6 kPa, less than the growth pressure: planning ends at once and says so; 25 um hold it."""
    plus, params = shipped["plus"], VineParams()
    thin = replace(params, film_thickness=20e-6)
    with pytest.raises(
        InvalidTube, match=r"growth_pressure_kpa = 10\.34.*film of 20 um is limited to 9\.595 kPa.*film_thickness_um"
    ):
        Problem.of(plus, thin, Inputs())
    with pytest.raises(NoHeadRoom):
        check_head_room(Build(design_of(thin, (20e3, 0.04, 0))))
    check_body(replace(params, film_thickness=25e-6))
    assert params.wall == STRIP_FILM
    Problem.of(plus, params, Inputs())


def test_a_supply_changes_the_tube_of_a_plan(shipped: dict[str, Environment]) -> None:
    """All actuators that are mixed have it, and again without a change when a plan is resumed."""
    params = VineParams(others=(PouchMotor(),))
    problem = Problem.of(shipped["plus"], params, Inputs(actuator="spam,pouch", supply="50kPa"))
    assert [one.limits.most_pressure for one in problem.tube.actuators] == [50e3, 50e3]
    assert Problem.of(shipped["plus"], problem.tube, problem.options).tube == problem.tube


@pytest.mark.parametrize(
    ("text", "pascals"),
    [("100", 100e3), ("100kPa", 100e3), ("1.5 bar", 150e3), ("20000Pa", 20e3), ("10psi", 68947.57293168)],
)
def test_supplies_have_units(text: str, pascals: float) -> None:
    assert parse_supply(text) == pytest.approx(pascals, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("much", "--supply much is not a pressure; give one such as 100kPa"),
        ("5 furlongs", "is not a pressure"),
        ("0.2", "must be from 1 to 1000 kPa"),
        ("2000", "must be from 1 to 1000 kPa"),
        ("10", "must be above the growth pressure, 10.3421 kPa"),
    ],
)
def test_a_supply_that_is_no_use_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidSupply, match=message):
        with_supply(VineParams(), text)


def test_a_supply_below_all_pressures_is_refused() -> None:
    params = VineParams(actuator=Spam(limits=Limits(least_pressure=20e3)))
    with pytest.raises(InvalidSupply, match="must be above the lowest pressure of spam, 20 kPa"):
        with_supply(params, "15")
    fine = VineParams(actuator=Spam(limits=Limits(pressure_step=20.0)))
    with pytest.raises(InvalidSupply, match=r"too many steps of 0\.02 kPa for spam"):
        with_supply(fine, "100")

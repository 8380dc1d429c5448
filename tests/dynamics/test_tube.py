"""The tube's parameters, checked as they are made."""

import math
from dataclasses import fields, replace
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamics.impulse.propagator import Impulse
from dynamics.moment import joint_moments, restoring_moment, wrinkling
from dynamics.propagator import CannotRun, Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.registry import load_propagator
from dynamics.tube import Inertia, VineParams, share_of
from environments import load_environment
from surrogate.actuators import Limits
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

NUMBERS = [
    field.name
    for field in fields(VineParams)
    if field.name not in ("physics", "film", "inertia", "actuator", "others", "uncertainty")
]
OR_ZERO = (
    "growth_viscosity",
    "bending_viscosity",
    "friction",
    "static_friction",
    "tail_tension",
    "tail_drag",
    "tail_friction",
    "thickness_share",
)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, -math.inf, 0.0])
def test_a_tube_checks_itself(name: str, value: float) -> None:
    """No number may be negative, infinite or none, and few may be 0: one line names field, value and range."""
    made: dict[str, Any] = {name: value} | ({"film_thickness": 1e-4} if name == "film_modulus" else {})
    if value == 0 and name in OR_ZERO:
        assert getattr(VineParams(**made), name) == 0
        return
    least = "at least" if name in OR_ZERO else "greater than"
    with pytest.raises(ValueError, match=f"^{name} = {value:g} must be {least} 0 and finite$"):
        VineParams(**made)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: VineParams(radius=1e-3), "penetration_tolerance = 0.001 must be less than radius = 0.001"),
        (lambda: VineParams(physics="printed"), "physics = 'printed' must be corrected or published"),
        (lambda: VineParams(film_modulus=1e8), r"film_modulus = 1e\+08 needs a film_thickness"),
        (lambda: VineParams(film="ldpe"), "film = 'ldpe' must be one of ldpe-40, ldpe-50, "),
        (lambda: Inertia(growth_rate=0.0), "inertia.growth_rate = 0 must be greater than 0"),
        (lambda: Spam(constriction_radius=math.nan), "spam.constriction_radius = nan must be greater than 0"),
        (lambda: Spam(tube_radius=4e-3), "spam.constriction_radius = 0.005 must be less than"),
        (lambda: PouchMotor(width=-1.0), "pouch.width = -1 must be greater than 0"),
        (lambda: PouchMotor(taut_strain=0.5), "pouch.taut_strain = 0.5 must be less than"),
        (lambda: Limits(shortest_cell=0.1), "limits.shortest_cell = 0.1 must be at most limits.longest_cell"),
        (lambda: Limits(most_pressure=1.0), "limits.least_pressure = 5000 must be at most limits.most_pressure"),
        (lambda: Limits(cell_step=1e-9), "limits.cell_step = 1e-09 must leave fewer than"),
    ],
)
def test_what_does_not_go_together_is_refused(make: Any, words: str) -> None:
    """Numbers that contradict each other are refused by name too."""
    with pytest.raises(ValueError, match=words):
        make()


def test_the_growth_force_is_a_share_of_pressure_and_section() -> None:
    """The default tube keeps its 25 N to the last digit; one of 20 mm pushes 9 N, not 25 and not 13."""
    assert VineParams().growth_force == 25.0
    thin = VineParams(radius=20e-3)
    assert thin.growth_force == pytest.approx(25.0 * (20 / 33.35) ** 2)
    assert thin.growth_force == pytest.approx(8.99, abs=0.01)
    assert replace(thin, growth_share=1.0).growth_force == pytest.approx(math.pi * thin.growth_pressure * 20e-3**2)


def test_the_axis_may_come_as_near_as_the_flattest_tube_and_its_tolerance_let_it() -> None:
    """Paper 002's tube of 33.35 mm radius may enter a wall by 1 mm; one that flattens to 60 % comes to 20.01 mm less that."""
    tube = VineParams(radius=33.35e-3, penetration_tolerance=1e-3)
    assert replace(tube, least_height=1.0).clearance == pytest.approx(32.35e-3)
    assert replace(tube, least_height=0.6).clearance == pytest.approx(19.01e-3)


@given(st.floats(0.1, 100), st.floats(1e-3, 1), st.floats(1e2, 1e5))
def test_a_share_gives_the_force_asked_for(force: float, radius: float, pressure: float) -> None:
    """`share_of` undoes `growth_force`, but for the rounding of one multiplication."""
    params = VineParams(
        radius=radius,
        growth_pressure=pressure,
        growth_share=share_of(force, radius, pressure),
        penetration_tolerance=1e-5,
    )
    assert params.growth_force == pytest.approx(force, rel=3e-16)


@pytest.mark.parametrize("name", ["quasistatic", "penalty", "impulse", "euler-lagrange"])
def test_propagators_push_with_the_tubes_share(name: str) -> None:
    """A tip pressed against a wall ahead is held with the force of its own tube."""
    params = VineParams(radius=20e-3)
    model: Any = load_propagator(name)(load_environment("divider") if name != "euler-lagrange" else _room(), params)
    known = {
        "quasistatic": lambda: model.tube.growth_force,
        "penalty": lambda: model.model.params.growth_force,
        "impulse": lambda: params.inertia.growth_rate / model.tube.yielding,
        "euler-lagrange": lambda: model.tube.growth_force,
    }
    assert known[name]() == pytest.approx(8.99, abs=0.01)


def test_geometric_levers_follow_the_growth_force() -> None:
    """Paper 003, Eq. 3: the shortest lever is pi P R^3 over the growth force, R over the share: similar tubes, similar levers."""
    environment = _room()
    levers = [_geometric(environment, VineParams(radius=radius)).tube.reach / radius for radius in (33.35e-3, 20e-3)]
    assert levers == pytest.approx([1 / VineParams().growth_share] * 2)


def _geometric(environment: Any, params: VineParams) -> Any:
    return load_propagator("geometric")(environment, params)


def _room() -> Any:
    environment = load_environment("divider")
    return replace(environment, obstacles=type(environment.obstacles)())


def test_friction_and_inertia_are_the_tubes() -> None:
    """Propagators take friction and inertia from the tube, unless they are given others."""
    environment = load_environment("divider")
    rubbed = VineParams(friction=0.2, inertia=Inertia(mass_per_length=0.1, damping_time=0.02, growth_rate=0.05))
    assert QuasiStatic(environment, VineParams()).tube.friction.static == 0.0
    assert QuasiStatic(environment, rubbed).tube.friction[:2] == (0.2, 0.2)
    assert QuasiStatic(environment, rubbed, friction=0.4).tube.friction[:2] == (0.4, 0.4)
    slips = replace(rubbed, static_friction=0.3)
    assert QuasiStatic(environment, slips).tube.friction[:2] == (0.2, 0.3)
    assert QuasiStatic(environment, slips, friction=0.4).refined().tube.friction[:2] == (0.4, 0.4)
    assert QuasiStatic(environment, slips).refined().tube.friction[:2] == (0.2, 0.3)
    assert _geometric(environment, VineParams()).tube.friction == 0.3
    assert _geometric(environment, rubbed).tube.friction == 0.2
    impulse = Impulse(environment, rubbed).tube
    assert (impulse.mass_per_length, impulse.growth_rate) == (0.1, 0.05)


def test_film_and_measured_stiffness_reach_the_joints() -> None:
    """A joint's stiffness is EI over its segment, E t pi R^3 of a film, and a measured EI counts before that."""
    plain = VineParams()
    film = replace(plain, film_thickness=50e-6, film_modulus=200e6)
    stiffness = math.pi * plain.radius**3 * 50e-6 * 200e6
    assert joint_moments(film).elasticity.stiffness == pytest.approx(stiffness / plain.segment_length, rel=1e-6)
    measured = replace(film, bending_stiffness=0.4)
    assert joint_moments(measured).elasticity.stiffness == pytest.approx(0.4 / plain.segment_length, rel=1e-6)
    assert joint_moments(replace(plain, film_thickness=1e-4)).elasticity == joint_moments(plain).elasticity
    impulse = Impulse(load_environment("divider"), measured)
    assert impulse.joint.elasticity.stiffness == pytest.approx(0.4 / 25e-3, rel=1e-6)


@given(st.floats(0.05, 5.0), st.floats(2e3, 2e4), st.floats(10e-3, 50e-3))
def test_an_elastic_tube_wrinkles_at_half_its_greatest_moment(stiffness: float, pressure: float, radius: float) -> None:
    """Linear up to pi P R^3 / 2 without a jump there (Comer and Levy); from there on it rises, to pi P R^3 at most."""
    params = VineParams(radius=radius, growth_pressure=pressure, bending_stiffness=stiffness)
    most = math.pi * pressure * radius**3
    try:
        transition = wrinkling(params)[1]
    except ValueError as error:
        assert "bending stiffness EI" in str(error)  # noqa: PT017
        assert most / 2 * params.segment_length / stiffness >= 1.0
        return
    bends = np.linspace(transition, np.pi, 200)
    moment = restoring_moment(bends, params)
    assert moment[0] == pytest.approx(most / 2, rel=1e-6)
    assert restoring_moment(transition / 2, params) == pytest.approx(most / 4, rel=1e-6)
    assert np.all(np.diff(moment) > 0)
    assert moment[-1] <= most


@pytest.mark.parametrize("segment", [10e-3, 25e-3, 50e-3])
@pytest.mark.parametrize(("name", "field"), [("quasistatic", "tube.growth_step"), ("penalty", "model.step")])
def test_steps_go_with_the_segment(name: str, field: str, segment: float) -> None:
    """The default step is a sixth of a segment: 25 / 6 mm of the default tube."""
    model: Propagator = load_propagator(name)(load_environment("divider"), VineParams(segment_length=segment))
    assert attrgetter(field)(model) == segment / 6


def test_walls_give_their_friction_to_tubes_without_one() -> None:
    """The tube's own coefficient precedes that of the environment, and one that is given precedes both."""
    smooth = load_environment("divider")
    rough = replace(smooth, friction=0.25)
    for params, other, quasistatic, geometric in (
        (VineParams(), None, (0.25, 0.25), 0.25),
        (VineParams(friction=0.1), None, (0.1, 0.1), 0.1),
        (VineParams(static_friction=0.4), None, (0.25, 0.4), 0.25),
        (VineParams(friction=0.1), 0.0, (0.0, 0.0), 0.0),
    ):
        assert QuasiStatic(rough, params, friction=other).tube.friction[:2] == quasistatic
        model: Any = load_propagator("geometric")
        assert model(rough, params, other).tube.friction == geometric
    assert QuasiStatic(replace(smooth, friction=0.0), VineParams()).tube.friction.static == 0.0
    with pytest.raises(
        CannotRun, match=r"static_friction = 0\.2 of the tube must be at least the friction of the environment"
    ):
        QuasiStatic(rough, VineParams(static_friction=0.2))

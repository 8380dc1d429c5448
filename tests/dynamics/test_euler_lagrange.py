"""The equations of motion of a vine in space, against their derivation by computer algebra, and what they must keep."""

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from dynamics.euler_lagrange.kinematics import (
    COIL,
    PLANES,
    SMALL,
    actuator_jacobian,
    centerline,
    tip_jacobian,
    tip_jacobian_rate,
    tip_pose,
    to_polar,
    to_regular,
)
from dynamics.euler_lagrange.model import (
    LinearActuator,
    Robot,
    acceleration,
    check_inputs,
    check_start,
    coriolis_matrix,
    mass_matrix,
    solve,
    weight,
)
from surrogate.spam import Spam

MASS, GRAVITY = 0.37, np.array([1.3, -2.1, 9.2])
STATES = 60


def random_states(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of 0.05 to 6 m, bends from none to nearly a full circle in all directions, and rates."""
    rng = np.random.default_rng(8)
    bend = rng.uniform(0, COIL - 0.1, count)
    bend[: count // 10] = 0.0
    bend[count // 10 : count // 5] = 10.0 ** rng.uniform(-12, -1, count // 5 - count // 10)
    bend[count // 5] = np.sqrt(SMALL)  # where the series ends
    q = to_regular(np.column_stack([rng.uniform(0.05, 6, count), bend, rng.uniform(-np.pi, np.pi, count)]))
    return q, rng.uniform(-3, 3, (count, 3))


@cache
def derived() -> Callable[..., Any]:
    """Tip, M, C and G by Eqs. 1, 9 to 12 and 18 to 20 as they must read, as a function of high precision."""
    q = s, u, v = sympy.symbols("s u v", positive=True)
    rates = sympy.symbols("ds du dv", real=True)
    m, gravity = sympy.Symbol("m"), sympy.symbols("gx gy gz")
    theta = sympy.sqrt(u**2 + v**2)
    cosine, sine = u / theta, v / theta
    tip = sympy.Matrix([
        s * cosine * (sympy.cos(theta) - 1) / theta, s * sine * (sympy.cos(theta) - 1) / theta, s * sympy.sin(theta) / theta,
    ])  # fmt: skip
    velocity = sum((tip.diff(one) * rate for one, rate in zip(q, rates, strict=True)), sympy.zeros(3, 1))
    kinetic = m * velocity.dot(velocity) / 2
    potential = -m * sum(pull * part for pull, part in zip(gravity, tip, strict=True))
    mass = sympy.Matrix(3, 3, lambda i, j: sympy.diff(kinetic, rates[i], rates[j]))
    coriolis = sympy.Matrix(
        3,
        3,
        lambda k, j: sum(
            (mass[k, j].diff(q[i]) + mass[k, i].diff(q[j]) - mass[i, j].diff(q[k])) * rates[i] / 2 for i in range(3)
        ),
    )
    static = sympy.Matrix([sympy.diff(potential, one) for one in q])
    everything = [*tip, *mass, *coriolis, *static]
    return sympy.lambdify([*q, *rates, m, *gravity], everything, modules="mpmath", cse=True)


def by_algebra(q: np.ndarray, rates: np.ndarray) -> list[np.ndarray]:
    """Tip (3,), M (3, 3), C (3, 3) and G (3,), with 200 digits; at no bend with one of 1e-20 rad."""
    s, u, v = (float(one) for one in q)
    with mpmath.workdps(200):
        u, v = (mpmath.mpf(one) or mpmath.mpf("1e-20") for one in (u, v))
        values = derived()(mpmath.mpf(s), u, v, *(mpmath.mpf(float(one)) for one in (*rates, MASS, *GRAVITY)))
        numbers = np.array([float(one) for one in values])
    return [numbers[:3], numbers[3:12].reshape(3, 3), numbers[12:21].reshape(3, 3), numbers[21:]]


def test_matrices_are_those_of_the_lagrangian() -> None:
    """Tip, M, C and G agree with computer algebra to 1e-10 at random states, straight and nearly straight ones too."""
    for q, rates in zip(*random_states(STATES), strict=True):
        tip, mass, coriolis, static = by_algebra(q, rates)
        np.testing.assert_allclose(tip_pose(q)[:3, 3], tip, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(mass_matrix(q, MASS), mass, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(coriolis_matrix(q, rates, MASS), coriolis, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(-weight(q, MASS, GRAVITY), static, rtol=1e-10, atol=1e-10)


def test_inertia_in_bend_and_plane_is_the_closed_form() -> None:
    """In (s, theta, phi) M has the four entries derived by hand, and else zeros."""
    q, _ = random_states(200)
    for one in q[np.hypot(q[:, 1], q[:, 2]) > 1e-2]:
        s, t, phi = to_polar(one)
        turn = np.array([[1, 0, 0], [0, np.cos(phi), -t * np.sin(phi)], [0, np.sin(phi), t * np.cos(phi)]])
        along = MASS * (2 - 2 * np.cos(t)) / t**2
        across = MASS * s * (t * np.sin(t) + 2 * np.cos(t) - 2) / t**3
        bend = MASS * s**2 * (t**2 - 2 * t * np.sin(t) - 2 * np.cos(t) + 2) / t**4
        plane = MASS * s**2 * (np.cos(t) - 1) ** 2 / t**2
        expected = np.array([[along, across, 0], [across, bend, 0], [0, 0, plane]])
        np.testing.assert_allclose(turn.T @ mass_matrix(one, MASS) @ turn, expected, rtol=1e-9, atol=1e-9)


def test_tip_stands_as_the_transformation_says() -> None:
    """The tip's pose is Eq. 1 in theta and phi, a rotation, and its z axis the arc's tangent."""
    q, _ = random_states(40)
    for one in q:
        s, t, phi = to_polar(one)
        c, n = np.cos(phi), np.sin(phi)
        k = np.cos(t) - 1
        expected = np.array([
            [c * c * k + 1, n * c * k, -c * np.sin(t)],
            [n * c * k, c * c * -k + np.cos(t), -n * np.sin(t)],
            [c * np.sin(t), n * np.sin(t), np.cos(t)],
        ])  # fmt: skip
        pose = tip_pose(one)
        np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-12)
        np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
        np.testing.assert_array_equal(pose[3], [0, 0, 0, 1])
        near = 1e-6
        before = tip_pose(one * (1 - near))[:3, 3]  # a little down the same arc
        np.testing.assert_allclose((pose[:3, 3] - before) / (s * near), pose[:3, 2], atol=1e-5)


def test_centreline_is_an_arc_of_the_tubes_length() -> None:
    """Points along the tube lie evenly on a circle of radius s / theta, and are as long as the tube."""
    q = to_regular(np.array([1.7, 2.4, 0.9]))
    points = centerline(q, 400)
    np.testing.assert_array_equal(points[0], 0.0)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)
    assert steps.sum() == pytest.approx(1.7, rel=1e-5)
    radius = 1.7 / 2.4
    middle = -radius * np.array([np.cos(0.9), np.sin(0.9), 0.0])
    np.testing.assert_allclose(np.linalg.norm(points - middle, axis=1), radius, rtol=1e-12)


def test_inertia_is_symmetric_and_positive_definite() -> None:
    """At 10 000 random states of some length, a tenth of them straight, no motion is without energy."""
    q, _ = random_states(10_000)
    matrices = np.array([mass_matrix(one, MASS) for one in q])
    assert np.hypot(q[:, 1], q[:, 2]).min() == 0.0
    np.testing.assert_array_equal(matrices, np.swapaxes(matrices, 1, 2))
    assert np.linalg.eigvalsh(matrices).min() > 0.0
    assert (
        np.linalg.eigvalsh(mass_matrix(to_regular(np.array([1.0, COIL, 0.4])), MASS)).min() < 1e-12
    )  # as the model ends


def test_coriolis_forces_do_no_work() -> None:
    """M' - 2 C is skew: M's rate, by differences of fourth order, is C and its transpose."""
    h = 1e-3
    for q, rates in zip(*random_states(300), strict=True):
        if q[0] < 0.5 or np.hypot(q[1], q[2]) > 5:
            continue
        ahead = [mass_matrix(q + k * h * rates / 3, MASS) for k in (-2, -1, 1, 2)]
        change = (ahead[0] - 8 * ahead[1] + 8 * ahead[2] - ahead[3]) / (12 * h / 3)
        coriolis = coriolis_matrix(q, rates, MASS)
        np.testing.assert_allclose(coriolis + coriolis.T, change, atol=1e-8 * max(1, np.abs(change).max()))


def test_rate_of_the_jacobian_is_its_difference() -> None:
    """J' agrees with the difference of J along the motion."""
    for q, rates in zip(*random_states(50), strict=True):
        h = 1e-6
        change = (tip_jacobian(q + h * rates) - tip_jacobian(q - h * rates)) / (2 * h)
        np.testing.assert_allclose(tip_jacobian_rate(q, rates), change, atol=1e-6)


def test_actuators_are_as_long_as_equation_3_says() -> None:
    """l_i = s - D theta cos(phi - beta_i) / 2, and pulls do virtual work -T dl."""
    robot = Robot()
    s, t, phi = 1.3, 0.7, 0.4
    lengths = robot.lengths(to_regular(np.array([s, t, phi])))
    np.testing.assert_allclose(lengths[0], s)
    for i, beta in enumerate((0, 2 * np.pi / 3, -2 * np.pi / 3)):
        assert lengths[1 + i] == pytest.approx(s - 0.5 * 0.05 * t * np.cos(phi - beta), abs=1e-15)
        pull = np.zeros(4)
        pull[0], pull[1 + i] = robot.yield_force, 3.0
        virtual = np.array([0.01, 0.2, -0.3])
        assert robot.actuation(pull) @ virtual == pytest.approx(-3.0 * (actuator_jacobian(robot.arm) @ virtual)[1 + i])


def test_each_robot_has_its_own_jacobian() -> None:
    """Robots with other arms or planes in turn get that of Eq. 3, which nobody can change."""
    planes = (0.1, 2.0, 4.0)
    for robot in (Robot(), Robot(levers=2.0), Robot(diameter=0.1), Robot(planes=planes), Robot()):
        expected = [[1, 0, 0], *([1, -robot.arm * np.cos(one), -robot.arm * np.sin(one)] for one in robot.planes)]
        np.testing.assert_allclose(robot.jacobian, expected, rtol=1e-15)
        with pytest.raises(ValueError, match="read-only"):
            robot.jacobian[0, 0] = 2.0


def test_core_pushes_with_what_exceeds_the_yield_force() -> None:
    """The core acts on the length alone, with P_s - Y_e."""
    np.testing.assert_allclose(Robot().actuation(np.array([9.0, 0, 0, 0])), [5.0, 0, 0], atol=1e-15)


def test_actuator_pulls_between_full_and_contracted() -> None:
    """Eq. 15: all of its pull at full length, half at half of its contraction, none beyond the end; linear in pressure."""
    actuator = LinearActuator(area=2e-3, contraction=0.2)
    np.testing.assert_allclose(actuator.tension(10e3, [2.0, 1.8, 1.6, 1.2], 2.0), [20, 10, 0, 0], atol=1e-12)
    assert actuator.tension(20e3, 1.8, 2.0) == pytest.approx(20.0)


def test_actuator_like_a_spam_agrees_where_it_was_fitted() -> None:
    """At half of its contraction the line pulls like the analytic sPAM, at its end like it: not at all."""
    spam, linear = Spam(), LinearActuator.fit(Spam(), 30e-3)
    end = float(spam.full_contraction(30e-3))
    assert linear.contraction == pytest.approx(end, rel=1e-11)  # 12 digits
    pull = 15e3 * float(spam.force_per_pressure(end / 2, 30e-3))
    assert linear.tension(15e3, 1 - end / 2, 1.0) == pytest.approx(pull)
    assert Robot().actuator == LinearActuator.fit(Spam())


def test_tensions_follow_pressures_and_shape() -> None:
    """The actuator on the inner side of the bend is shorter and pulls less."""
    robot = Robot(actuator=LinearActuator(2e-3, 0.2))
    straight = robot.tensions([1e4, 1e4, 0.0], np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(straight, [20, 20, 0])
    bent = robot.tensions([1e4, 1e4, 1e4], np.array([1.0, 0.5, 0.0]))
    shorter = robot.arm * 0.5 / 0.2
    np.testing.assert_allclose(bent, 20 * np.array([1 - shorter, 1 + shorter / 2, 1 + shorter / 2]))


def test_locked_growth_leaves_out_its_equation() -> None:
    """With the growth locked, bending accelerates as a tube of fixed length does: by the bending block of M alone."""
    q, rates = np.array([1.2, 0.9, -0.4]), np.array([0.0, 0.8, 1.1])
    force = np.array([-3.0, 0.5, 0.2])
    right = force + weight(q, MASS, GRAVITY) - coriolis_matrix(q, rates, MASS) @ rates
    block = mass_matrix(q, MASS)
    np.testing.assert_allclose(acceleration(q, rates, force, MASS, GRAVITY, False), np.linalg.solve(block, right))
    locked = acceleration(q, rates, force, MASS, GRAVITY, True)
    assert locked[0] == 0.0
    np.testing.assert_allclose(locked[1:], np.linalg.solve(block[1:, 1:], right[1:]))


def test_solves_like_a_library() -> None:
    """Random positive definite matrices, whole and without the first row."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        root, right = rng.normal(size=(3, 3)), rng.normal(size=3)
        matrix = root @ root.T + 0.1 * np.eye(3)
        np.testing.assert_allclose(solve(matrix, right, False), np.linalg.solve(matrix, right), rtol=1e-9)
        expected = np.append(0.0, np.linalg.solve(matrix[1:, 1:], right[1:]))
        np.testing.assert_allclose(solve(matrix, right, True), expected, rtol=1e-9, atol=1e-15)


def test_configurations_turn_into_each_other() -> None:
    """(s, theta, phi) and (s, u, v) are two names of the same, for arrays of any shape; straight, phi is 0."""
    polars = np.array([[[1.0, 0.5, 2.0], [2.0, 3.0, -3.1]], [[0.3, 0.0, 0.0], [4.0, 6.0, np.pi]]])
    np.testing.assert_allclose(to_polar(to_regular(polars)), polars, atol=1e-15)
    np.testing.assert_array_equal(to_polar(np.array([1.0, -0.0, -0.0])), [1.0, 0.0, 0.0])
    np.testing.assert_allclose(PLANES, np.radians([0, 120, -120]))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("mass", 0.0, "robot.mass = 0 must be greater than 0"),
        ("mass", -0.1, "greater than 0"),
        ("mass", np.nan, "finite"),
        ("stiffness", -1.0, "robot.stiffness = -1 must be at least 0"),
        ("axial_damping", -0.5, "robot.axial_damping = -0.5 must be at least 0"),
        ("bending_damping", -1e-9, "robot.bending_damping"),
        ("yield_force", -4.0, "robot.yield_force"),
        ("diameter", 0.0, "robot.diameter = 0 must be greater than 0"),
        ("levers", np.inf, "finite"),
        ("gravity", (0.0, 9.81), "three finite numbers"),
        ("gravity", (0.0, 0.0, np.nan), "three finite numbers"),
        ("actuator", LinearActuator(0.0, 0.3), "robot.actuator.area = 0"),
        ("actuator", LinearActuator(1e-3, -0.3), "robot.actuator.contraction = -0.3"),
    ],
)
def test_refuses_robots_that_cannot_be(name: str, value: Any, words: str) -> None:
    """Masses, dampers and sizes out of range are named, with what is allowed."""
    with pytest.raises(ValueError, match=words):
        Robot(**{name: value})


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ((5, 0, -3, 0), r"sPAM 2: -3 N; a core pushes and a sPAM pulls"),
        ((-1, 0, 0, 0), r"core: -1 N"),
        ((0, 0, 0, np.nan), r"sPAM 3: nan N"),
        ((np.inf, 0, 0, 0), r"core: inf N"),
        ((1, 2, 3), r"shape \(3,\)"),
    ],
)
def test_refuses_actuators_that_push(inputs: tuple[float, ...], words: str) -> None:
    """Inputs of the wrong sign or number are named."""
    with pytest.raises(ValueError, match=words):
        check_inputs(inputs)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ((0, 0.1, 0), "s = 0 m must be greater than 0"),
        ((-1, 0.1, 0), "s = -1 m"),
        ((1, -0.1, 0), "theta = -0.1 rad must be at least 0"),
        ((1, 6.3, 0), "less than 2 pi"),
        ((1, 0.1, np.nan), "three finite numbers"),
        ((1, 0.1), "three finite numbers"),
    ],
)
def test_refuses_configurations_without_inertia(start: tuple[float, ...], words: str) -> None:
    """No length, a full circle, and what is no number, are refused."""
    with pytest.raises(ValueError, match=words):
        check_start(start)

"""The analytic model of an fPAM: the ideal braided actuator with the angle that its stroke gives."""

import numpy as np
import pytest

from dynamics.tube import VineParams
from surrogate.fpam import Fpam

FPAM = Fpam()


@pytest.mark.parametrize(("radius", "stroke"), [(15e-3, 0.3), (8e-3, 0.1), (30e-3, 0.4)])
def test_force_is_that_of_the_braided_actuator(radius: float, stroke: float) -> None:
    """F = pi r^2 P (a (1 - strain)^2 - b) with a = 3 / tan^2 and b = 1 / sin^2 of the angle of the threads at zero strain."""
    fpam = Fpam(radius, stroke)
    a, b = 3 / np.tan(fpam.thread_angle) ** 2, 1 / np.sin(fpam.thread_angle) ** 2
    strain = np.linspace(0.0, 0.999 * stroke, 50)
    expected = np.pi * radius**2 * (a * (1 - strain) ** 2 - b)
    np.testing.assert_allclose(fpam.force_per_pressure(strain, 0.04), expected, rtol=1e-9)


def test_free_fabric_contracts_to_the_angle_of_zero_force() -> None:
    """At full contraction the threads are at atan(sqrt 2) = 54.7 degrees, where a cylinder under pressure pulls and pushes nothing."""
    at_full = np.arccos(np.cos(FPAM.thread_angle) * (1 - FPAM.stroke))
    assert np.tan(at_full) ** 2 == pytest.approx(2.0, rel=1e-9)
    assert Fpam(stroke=1 - np.sqrt(2 / 3)).thread_angle == pytest.approx(np.pi / 4)  # fabric that is not stretched


def test_fabric_as_cut_is_shorter_and_wider() -> None:
    """The threads keep their length: along the tube they go as the cosine of their angle, around it as the sine, 45 degrees as cut."""
    assert FPAM.stretch == pytest.approx(np.sqrt(2) * np.cos(FPAM.thread_angle))
    assert FPAM.flat_width == pytest.approx(np.pi * FPAM.rest_radius / (np.sqrt(2) * np.sin(FPAM.thread_angle)))
    unstretched = Fpam(stroke=float(1 - np.sqrt(2 / 3)))
    assert unstretched.stretch == pytest.approx(1.0)
    assert unstretched.flat_width == pytest.approx(np.pi * unstretched.rest_radius)


def test_force_does_not_depend_on_the_pitch() -> None:
    """It has no cells: a strip fixed at other distances pulls the same, so its grid has one of them."""
    force = FPAM.force_per_pressure(0.1, [0.02, 0.05, 0.09])
    assert np.ptp(force) == 0
    assert len(FPAM.grid.l_0) == 1


def test_stretched_and_slack_fabric() -> None:
    """Below zero strain the force goes on along its tangent; beyond full contraction it is zero."""
    h = 1e-7
    at, above = FPAM.force_per_pressure([0.0, h], 0.04)
    assert FPAM.force_per_pressure(-0.05, 0.04) == pytest.approx(at - 0.05 * (above - at) / h, rel=1e-5)
    np.testing.assert_array_equal(FPAM.force_per_pressure([0.3, 0.31, 2.0], 0.04), 0.0)


def test_a_stroke_beyond_straight_threads_is_refused() -> None:
    """Threads along the tube contract by 1 - 1 / sqrt(3) = 0.4226, no fabric by more."""
    with pytest.raises(ValueError, match=r"fpam\.stroke = 0\.43 must be less than 0\.4226"):
        Fpam(stroke=0.43)


def test_axis_lies_beside_the_tube() -> None:
    """The tube of fabric lies on the body, so its axis is one radius outside, and the arm is the diameter of the body more."""
    assert Fpam(12e-3).offset == 12e-3
    params = VineParams(actuator=Fpam(12e-3))
    assert params.arm() == pytest.approx(2 * params.radius + 12e-3)

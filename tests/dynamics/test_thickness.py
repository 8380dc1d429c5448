"""Thickness of actuators that bend a tube in free space, against their analytic models."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.moment import free_curvature, joint_moments
from dynamics.thickness import largest_thickness, signed_thickness
from dynamics.tube import VineParams
from surrogate.actuators import Actuator
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

KINDS = [Spam(), PouchMotor(), Cpam(), Fpam()]


@pytest.mark.parametrize("actuator", KINDS, ids=lambda one: one.kind)
def test_thickness_is_that_of_the_model_at_the_strain_of_the_free_bend(actuator: Actuator) -> None:
    """To 0.3 mm, for any cell and pressure: strain is the turn per length about the far wall, times its distance."""
    params, rng, low, high = VineParams(actuator=actuator), np.random.default_rng(1), *actuator.grid.l_0[[0, -1]]
    pressure, l_0 = rng.uniform(5e3, 35e3, 400), rng.uniform(low, high, 400)
    strain = free_curvature(joint_moments(params), pressure, l_0) * params.arm()
    exact = actuator.thickness(np.minimum(strain, actuator.full_contraction(l_0) * (1 - 1e-9)), l_0)
    found = signed_thickness(params, pressure, l_0)
    np.testing.assert_allclose(found, exact, atol=0.3e-3)
    np.testing.assert_array_equal(signed_thickness(params, -pressure, l_0), -found)
    assert found.max() <= largest_thickness(params)
    assert largest_thickness(replace(params, thickness_share=0.0)) == 0.0


def test_a_saturated_spam_is_as_thick_as_its_tube() -> None:
    """Long cells at high pressure fill the tube of the actuator, 34.4 mm; without pressure there is only film."""
    params = VineParams()
    assert signed_thickness(params, 35e3, 0.08) == pytest.approx(2 * Spam().tube_radius, rel=1e-6)
    assert signed_thickness(params, 0.0, 0.08) == 0.0


def test_mixed_actuators_have_their_own_thickness() -> None:
    """The number of the actuator selects its table."""
    mixed = VineParams(actuator=Spam(), others=(PouchMotor(),))
    for kind, one in enumerate((Spam(), PouchMotor())):
        expected = signed_thickness(VineParams(actuator=one), 20e3, 0.045)
        assert signed_thickness(mixed, 20e3, 0.045, kind) == pytest.approx(float(expected), rel=1e-9)

"""Headings of a chain: cosine and sine without branches, against those of NumPy."""

import numpy as np
import pytest

from dynamics.chain import cosine_and_sine, forward_kinematics, new_chain


@pytest.mark.parametrize("most", [1.0, 30.0, 1e5])
def test_cosine_and_sine_are_exact_to_the_last_bits(most: float) -> None:
    """In all quarters of a turn, next to their borders and far from 0."""
    rng = np.random.default_rng(0)
    angles = rng.uniform(-most, most, 4000)
    near = np.rint(angles / (np.pi / 4)) * (np.pi / 4) + rng.normal(0, 1e-9, len(angles))
    for angle in (*angles, *near, 0.0):
        np.testing.assert_allclose(cosine_and_sine(angle), (np.cos(angle), np.sin(angle)), rtol=0.0, atol=2.3e-16)


def test_what_is_not_a_number_has_no_heading() -> None:
    """A bend that is not finite leaves no position beyond it, and those before it as they are."""
    chain, bends = new_chain(4), np.array([0.1, 0.2, np.nan, 0.1])
    forward_kinematics(chain, bends, np.zeros(4), np.zeros(3), 4, 0.025, 0.025)
    np.testing.assert_allclose(chain.x[:3], 0.025 * np.cumsum([0.0, np.cos(0.1), np.cos(0.3)]), rtol=1e-15)
    assert np.isnan(chain.x[3:]).all()
    assert np.isnan(chain.y[3:]).all()


def test_a_vine_that_broke_down_has_headings() -> None:
    """However far it has turned: the library's functions take over."""
    chain, bends = new_chain(2), np.array([0.1, -1e308])
    forward_kinematics(chain, bends, np.zeros(2), np.zeros(3), 2, 0.025, 0.025)
    np.testing.assert_allclose(chain.cosine, np.cos([0.1, -1e308]), atol=1e-15)
    np.testing.assert_allclose(chain.sine, np.sin([0.1, -1e308]), atol=1e-15)

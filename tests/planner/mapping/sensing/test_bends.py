"""Steps and bends in values along a body, against values made of levels."""

import numpy as np
import pytest

from planner.mapping.sensing.bends import Bend, find_bends, find_step, roughness

NOISE = 0.01


def noisy(*levels: tuple[float, int]) -> np.ndarray:
    """Levels, each with a number of values, with noise."""
    values = np.concatenate([np.full(count, level) for level, count in levels])
    return values + np.random.default_rng(1).normal(0, NOISE, len(values))


def test_roughness_is_that_of_the_noise() -> None:
    """The standard deviation of values with two large steps: that of the noise, within 10 %."""
    assert roughness(noisy((0, 400), (1, 400), (-2, 400))) == pytest.approx(NOISE, rel=0.1)


def test_step_is_found_where_values_increase() -> None:
    """A large step at one place; a step down, and none, give nothing."""
    step = find_step(noisy((0, 7), (0.1, 5)), NOISE)
    assert step is not None
    assert step.best == 7
    assert step.places.tolist() == [7]
    assert find_step(noisy((0, 7), (-0.1, 5)), NOISE) is None
    assert find_step(noisy((0, 12)), NOISE) is None


def test_places_of_a_small_step_are_several() -> None:
    """By hand: of 0, 0, 0, 1.5, 3, 3, 3 with a unit of noise, the step may be on either side of the middle value, and not elsewhere."""
    step = find_step(np.array([0, 0, 0, 1.5, 3, 3, 3]), 1.0)
    assert step is not None
    assert step.places.tolist() == [3, 4]


def test_steps_in_reach_are_one_bend() -> None:
    """Steps up at 6, 8 and 16 and down at 24: with a reach of 2 the first two are one bend, with 1 they are two."""
    values = noisy((0, 6), (0.2, 2), (0.5, 8), (0.9, 8), (0.1, 6))
    wide = find_bends(values, NOISE, 2)
    assert [(bend.first, bend.last) for bend in wide] == [(6, 8), (16, 16)]
    np.testing.assert_allclose([(bend.before, bend.after) for bend in wide], [(0, 0.5), (0.5, 0.9)], atol=2 * NOISE)
    assert [(bend.first, bend.last) for bend in find_bends(values, NOISE, 1)] == [(6, 6), (8, 8), (16, 16)]


def test_step_down_divides_bends() -> None:
    """Up, down and up again within the reach: two bends."""
    found = find_bends(np.array([0, 0, 0, 1, 1, 0.5, 0.5, 1, 1, 1.0]), 1e-3, 9)
    assert found == [Bend(3, 3, 0.0, 1.0), Bend(7, 7, 0.5, 1.0)]


def test_level_values_have_no_bend() -> None:
    """Noise alone gives no bend."""
    assert find_bends(noisy((0.3, 20)), NOISE, 3) == []

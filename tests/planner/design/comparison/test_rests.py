"""Growth with rests against growth without."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dynamics.impulse.propagator import Impulse
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines, grown_length
from environments import Environment
from planner.design.comparison.rests import grow_with_rests

MakeEnvironment = Callable[..., Environment]
LENGTH, SEGMENTS = 0.23, 10


def steered(*pressures: float) -> Actuation:
    """A vine for each pressure, with cells of 40 mm."""
    return Actuation(
        np.repeat(np.array(pressures)[:, None], SEGMENTS, axis=1), np.full((len(pressures), SEGMENTS), 0.04)
    )


@pytest.mark.parametrize("every", [0.025, 0.017])
@pytest.mark.parametrize("make", [QuasiStatic, Impulse])
def test_a_smooth_vine_grows_the_same_with_and_without_rests(
    environment: MakeEnvironment, params: VineParams, make: Any, every: float
) -> None:
    """Vines that do not snap, two of them pressed along a wall, end within 1 mm and 0.5 degrees of how they end without rests."""
    model = make(environment(boxes=[[-1.0, 0.04, 1.0, 0.2]]), params)
    carried = steered(0.0, -20e3, 10e3, 24e3)
    plain = model.grow(model.start(4, SEGMENTS), carried, LENGTH, LENGTH)
    rested = grow_with_rests(model, carried, LENGTH, every)
    assert (plain.contact_force[:, 0].sum(axis=1) > 0.1).sum() == 2
    assert (rested.status == Status.GROWN).all()
    np.testing.assert_allclose(grown_length(rested.state, params), LENGTH)
    np.testing.assert_allclose(rested.tips[:, :2], plain.tips[:, 0, :2], rtol=0, atol=1e-3)
    np.testing.assert_allclose(rested.tips[:, 2], plain.tips[:, 0, 2], rtol=0, atol=np.deg2rad(0.5))


def test_each_piece_ends_at_rest(environment: MakeEnvironment, params: VineParams) -> None:
    """The vine is held once after each piece, and the last piece is what is left."""
    asked: list[float] = []

    class Listening(QuasiStatic):
        def grow(self, state: Any, actuation: Actuation, length: Any, record_every: float) -> Any:
            asked.append(float(length[0]))
            return super().grow(state, actuation, length, record_every)

    grow_with_rests(Listening(environment(), params), steered(10e3), 0.06, 0.025)
    assert asked == pytest.approx([0.025, 0.0, 0.025, 0.0, 0.01, 0.0])


def test_a_vine_that_ends_keeps_its_last_state(environment: MakeEnvironment, params: VineParams) -> None:
    """One that leaves the bounds says so and stays where it last was within them; the one beside it grows on."""
    model = QuasiStatic(environment(bounds=(-1.0, -0.5, 1.0, 0.05)), params)
    rested = grow_with_rests(model, steered(24e3, -24e3), LENGTH, 0.025)
    assert rested.status.tolist() == [Status.OUT_OF_BOUNDS, Status.GROWN]
    lengths = grown_length(rested.state, params)
    assert 0.05 < lengths[0] < LENGTH - 0.02
    assert rested.tips[0, 1] <= 0.05
    alone = model.grow(model.start(1, SEGMENTS), steered(24e3), lengths[0], 0.5)
    np.testing.assert_allclose(rested.tips[0], alone.tips[0, 0], rtol=0, atol=1e-6)
    assert lengths[1] == pytest.approx(LENGTH)
    line = centerlines(rested.state, np.zeros(3), params)[1]
    np.testing.assert_allclose(line[SEGMENTS], rested.tips[1, :2], atol=1e-12)

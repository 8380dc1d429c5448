"""Replays from known beginnings are those from the start, to the last bit."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import known_environments
from planner.design.catalogue import Catalogue
from planner.search.beginnings import Beginnings
from planner.search.controls import actuation

SEGMENTS, FULL_WIDTH = 72, 80


def branching_controls(catalogue: Catalogue, rng: np.random.Generator) -> tuple[np.ndarray, list[list[int]]]:
    """Eight vines that share the first 24 or 48 segments with others, and where they branch off."""
    controls = np.zeros((8, FULL_WIDTH), np.int32)
    for first, share in ((0, 8), (24, 4), (48, 1)):
        for row in range(0, 8, share):
            bent = int(rng.integers(4, 24))
            control = int(rng.choice([-1, 1])) * (int(catalogue.draw(rng, 1)[0]) + 1)
            controls[row : row + share, first : first + bent] = control
    return controls, [[48, 24]] * 8


@pytest.mark.parametrize("name", known_environments())
@pytest.mark.parametrize("parts", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_vines_grow_from_known_beginnings_as_from_the_start(
    name: str, parts: int, quasistatic: Callable[[str], QuasiStatic], params: VineParams
) -> None:
    """Status, records, tips, last bends and snap-throughs are equal; fewer steps are taken."""
    model, catalogue = (
        QuasiStatic(quasistatic(name).environment, params, friction=0.0).refined(parts),
        Catalogue.of(params),
    )
    controls, marks = branching_controls(catalogue, np.random.default_rng(3))
    segments, full = np.full(8, SEGMENTS), params.segment_length
    plain = model.grow(model.start(8, FULL_WIDTH), actuation(controls, catalogue), segments * full, full)
    beginnings, steps = Beginnings(model, catalogue), 0
    for row in range(8):
        one = beginnings.grow(controls[row : row + 1], segments[row : row + 1], marks[row : row + 1])
        steps += int(one.steps[0])
        count = int(plain.records[row])
        assert one.tips.shape == (1, SEGMENTS, 3)  # whoever reads the last one finds it, although the vine ended before
        assert (one.status[0], one.records[0]) == (plain.status[row], count)
        for name_of in ("tips", "segments", "last_length"):
            np.testing.assert_array_equal(getattr(one, name_of)[0, :count], getattr(plain, name_of)[row, :count])
        np.testing.assert_array_equal(one.angles[0, count - 1], plain.angles[row, count - 1])
        assert one.snaps is not None
        assert plain.snaps is not None
        np.testing.assert_array_equal(one.snaps[0], plain.snaps[row])
    assert steps < plain.steps.sum()


def test_a_model_that_does_not_resume_grows_every_vine_from_its_start(
    quasistatic: Callable[[str], QuasiStatic], params: VineParams
) -> None:
    """With friction, the forces before a record count after it."""
    model, catalogue = QuasiStatic(quasistatic("maze").environment, params, friction=0.1), Catalogue.of(params)
    assert not model.resumes
    controls, marks = branching_controls(catalogue, np.random.default_rng(3))
    beginnings = Beginnings(model, catalogue)
    first, again = (beginnings.grow(controls[:1], np.array([SEGMENTS]), marks[:1]) for _ in range(2))
    assert first.steps[0] == again.steps[0] > 0

"""Fitted parameters that are called identified, and the words for it."""

import numpy as np
import pytest
from scipy.linalg import eigh

from planner.recordings.identification import fit
from planner.recordings.identification.bounds import excess
from planner.recordings.identification.model import LinkModel
from planner.recordings.identification.result import FittedParameter, Profile, from_deviation, from_profile
from studies.fitting.cantilever import Cantilever


@pytest.mark.parametrize(
    ("value", "interval", "identified"),
    [
        (0.04, (0.0315, 0.0471), True),
        (-0.04, (-0.0471, -0.0315), True),
        (0.001, (-0.0008, 0.0031), False),  # includes 0
        (0.0, (0.0, 0.0), False),
        (0.01, (0.0049, 0.0151), False),  # as wide as the value
        (0.01, (0.0051, 0.0149), True),
        (0.01, (None, 0.011), False),
        (0.01, (0.009, None), False),
    ],
)
def test_a_value_is_identified_if_it_differs_from_0_and_narrow(
    value: float, interval: tuple[float | None, float | None], identified: bool
) -> None:
    """An interval that includes 0 or spans as much as the value identifies nothing."""
    assert FittedParameter("growth rate", value, "m/s", interval, "").identified == identified


def test_words_agree_with_the_interval() -> None:
    """Where a value is not identified, its sentence says so: by a standard deviation, and by a wide closed profile."""
    sharp, vague = (
        from_deviation("growth rate", 0.04, "m/s", 0.004),
        from_deviation("growth rate", 0.00115, "m/s", 1e-3),
    )
    assert (sharp.identified, vague.identified) == (True, False)
    assert sharp.sentence == "The growth rate is 0.04 +- 0.0078 m/s (95 %)."
    assert vague.sentence == "These data do not identify the growth rate: -0.00081 to 0.0031 m/s (95 %)."
    logs = np.linspace(-2.0, 2.0, 9)
    wide = from_profile("damping", 1.0, "N m s/rad", Profile("damping", "N m s/rad", np.exp(logs), 2 * logs**2, True))
    assert wide.interval == pytest.approx((1 / 4, 4.0), rel=1e-3)
    assert not wide.identified
    assert wide.sentence == "These data do not identify the damping: anything from 0.25 to 4 N m s/rad fits as well."


@pytest.mark.parametrize("links", [2, 3, 5, 8])
def test_a_chain_bends_and_swings_as_a_softer_beam(links: int) -> None:
    """Its deflection under a uniform load, and its slowest swing to 1 %, are those of a beam with EI / (1 + 1/n)^2."""
    length, bending, load, small = 0.8, 0.05, 1e-3, 1e-5
    model = LinkModel(links, 0.012, 0.013, np.zeros(3), 1.0)
    # Small displacements of the bodies' centres across the chain [m], per heading of each link [rad].
    bodies = model.configuration(small * np.eye(links), np.full(links, length), length).reshape(links, -1, 3)
    across, body = bodies[:, :, 1].T / small, length / (2 * links)
    bends = np.eye(links) - np.eye(links, k=-1)
    spring = bending * links / length * bends.T @ bends
    # The load acts on the centres of the bodies.
    headings = np.linalg.solve(spring, load * body * across.sum(axis=0))
    tip = length / links * headings.sum()
    assert tip / (load * length**4 / (8 * bending)) == pytest.approx(excess(links), rel=1e-6)
    mass = model.mass_per_length * body * (across.T @ across + 2 * (model.radius**2 / 2 + body**2 / 12) * np.eye(links))
    slowest = eigh(spring, mass, eigvals_only=True)[0]
    beam = 1.8751**4 * bending / (model.mass_per_length * length**4)
    assert beam / slowest == pytest.approx(excess(links), rel=0.01)


def test_a_beam_that_does_not_grow_has_no_identified_growth_rate() -> None:
    """Its interval includes 0; the first length of the same fit is identified."""
    beam = Cantilever(links=2, length=0.8)
    recording = beam.recording(np.arange(20) / 80, 7, 1e-3, np.random.default_rng(1))
    found = fit(recording, 4, start=(0.1, 1e-3), profiles=False, refine=1)
    low, high = found.parameter("growth rate").interval
    assert low is not None
    assert high is not None
    assert low < 0 < high
    assert not found.parameter("growth rate").identified
    assert found.parameter("first length").identified

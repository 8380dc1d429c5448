"""Physical bounds of the fitted parameters, for one recording."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.recordings.identification.model import DAMPING, GROWTH, LENGTH, STIFFNESS, LinkModel
from planner.recordings.identification.observed import PreparedRecording
from surrogate.kernels.compiled import Floats

FIRST_MODE = 1.8751**4
"""Squared angular frequency of a cantilever's first mode, in units of EI / (mass per length L^4)."""
STIFFEST_FILM = 1e6
"""Young's modulus times thickness of the stiffest film considered [N/m]: 1 mm at 1 GPa."""
LONGEST_PERIOD = 100.0
"""Period of the softest tube's oscillation, in durations of the recording."""
LEAST_DECAY, FASTEST_DECAY = 1e-3, 1e3
"""Exponents by which the first mode decays at the bounds of C: within the recording, and within its shortest span."""
SHORTEST, LONGEST = 0.1, 1.5
"""Bounds of the first length, relative to the shortest and to the longest measured length."""
AT_BOUND = 0.02
"""Distance from a bound at which a parameter counts as at it: of the logarithm for K and C, [mm] or [mm/s] for the others."""
REASONS = {
    STIFFNESS: (
        f"the spring of a softer tube has no visible effect: its oscillation takes over {LONGEST_PERIOD:g} times the recording",
        f"no film is stiffer: EI = pi R^3 E t with E t = {STIFFEST_FILM:g} N/m",
    ),
    DAMPING: (
        f"less damping has no visible effect: the first mode decays by less than {100 * LEAST_DECAY:g} % in the recording",
        "more damping stops any bending between two frames",
    ),
    LENGTH: (
        f"the tube is not shorter than {SHORTEST:g} of the shortest measured length",
        f"the tube does not begin longer than {LONGEST:g} times the longest measured length",
    ),
    GROWTH: (
        "a tube that everts does not retract",
        f"the tube does not grow by more than {LONGEST:g} times its longest measured length",
    ),
}
"""Why each parameter is not below its lower and not above its upper bound."""


def excess(links: int) -> float:
    """EI of a clamped chain over that of the continuous beam with the same deflection under a uniform load [-].

    The links are rigid, and each of the n joints, that at the clamp included, has K = EI n / L. A load w bends the joint with
    j links ahead of it by w (j L / n)^2 / (2 K), which moves the tip by j L / n times that: in all
    w L^4 / (8 EI) (1 + 1/n)^2, against w L^4 / (8 EI) of the beam.
    """
    return (1 + 1 / links) ** 2


@dataclass(frozen=True, slots=True)
class UniformCantilever:
    """A uniform cantilever of the tube's mean length: it relates K and C of the joints to frequency and decay."""

    inertia: float
    """Mass per length times L^4 / 1.8751^4 [kg m3]: EI divided by the squared angular frequency of the first mode."""
    spacing: float
    """Length of a link [m]."""

    def stiffness(self, omega: float) -> float:
        """K of joints with an angular frequency of the first mode [N m/rad]."""
        return self.inertia * omega**2 / self.spacing

    def omega(self, stiffness: float) -> float:
        """Angular frequency of the first mode of joints with K, without damping [rad/s]."""
        return math.sqrt(stiffness * self.spacing / self.inertia)

    def damping(self, decay: float) -> float:
        """C of joints with a decay rate of the first mode, C omega^2 / (2 K) [N m s/rad]."""
        return 2 * decay * self.inertia / self.spacing


def mean_beam(model: LinkModel, mean_length: float) -> UniformCantilever:
    """Make the cantilever with the model's mass per length and a mean length [m]."""
    return UniformCantilever(model.mass_per_length * mean_length**4 / FIRST_MODE, mean_length / model.links)


def bounds(model: LinkModel, observed: PreparedRecording) -> Floats:
    """Lower and upper bound of every parameter (see `REASONS`), logarithms for K and C, shape (4, 2).

    K: the period of the first mode is at most `LONGEST_PERIOD` recordings, and EI at most that of a thin cylinder of the
    stiffest film, pi R^3 E t. C: the first mode decays at least by the exponent `LEAST_DECAY` within the recording, and at
    most by `FASTEST_DECAY` within its shortest span. First length and growth rate: positive lengths no longer than measured,
    with a margin for noise, and no retraction.
    """
    beam, duration = mean_beam(model, float(observed.lengths.mean())), model.duration
    shortest_span = float(np.diff(observed.times[observed.frames]).min())
    softest = beam.stiffness(2 * math.pi / (LONGEST_PERIOD * duration))
    stiffest = math.pi * model.radius**3 * STIFFEST_FILM / beam.spacing
    least, most = beam.damping(LEAST_DECAY / duration), beam.damping(FASTEST_DECAY / shortest_span)
    longest = LONGEST * float(observed.lengths.max())
    return np.array(
        [
            # A heavy tube in a short recording shows no effect even of the stiffest film.
            [math.log(min(softest, 1e-3 * stiffest)), math.log(stiffest)],
            [math.log(least), math.log(most)],
            [SHORTEST * float(observed.lengths.min()), longest],
            [0.0, longest / duration],
        ]
    )


def side_at_bound(parameter: int, value: float, limits: Floats) -> int | None:
    """Return 0 at the lower bound, 1 at the upper one, None between them.

    Args:
        value: In the form of `limits`, shape (4, 2).
    """
    low, high = limits[parameter]
    near = AT_BOUND if parameter < LENGTH else 1e-3 * AT_BOUND
    return 0 if value - low < near else 1 if high - value < near else None

"""Volumes of the actuators' shapes by themselves, from geometry alone: what the work of their forces is compared with."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from surrogate.actuators import Actuator
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.kernels.compiled import Floats
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam

NODE, WEIGHT = np.polynomial.legendre.leggauss(200)


def integral(function: Callable[[Floats], Floats], *ends: float) -> float:
    """Integral over one part after the other, with nodes that crowd at both ends of each."""
    total = 0.0
    for low, high in pairwise(ends):
        turn = np.pi / 4 * (NODE + 1)
        x = low + (high - low) * np.sin(turn) ** 2
        total += float(function(x) @ (WEIGHT * np.pi / 4 * np.sin(2 * turn))) * (high - low)
    return total


def lens_angle(strain: float) -> float:
    """Half angle of two arcs whose chord is 1 - strain of their length."""
    return float(brentq(lambda theta: np.sin(theta) / theta - (1 - strain), 1e-9, np.pi / 2 + 1e-9, xtol=1e-15))


def pouch_volume(pouch: PouchMotor, strain: float, l_0: float) -> float:
    """A lens of two arcs, as wide as the pouch."""
    theta = lens_angle(strain)
    return pouch.width * (l_0 / (2 * theta)) ** 2 * (2 * theta - np.sin(2 * theta))


def fpam_volume(fpam: Fpam, strain: float, l_0: float) -> float:
    """A cylinder on which a thread of fixed length makes a fixed number of turns; at full contraction it is at 54.7 degrees."""
    angle = np.arctan(np.sqrt(2))
    thread = (1 - fpam.stroke) * l_0 / np.cos(angle)
    at_rest = np.arccos(l_0 / thread)
    turns = thread * np.sin(at_rest) / (2 * np.pi * fpam.rest_radius)
    length = (1 - strain) * l_0
    return np.pi * (np.sqrt(thread**2 - length**2) / (2 * np.pi * turns)) ** 2 * length


def cpam_volume(cpam: Cpam, strain: float, l_0: float) -> float:
    """The lens of a pouch motor, and at each place along it two sides: half circles, or circular segments of all the film of the fold."""
    theta, film = lens_angle(strain), 2 * l_0 / np.pi
    radius = l_0 / (2 * theta)
    half = radius * np.sin(theta)

    def side(thickness: float) -> float:
        if thickness <= 2 * film / np.pi:
            return np.pi * thickness**2 / 8
        psi = lens_angle(1 - thickness / film)
        return (film / (2 * psi)) ** 2 * (psi - np.sin(psi) * np.cos(psi))

    def sides(x: Floats) -> Floats:
        thickness = 2 * (np.sqrt(radius**2 - x**2) - radius * np.cos(theta))
        return np.array([2 * side(one) for one in thickness])

    switch = radius**2 - (film / np.pi + radius * np.cos(theta)) ** 2
    ends = (0.0, float(np.sqrt(switch)), half) if switch > 0 else (0.0, half)
    return pouch_volume(PouchMotor(cpam.width), strain, l_0) + 2 * integral(sides, *ends)


def spam_volume(spam: Spam, strain: float, l_0: float) -> float:
    """A surface of revolution of stiff meridians without hoop stress: the balance of forces at every cut gives its shape.

    With r_c and R the least and greatest radius, a cut at r has the slope cos = (f + r^2) / (f + R^2), where pi f is the force per
    pressure. Meridian and length are the integrals of dr / sin and dr cos / sin over r; f and R follow from them. Where R would exceed
    that of the film's tube, a cylinder is between two such ends, of the length of film that these leave.
    """
    r_c, saturated = spam.constriction_radius, spam.tube_radius

    def integrals(f: float, largest: float) -> Floats:
        # With r^2 = R^2 - (R^2 - r_c^2) s^2, the root at the equator cancels.
        def along(power: Callable[[Floats, Floats], Floats]) -> float:
            def part(s: Floats) -> Floats:
                square = largest**2 - (largest**2 - r_c**2) * s**2
                cosine = (f + square) / (f + largest**2)
                root = np.sqrt((largest**2 - r_c**2) * (2 * f + square + largest**2)) / (f + largest**2)
                return power(square, cosine) * (largest**2 - r_c**2) / (np.sqrt(square) * root)

            return 2 * integral(part, 0.0, 1.0)

        return np.array([along(lambda _, c: 1 + 0 * c), along(lambda _, c: c), along(lambda r2, c: np.pi * r2 * c)])

    def whole(f: float) -> Floats:
        """Meridian, length and volume of a cell of meridian l_0."""
        film, length, volume = integrals(f, saturated)
        if film <= l_0:
            tube = l_0 - film
            return np.array([l_0, length + tube, volume + np.pi * saturated**2 * tube])
        largest = brentq(lambda r: integrals(f, r)[0] - l_0, r_c * (1 + 1e-9), saturated, xtol=1e-16)
        return integrals(f, largest)

    f = brentq(lambda f: whole(f)[1] - (1 - strain) * l_0, 0.0, 3e3 * r_c**2, xtol=1e-16)
    return float(whole(f)[2])


VOLUMES: dict[str, Callable[[Actuator, float, float], float]] = {
    "spam": spam_volume,
    "pouch": pouch_volume,
    "fpam": fpam_volume,
    "cpam": cpam_volume,
}  # type: ignore[dict-item]
"""Volume of one cell [m^3] by kind of actuator, over strain and cell length [m]."""


def gains(actuator: Actuator, strains: ArrayLike, l_0: float) -> Floats:
    """Differences of the volume of a cell between successive strains [m^3]; its seam neither shortens nor holds air."""
    chamber = l_0 - actuator.seam
    strained = (np.asarray(strains) * l_0 / chamber).tolist()
    return np.diff([VOLUMES[actuator.kind](actuator, strain, chamber) for strain in strained])

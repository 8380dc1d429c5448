"""Moments of joints for the reference solver, straight from the equations of paper 002: Eq. 1 (sPAM) and Eq. 2 (wrinkled tube)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq
from scipy.special import ellipeinc, ellipkinc

from dynamics.tube import VineParams

Floats = NDArray[np.float64]

SMALLEST_M, CURVE_POINTS = 1.2e-4, 900
"""Range and resolution of the parameter m of Eq. 1; the smallest is at a strain of about -0.4."""
APART = 10.0
"""Distance between the curves of two cells when they lie in one array [strain]."""


def critical(pressure: float) -> tuple[float, float]:
    """Surface strain at the onset of wrinkling [-] and bend of a segment there [rad], over growth pressure [Pa] (Wang et al.)."""
    a, b = (pressure - 6167.0) / 5836.0, (pressure - 8957.0) / 5149.0
    return (
        0.007656015122415 + a * (0.014512785114617 + a * (0.009091543113141 + a * 0.002077863400343)),
        0.037544481890778 + b * (0.048366932757916 + b * (0.020924128997619 + b * 0.003180574067535)),
    )


def tube_moment(bend: Floats, params: VineParams) -> tuple[Floats, Floats]:
    """Restoring moment [N m] of Eq. 2 and its derivative [N m / rad] over the bend of 25 mm of tube [rad], any shape."""
    strain, transition = critical(params.growth_pressure)
    size = np.clip(np.abs(bend), transition, np.pi)
    sine = np.sin(size / 2)
    cosine = 1 - 2 * strain / sine
    delta = np.arccos(cosine)
    above, below = 2 * delta - np.sin(2 * delta), 4 * (np.sin(delta) - delta * np.cos(delta))
    full = np.pi * params.growth_pressure * params.radius**3
    moment = full * above / below
    by_delta = (4 * np.sin(delta) ** 2 * below - above * 4 * delta * np.sin(delta)) / below**2
    slope = -full * by_delta * strain * np.cos(size / 2) / sine**2 / np.sqrt(1 - cosine**2)
    elastic = np.abs(bend) < transition
    slope = np.where(elastic, moment / transition, np.where(np.abs(bend) > np.pi, 0.0, slope))
    return np.where(elastic, moment * bend / transition, np.sign(bend) * moment), slope


@cache
def cell_curve(l_0: float, constriction: float, tube_radius: float, elasticity: float) -> PchipInterpolator:
    """Pull over pressure F / P [m^2] of a cell of length l_0 [m] over its strain, down to about -0.4 (Eq. 1)."""
    m = np.geomspace(SMALLEST_M, 0.5, CURVE_POINTS)

    def active(phi: Floats) -> Floats:
        stretch = 1 + elasticity / (2 * m * np.cos(phi) ** 2)
        return constriction * ellipkinc(phi, m) / (np.sqrt(m) * np.cos(phi) * stretch)

    widest = np.full(len(m), np.arccos(constriction / tube_radius))
    saturated = active(widest) <= l_0
    # Beyond cos^2 phi = a / (2 m) the film stretches more than it gains in length.
    top = np.minimum(widest, np.arccos(np.sqrt(np.minimum(elasticity / (2 * m), 1 - 1e-12))))
    low, high = np.zeros(len(m)), top
    for _ in range(50):
        middle = (low + high) / 2
        short = active(middle) < l_0
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    phi = np.where(saturated, widest, (low + high) / 2)
    length = np.where(saturated, active(widest), l_0)
    span = (ellipeinc(phi, m) - ellipkinc(phi, m) / 2) / (np.sqrt(m) * np.cos(phi))
    pull = np.pi * constriction**2 * (1 - 2 * m) / (2 * m * np.cos(phi) ** 2)
    return PchipInterpolator((length - 2 * constriction * span) / l_0, pull)


class JointLaw:
    """Total moment of each joint of one vine over its bend."""

    def __init__(self, params: VineParams, pressure: Floats, l_0: Floats, physics: str) -> None:
        """Pressure [Pa] by side and cell length [m] of each segment, shape (segments,); physics "corrected" or "published"."""
        self.params, self.physics = params, physics
        cell = params.actuator
        self.far, self.near = 2 * params.radius + cell.tube_radius, cell.tube_radius
        self.side, self.pressure = np.sign(pressure), np.abs(pressure)
        self.moment_length = params.hinge_length if physics == "corrected" else params.segment_length
        known, self.cell = np.unique(np.where(pressure == 0, 0.0, l_0), return_inverse=True)
        curves = [
            cell_curve(float(length or 0.04), cell.constriction_radius, cell.tube_radius, cell.film_elasticity)
            for length in known
        ]
        self.nodes = np.concatenate([curve.x + APART * k for k, curve in enumerate(curves)])
        ends = np.cumsum([len(curve.x) for curve in curves])
        # One more, unused, piece at the end of each curve keeps pieces and nodes in step.
        pieces = [np.hstack([curve.c, np.zeros((4, 1))]) for curve in curves]
        self.pieces = np.hstack(pieces)
        self.first = np.concatenate([[0], ends[:-1]])
        self.lowest, self.fullest = np.array([[c.x[0], c.x[-1]] for c in curves]).T
        self.at_rest = np.array([[float(curve(0.0)), float(curve(0.0, 1))] for curve in curves])

    def pull(self, strain: Floats, cell: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """F / P [m^2] and its derivative by the strain, of cells (index into the curves) at a strain, same shapes."""
        inside = np.clip(strain, self.lowest[cell], self.fullest[cell])
        piece = np.searchsorted(self.nodes, inside + APART * cell, side="right") - 1
        piece = np.clip(piece, self.first[cell], self.first[cell] + CURVE_POINTS - 2)
        c, t = self.pieces[:, piece], inside + APART * cell - self.nodes[piece]
        value = ((c[0] * t + c[1]) * t + c[2]) * t + c[3]
        slope = (3 * c[0] * t + 2 * c[1]) * t + c[2]
        slack = strain >= self.fullest[cell]
        beyond = np.minimum(strain - self.lowest[cell], 0.0)  # linear there
        return np.where(slack, 0.0, value + slope * beyond), np.where(slack, 0.0, slope)

    def actuator(self, curvature: Floats, cell: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Moment over pressure [m^3] of cells, and its derivative by the curvature towards the actuator [1/m]."""
        force, slope = self.pull(np.maximum(curvature * self.far, 0.0), cell)
        moment, by_curvature = force * self.far, slope * self.far**2
        if self.physics == "published":
            rest, rise = self.at_rest[cell].T
            taut, taut_slope = (rest + rise * curvature * self.far) * self.far, rise * self.far**2
        else:
            force, slope = self.pull(np.minimum(curvature, 0.0) * self.near, cell)
            taut, taut_slope = force * self.near, slope * self.near**2
            about_far = taut < self.at_rest[cell, 0] * self.far
            taut = np.where(about_far, self.at_rest[cell, 0] * self.far, taut)
            taut_slope = np.where(about_far, 0.0, taut_slope)
        bent_back = curvature < 0
        return np.where(bent_back, taut, moment), np.where(bent_back, taut_slope, by_curvature)

    def moment(self, bend: Floats, length: Floats) -> tuple[Floats, Floats]:
        """Moment [N m] against the bends [rad] of the first joints and its derivative [N m / rad].

        Args:
            length: Of the material of each segment [m], same shape.
        """
        count = len(bend)
        curvature = bend / length
        moment, slope = tube_moment(curvature * self.moment_length, self.params)
        slope *= self.moment_length
        some = np.flatnonzero(self.side[:count])
        if len(some):
            side, pressure = self.side[some], self.pressure[some]
            pull, rise = self.actuator(side * curvature[some], self.cell[some])
            moment[some] -= side * pressure * pull
            slope[some] -= pressure * rise
        return moment, slope / length

    def free_curvature(self, joint: int) -> float:
        """Curvature of a segment in free space [1/m], per length of material."""
        if self.side[joint] == 0:
            return 0.0
        only = JointLaw.__new__(JointLaw)
        only.__dict__.update(self.__dict__)
        one = slice(joint, joint + 1)
        only.side, only.pressure, only.cell = self.side[one], self.pressure[one], self.cell[one]
        half_turn = np.pi / self.moment_length

        def total(curvature: float) -> float:
            return float(only.moment(np.array([curvature]), np.ones(1))[0][0])

        return float(brentq(total, *sorted((0.0, half_turn * self.side[joint])), xtol=1e-13))

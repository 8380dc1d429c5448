"""A released cantilever, optionally growing, with known stiffness and damping: minimal coordinates, integrated by SciPy.

It shares only the definition of the model with the fit: here the headings of the links are the only coordinates, the equations
of motion are Lagrange's, and the integrator is adaptive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from dynamics.recording import Recording
from surrogate.kernels.compiled import Floats


@dataclass(frozen=True, slots=True)
class Cantilever:
    """A beam of links with two bodies each, attached to its base by a spring."""

    stiffness: float = 0.3
    """Stiffness of each joint [N m/rad]."""
    damping: float = 3e-3
    """Damping of each joint [N m s/rad]."""
    links: int = 5
    length: float = 1.0
    """Initial length [m]."""
    growth: float = 0.0
    """Growth rate of the whole beam [m/s]."""
    radius: float = 0.012
    """[m]"""
    mass_per_length: float = 0.013
    """Mass per length of a 24 mm tube of polyethylene film, two layers of 0.1 mm [kg/m]."""
    release: float = 0.4
    """Initial heading of the tip link minus that of the base, with all joints equally bent [rad]."""
    matrices: tuple[Floats, Floats] | None = None
    """Stiffness [N m/rad] and damping [N m s/rad] as matrices over the bends, shape (links, links), instead of those of equal joints."""

    def headings(self, times: Floats) -> Floats:
        """Headings of the links after release at rest [rad], shape (times, links).

        Lagrange's equations of r_b = sum_j a_bj(t) e(theta_j), e the unit vector of a heading:
        sum_j A_ij cos(theta_i - theta_j) theta_j'' = torque_i - sum_j [2 B_ij cos(...) theta_j' + A_ij sin(...) theta_j'^2],
        with A = m a^T a (and the bodies' inertias), B = m a^T a'.
        """
        start = np.concatenate([np.linspace(0, self.release, self.links + 1)[1:], np.zeros(self.links)])
        mass = self.mass_per_length * (self.length + self.growth * times[-1] / 2) / (2 * self.links)
        body = self.length / (2 * self.links)
        inertia = mass * (self.radius**2 / 2 + body**2 / 12)
        differences = np.eye(self.links) - np.eye(self.links, k=-1)
        stiffness, damping = self.matrices or (self.stiffness, self.damping)

        def rate(time: float, state: Floats) -> Floats:
            headings, rates = np.split(state, 2)
            reach, lengthening = self._reach(time)
            apart = headings[:, None] - headings
            swing = mass * reach.T @ reach
            matrix = swing * np.cos(apart) + 2 * inertia * np.eye(self.links)
            bend, turning = differences @ headings, differences @ rates
            torque = -differences.T @ (np.dot(stiffness, bend) + np.dot(damping, turning))
            torque = torque - 2 * mass * (reach.T @ lengthening * np.cos(apart)) @ rates
            return np.concatenate([rates, np.linalg.solve(matrix, torque - (swing * np.sin(apart)) @ rates**2)])

        solved = solve_ivp(rate, (times[0], times[-1]), start, "DOP853", times, rtol=1e-10, atol=1e-11)
        return solved.y[: self.links].T

    def _reach(self, time: float) -> tuple[Floats, Floats]:
        """Coefficients a_bj of each body's centre for each link's heading [m], and their rates, shape (2 links, links)."""
        link, half = (self.length + self.growth * time) / self.links, self.length / (4 * self.links)
        reach, rate = (
            np.repeat(np.tril(np.full((self.links, self.links), one), -1), 2, axis=0)
            for one in (link, self.growth / self.links)
        )
        own = np.arange(self.links)
        reach[2 * own, own], reach[2 * own + 1, own] = half, link - half
        rate[2 * own + 1, own] = self.growth / self.links
        return reach, rate

    def recording(self, times: Floats, points: int, noise: float, random: np.random.Generator) -> Recording:
        """Synthetic recording: equally spaced points along the beam, including the base, with noise in x and y [m]."""
        length = self.length + self.growth * times
        headings = self.headings(times)
        joints = np.zeros((len(times), self.links + 1, 2))
        joints[:, 1:] = (
            np.cumsum(np.stack([np.cos(headings), np.sin(headings)], -1), axis=1) * (length / self.links)[:, None, None]
        )
        at, own = np.linspace(0, self.links, points), np.arange(self.links + 1)
        lines = [np.stack([np.interp(at, own, side) for side in frame.T], -1) for frame in joints]
        seen = tuple(line + noise * random.standard_normal(line.shape) for line in lines)
        base, none = np.zeros(3), np.empty((0, 4))
        return Recording("oscillation", self.radius, self.mass_per_length, base, times, seen, none, ())

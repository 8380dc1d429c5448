"""The unknowns of the nonlinear programme of one recording, and what follows from their values without CasADi."""

from __future__ import annotations

import numpy as np
from scipy.stats import theilslopes

from planner.recordings.identification.bounds import bounds
from planner.recordings.identification.matrices import FIRST, matrix_bounds
from planner.recordings.identification.model import LENGTH, LinkModel
from planner.recordings.identification.observed import PreparedRecording
from surrogate.kernels.compiled import Floats

MOST_LENGTHS = 400
"""Maximum number of frames from which the growth rate is estimated."""


class Unknowns:
    """Coordinates at every node, impulses of joints and contacts and residual accelerations at every inner node, and the
    parameters, one after the other."""

    def __init__(self, model: LinkModel, observed: PreparedRecording) -> None:
        self.model, self.observed = model, observed
        links, nodes = model.links, len(observed.times)
        self.pushing = [touch for touch in observed.touches if 0 < touch.node < nodes - 1]
        self.shapes = {
            "q": (6 * links, nodes),
            "joint": (5 * links, nodes - 2),
            "push": (len(self.pushing), 1),
            "a": (6 * links, nodes - 2),
            "parameters": (model.parameter_count, 1),
        }
        self.weights = [joint_weights(fractions, links) for fractions in observed.fractions]
        """Weights of the joints in each point of every frame, each of shape (points, links + 1)."""
        sizes = [rows * columns for rows, columns in self.shapes.values()]
        ends = np.cumsum(sizes)
        self.slices = {name: slice(end - size, end) for name, end, size in zip(self.shapes, ends, sizes, strict=True)}
        self.size = int(ends[-1])
        self.bounds = np.concatenate([bounds(model, observed), matrix_bounds(model.form, links)])
        """Bounds of the parameters, shape (parameters, 2)."""
        self.low, self.high = np.full(self.size, -np.inf), np.full(self.size, np.inf)
        self.low[self.slices["parameters"]], self.high[self.slices["parameters"]] = self.bounds.T
        self.low[self.slices["push"]] = 0.0

    def growth_line(self) -> tuple[float, float]:
        """Return first length [m] and growth rate [m/s] within their bounds: the median slope of all pairs of frames
        (Theil-Sen)."""
        lengths, times = self.observed.lengths, self.observed.times[self.observed.frames]
        chosen = np.unique(np.linspace(0, len(times) - 1, MOST_LENGTHS).round().astype(int))
        growth, length, *_ = theilslopes(lengths[chosen], times[chosen], method="joint")
        length, growth = np.clip([length, growth], *self.bounds[LENGTH:FIRST].T)
        return float(length), float(growth)

    def first_guess(self, stiffness: float, damping: float) -> Floats:
        """Return values from the measured points: headings between the links' ends, and a linearly growing length."""
        observed, links = self.observed, self.model.links
        moments = observed.times[observed.frames]
        length, growth = self.growth_line()
        ends = np.linspace(0, 1, links + 1)
        base = self.model.base
        headings = []
        for fractions, points in zip(observed.fractions, observed.points, strict=True):
            known = np.concatenate([[0.0], fractions]), np.concatenate([base[None, :2], points])
            joints = np.stack([np.interp(ends, known[0], side) for side in known[1].T], axis=-1)
            moves = np.diff(joints, axis=0)
            turns = np.concatenate([[base[2]], np.arctan2(moves[:, 1], moves[:, 0])])
            headings.append(np.unwrap(turns)[1:])
        between = np.stack(
            [np.interp(observed.times, moments, side) for side in np.unwrap(headings, axis=0).T], axis=-1
        )
        x = np.zeros(self.size)
        x[self.slices["q"]] = self.model.configuration(between, length + growth * observed.times, length).ravel()
        x[self.slices["parameters"]][:FIRST] = np.log(stiffness), np.log(damping), length, growth
        return x

    def parameters(self, x: Floats) -> Floats:
        """K [N m/rad] and C [N m s/rad] of the first joint, first length [m] and growth rate [m/s], shape (4,)."""
        own = x[self.slices["parameters"]][:FIRST].copy()
        own[:LENGTH] = np.exp(own[:LENGTH])
        return own

    def mean_length(self, x: Floats) -> float:
        """Length of the tube half-way through the recording [m]."""
        _, _, length, growth = self.parameters(x)
        return float(length + growth * self.model.duration / 2)

    def joints(self, x: Floats) -> Floats:
        """Base, joints and tip at every node [m], shape (nodes, links + 1, 2)."""
        half = x[self.slices["parameters"]][LENGTH] / (4 * self.model.links)
        x_y_turn = x[self.slices["q"]].reshape(-1, 2 * self.model.links, 3)[:, 1::2]
        ahead = np.stack([np.cos(x_y_turn[..., 2]), np.sin(x_y_turn[..., 2])], axis=-1)
        base = np.broadcast_to(self.model.base[:2], (len(x_y_turn), 1, 2))
        return np.concatenate([base, x_y_turn[..., :2] + half * ahead], axis=1)

    def misfit(self, x: Floats) -> float:
        """Sum of squared distances of the measured points from the tube [m2]."""
        frames = zip(self.weights, self.joints(x)[self.observed.frames], self.observed.points, strict=True)
        return float(sum(((weights @ own - points) ** 2).sum() for weights, own, points in frames))

    def rms(self, x: Floats) -> float:
        """Root mean square of the same distances [m]."""
        return float(np.sqrt(self.misfit(x) / sum(map(len, self.observed.points))))

    def contact_forces(self, x: Floats) -> Floats:
        """Largest force of a wall at every node [N], shape (nodes,); 0 at the first and the last, where it is unknown."""
        forces = np.zeros(len(self.observed.times))
        nodes = [touch.node for touch in self.pushing]
        mass = self.model.mass_per_length * self.mean_length(x) / (2 * self.model.links)
        np.maximum.at(forces, nodes, mass * x[self.slices["push"]])
        return forces

    def model_rms(self, x: Floats) -> float:
        """Root mean square of the residual accelerations, scaled by M^(-1/2) [m/s2]."""
        return float(np.sqrt(np.mean(x[self.slices["a"]] ** 2)))

    def room(self, x: Floats) -> Floats:
        """Distance of every unknown from its nearer bound; infinite without one."""
        return np.minimum(x - self.low, self.high - x)


def joint_weights(fractions: Floats, links: int) -> Floats:
    """Weights of linear interpolation between joints for points at fractions of the length, shape (points, links + 1)."""
    at = fractions * links
    return np.maximum(1 - np.abs(at[:, None] - np.arange(links + 1)), 0.0)

"""The actuator as a small neural network in PyTorch: differentiable, batched, on any device.

Two forms of the 2 x 32 x 2 network of paper 002 (section 4.3) with ReLU activation:

* `paper`: maps strain and l_0 to m and phi, as in the paper. The force is steep in m, so a small error of m causes a large
  error of the force.
* `log-force`: the same layers with transformed inputs and outputs. The inputs are asinh(strain / 0.01), over which the
  logarithm of the force is closest to linear, and 20 mm / l_0. The outputs are q and phi, where
  F_t / P = pi R_c^2 (1 - strain / full(l_0)) exp(q): the force is positive and vanishes at full contraction. m follows from
  force and phi by Eq. 1d, F_t / P = pi R_c^2 (1 - 2 m) / (2 m cos^2 phi).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import linear

from surrogate.spam import SMALLEST_M, Spam, saturated_cell, unsaturated_cell
from surrogate.weights_file import NAMES, SHIPPED, Form, Weights, read_weights

STRAIN_SCALE = 0.01
"""Strain at which the input of the log-force form changes from linear to logarithmic [-]."""
DEGREE = 14
ROUNDING = 1e-6
"""Tolerance of the range of strains, for single precision [-]."""


@dataclass(frozen=True, slots=True)
class StrainAt:
    """Strain of a cell at a fixed m over its length: a polynomial while unsaturated, closed form beyond."""

    coefficients: tuple[float, ...]
    """Polynomial of the unsaturated branch over (l_0 - middle) / half, highest power first."""
    middle: float
    """Middle of the cell lengths [m]."""
    half: float
    """Half of their range [m]."""
    saturated_from: float
    """Length from which the cell is saturated [m]."""
    contraction: float
    """Strain times l_0 of saturated cells [m]."""

    @classmethod
    def of(cls, m: float, geometry: Spam, shortest: float, longest: float) -> StrainAt:
        """Fit the analytic model (Eq. 1) between two cell lengths [m]; the fit is better than 1e-9."""
        middle, half = (shortest + longest) / 2, (longest - shortest) / 2
        nodes = np.cos(np.pi * (np.arange(100) + 0.5) / 100)
        strain = unsaturated_cell(m, middle + half * nodes, geometry).strain
        fit = np.polynomial.chebyshev.cheb2poly(np.polynomial.chebyshev.chebfit(nodes, strain, DEGREE))
        saturated = saturated_cell(m, 1.0, geometry)
        return cls(
            tuple(float(c) for c in fit[::-1]), middle, half, float(saturated.active_length), float(saturated.strain)
        )

    def __call__(self, l_0: Tensor) -> Tensor:
        """Strain [-] at each cell length [m]."""
        x = (l_0 - self.middle) / self.half
        strain = torch.full_like(x, self.coefficients[0])
        for coefficient in self.coefficients[1:]:
            strain = strain * x + coefficient
        return torch.where(l_0 < self.saturated_from, strain, self.contraction / l_0)


@dataclass(frozen=True, slots=True)
class Network:
    """F_t / P over strain and cell length, within the training range."""

    form: Form
    geometry: Spam
    shortest: float
    """Minimum cell length of the training range [m]."""
    longest: float
    """Maximum cell length of the training range [m]."""
    hidden: tuple[Tensor, Tensor]
    """Weight (32, 2) and bias (32,)."""
    output: tuple[Tensor, Tensor]
    """Weight (2, 32) and bias (2,)."""
    lowest: StrainAt
    """Strain at `SMALLEST_M`: the film is stretched."""
    full: StrainAt
    """Strain at m = 0.5: the cell is fully contracted."""

    @classmethod
    def of(cls, weights: Weights) -> Network:
        """Make the network with these weights, on the CPU in double precision."""
        layers = {name: torch.tensor(layer, dtype=torch.float64) for name, layer in weights.layers.items()}
        of, shortest, longest = weights.geometry, weights.shortest, weights.longest
        return cls(
            weights.form,
            of,
            shortest,
            longest,
            (layers["hidden.weight"], layers["hidden.bias"]),
            (layers["output.weight"], layers["output.bias"]),
            StrainAt.of(SMALLEST_M, of, shortest, longest),
            StrainAt.of(0.5, of, shortest, longest),
        )

    def to(self, device: str | torch.device, dtype: torch.dtype) -> Network:
        """Copy the network to another device or into another precision."""
        hidden, output = (
            (layer[0].to(device, dtype), layer[1].to(device, dtype)) for layer in (self.hidden, self.output)
        )
        return replace(self, hidden=hidden, output=output)

    def state(self, strain: Tensor, l_0: Tensor) -> tuple[Tensor, Tensor]:
        """Parameters m [-] and phi_Rc [rad] at a strain [-] and cell length [m], which broadcast.

        The inputs are not checked, which avoids a device synchronisation; results outside the training range are invalid.
        """
        first, phi = self._outputs(strain, l_0)
        if self.form == "paper":
            return first, phi
        return 0.5 / (1 + (1 - strain / self.full(l_0)) * torch.exp(first) * torch.cos(phi) ** 2), phi

    def force_per_pressure(self, strain: Tensor, l_0: Tensor) -> Tensor:
        """F_t / P [m^2] at a strain [-] and cell length [m], which broadcast; unchecked like `state`."""
        first, phi = self._outputs(strain, l_0)
        if self.form == "paper":
            share = (1 - 2 * first) / (2 * first * torch.cos(phi) ** 2)
        else:
            share = (1 - strain / self.full(l_0)) * torch.exp(first)
        return math.pi * self.geometry.constriction_radius**2 * share

    def limits(self, l_0: Tensor) -> tuple[Tensor, Tensor]:
        """Lowest and highest strain [-] of the training range at each cell length [m]."""
        return self.lowest(l_0), self.full(l_0)

    def __call__(self, strain: Tensor | float, l_0: Tensor | float) -> Tensor:
        """F_t / P [m^2], with range checks.

        Raises:
            ValueError: A cell length or strain outside the training range; the message gives the range.
        """
        weight = self.hidden[0]
        strain = torch.as_tensor(strain, dtype=weight.dtype, device=weight.device)
        l_0 = torch.as_tensor(l_0, dtype=weight.dtype, device=weight.device)
        within = (l_0 >= self.shortest * (1 - ROUNDING)) & (l_0 <= self.longest * (1 + ROUNDING))
        if not within.all():
            raise ValueError(f"l_0 must lie between {self.shortest * 1e3:g} and {self.longest * 1e3:g} mm")
        low, high = self.limits(l_0)
        outside = ~((strain >= low - ROUNDING) & (strain <= high + ROUNDING))
        if outside.any():
            values = (x.expand(outside.shape)[outside].flatten()[0].item() for x in (strain, l_0 * 1e3, low, high))
            raise ValueError(
                "strain = {:.4g} of a cell of {:.4g} mm must lie between {:.4g} and {:.4g}".format(*values)
            )
        return self.force_per_pressure(strain, l_0)

    def _outputs(self, strain: Tensor, l_0: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs of the layers, m (or q) and phi, clamped to the physical range."""
        inputs = torch.stack(torch.broadcast_tensors(*features(self.form, strain, l_0, self.shortest)), -1)
        first, phi = linear(linear(inputs, *self.hidden).relu(), *self.output).unbind(-1)
        widest = math.acos(self.geometry.constriction_radius / self.geometry.tube_radius)
        if self.form == "paper":
            first = first.clamp(SMALLEST_M, 0.5)
        return first, phi.clamp(0.0, widest)


def features(form: Form, strain: Tensor, l_0: Tensor, shortest: float) -> tuple[Tensor, Tensor]:
    """Return the two inputs of the first layer."""
    if form == "paper":
        return strain, l_0
    return torch.asinh(strain / STRAIN_SCALE), shortest / l_0


def load_network(
    path: Path | None = None, device: str | torch.device = "cpu", dtype: torch.dtype = torch.float64
) -> Network:
    """Read a trained network, by default the shipped log-force one.

    Raises:
        surrogate.weights_file.InvalidWeights: The file is invalid.
    """
    return Network.of(read_weights(path or SHIPPED / NAMES["log-force"])).to(device, dtype)


@contextmanager
def one_thread() -> Iterator[None]:
    """Run PyTorch on one CPU thread within the context.

    Small tensors do not benefit from more threads, and are up to twenty times slower on busy cores because waiting threads
    spin.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)

"""The force of any actuator as a small neural network in PyTorch; sPAMs have one of their own, `surrogate.network`.

A 2 x 32 x 1 network with tanh. The inputs are asinh(strain / 0.01) and log(l_0 / shortest); with the output q,
F_t / P = (1 - strain / full(l_0)) exp(q): the force is positive and vanishes at full contraction.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import linear

from surrogate.actuators import Actuator, Limits, cell_range
from surrogate.kernels.compiled import Floats
from surrogate.network import ROUNDING, STRAIN_SCALE
from surrogate.registry import actuators
from surrogate.weights_file import (
    HIDDEN,
    HashedContent,
    InvalidWeights,
    ModelErrors,
    read_json,
    read_layer,
    read_number,
)

FORM = "force"
"""Name of this form in files of weights."""
SHAPES = {"hidden.weight": (HIDDEN, 2), "hidden.bias": (HIDDEN,), "output.weight": (1, HIDDEN), "output.bias": (1,)}
DEGREE = 12
"""Degree of the polynomial of full contraction over cell length."""

TABLES = "limits", "film"
"""Fields of an actuator that are no numbers of its own."""


@dataclass(frozen=True, slots=True)
class ForceWeights(HashedContent):
    """A trained network of an actuator, and its provenance."""

    actuator: Actuator
    seed: int
    errors: ModelErrors
    """Errors on the test samples, which training does not use; at strains from 0 on."""
    layers: dict[str, Floats]
    """The arrays named in `SHAPES`."""

    def content(self) -> dict[str, Any]:
        """Content of the file without its hash."""
        return {
            "schema": 1,
            "form": FORM,
            "actuator": {"type": self.actuator.kind, **_numbers_of(self.actuator)},
            "seed": self.seed,
            "errors": asdict(self.errors),
            "layers": {name: self.layers[name].tolist() for name in SHAPES},
        }


@dataclass(frozen=True, slots=True)
class ForceNetwork:
    """F_t / P over strain and cell length, for strains from 0 to full contraction and the cell lengths of the force table."""

    actuator: Actuator
    hidden: tuple[Tensor, Tensor]
    """Weight (32, 2) and bias (32,)."""
    output: tuple[Tensor, Tensor]
    """Weight (1, 32) and bias (1,)."""
    full: tuple[float, ...]
    """Polynomial of full contraction over the cell length, scaled to -1 to 1; highest power first."""

    @classmethod
    def of(cls, weights: ForceWeights) -> ForceNetwork:
        """Make the network with these weights, on the CPU in double precision."""
        layers = {name: torch.tensor(layer, dtype=torch.float64) for name, layer in weights.layers.items()}
        low, high = cell_range(weights.actuator)
        nodes = np.cos(np.pi * (np.arange(60) + 0.5) / 60)
        found = weights.actuator.full_contraction((low + high) / 2 + (high - low) / 2 * nodes)
        fit = np.polynomial.chebyshev.cheb2poly(np.polynomial.chebyshev.chebfit(nodes, found, DEGREE))
        hidden, output = ((layers[f"{name}.weight"], layers[f"{name}.bias"]) for name in ("hidden", "output"))
        return cls(weights.actuator, hidden, output, tuple(float(c) for c in fit[::-1]))

    def to(self, device: str | torch.device, dtype: torch.dtype) -> ForceNetwork:
        """Copy the network to another device or into another precision."""
        hidden, output = ((a.to(device, dtype), b.to(device, dtype)) for a, b in (self.hidden, self.output))
        return replace(self, hidden=hidden, output=output)

    def full_contraction(self, l_0: Tensor) -> Tensor:
        """Strain at which the force vanishes [-] at each cell length [m]."""
        low, high = cell_range(self.actuator)
        x = (2 * l_0 - low - high) / (high - low)
        strain = torch.full_like(x, self.full[0])
        for coefficient in self.full[1:]:
            strain = strain * x + coefficient
        return strain

    def force_per_pressure(self, strain: Tensor, l_0: Tensor) -> Tensor:
        """F_t / P [m^2] at a strain [-] and cell length [m], which broadcast; unchecked, and invalid outside the training range."""
        inputs = torch.stack(torch.broadcast_tensors(*force_features(strain, l_0, self.actuator)), -1)
        q = linear(torch.tanh(linear(inputs, *self.hidden)), *self.output).squeeze(-1)
        return (1 - strain / self.full_contraction(l_0)) * torch.exp(q)

    def __call__(self, strain: Tensor | float, l_0: Tensor | float) -> Tensor:
        """F_t / P [m^2], with range checks.

        Raises:
            ValueError: A cell length or strain outside the training range; the message gives the range.
        """
        weight = self.hidden[0]
        strain = torch.as_tensor(strain, dtype=weight.dtype, device=weight.device)
        l_0 = torch.as_tensor(l_0, dtype=weight.dtype, device=weight.device)
        low, high = cell_range(self.actuator)
        if not ((l_0 >= low * (1 - ROUNDING)) & (l_0 <= high * (1 + ROUNDING))).all():
            raise ValueError(f"l_0 must lie between {low * 1e3:g} and {high * 1e3:g} mm")
        full = self.full_contraction(l_0)
        if not ((strain >= -ROUNDING) & (strain <= full + ROUNDING)).all():
            raise ValueError(f"strain must lie between 0 and {float(full.min()):.4g} for these cell lengths")
        return self.force_per_pressure(strain, l_0)


def force_features(strain: Tensor, l_0: Tensor, actuator: Actuator) -> tuple[Tensor, Tensor]:
    """Return the two inputs of the first layer."""
    return torch.asinh(strain / STRAIN_SCALE), torch.log(l_0 / cell_range(actuator)[0])


def read_force_weights(path: Path) -> ForceWeights:
    """Read a file of weights and check it.

    Raises:
        InvalidWeights: The file is invalid.
    """
    data = read_json(path)
    try:
        if not isinstance(data, dict) or data.get("schema") != 1 or data.get("form") != FORM:
            raise InvalidWeights(f"must be a table with schema = 1, form = {FORM!r} and layers")
        weights = ForceWeights(
            actuator=_actuator(data.get("actuator")),
            seed=int(read_number(data, "seed")),
            errors=ModelErrors(
                None,
                *(read_number(data, "errors", one.name) for one in fields(ModelErrors) if one.name != "normalised_mse"),
            ),
            layers={name: read_layer(data.get("layers"), name, shape) for name, shape in SHAPES.items()},
        )
        if data.get("sha256") != weights.sha256():
            raise InvalidWeights("sha256 does not match the content: expected weights as trained, not edited")
    except InvalidWeights as error:
        raise InvalidWeights(f"{path}: {error}") from None
    return weights


def _numbers_of(actuator: Actuator) -> dict[str, Any]:
    """All numbers of an actuator on which its force depends, in SI units, those of its limits too."""
    own: Any = actuator
    numbers = asdict(own)
    return {**{name: value for name, value in numbers.items() if name not in TABLES}, **numbers["limits"]}


def _actuator(part: Any) -> Actuator:
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str) or kind not in actuators():
        raise InvalidWeights(f"actuator.type = {kind!r:.40} must be one of {', '.join(actuators())}")
    make: Any = actuators()[kind]
    limits = [one.name for one in fields(Limits)]
    own = [one.name for one in fields(make) if one.name not in TABLES]
    known = {"actuator": {"seam": 0.0, **part}}  # networks that were trained before actuators had seams
    numbers = {name: read_number(known, "actuator", name) for name in (*own, *limits)}
    try:
        made: Actuator = make(
            **{name: numbers[name] for name in own}, limits=Limits(**{name: numbers[name] for name in limits})
        )
    except ValueError as error:
        raise InvalidWeights(f"actuator: {error}") from None
    return made

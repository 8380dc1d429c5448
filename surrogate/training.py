"""Training of the actuator networks on the CPU."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor, nn

from surrogate.evaluation import network_errors
from surrogate.network import Network, StrainAt, features, one_thread
from surrogate.samples import COUNT, LONGEST_CELL, SHORTEST_CELL, Samples, draw_samples
from surrogate.spam import Spam
from surrogate.weights_file import HIDDEN, Form, ModelErrors, Weights

SEED = 2
"""Seed of the shipped weights: of the few seeds tried, the one with the smallest validation error."""
EPOCHS: dict[Form, int] = {"log-force": 3000, "paper": 400}
BATCH = 1000
RATE = 2e-2
"""Initial learning rate of Adam, decreased along a cosine to 1e-6."""
PATIENCE = 800
"""Training stops after this number of epochs without improvement of the validation loss."""
STATE_WEIGHT = 0.3
"""Weight of the errors of m and phi relative to that of the logarithm of the force."""
NEAR_ZERO_WEIGHT = 0.05
"""Divided by m (1 - 2 m), an additional weight of force errors: few samples are near zero strain, where bending starts."""
AHEAD = 0.01
"""Increment of strain at which the loss checks that the force decreases, as a share of full contraction [-]."""
LEAST_FALL = 3.0
"""Minimum decrease of the logarithm of the force per strain without penalty [-]; that of the analytic model is at least 5."""
FALL_WEIGHT = 0.05


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """Result of a training."""

    weights: Weights
    losses: tuple[float, ...]
    """Validation loss after each epoch."""
    seconds: float

    @property
    def epochs(self) -> int:
        """Number of epochs trained."""
        return len(self.losses)


@dataclass(frozen=True, slots=True)
class Targets:
    """Inputs and targets of the loss for a part of the samples; all tensors have the same number of rows."""

    inputs: Tensor
    """Features, shape (n, 2)."""
    first: Tensor
    """Target of the first output: m in the paper's form, q in the log-force form."""
    phi: Tensor
    m_slope: Tensor
    """Derivative of m with respect to the first output at the true phi."""
    saturated: Tensor
    """Mask of the rows in which a phi above the true phi is not an error, because the network clamps it."""
    inputs_ahead: Tensor
    """Features at a slightly larger strain, shape (n, 2)."""
    ahead: Tensor
    """Difference of that strain [-]."""
    rest_ahead: Tensor
    """Logarithm of the ratio of the remaining contraction at the larger strain to that at the strain."""

    @classmethod
    def of(cls, form: Form, part: Samples, full: StrainAt, widest: float) -> Targets:
        """Make the targets of a part of the samples."""
        m, l_0, strain, phi = (torch.as_tensor(x) for x in (part.m, part.l_0, part.strain, part.phi))
        longest = full(l_0)
        ahead = torch.minimum(AHEAD * longest, (longest - strain) / 2)
        inputs, inputs_ahead = (
            torch.stack(features(form, at, l_0, SHORTEST_CELL), 1) for at in (strain, strain + ahead)
        )
        rest = torch.log(1 - strain / longest)
        first = m if form == "paper" else torch.log((1 - 2 * m) / (2 * m * torch.cos(phi) ** 2)) - rest
        m_slope = torch.ones_like(m) if form == "paper" else -m * (1 - 2 * m)
        rest_ahead = torch.log(1 - (strain + ahead) / longest) - rest
        return cls(inputs, first, phi, m_slope, phi >= widest - 1e-12, inputs_ahead, ahead, rest_ahead)

    def rows(self, some: Tensor) -> Targets:
        """Select rows."""
        return Targets(*(getattr(self, field.name)[some] for field in fields(self)))


class ScaledLayers(nn.Module):
    """The layers, with inputs and outputs standardised over the training part."""

    def __init__(self, train: Targets) -> None:
        super().__init__()
        self.hidden, self.output = nn.Linear(2, HIDDEN), nn.Linear(HIDDEN, 2)
        for layer in (self.hidden, self.output):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
        # The kinks are spread over the inputs initially. If all passed through one point, some units would die.
        nn.init.uniform_(self.hidden.bias, -2.0, 2.0)
        outputs = torch.stack((train.first, train.phi), 1)
        self.of_inputs, self.of_outputs = ((x.mean(0), x.std(0)) for x in (train.inputs, outputs))

    def forward(self, inputs: Tensor) -> Tensor:
        """Outputs in their units, shape (n, 2)."""
        scaled = (inputs - self.of_inputs[0]) / self.of_inputs[1]
        result: Tensor = self.output(self.hidden(scaled).relu()) * self.of_outputs[1] + self.of_outputs[0]
        return result

    def absorb_scaling(self) -> dict[str, np.ndarray]:
        """Return the layers with the standardisation absorbed into the weights."""
        (mean, spread), (middle, width) = self.of_inputs, self.of_outputs
        with torch.no_grad():
            hidden = self.hidden.weight / spread
            layers = {
                "hidden.weight": hidden,
                "hidden.bias": self.hidden.bias - hidden @ mean,
                "output.weight": self.output.weight * width[:, None],
                "output.bias": self.output.bias * width + middle,
            }
            return {name: layer.numpy().copy() for name, layer in layers.items()}


def loss_of(form: Form, model: ScaledLayers, wanted: Targets, spread: tuple[float, float]) -> Tensor:
    """Mean loss over samples.

    Args:
        spread: Standard deviations of m and phi over the training part.
    """
    first, phi = model(wanted.inputs).unbind(1)
    d_first, d_phi = first - wanted.first, phi - wanted.phi
    if form == "paper":
        return ((d_first / spread[0]) ** 2 + (d_phi / spread[1]) ** 2).mean() / 2
    d_phi = torch.where(wanted.saturated, d_phi.clamp(max=0.0), d_phi)
    d_m = wanted.m_slope * (d_first - 2 * torch.tan(wanted.phi) * d_phi)
    d_state = (d_m / spread[0]) ** 2 + (d_phi / spread[1]) ** 2
    weight = 1 + NEAR_ZERO_WEIGHT / (-wanted.m_slope).clamp(min=0.015)
    fall = first - model(wanted.inputs_ahead)[:, 0] - wanted.rest_ahead
    too_flat = (LEAST_FALL - fall / wanted.ahead).clamp(min=0.0)
    return (weight * d_first**2 + STATE_WEIGHT * d_state + FALL_WEIGHT * too_flat**2).mean()


def train(
    seed: int = SEED,
    form: Form = "log-force",
    progress: Callable[[int, int], None] | None = None,
    epochs: int | None = None,
    geometry: Spam | None = None,
    count: int = COUNT,
) -> tuple[Network, TrainingReport]:
    """Train a network on samples of the analytic model; reproducible for a seed on one machine.

    Args:
        progress: Called with the number of completed epochs and the maximum number of epochs.
        epochs: Maximum number of epochs.  Default: `EPOCHS`.
        count: Number of samples, for training, validation and test together.
    """
    start = time.perf_counter()
    geometry, epochs = geometry or Spam(), epochs or EPOCHS[form]
    samples = draw_samples(seed, geometry, count)
    training, validation, test = samples.split()
    full = StrainAt.of(0.5, geometry, SHORTEST_CELL, LONGEST_CELL)
    widest = math.acos(geometry.constriction_radius / geometry.tube_radius)
    targets, validation_targets = (Targets.of(form, part, full, widest) for part in (training, validation))
    spread = float(training.m.std()), float(training.phi.std())
    # One thread makes sums reproducible; the caller's random state is restored.
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers, losses = _fit(form, targets, validation_targets, spread, epochs, progress or (lambda _, __: None))
    nothing = ModelErrors(None, *[math.nan] * 6)
    weights = Weights(form, geometry, SHORTEST_CELL, LONGEST_CELL, seed, samples.sha256(), nothing, layers)
    network = Network.of(weights)
    weights = replace(weights, errors=network_errors(network, test)[0])
    return network, TrainingReport(weights, tuple(losses), time.perf_counter() - start)


def _fit(
    form: Form,
    targets: Targets,
    validation_targets: Targets,
    spread: tuple[float, float],
    epochs: int,
    progress: Callable[[int, int], None],
) -> tuple[dict[str, np.ndarray], list[float]]:
    """Run Adam over shuffled batches; return the layers with the smallest validation loss, and all validation losses."""
    model = ScaledLayers(targets).double()
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs, eta_min=1e-6)
    losses: list[float] = []
    best, layers = math.inf, model.absorb_scaling()
    last = 0
    for epoch in range(epochs):
        for some in torch.randperm(len(targets.phi)).split(BATCH):
            batch = targets.rows(some)
            optimiser.zero_grad()
            loss_of(form, model, batch, spread).backward()
            optimiser.step()
        schedule.step()
        with torch.no_grad():
            losses.append(float(loss_of(form, model, validation_targets, spread)))
        if losses[-1] < best:
            best, layers, last = losses[-1], model.absorb_scaling(), epoch
        progress(epoch + 1, epochs)
        if epoch - last >= PATIENCE:
            break
    return layers, losses

"""Training of a network of any actuator's force, on the CPU."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from surrogate.actuators import Actuator, cell_range
from surrogate.evaluation import relative_errors
from surrogate.force_network import ForceNetwork, ForceWeights, force_features
from surrogate.kernels.compiled import Floats
from surrogate.network import one_thread
from surrogate.samples import COUNT
from surrogate.weights_file import HIDDEN, ModelErrors

EPOCHS, BATCH, RATE = 400, 1000, 2e-2
"""Epochs, samples of a step of Adam, and its initial rate, decreased along a cosine to 1e-5."""
LONGEST = 0.995
"""Greatest strain of the samples as a share of full contraction [-]: the relative error has no limit at full contraction."""


@dataclass(frozen=True, slots=True)
class ForceReport:
    """Result of a training."""

    weights: ForceWeights
    losses: tuple[float, ...]
    """Mean square error of q over the validation samples after each epoch."""
    seconds: float


def train_force(
    actuator: Actuator,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    epochs: int | None = None,
    count: int = COUNT,
) -> tuple[ForceNetwork, ForceReport]:
    """Train a network on samples of the analytic model; reproducible for a seed on one machine.

    Args:
        progress: Called with the number of completed epochs and the number of all.
        epochs: Number of epochs.  Default: `EPOCHS`.
        count: Number of samples: 80 % for training, 10 % for validation and 10 % for testing.
    """
    start, epochs = time.perf_counter(), epochs or EPOCHS
    strain, l_0 = draw_strains(actuator, seed, count)
    full, force = actuator.full_contraction(l_0), actuator.force_per_pressure(strain, l_0)
    inputs = torch.stack(force_features(torch.as_tensor(strain), torch.as_tensor(l_0), actuator), 1)
    q = torch.as_tensor(np.log(force / (1 - strain / full)))
    cut = count * 8 // 10, count * 9 // 10
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers, losses = _fit(
            (inputs[: cut[0]], q[: cut[0]]),
            (inputs[cut[0] : cut[1]], q[cut[0] : cut[1]]),
            epochs,
            progress or (lambda _, __: None),
        )
    weights = ForceWeights(actuator, seed, ModelErrors(None, *[math.nan] * 6), layers)
    network, test = ForceNetwork.of(weights), slice(cut[1], None)
    with torch.no_grad():
        found = network.force_per_pressure(torch.as_tensor(strain[test]), torch.as_tensor(l_0[test])).numpy()
    errors, _ = relative_errors(found, force[test], strain[test], full[test], None)
    weights = replace(weights, errors=errors)
    return network, ForceReport(weights, tuple(losses), time.perf_counter() - start)


def draw_strains(actuator: Actuator, seed: int, count: int) -> tuple[Floats, Floats]:
    """Strains [-] and cell lengths [m], shape (count,) each: over the lengths of the force table, and dense near zero strain."""
    rng = np.random.default_rng(seed)
    l_0 = rng.uniform(*cell_range(actuator), count)
    return LONGEST * rng.random(count) ** 2 * actuator.full_contraction(l_0), l_0


def _fit(
    training: tuple[Tensor, Tensor],
    validation: tuple[Tensor, Tensor],
    epochs: int,
    progress: Callable[[int, int], None],
) -> tuple[dict[str, Floats], list[float]]:
    """Run Adam over shuffled batches of inputs and q; return the layers with the smallest validation loss, and all those losses."""
    inputs, q = training
    mean, spread, middle, width = inputs.mean(0), inputs.std(0), q.mean(), q.std()
    model = nn.Sequential(nn.Linear(2, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1)).double()
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs, eta_min=1e-5)

    def loss_of(some: Tensor, wanted: Tensor) -> Tensor:
        error: Tensor = (model((some - mean) / spread)[:, 0] * width + middle - wanted).square().mean()
        return error

    losses: list[float] = []
    best: dict[str, Tensor] = {}
    for epoch in range(epochs):
        for some in torch.randperm(len(q)).split(BATCH):
            optimiser.zero_grad()
            loss_of(inputs[some], q[some]).backward()
            optimiser.step()
        schedule.step()
        with torch.no_grad():
            losses.append(float(loss_of(*validation)))
        if losses[-1] == min(losses):
            best = {name: part.detach().clone() for name, part in model.state_dict().items()}
        progress(epoch + 1, epochs)
    # The scaling of inputs and output goes into the layers.
    hidden = best["0.weight"] / spread
    layers = {
        "hidden.weight": hidden,
        "hidden.bias": best["0.bias"] - hidden @ mean,
        "output.weight": best["2.weight"] * width,
        "output.bias": best["2.bias"] * width + middle,
    }
    return {name: layer.numpy().copy() for name, layer in layers.items()}, losses

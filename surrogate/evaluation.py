"""Errors of actuator models relative to the analytic model, and their speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from surrogate.force_table import ForceTable
from surrogate.kernels.compiled import Floats
from surrogate.network import Network, one_thread
from surrogate.samples import Samples, draw_samples
from surrogate.spam import cell_state, contraction
from surrogate.weights_file import ModelErrors

NEAR_ZERO = 0.02
"""Upper strain limit of the largest error near zero, where bending starts [-]."""
WORKING = 0.9
"""Upper limit of the largest working error, as a share of full contraction [-]."""
LEAST_SECONDS = 0.2
"""Duration of a speed measurement [s]: the best of all calls within it, and of at least two."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Speed of a model."""

    model: str
    device: str
    batch: int
    """Forces evaluated in one call."""
    seconds: float
    """Duration of the fastest call [s]."""

    @property
    def rate(self) -> float:
        """Forces per second."""
        return self.batch / self.seconds


def network_errors(network: Network, samples: Samples) -> tuple[ModelErrors, Floats]:
    """Errors of a network over samples, and the relative error of the force at each sample."""
    weight = network.hidden[0]
    strain, l_0 = (torch.as_tensor(x, dtype=weight.dtype, device=weight.device) for x in (samples.strain, samples.l_0))
    with torch.no_grad():
        m, phi = (x.double().cpu().numpy() for x in network.state(strain, l_0))
        force = network.force_per_pressure(strain, l_0).double().cpu().numpy()
    squares = [np.mean(((found - true) / true.std()) ** 2) for found, true in ((m, samples.m), (phi, samples.phi))]
    return relative_errors(force, *_true_forces(samples, network), float(np.mean(squares)))


def table_errors(table: ForceTable, samples: Samples, network: Network) -> tuple[ModelErrors, Floats]:
    """Errors of the force table over samples, without m and phi, and the relative error at each; full contraction is the network's."""
    return relative_errors(table(samples.strain, samples.l_0)[0], *_true_forces(samples, network), None)


def _true_forces(samples: Samples, network: Network) -> tuple[Floats, Floats, Floats]:
    return samples.force_per_pressure, samples.strain, network.full(torch.as_tensor(samples.l_0)).numpy()


def relative_errors(
    force: Floats, true: Floats, strain: Floats, full: Floats, mse: float | None
) -> tuple[ModelErrors, Floats]:
    """Errors of forces per pressure relative to true ones, and the relative error of each.

    Args:
        force: F_t / P of a model [m^2], shape (n,) like the next three.
        true: F_t / P of the analytic model [m^2].
        strain: Strain of each [-].
        full: Strain of full contraction of each [-].
        mse: Normalised mean square error of m and phi, if the model has them.
    """
    relative = np.abs(force / true - 1)
    near_zero = relative[(strain >= 0) & (strain <= NEAR_ZERO)]
    working = relative[(strain >= 0) & (strain <= WORKING * full)]
    median, p90, p99, largest = (float(q) for q in np.quantile(relative, (0.5, 0.9, 0.99, 1.0)))
    return ModelErrors(mse, median, p90, p99, largest, float(near_zero.max()), float(working.max())), relative


def list_devices() -> list[str]:
    """Devices of this machine on which networks can run."""
    return ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def measure_speeds(
    network: Network, table: ForceTable, batches: list[int], done: Callable[[], None] = lambda: None
) -> list[Speed]:
    """Time the analytic solver, the table and the network in single precision, for each batch size.

    On the CPU all of them use one thread. Threads of PyTorch synchronise after each layer. On shared cores this takes
    milliseconds, 100 times the duration of the computation, so such times would not characterise the models.

    Args:
        done: Called after each measurement; there are `len(batches) * (2 + len(devices()))`.
    """
    samples = draw_samples(1, network.geometry, max(batches))
    speeds = []
    for batch in batches:
        strain, l_0 = samples.strain[:batch], samples.l_0[:batch]

        def solve(strain: Floats = strain, l_0: Floats = l_0) -> None:
            cell_state(contraction(strain, l_0, network.geometry), l_0, network.geometry)

        def look_up(strain: Floats = strain, l_0: Floats = l_0) -> None:
            table(strain, l_0)

        speeds.append(Speed("analytic", "cpu", batch, _best_seconds(solve)))
        done()
        speeds.append(Speed("table", "cpu", batch, _best_seconds(look_up)))
        done()
        for device in list_devices():
            speeds.append(Speed("network", device, batch, _network_seconds(network, strain, l_0, device)))
            done()
    return speeds


def _network_seconds(network: Network, strain: Floats, l_0: Floats, device: str) -> float:
    copied = network.to(device, torch.float32)
    inputs = [torch.as_tensor(x, dtype=torch.float32, device=device) for x in (strain, l_0)]

    def evaluate() -> None:
        with torch.no_grad():
            copied.force_per_pressure(*inputs)
        if device != "cpu":
            torch.cuda.synchronize()

    with one_thread():
        return _best_seconds(evaluate)


def _best_seconds(call: Callable[[], None]) -> float:
    start = time.perf_counter()
    call()
    best = time.perf_counter() - start
    stop = time.perf_counter() + LEAST_SECONDS
    while True:
        start = time.perf_counter()
        call()
        end = time.perf_counter()
        best = min(best, end - start)
        if end >= stop:
            return best

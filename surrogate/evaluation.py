"""How far models of the actuator are from the analytic one, and how fast they answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from surrogate.compiled import Floats
from surrogate.force_table import ForceTable
from surrogate.network import Network, one_thread
from surrogate.samples import Samples, draw_samples
from surrogate.spam import cell_state, contraction
from surrogate.weights_file import Errors

NEAR_ZERO = 0.02
"""Strain up to which the largest error near zero is taken: where bending starts [-]."""
WORKING = 0.9
"""Share of full contraction up to which the largest working error is taken [-]."""
LEAST_SECONDS = 0.2
"""A speed is the best of the calls that fit into this time [s], and of two at least."""


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a model answers."""

    model: str
    device: str
    batch: int
    """Forces asked for in one call."""
    seconds: float
    """Best call [s]."""

    @property
    def rate(self) -> float:
        """Forces per second."""
        return self.batch / self.seconds


def network_errors(network: Network, samples: Samples) -> tuple[Errors, Floats]:
    """Errors of a network over samples, and the relative error of the force at each."""
    weight = network.hidden[0]
    strain, l_0 = (torch.as_tensor(x, dtype=weight.dtype, device=weight.device) for x in (samples.strain, samples.l_0))
    with torch.no_grad():
        m, phi = (x.double().cpu().numpy() for x in network.state(strain, l_0))
        force = network.force_per_pressure(strain, l_0).double().cpu().numpy()
    squares = [np.mean(((found - true) / true.std()) ** 2) for found, true in ((m, samples.m), (phi, samples.phi))]
    return _errors(force, samples, network, float(np.mean(squares)))


def table_errors(table: ForceTable, samples: Samples, network: Network) -> tuple[Errors, Floats]:
    """The same of the force table, which holds no m and phi; the network tells full contraction."""
    return _errors(table(samples.strain, samples.l_0)[0], samples, network, None)


def _errors(force: Floats, samples: Samples, network: Network, mse: float | None) -> tuple[Errors, Floats]:
    relative = np.abs(force / samples.force_per_pressure - 1)
    strain, full = samples.strain, network.full(torch.as_tensor(samples.l_0)).numpy()
    near_zero = relative[(strain >= 0) & (strain <= NEAR_ZERO)]
    working = relative[(strain >= 0) & (strain <= WORKING * full)]
    median, p90, p99, largest = (float(q) for q in np.quantile(relative, (0.5, 0.9, 0.99, 1.0)))
    return Errors(mse, median, p90, p99, largest, float(near_zero.max()), float(working.max())), relative


def devices() -> list[str]:
    """The devices of this machine that networks run on."""
    return ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def measure_speeds(
    network: Network, table: ForceTable, batches: list[int], done: Callable[[], None] = lambda: None
) -> list[Speed]:
    """Time the analytic solver, the table and the network in single precision, in batches of each size.

    On the CPU all of them use one thread. Two threads of PyTorch wait for each other after each layer: where cores are
    shared that takes milliseconds, 100 times the work itself, and such times say nothing about the models.

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

        speeds.append(Speed("analytic", "cpu", batch, _best(solve)))
        done()
        speeds.append(Speed("table", "cpu", batch, _best(look_up)))
        done()
        for device in devices():
            speeds.append(Speed("network", device, batch, _network_seconds(network, strain, l_0, device)))
            done()
    return speeds


def _network_seconds(network: Network, strain: Floats, l_0: Floats, device: str) -> float:
    there = network.to(device, torch.float32)
    inputs = [torch.as_tensor(x, dtype=torch.float32, device=device) for x in (strain, l_0)]

    def ask() -> None:
        with torch.no_grad():
            there.force_per_pressure(*inputs)
        if device != "cpu":
            torch.cuda.synchronize()

    with one_thread():
        return _best(ask)


def _best(call: Callable[[], None]) -> float:
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

"""Measurement of the errors and speeds of the actuator network and the force table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surrogate.evaluation import Speed, measure_speeds, network_errors, table_errors
from surrogate.force_table import ForceTable
from surrogate.kernels.compiled import Floats
from surrogate.network import Network
from surrogate.samples import draw_samples
from surrogate.weights_file import ModelErrors, Weights

BATCHES = [1, 10, 100, 1000, 10_000, 100_000]
STEP = 10_000
"""Number of forces evaluated in one step of a search: 100 vines of about 100 joints."""
NETWORK, PAPER, TABLE = "network", "network, paper's form", "force table"
BINS = np.geomspace(1e-7, 10.0, 81)
"""Bin edges of the histogram of relative errors [-]; values outside are counted in the outermost bins."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Errors and speeds of the models of the actuator."""

    weights: Weights
    """Weights of the evaluated network."""
    samples: int
    """Number of test samples."""
    taut: float
    """Share of test samples with negative strain [-]."""
    errors: dict[str, ModelErrors]
    """Errors by name of the model."""
    histograms: dict[str, Floats]
    """Share of the samples in each of `BINS`, by relative error of the force, by name of the model."""
    speeds: list[Speed]

    def rate(self, model: str, device: str, batch: int) -> float:
        """Forces per second."""
        return next(s.rate for s in self.speeds if (s.model, s.device, s.batch) == (model, device, batch))

    @property
    def devices(self) -> list[str]:
        """Devices that the network was timed on."""
        return list(dict.fromkeys(speed.device for speed in self.speeds if speed.model == "network"))


def evaluate(weights: Weights, paper: Weights, batches: list[int]) -> Evaluation:
    """Evaluate a network, the paper's form and the force table on the test part of the network's samples."""
    network, forces = Network.of(weights), ForceTable(weights.geometry.tabulate())
    test = draw_samples(weights.seed, weights.geometry).split()[2]
    measured = {
        NETWORK: network_errors(network, test),
        PAPER: network_errors(Network.of(paper), test),
        TABLE: table_errors(forces, test, network),
    }
    errors = {name: of[0] for name, of in measured.items()}
    shares = {name: _shares(of[1]) for name, of in measured.items()}
    speeds = measure_speeds(network, forces, batches, lambda: None)
    return Evaluation(weights, len(test), float((test.strain < 0).mean()), errors, shares, speeds)


def _shares(relative: Floats) -> Floats:
    return np.histogram(relative.clip(BINS[0], BINS[-1]), BINS)[0] / len(relative)

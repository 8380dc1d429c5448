"""Training of the actuator networks."""

from pathlib import Path

import numpy as np
import pytest
import torch

from surrogate.network import Network
from surrogate.samples import draw_samples
from surrogate.spam import SMALLEST_M, Spam, cell_state
from surrogate.training import train
from surrogate.weights_file import Form, read_weights, write_weights


def test_samples_cover_the_range_evenly() -> None:
    """m is uniform in (0, 0.5], l_0 in 20 to 80 mm; strain and force are those of the analytic model; parts are 80/10/10."""
    samples = draw_samples(5, Spam(), 20_000)
    for values, low, high in ((samples.m, SMALLEST_M, 0.5), (samples.l_0, 20e-3, 80e-3)):
        counts, _ = np.histogram(values, 10, (low, high))
        assert counts.sum() == 20_000
        assert np.abs(counts / 2000 - 1).max() < 0.1
    state = cell_state(samples.m, samples.l_0, Spam())
    np.testing.assert_array_equal(samples.strain, state.strain)
    np.testing.assert_array_equal(samples.force_per_pressure, state.force_per_pressure)
    train_part, validation, test = samples.split()
    assert [len(part) for part in (train_part, validation, test)] == [16_000, 2000, 2000]
    np.testing.assert_array_equal(np.concatenate([train_part.m, validation.m, test.m]), samples.m)


@pytest.mark.parametrize("form", ["log-force", "paper"])
def test_training_converges_and_is_reproducible(form: Form, tmp_path: Path) -> None:
    """The validation error more than halves in a few epochs; the same seed writes the same bytes in any context."""
    calls: list[tuple[int, int]] = []
    network, report = train(3, form, lambda done, total: calls.append((done, total)), epochs=12, count=8000)
    assert isinstance(network, Network)
    assert report.losses[-1] < 0.5 * report.losses[0]
    assert calls == [(k, 12) for k in range(1, 13)]
    torch.manual_seed(99)
    state, threads = torch.random.get_rng_state(), torch.get_num_threads()
    again = train(3, form, epochs=12, count=8000)[1]
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.get_num_threads() == threads
    other = train(4, form, epochs=1, count=8000)[1]
    for name, weights in (("a", report.weights), ("b", again.weights), ("c", other.weights)):
        write_weights(tmp_path / name, weights)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_weights_round_trip(tmp_path: Path) -> None:
    """Weights are read exactly as written, and the layers give the same outputs as during training."""
    network, report = train(3, epochs=2, count=2000)
    write_weights(tmp_path / "weights.json", report.weights)
    read = read_weights(tmp_path / "weights.json")
    for name, layer in report.weights.layers.items():
        np.testing.assert_array_equal(read.layers[name], layer)
    strain, l_0 = torch.tensor([0.01, 0.1], dtype=torch.float64), torch.tensor(0.05, dtype=torch.float64)
    assert torch.equal(Network.of(read).force_per_pressure(strain, l_0), network.force_per_pressure(strain, l_0))
    assert [entry.name for entry in tmp_path.iterdir()] == ["weights.json"]


def test_training_stops_without_improvement(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layers with the smallest validation loss are kept, and training stops `PATIENCE` epochs after them."""
    monkeypatch.setattr("surrogate.training.PATIENCE", 5)
    losses = train(0, epochs=500, count=500)[1].losses
    assert len(losses) < 500
    assert int(np.argmin(losses)) == len(losses) - 6

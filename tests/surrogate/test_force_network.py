"""Networks of the force of any actuator."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from surrogate.actuators import Actuator
from surrogate.cpam import Cpam
from surrogate.force_network import ForceNetwork, read_force_weights
from surrogate.force_training import draw_strains, train_force
from surrogate.pouch import PouchMotor
from surrogate.registry import actuators
from surrogate.weights_file import InvalidWeights, write_weights

OTHERS = [kind for kind in actuators() if kind != "spam"]


@pytest.mark.parametrize("kind", OTHERS)
def test_training_converges_and_is_reproducible(kind: str, tmp_path: Path) -> None:
    """The error falls to a tenth in a few epochs; the same seed writes the same bytes; the stated errors are those on unseen samples."""
    actuator = actuators()[kind]()
    calls: list[tuple[int, int]] = []
    network, report = train_force(actuator, 3, lambda done, total: calls.append((done, total)), epochs=30, count=8000)
    assert calls == [(k, 30) for k in range(1, 31)]
    assert min(report.losses) < 0.1 * report.losses[0]
    strain, l_0 = draw_strains(actuator, 77, 4000)
    found = network(torch.as_tensor(strain), torch.as_tensor(l_0)).numpy()
    relative = np.abs(found / actuator.force_per_pressure(strain, l_0) - 1)
    assert np.quantile(relative, 0.9) == pytest.approx(report.weights.errors.p90, rel=0.3)
    again = train_force(actuator, 3, epochs=30, count=8000)[1]
    for name, one in (("a", report), ("b", again)):
        write_weights(tmp_path / name, one.weights)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS)
def test_a_whole_training_is_accurate(kind: str) -> None:
    """Over unseen samples, 9 in 10 forces are within 2 % of the model, and all within 10 %."""
    errors = train_force(actuators()[kind](), 2)[1].weights.errors
    assert errors.p90 < 0.02
    assert errors.largest < 0.1


def test_weights_round_trip(tmp_path: Path) -> None:
    """Read as written, with the actuator's own numbers, they give the same force; it vanishes at full contraction."""
    actuator: Actuator = Cpam(45e-3, 2e-2)
    network, report = train_force(actuator, 3, epochs=2, count=2000)
    write_weights(tmp_path / "cpam.json", report.weights)
    read = read_force_weights(tmp_path / "cpam.json")
    assert read.actuator == actuator
    strain, l_0 = torch.tensor([0.01, 0.1], dtype=torch.float64), torch.tensor(0.03, dtype=torch.float64)
    assert torch.equal(ForceNetwork.of(read)(strain, l_0), network(strain, l_0))
    full = network.full_contraction(l_0)
    assert float(full) == pytest.approx(float(actuator.full_contraction(0.03)), abs=1e-5)
    assert float(network(full, l_0)) == 0.0


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["form"], "paper", "form = 'force'"),
        (["actuator", "type"], "balloon", "actuator.type = 'balloon' must be one of spam, pouch"),
        (["actuator", "stroke"], 0.5, "fpam.stroke = 0.5 must be less than"),
        (["actuator", "stroke"], None, "actuator.stroke = None must be a finite number"),
        (["layers", "output.bias"], [], "layers.output.bias has the shape 0; expected 1"),
        (["seed"], 4, "sha256 does not match"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, path: list[str], value: object, words: str) -> None:
    """One line names the file, the key and what is allowed."""
    report = train_force(actuators()["fpam"](), 3, epochs=1, count=1000)[1]
    write_weights(tmp_path / "w.json", report.weights)
    data = json.loads((tmp_path / "w.json").read_text())
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    (tmp_path / "w.json").write_text(json.dumps(data))
    with pytest.raises(InvalidWeights) as caught:
        read_force_weights(tmp_path / "w.json")
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "w.json"))
    assert "\n" not in str(caught.value)


def test_inputs_out_of_range_are_refused() -> None:
    """Cell lengths and strains outside the samples raise a ValueError that gives the range."""
    network = train_force(PouchMotor(seam=0.0), 3, epochs=1, count=1000)[0]
    with pytest.raises(ValueError, match="l_0 must lie between 15 and 100 mm"):
        network(0.1, 0.2)
    for strain in (-0.1, 0.37):
        with pytest.raises(ValueError, match=r"strain must lie between 0 and 0\.3634"):
            network(strain, 0.04)

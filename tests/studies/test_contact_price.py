"""The price of arcs along walls, and its fit."""

import json
from pathlib import Path

import numpy as np
import pytest

from planner.search.reverse.arc_price import BEND, PRICES, STRAIGHT, TURNS
from studies.contact_price.fit import fit
from studies.contact_price.report import report, rows_of
from studies.contact_price.study import pairs_of, stored_pairs
from studies.random_environments import HELD_OUT, TRAINING
from tests.command_line import vinewright

STORED = Path(__file__).parents[2] / "results" / "contact-price" / "data.json"


def made_up(prices: list[float], actuators: float, noise: float = 0.0) -> np.ndarray:
    """Pairs whose numbers of actuators are sums of known prices."""
    rng = np.random.default_rng(0)
    turn, share = rng.uniform(0, 2.5, (4000, 2)), rng.uniform(0, 1, (4000, 2)) * rng.integers(0, 2, (4000, 2))
    price = np.array(prices)[np.searchsorted(TURNS, turn).clip(1) - 1]
    cost = actuators * (turn > STRAIGHT) * (1 - share + share * price)
    counted = cost.sum(axis=1) + noise * rng.normal(size=4000)
    rest = np.column_stack([rng.uniform(1, 30, 4000), counted, np.ones(4000)])
    return np.column_stack([turn[:, 0], share[:, 0], turn[:, 1], share[:, 1], rest])


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_known_price_is_found(noise: float) -> None:
    """Least squares gives the prices and the number of actuators that the pairs were made with."""
    made = fit(made_up([0.1, 0.1, 0.35, 0.5, 0.9], 0.6, noise))
    assert made.prices == pytest.approx([0.1, 0.1, 0.35, 0.5, 0.9], abs=0.001 + 0.3 * noise)
    assert made.actuators == pytest.approx(0.6, abs=0.001 + 0.1 * noise)


def test_a_price_never_falls_with_the_angle() -> None:
    """Pairs whose prices fall are fitted by one that does not."""
    made = fit(made_up([0.9, 0.7, 0.5, 0.3, 0.1], 0.6))
    assert (np.diff(made.prices) >= 0).all()
    assert 0.1 < made.prices[0] < 0.9


def test_the_stored_pairs_give_the_price() -> None:
    """The price of the reverse tree is that of the data in `results`, none of which is from an environment it is judged in."""
    data = json.loads(STORED.read_text())
    results = stored_pairs(STORED)
    made = fit(np.vstack(rows_of(results)))
    assert made.prices == PRICES == tuple(data["prices"])
    assert made.bend == BEND == data["bend"]
    seeds = {one["seed"] for one in results}
    assert seeds == set(TRAINING)
    assert not seeds & set(HELD_OUT)


def test_the_command_fits_stored_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the stored data the command writes the same data again; another file is refused in one line."""
    asked = ["reproduce", "contact-price", "--out", tmp_path, "--pairs"]
    assert vinewright(monkeypatch, *asked, STORED) == 0
    made, stored = (json.loads(path.read_text()) for path in (tmp_path / "contact-price" / "data.json", STORED))
    for key in ("columns", "prices", "bend", "actuators", "environments"):
        assert made[key] == stored[key]
    (tmp_path / "other.json").write_text("{}")
    assert vinewright(monkeypatch, *asked, tmp_path / "other.json", "--force") == 2


@pytest.mark.slow
def test_pairs_are_those_stored() -> None:
    """A search in the first environment gives the stored pairs again."""
    data = json.loads(STORED.read_text())
    stored = next(one for one in data["environments"] if one["seed"] == TRAINING[0])
    assert report([pairs_of(TRAINING[0])]).content["environments"] == [stored]

"""Properties common to all actuators."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from surrogate.actuators import Actuator
from surrogate.force_table import COLUMNS, FINE_ROWS, LONGEST, ROWS, SHORTEST, ForceTable
from surrogate.registry import actuators


@pytest.fixture(scope="module", params=actuators().values(), ids=actuators())
def actuator(request: pytest.FixtureRequest) -> Actuator:
    return request.param()


@pytest.fixture(scope="module")
def table(actuator: Actuator) -> ForceTable:
    return ForceTable(actuator.tabulate())


def test_the_spam_is_the_default() -> None:
    """Actuators are registered by kind, the sPAM first."""
    assert list(actuators()) == ["spam", "pouch"]
    assert all(actuator.kind == kind for kind, actuator in actuators().items())


def test_actuators_are_values(actuator: Actuator) -> None:
    """They compare by value, are hashable and immutable."""
    again = type(actuator)()
    assert again == actuator
    assert hash(again) == hash(actuator)
    assert all(actuator != other() for other in actuators().values() if other is not type(actuator))
    with pytest.raises(FrozenInstanceError):
        setattr(actuator, fields(actuator)[0].name, 1.0)
    assert actuator.offset >= 0


def test_grid_is_valid_and_within_the_table(actuator: Actuator) -> None:
    """Cell lengths and pressures are ascending, positive and within the table."""
    grid = actuator.grid
    for part in (grid.l_0, grid.pressure):
        assert np.all(np.diff(part) > 0)
        assert part[0] > 0
    assert grid.l_0[0] >= SHORTEST
    assert grid.l_0[-1] <= LONGEST


def test_force_decreases_to_zero(actuator: Actuator, table: ForceTable) -> None:
    """In the model and in the table the force decreases strictly with strain and vanishes at full contraction."""
    l_0 = actuator.grid.l_0[:, None]
    full = actuator.full_contraction(l_0)
    assert full.shape == l_0.shape
    strain = np.linspace(0.0, 1.0, 60) * full
    for force in (actuator.force_per_pressure(strain, l_0), table(strain, l_0)[0]):
        assert np.all(np.diff(force, axis=1) < 0)
        np.testing.assert_allclose(force[:, -1], 0.0, atol=1e-12)
    for part in table(1.001 * full, l_0):
        assert not part.any()


def test_table_agrees_with_the_model(actuator: Actuator, table: ForceTable) -> None:
    """Force within 1e-3 of the model, slope within 2 % of its differences, up to 98 % of full contraction."""
    rng = np.random.default_rng(0)
    l_0 = rng.uniform(*actuator.grid.l_0[[0, -1]], 300)
    strain, h = rng.uniform(0.03, 0.97, 300) * actuator.full_contraction(l_0), 1e-5
    force, slope = table(strain, l_0)
    np.testing.assert_allclose(force, actuator.force_per_pressure(strain, l_0), rtol=1e-3)
    ends = [actuator.force_per_pressure(strain + shift, l_0) for shift in (h, -h)]
    # The slope is discontinuous where a sPAM saturates, and at the taut strain of a pouch.
    assert np.isclose(slope, (ends[0] - ends[1]) / (2 * h), rtol=0.02).mean() > 0.98


def test_rows_are_valid_for_the_kernels(actuator: Actuator) -> None:
    """Every table has the shapes, the memory order and the finite numbers that the look-up requires."""
    rows = actuator.tabulate()
    assert rows.unsaturated.shape == (ROWS + 1, COLUMNS + 1)
    assert rows.longest_strain.shape == (FINE_ROWS + 1,)
    assert rows.saturated.shape == (COLUMNS + 1,)
    for part in rows[:3]:
        assert part.flags.c_contiguous
        assert np.isfinite(part).all()
    assert rows.longest_contraction > 0

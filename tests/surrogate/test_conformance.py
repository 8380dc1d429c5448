"""Promises of every registered actuator: `surrogate.actuators.Actuator`, over the registry."""

from dataclasses import FrozenInstanceError, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dynamics.moment import joint_moments, total_moment
from dynamics.tube import VineParams
from dynamics.tube_file import parse_tube, similar, tube_text
from dynamics.tube_keys import ACTUATORS
from surrogate.actuators import Actuator
from surrogate.force_table import COLUMNS, FINE_ROWS, LONGEST, ROWS, SHORTEST, ForceTable, cell
from surrogate.kernels.compiled import Floats
from surrogate.registry import actuators
from surrogate.spam import Spam
from tests.surrogate.volumes import VOLUMES, gains

FIELDS = [
    (kind, field.name)
    for kind, actuator in actuators().items()
    for field in fields(actuator)
    if field.name not in ("limits", "film", "seam")  # type: ignore[arg-type]
]


@pytest.fixture(scope="module", params=actuators().values(), ids=actuators())
def actuator(request: pytest.FixtureRequest) -> Actuator:
    return request.param()


@pytest.fixture(scope="module")
def table(actuator: Actuator) -> ForceTable:
    return ForceTable(actuator.tabulate())


def test_the_spam_is_the_default() -> None:
    """Actuators are registered by kind, the sPAM first."""
    assert list(actuators()) == ["spam", "pouch", "fpam", "cpam"]
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
    # The slope is discontinuous where a sPAM saturates, and at the taut strain of a pouch, and a cPAM's where its sides are taut.
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


@pytest.mark.parametrize(("kind", "name"), FIELDS)
@pytest.mark.parametrize("value", [0.0, -1e-3, float("nan"), float("inf")])
def test_numbers_out_of_range_are_refused_by_name(kind: str, name: str, value: float) -> None:
    """Each number of an actuator must be positive and finite; the message gives kind, field, value and range."""
    make: Any = actuators()[kind]
    with pytest.raises(ValueError, match=rf"^{kind}\.{name} = {value:g} must be (greater|less) than [^\n]*$"):
        make(**{name: value})


@pytest.mark.parametrize("kind", ["spam", "pouch", "cpam"])
@pytest.mark.parametrize("value", [-1e-3, float("nan"), float("inf")])
def test_seams_out_of_range_are_refused_by_name(kind: str, value: float) -> None:
    """A seam may be 0, and is finite."""
    make: Any = actuators()[kind]
    with pytest.raises(ValueError, match=rf"^{kind}\.seam = {value:g} must be at least 0 and finite$"):
        make(seam=value)


@pytest.mark.parametrize(("name", "value"), [("cell_step", 0.0), ("most_pressure", 1.0), ("longest_cell", 1e-3)])
def test_limits_out_of_range_are_refused_by_name(actuator: Actuator, name: str, value: float) -> None:
    """Limits of its grid are refused too; its ends must be in order."""
    changed: Any = {name: value}
    with pytest.raises(ValueError, match=rf"limits\.{name} = {value:g}"):
        replace(actuator.limits, **changed)


def test_tube_files_keep_every_number(actuator: Actuator) -> None:
    """A tube file has a key for each field, and a tube with other numbers than the defaults reads back as it was."""
    names = {field.name for field in fields(actuator)} - {"limits", "film"}  # type: ignore[arg-type]
    assert names == set(ACTUATORS[actuator.kind])
    limits = replace(actuator.limits, least_pressure=6e3, longest_cell=63e-3)
    other: Any = {**{name: 0.875 * getattr(actuator, name) for name in names}, "limits": limits}
    tube = VineParams(actuator=type(actuator)(**other))
    assert parse_tube(tube_text(tube).encode()) == tube


def _without_seam(actuator: Actuator) -> Actuator:
    own: Any = actuator
    changed: Actuator = replace(own, seam=0.0) if actuator.seam else actuator
    return changed


@pytest.mark.parametrize("size", [0.5, 3.0])
def test_force_scales_with_area(actuator: Actuator, size: float) -> None:
    """With all lengths times s, the same strain gives s^2 of the force per pressure, in the model and in the table.

    A seam keeps its width, that of a bar: without seams.
    """
    radius = VineParams().radius
    same, scaled = (_without_seam(similar(radius * by, kind=actuator.kind).actuator) for by in (1.0, size))
    l_0 = np.linspace(*same.grid.l_0[[0, -1]], 4)
    strain = np.array([0.02, 0.3, 0.8])[:, None] * same.full_contraction(l_0)
    np.testing.assert_allclose(scaled.full_contraction(size * l_0), same.full_contraction(l_0), rtol=1e-9)
    wanted = size**2 * same.force_per_pressure(strain, l_0)
    np.testing.assert_allclose(scaled.force_per_pressure(strain, size * l_0), wanted, rtol=1e-9)
    np.testing.assert_allclose(ForceTable(scaled.tabulate())(strain, size * l_0)[0], wanted, rtol=1e-3)


def test_moment_is_linear_in_pressure(actuator: Actuator, table: ForceTable) -> None:
    """A joint's moment falls by pressure times arm times the force per pressure at the strain about the far wall."""
    params = VineParams(actuator=actuator)
    joint, l_0, bend = joint_moments(params), float(actuator.grid.l_0[-1]), 0.04
    at = cell(joint.tables, 0, l_0)
    passive = total_moment(joint, bend, 0.0, at)[0]
    strain = params.arm() * bend / params.moment_length
    each = params.arm() * float(table(strain, l_0)[0])
    for pressure in (5e3, 20e3, 60e3):
        assert passive - total_moment(joint, bend, pressure, at)[0] == pytest.approx(pressure * each, rel=1e-12)


def test_force_has_no_jumps(actuator: Actuator, table: ForceTable) -> None:
    """From taut film to beyond full contraction, the largest step of the force halves with that of the strain."""
    l_0 = float(actuator.grid.l_0[-1])
    full = float(actuator.full_contraction(l_0))

    def steps(count: int) -> list[float]:
        strain = np.linspace(-0.03, 1.2 * full, count + 1)
        own = np.linspace(-0.03, full, count + 1)  # a sPAM's model ends there
        return [float(np.abs(np.diff(f)).max()) for f in (table(strain, l_0)[0], actuator.force_per_pressure(own, l_0))]

    for coarse, fine in zip(steps(4000), steps(8000), strict=True):
        assert fine < 0.6 * coarse


def ideal(actuator: Actuator) -> Actuator:
    """The actuator with film that does not stretch: the pressure's work is all that there is."""
    if not isinstance(actuator, Spam):
        return actuator
    stiff = Spam()
    # Stiffer than any film that can be chosen: only the table has a limit.
    object.__setattr__(stiff, "film_elasticity", 1e-7)
    return stiff


def works(force: Any, strains: Floats, l_0: float) -> Floats:
    """Work of a cell per pressure between successive strains [m^3], by quadrature."""
    node, weight = np.polynomial.legendre.leggauss(60)
    spans = [(low + (high - low) * (node + 1) / 2, high - low) for low, high in pairwise(strains.tolist())]
    return np.array([l_0 * span / 2 * (weight @ force(strain, l_0)) for strain, span in spans])


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_work_is_that_of_the_pressure(actuator: Actuator, table: ForceTable, share: float) -> None:
    """Shortening does the work P times the gain of the volume of the shape, which the tests compute from its geometry alone.

    So a cycle of shortening at one pressure and lengthening at another does the difference of the pressures times that gain, and at
    one pressure none. Film that stretches keeps some of it: a cell never does more.
    """
    l_0 = float(actuator.grid.l_0[[0, -1]] @ [1 - share, share])
    strains = np.linspace(0.1, 0.95, 6) * float(actuator.full_contraction(l_0))
    gained = gains(actuator, strains, l_0)
    assert np.all(gained > 0)
    np.testing.assert_allclose(works(ideal(actuator).force_per_pressure, strains, l_0), gained, rtol=5e-4)
    for force in (actuator.force_per_pressure, lambda strain, length: table(strain, length)[0]):
        assert np.all(works(force, strains, l_0) < gained * (1 + 5e-4))


def test_every_actuator_has_a_volume() -> None:
    """The test above covers the whole registry."""
    assert set(VOLUMES) == set(actuators())

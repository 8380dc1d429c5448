"""Actuator synthesis: curvature to a cell length and a pressure that can be made."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.registry import load_propagator
from dynamics.vine import Actuation, VineParams
from environments import Environment, Obstacles
from planner.synthesis import Catalogue
from surrogate.actuators import Grid
from surrogate.registry import actuators

PARAMS = VineParams()


PARAMS_OF = {kind: VineParams(actuator=actuator()) for kind, actuator in actuators().items()}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.of(PARAMS)


def test_catalogue_holds_the_reference_curvatures(
    catalogue: Catalogue, reference: Callable[[str], dict[str, np.ndarray]]
) -> None:
    """Every reference actuator is in the catalogue with its curvature, to 1e-3."""
    table = reference("free_space_curvature_reference")
    for l0, pressure, curvature in zip(table["l0_mm"], table["pressure_kpa"], table["curvature_per_m"], strict=True):
        entry = np.isclose(catalogue.l_0, l0 * 1e-3) & np.isclose(catalogue.pressure, pressure * 1e3)
        assert catalogue.curvature[entry] == pytest.approx([curvature], rel=1e-3)


def test_catalogue_is_the_whole_grid(catalogue: Catalogue) -> None:
    """61 cell lengths times 13 pressures, each once."""
    pairs = {(round(l_0 * 1e3), round(p)) for l_0, p in zip(catalogue.l_0, catalogue.pressure, strict=True)}
    assert pairs == {(l_0, p) for l_0 in range(20, 81) for p in range(5000, 35001, 2500)}


def test_synthesis_takes_the_highest_pressure_that_can(catalogue: Catalogue) -> None:
    """Against a search over the whole grid: highest feasible pressure, nearest cell length, stated error."""
    rng = np.random.default_rng(3)
    wanted = rng.uniform(*catalogue.reachable, 200)
    entry, error = catalogue.synthesise(wanted)
    for k, target in enumerate(wanted):
        feasible = [
            p
            for p in np.unique(catalogue.pressure)
            if catalogue.curvature[catalogue.pressure == p].min()
            <= target
            <= catalogue.curvature[catalogue.pressure == p].max()
        ]
        assert catalogue.pressure[entry[k]] == max(feasible)
        same = catalogue.curvature[catalogue.pressure == max(feasible)]
        assert abs(error[k]) == pytest.approx(np.abs(same - target).min(), abs=1e-12)
        assert error[k] == pytest.approx(catalogue.curvature[entry[k]] - target, abs=1e-12)


def test_unreachable_curvature_names_the_reachable_range(catalogue: Catalogue) -> None:
    """A request outside the reachable curvatures is refused with the range."""
    low, high = catalogue.reachable
    for wanted in (0.1, high + 0.1, [1.0, 9.0]):
        with pytest.raises(ValueError, match=rf"reach {low:.3g} to {high:.3g} 1/m"):
            catalogue.synthesise(wanted)


def test_grid_is_a_parameter() -> None:
    """A coarser grid gives a smaller catalogue, of the same curvatures."""
    coarse = Catalogue.of(PARAMS, Grid(l_0=np.array([0.03]), pressure=np.array([10e3])))
    assert coarse.curvature == pytest.approx([1.585387671], rel=1e-3)


@pytest.mark.parametrize("params", PARAMS_OF.values(), ids=PARAMS_OF)
def test_catalogue_takes_the_grid_of_its_actuator(params: VineParams) -> None:
    """Without another grid it is the actuator's own, and no curvature is more than full contraction gives."""
    grid, catalogue = params.actuator.grid, Catalogue.of(params)
    assert np.array_equal(np.unique(catalogue.l_0), grid.l_0)
    assert np.array_equal(np.unique(catalogue.pressure), grid.pressure)
    assert np.all(catalogue.curvature < params.actuator.full_contraction(catalogue.l_0) / params.arm)


@pytest.mark.parametrize("params", PARAMS_OF.values(), ids=PARAMS_OF)
def test_grown_curvature_is_the_one_asked_for(params: VineParams) -> None:
    """The whole loop, curvature -> actuator -> grown vine -> curvature, closes within 0.5 % and the stated error."""
    catalogue = Catalogue.of(params)
    wanted = np.linspace(*catalogue.reachable, 12)
    entry, error = catalogue.synthesise(wanted)
    place = Environment("free", "", np.array([-9.0, -9, 9, 9]), np.zeros(3), np.array([8, 8, 0.1]), Obstacles())
    model = load_propagator("quasistatic")(place, params)
    segments = 40
    pressure, l_0 = (np.repeat(part[entry][:, None], segments, axis=1) for part in (catalogue.pressure, catalogue.l_0))
    rollout = model.grow(model.start(len(wanted), segments), Actuation(pressure, l_0), 1.0, 1.0)
    grown = rollout.tips[:, 0, 2] / 1.0
    assert grown - error == pytest.approx(wanted, rel=5e-3)

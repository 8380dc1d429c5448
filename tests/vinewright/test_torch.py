"""Derivatives of the tip over a whole growth, against central differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import vinewright as vw
from dynamics.penalty.propagator import Penalty
from dynamics.penalty.shifted_solids import Owners
from dynamics.propagator import CannotRun
from dynamics.tube import VineParams
from environments import Environment

pytestmark = pytest.mark.usefixtures("single_thread")
MakeEnvironment = Callable[..., Environment]
LENGTH = 0.2
AROUND: dict[str, Any] = {"boxes": [[-0.3, 0.042, 0.12, 0.2]], "circles": [[0.2, 0.078, 0.03]]}
"""A ceiling along which a vine slides, and a disc beyond it."""
INPUTS = ("ends", "pressures", "cells", "shifts")
STEPS = {"ends": 1e-6, "pressures": 0.3, "cells": 1e-8, "shifts": 1e-7}
"""Distance to neighbouring values for differences; so small that no bend and no cell crosses a node of a table, where slopes step."""


def settings() -> dict[str, torch.Tensor]:
    """Two sections that end within segments, and obstacles where they are planned."""
    numbers = {
        "ends": [[0.083, 0.167]],
        "pressures": [[21e3, 9e3]],
        "cells": [[0.041013, 0.036006]],
        "shifts": [[0.0, 0.0], [0.0, 0.0]],
    }
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in numbers.items()}


@pytest.fixture(scope="module")
def around(environment: MakeEnvironment) -> Environment:
    return environment(**AROUND)


@pytest.mark.parametrize("name", INPUTS)
def test_tip_is_differentiable(around: Environment, params: VineParams, name: str) -> None:
    """The tip's derivatives with respect to each number are those of central differences, within 0.1 % of the largest one."""
    fixed = settings()

    def tip(value: torch.Tensor) -> torch.Tensor:
        return vw.torch.tips(around, params, length=LENGTH, **{**fixed, name: value})[0]

    found = torch.autograd.functional.jacobian(tip, fixed[name]).flatten(1)
    expected = torch.zeros_like(found)
    with torch.no_grad():
        for k in range(found.shape[1]):
            step = torch.zeros_like(fixed[name])
            step.view(-1)[k] = STEPS[name]
            expected[:, k] = (tip(fixed[name] + step) - tip(fixed[name] - step)) / (2 * STEPS[name])
    assert (expected.abs().amax(0) > 0).all()
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-3 * other.abs().max().item())


def test_a_shifted_obstacle_acts_where_it_is(environment: MakeEnvironment, params: VineParams) -> None:
    """Obstacles of every kind that are shifted by a few millimetres are those of an environment that has them there."""
    kinds: dict[str, Any] = {
        "boxes": [[-0.3, 0.042, 0.12, 0.2]],
        "polygons": [[[0.3, 0.2], [0.5, 0.2], [0.4, 0.3]]],
        "circles": [[0.2, 0.078, 0.03]],
        "walls": [[0.1, -0.2, 0.3, -0.3, 0.02], [0.4, 0.0, 0.5, 0.1, 0.0]],
    }
    shifts = 0.3e-3 * torch.arange(1.0, 11.0, dtype=torch.float64).reshape(5, 2)
    box, polygon, disc, *walls = (np.array(rows, float) for kind in kinds.values() for rows in kind)
    dx = shifts.numpy()
    moved = {
        "boxes": [box + np.tile(dx[0], 2)],
        "polygons": [polygon + dx[1]],
        "circles": [disc + np.append(dx[2], 0)],
        "walls": [wall + np.append(np.tile(dx[k], 2), 0) for k, wall in enumerate(walls, 3)],
    }
    here, there = environment(**kinds), environment(**moved)
    given = {name: value for name, value in settings().items() if name != "shifts"}
    with torch.no_grad():
        found = vw.torch.tips(here, params, length=LENGTH, shifts=shifts, **given)
        expected = vw.torch.tips(there, params, length=LENGTH, **given)
        without = vw.torch.tips(here, params, length=LENGTH, **given)
    assert (expected - without).abs().max() > 1e-3
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-9)
    solids = Penalty(here, params, "cpu").model.solids
    owners = Owners.of(here.obstacles, solids).shift(solids, shifts)
    for one, other in zip(owners[:2], Penalty(there, params, "cpu").model.solids[:2], strict=True):
        order = [np.lexsort(table.numpy().round(9).T) for table in (one, other)]
        torch.testing.assert_close(one[order[0]], other[order[1]], rtol=0, atol=1e-9)


def test_sections_are_spread_over_segments() -> None:
    """Over 4 segments of 10 mm: whole ones have their section's numbers, shared ones the means, and the rest no pressure."""
    ends, pressures, cells = (
        torch.tensor([row], dtype=torch.float64) for row in ([0.014, 0.025], [1e4, -2e4], [0.03, 0.05])
    )
    pressure, l_0 = vw.torch.spread(ends, pressures, cells, 4, 0.01)
    torch.testing.assert_close(pressure, torch.tensor([[1e4, 0.4e4 - 1.2e4, -1e4, 0.0]]).double())
    torch.testing.assert_close(l_0[:, :3], torch.tensor([[0.03, 0.4 * 0.03 + 0.6 * 0.05, 0.05]]).double())


def test_refuses_sections_in_another_order(environment: MakeEnvironment, params: VineParams) -> None:
    """Ends that do not ascend are refused in one line."""
    given = {name: value for name, value in settings().items() if name not in ("shifts", "ends")}
    with pytest.raises(CannotRun, match="each section must end beyond the one before"):
        vw.torch.tips(environment(), params, torch.tensor([[0.2, 0.1]]).double(), length=LENGTH, **given)

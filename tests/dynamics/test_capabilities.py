"""Devices and inertia: what a propagator claims it has, and what it claims not, is refused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch

from dynamics.propagator import CannotRun, Propagator
from dynamics.registry import load_propagator, propagators
from dynamics.tube import Inertia, VineParams
from dynamics.vine import Actuation, Status
from environments import Environment

CARRIED = Actuation(np.zeros((1, 2)), np.full((1, 2), 0.04))


@pytest.fixture(scope="module")
def free(environment: Callable[..., Environment]) -> Environment:
    return environment(start=(0.3, -0.2, 2.0))


def test_registry_starts_with_the_default() -> None:
    """The first entry is the quasi-static propagator."""
    assert propagators()[0] == "quasistatic"


@pytest.mark.parametrize("name", propagators())
def test_computes_on_every_device_it_claims(name: str, free: Environment, params: VineParams) -> None:
    """The host needs no name; any other device is one to choose, and is used where this machine has it."""
    model: Callable[..., Propagator] = load_propagator(name)
    devices = load_propagator(name).capabilities.devices
    assert devices[0] == "cpu"
    for device in devices:
        if device == "cuda" and not torch.cuda.is_available():
            with pytest.raises(CannotRun, match=r"device cuda: .*no CUDA (device|driver)"):
                model(free, params, device=device)
            continue
        propagator = model(free, params, device=device) if len(devices) > 1 else model(free, params)
        assert (device == "cpu") == propagator.device_name.startswith("cpu")
        assert propagator.grow(propagator.start(1, 2), CARRIED, 0.03, 0.03).status[0] == Status.GROWN


@pytest.mark.parametrize("name", propagators())
def test_mass_matters_or_does_not(name: str, free: Environment, params: VineParams) -> None:
    """With inertia a tube a hundred times as heavy is elsewhere when it has grown; without, at the same place."""
    bent, tips = Actuation(np.full((1, 16), 30e3), np.full((1, 16), 0.042)), []
    has_inertia = load_propagator(name).capabilities.inertia
    length = 0.35 if has_inertia else 0.05
    for mass in (0.04, 4.0):
        heavy = replace(params, inertia=Inertia(mass_per_length=mass))
        propagator = load_propagator(name)(free, heavy)
        tips.append(propagator.grow(propagator.start(1, 16), bent, length, length).tips[0, 0, :2])
    apart = np.hypot(*(tips[1] - tips[0]))
    assert apart > 1e-5 if has_inertia else apart == 0

"""Random environments of studies: those that a price is fitted to, and others that it is judged in."""

from __future__ import annotations

import numpy as np

from dynamics.tube import VineParams
from environments import Environment, generate_environment, load_environment

TRAINING = range(1000, 1040)
"""Seeds of the environments whose vines the price of arcs is fitted to."""
HELD_OUT = range(2000, 2030)
"""Seeds of environments that were not used to choose anything."""
DENSITIES = 0.1, 0.5
"""Least and largest share of the area that obstacles cover [-]."""
PREFIX = "random-"
"""A random environment has this and its seed as its name."""


def random_environment(seed: int) -> Environment:
    """Clutter of a random density."""
    rng = np.random.default_rng(seed)
    return generate_environment(rng, density=rng.uniform(*DENSITIES), name=f"{PREFIX}{seed}")


def environment_of(name: str) -> Environment:
    """The environment of a name: a random one, one that is shipped, or a file.

    Raises:
        InvalidEnvironment: There is none.
    """
    seed = name.removeprefix(PREFIX)
    if name.startswith(PREFIX) and seed.isdecimal():
        return random_environment(int(seed))
    return load_environment(name, VineParams().radius)

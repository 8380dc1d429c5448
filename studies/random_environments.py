"""Random environments of studies: those that were not used to choose anything, and those of every density."""

from __future__ import annotations

import numpy as np

from dynamics.tube import VineParams
from environments import Environment, generate_environment, load_environment

HELD_OUT = range(2000, 2030)
"""Seeds of environments that were not used to choose anything."""
DENSITIES = 0.1, 0.5
"""Least and largest share of the area that obstacles cover [-]."""
PREFIX = "random-"
"""A random environment has this and its seed as its name."""
SOAK_DENSITIES = 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6
"""Shares of the area that obstacles cover in the environments of the soak [-]."""
SOAK_SIZES = (1.5, 1.5), (2.5, 2.5), (4.0, 2.5)
"""Sizes of the environments of the soak [m]."""
SOAK_PREFIX = "soak-"


def make_random_environment(seed: int) -> Environment:
    """Clutter of a random density."""
    rng = np.random.default_rng(seed)
    return generate_environment(rng, density=rng.uniform(*DENSITIES), name=f"{PREFIX}{seed}")


def soak_kind(seed: int) -> tuple[float, tuple[float, float]]:
    """Density [-] and size [m] of the soak's environment of a seed. They alternate, so that neither depends on how many there are."""
    return SOAK_DENSITIES[seed % len(SOAK_DENSITIES)], SOAK_SIZES[seed // len(SOAK_DENSITIES) % len(SOAK_SIZES)]


def make_soak_environment(seed: int) -> Environment:
    """Make the soak's environment of a seed."""
    return make_clutter(seed, *soak_kind(seed))


def make_clutter(seed: int, density: float, size: tuple[float, float]) -> Environment:
    """Make the environment that `vinewright environments new` makes with these numbers."""
    return generate_environment(np.random.default_rng(seed), size=size, density=density, name=f"{SOAK_PREFIX}{seed}")


def find_environment(name: str) -> Environment:
    """Return the environment of a name: a random one, one of the soak, one that is shipped, or a file.

    Raises:
        InvalidEnvironment: There is none.
    """
    for prefix, made in ((PREFIX, make_random_environment), (SOAK_PREFIX, make_soak_environment)):
        seed = name.removeprefix(prefix)
        if name.startswith(prefix) and seed.isdecimal():
            return made(int(seed))
    return load_environment(name, VineParams().radius)

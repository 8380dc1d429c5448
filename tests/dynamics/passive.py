"""A passive vine of the default tube, grown by any propagator."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dynamics.registry import load_propagator
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout
from environments import Environment

PARAMS = VineParams()


def grown(name: str, environment: Environment, length: float) -> Rollout:
    """One passive vine, recorded every 12.5 mm."""
    model: Callable[..., Any] = load_propagator(name)
    # `penalty` is slow: it takes longer and rougher steps here.
    propagator = model(
        environment, PARAMS, **({"step": PARAMS.segment_length / 2, "inner_steps": 4} if name == "penalty" else {})
    )
    segments = int(np.ceil(length / PARAMS.segment_length - 1e-9))
    passive = Actuation(np.zeros((1, segments)), np.full((1, segments), 0.04))
    rollout: Rollout = propagator.grow(propagator.start(1, segments), passive, length, 0.0125)
    return rollout

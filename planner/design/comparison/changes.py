"""Propagators with one change each, to test whether a design then reaches or misses the goal."""

from __future__ import annotations

from dataclasses import replace

from dynamics.propagator import Propagator, PropagatorFactory
from dynamics.registry import load_propagator
from dynamics.tube import VineParams
from environments.environment import Environment

FORCES = {"with 10 % less growth force": 0.9, "with 10 % more growth force": 1.1}
"""Factors on the growth force with which a design is grown again."""
SLOWER = 0.2
"""Factor on the growth rate with which a design is grown again by propagators with inertia."""


def changes(make: PropagatorFactory, name: str, friction: bool, tail: bool = False) -> dict[str, PropagatorFactory]:
    """Factories of a propagator with one change each, by its description.

    Args:
        make: Makes the propagator, possibly with other settings than the registered one.
        name: Its name in the registry; with inertia, one of them grows more slowly.
        friction: Whether there is friction that can be removed.
        tail: Whether there is drag of a tail that can be removed.
    """
    found = {change: _forced(make, share) for change, share in FORCES.items()}
    if name != "geometric":  # it has no step
        found["at half its step"] = lambda environment, params: make(environment, params).refined()
    if load_propagator(name).capabilities.inertia:
        found[f"at {SLOWER:g} of the growth rate"] = _slower(make)
    if friction:
        found["without friction"] = lambda environment, params: make(environment, replace(params, friction=0.0))
    if tail:
        found["without the drag of the tail"] = lambda environment, params: make(environment, without_tail(params))
    return found


def without_tail(params: VineParams) -> VineParams:
    """The same tube without the drag of its tail."""
    return replace(params, tail_tension=0.0, tail_drag=0.0)


def _slower(make: PropagatorFactory) -> PropagatorFactory:
    """The same propagator with a tube that grows at `SLOWER` of its growth rate."""

    def slower(environment: Environment, params: VineParams) -> Propagator:
        inertia = replace(params.inertia, growth_rate=SLOWER * params.inertia.growth_rate)
        return make(environment, replace(params, inertia=inertia))

    return slower


def _forced(make: PropagatorFactory, share: float) -> PropagatorFactory:
    """The same propagator with another growth force."""

    def forced(environment: Environment, params: VineParams) -> Propagator:
        # A tube that cannot drive itself is refused: one whose tail would take all of the force keeps a trace of it.
        most = (1 - 1e-9) * share * params.growth_force
        tension = min(params.tail_tension, most)
        return make(environment, replace(params, growth_share=share * params.growth_share, tail_tension=tension))

    return forced

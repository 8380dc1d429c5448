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
SLOW, NO_FRICTION, NO_TAIL = f"at {SLOWER:g} of the growth rate", "without friction", "without the drag of the tail"
"""Descriptions of changes."""


def changed_propagators(
    make: PropagatorFactory, name: str, friction: bool, tail: bool = False, touches: bool = True
) -> dict[str, PropagatorFactory]:
    """Return factories of a propagator with one change each, by description.

    Args:
        make: Makes the propagator, possibly with other settings than the registered one.
        name: Its name in the registry; a propagator with inertia gets one change of the growth rate too.
        friction: Whether there is friction that can be removed.
        tail: Whether there is drag of a tail that can be removed.
        touches: Whether it touches an obstacle: else the growth force has nothing to overcome but a tail.
    """
    forces = FORCES if touches or tail else {}
    changed = {change: _with_growth_force(make, share) for change, share in forces.items()}
    if name != "geometric":  # it has no step
        changed["at half its step"] = lambda environment, params: make(environment, params).refined()
    if load_propagator(name).capabilities.inertia:
        changed[SLOW] = _with_slower_growth(make)
    if friction:
        changed[NO_FRICTION] = lambda environment, params: make(environment, without_friction(params))
    if tail:
        changed[NO_TAIL] = lambda environment, params: make(environment, without_tail(params))
    return changed


def without_friction(params: VineParams) -> VineParams:
    """Return the tube without friction, kinetic or static."""
    return replace(params, friction=0.0, static_friction=None)


def without_tail(params: VineParams) -> VineParams:
    """Return the tube without the drag of its tail."""
    return replace(params, tail_tension=0.0, tail_drag=0.0)


def _with_slower_growth(make: PropagatorFactory) -> PropagatorFactory:
    """Return the propagator's factory for a tube that grows at `SLOWER` of its growth rate."""

    def make_slower(environment: Environment, params: VineParams) -> Propagator:
        inertia = replace(params.inertia, growth_rate=SLOWER * params.inertia.growth_rate)
        return make(environment, replace(params, inertia=inertia))

    return make_slower


def _with_growth_force(make: PropagatorFactory, share: float) -> PropagatorFactory:
    """Return the propagator's factory for a tube whose growth force is multiplied by `share`."""

    def make_with_force(environment: Environment, params: VineParams) -> Propagator:
        # A tube that cannot drive itself is refused: one whose tail would take all of the force keeps a trace of it.
        most = (1 - 1e-9) * share * params.growth_force
        tension = min(params.tail_tension, most)
        return make(environment, replace(params, growth_share=share * params.growth_share, tail_tension=tension))

    return make_with_force

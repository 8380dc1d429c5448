"""Changes to the physics of propagators, to see what recorded growths say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from dynamics.geometric.propagator import Geometric
from dynamics.propagator import Propagator, PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from surrogate.compiled import Floats

FRICTIONS = 0.1, 0.3, 0.5
"""Of the tip [-]; 0.3 was measured for paper 003."""
CORNERS = 0.5, 0.3, 0.1
"""Parts of its moment that a joint keeps where a corner dents it [-]."""
FOLD, FOLD_BEND = 0.5, 0.5
"""A sharp fold keeps this part of its moment, once it is bent by so much [rad]."""
TELLING = ("friction 0.3 at the tip", "corners leave 0.1 of the moment", "sharp fold", "geometric without friction")
"""Those that are drawn."""

Moment = Callable[[Floats, float], Floats]
"""Moment over bends past the transition, given the full moment pi P R^3; [rad], [N m]."""


def variants() -> dict[str, PropagatorFactory]:
    """The changes by what they are called."""
    return {
        **{f"friction {mu:g} at the tip": partial(QuasiStatic, friction=mu) for mu in FRICTIONS},
        "soft contact": partial(_soft, friction=0.0),
        **{f"corners leave {share:g} of the moment": partial(QuasiStatic, corner_moment=share) for share in CORNERS},
        "film without stretch": partial(_bending, moment=_without_stretch),
        "sharp fold": partial(_bending, moment=_folding),
        "soft contact, friction 0.3": partial(_soft, friction=0.3),
        "geometric without friction": partial(Geometric, friction=0.0),
    }


def _soft(environment: Environment, params: VineParams, friction: float) -> Propagator:
    """Walls that press the tube in: a round tip pressed flat by d bears P pi (2 R d), on the area that is flat."""
    stiffness = 2 * np.pi * params.growth_pressure * params.radius
    soft = replace(params, contact_stiffness=stiffness, penetration_tolerance=0.9 * params.radius)
    return QuasiStatic(environment, soft, friction=friction)


def _bending(environment: Environment, params: VineParams, moment: Moment) -> Propagator:
    """A tube with another moment past the transition."""
    propagator = QuasiStatic(environment, params)
    joint = propagator.joint
    bends = np.linspace(joint.elasticity.transition, np.pi, len(joint.moment))
    changed = moment(bends, float(np.pi * params.growth_pressure * params.radius**3))
    stiffness = float(changed[0] / joint.elasticity.transition)
    propagator.joint = joint._replace(moment=changed, elasticity=joint.elasticity._replace(stiffness=stiffness))
    return propagator


def _without_stretch(bends: Floats, full: float) -> Floats:
    """A film that does not stretch wrinkles at once: the moment is that of the lost volume, P pi R^3."""
    return np.full_like(bends, full)


def _folding(bends: Floats, full: float) -> Floats:
    """A fold flattens the tube, so that the volume it goes on to lose gets less."""
    return full * (1 - (1 - FOLD) * np.clip((bends - bends[0]) / FOLD_BEND, 0, 1))

"""Variants of the physics of propagators, to be compared with recorded growths."""

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
"""Friction coefficients of the tip [-]; 0.3 was measured for paper 003."""
CORNERS = 0.5, 0.3, 0.1
"""Factors on the moment of a joint dented by a corner [-]."""
STICK_SLIP = 0.5, 0.2
"""Static and kinetic coefficient of friction of tip and body [-]: assumed, no values are published."""
LEAST_HEIGHT = 0.5
"""Height to which walls squeeze the tube that they dent, in diameters [-]."""
TAIL = 1.0, 0.2
"""Tension [N] and friction [-] of a tail: assumed, no values are published for such tubes."""
FOLD, FOLD_BEND = 0.5, 0.5
"""Remaining share of the moment of a sharp fold [-], and additional bend at which it is reached [rad]."""
TELLING = ("friction 0.3 at the tip", "corners leave 0.1 of the moment", "sharp fold", "geometric without friction")
"""Variants that are drawn."""

Moment = Callable[[Floats, float], Floats]
"""Moment [N m] over bends beyond the transition [rad], given the full moment pi P R^3 [N m]."""


def variants() -> dict[str, PropagatorFactory]:
    """The variants by name."""
    return {
        **{f"friction {mu:g} at the tip": partial(_rough, kinetic=mu, static=mu, body=False) for mu in FRICTIONS},
        **{f"friction {mu:g} of tip and body": partial(_rough, kinetic=mu, static=mu) for mu in FRICTIONS[:2]},
        "stick, then slip": partial(_rough, static=STICK_SLIP[0], kinetic=STICK_SLIP[1]),
        "walls dent the tube": partial(_real, height=LEAST_HEIGHT),
        "tail": partial(_real, tail=TAIL),
        **{f"corners leave {share:g} of the moment": partial(QuasiStatic, corner_moment=share) for share in CORNERS},
        "film without stretch": partial(_bending, moment=_without_stretch),
        "sharp fold": partial(_bending, moment=_folding),
        "dents, tail, friction 0.1": partial(_real, height=LEAST_HEIGHT, tail=TAIL, friction=0.1),
        "dents, tail, corners leave 0.5": partial(_real, height=LEAST_HEIGHT, tail=TAIL, corner_moment=0.5),
        "geometric without friction": partial(Geometric, friction=0.0),
    }


def _real(
    environment: Environment,
    params: VineParams,
    height: float = 1.0,
    tail: tuple[float, float] = (0.0, 0.0),
    friction: float = 0.0,
    corner_moment: float = 1.0,
) -> Propagator:
    """A tube with effects that the default leaves out, see `LEAST_HEIGHT` and `TAIL`."""
    real = replace(params, least_height=height, tail_tension=tail[0], tail_friction=tail[1])
    return QuasiStatic(environment, real, friction=friction, corner_moment=corner_moment)


def _rough(
    environment: Environment, params: VineParams, kinetic: float, static: float, body: bool = True
) -> Propagator:
    """A tube with friction of the tip and, if so, the body."""
    propagator = QuasiStatic(environment, replace(params, friction=kinetic, static_friction=static))
    propagator.tube = propagator.tube._replace(friction=propagator.tube.friction._replace(body=body))
    return propagator


def _bending(environment: Environment, params: VineParams, moment: Moment) -> Propagator:
    """A tube with another moment beyond the transition."""
    propagator = QuasiStatic(environment, params)
    joint = propagator.joint
    bends = np.linspace(joint.elasticity.transition, np.pi, len(joint.moment))
    changed = moment(bends, float(np.pi * params.growth_pressure * params.radius**3))
    stiffness = float(changed[0] / joint.elasticity.transition)
    propagator.joint = joint._replace(moment=changed, elasticity=joint.elasticity._replace(stiffness=stiffness))
    return propagator


def _without_stretch(bends: Floats, full: float) -> Floats:
    """Inextensible film wrinkles immediately; the moment follows from the change of volume, P pi R^3."""
    return np.full_like(bends, full)


def _folding(bends: Floats, full: float) -> Floats:
    """A fold flattens the tube, so that the change of volume with further bending decreases."""
    return full * (1 - (1 - FOLD) * np.clip((bends - bends[0]) / FOLD_BEND, 0, 1))

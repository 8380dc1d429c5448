"""Variants of the physics of propagators, to be compared with recorded growths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dynamics.geometric.propagator import Geometric
from dynamics.propagator import Propagator, PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment

FRICTIONS = 0.1, 0.3, 0.5
"""Friction coefficients [-]; 0.3 was measured for paper 003."""
STICK_SLIP = {"static_friction": 0.5, "friction": 0.2}
"""Friction coefficients of tip and body [-]: assumed, no values are published."""
DENTS = {"least_height": 0.5}
"""Walls squeeze the tube to half of its diameter."""
TAIL = {"tail_tension": 1.0, "tail_friction": 0.2}
"""Tension [N] and friction [-] of a tail: assumed, no values are published for such tubes."""
COLLAPSES = 0.9, 0.8, 0.7, 0.6
"""Moments at which a tube folds, as shares of pi P R^3 [-]."""
STIFFNESSES = 0.6, 1.3
"""EI before the tube wrinkles [N m2]: twice and four times that of the fit of Wang et al.; films of polyethylene of 25 and 50 um
have about that (pi R^3 t E with E = 250 MPa)."""
TELLING = (
    "stick at 0.5, slip at 0.2",
    "folds at 0.8 of pi P R^3",
    "EI 0.6 N m2, folds at 0.8 of pi P R^3",
    "geometric without friction",
)
"""Variants that are drawn."""


def change_tube(environment: Environment, params: VineParams, numbers: Mapping[str, float | None]) -> Propagator:
    """Return the default propagator of a tube with other numbers, which are fields of `VineParams`."""
    return QuasiStatic(environment, replace(params, **dict[str, Any](numbers)))


def make_variants() -> dict[str, PropagatorFactory]:
    """Make the variants by name."""
    stiff = {"bending_stiffness": STIFFNESSES[0], "collapse_share": 0.8}
    tubes: dict[str, dict[str, float]] = {
        **{f"friction {mu:g}": {"friction": mu} for mu in FRICTIONS},
        "stick at 0.5, slip at 0.2": STICK_SLIP,
        "walls dent the tube": DENTS,
        "tail": TAIL,
        **{f"folds at {share:g} of pi P R^3": {"collapse_share": share} for share in COLLAPSES},
        **{f"EI {stiffness:g} N m2": {"bending_stiffness": stiffness} for stiffness in STIFFNESSES},
        f"EI {STIFFNESSES[0]:g} N m2, folds at 0.8 of pi P R^3": stiff,
        "dents, tail, friction 0.1": {**DENTS, **TAIL, "friction": 0.1},
        "dents, tail, friction 0.1, folds at 0.8": {**DENTS, **TAIL, "friction": 0.1, "collapse_share": 0.8},
        f"all of these, EI {STIFFNESSES[0]:g} N m2": {**DENTS, **TAIL, "friction": 0.1, **stiff},
    }
    return {
        **{name: partial(change_tube, numbers=numbers) for name, numbers in tubes.items()},
        "friction 0.3 at the tip only": _tip_rubs,
        "film without stretch": _without_stretch,
        "geometric without friction": partial(Geometric, friction=0.0),
    }


def _tip_rubs(environment: Environment, params: VineParams) -> Propagator:
    """Friction of 0.3 at the tip only."""
    propagator = QuasiStatic(environment, replace(params, friction=0.3))
    propagator.tube = propagator.tube._replace(friction=propagator.tube.friction._replace(body=False))
    return propagator


def _without_stretch(environment: Environment, params: VineParams) -> Propagator:
    """Inextensible film wrinkles immediately; the moment follows from the change of volume, P pi R^3."""
    propagator = QuasiStatic(environment, params)
    joint = propagator.joint
    full = np.full_like(joint.moment, np.pi * params.growth_pressure * params.radius**3)
    elasticity = joint.elasticity._replace(stiffness=float(full[0] / joint.elasticity.transition))
    propagator.joint = joint._replace(moment=full, rising=full, elasticity=elasticity)
    return propagator

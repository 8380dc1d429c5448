"""Paper 002, Fig. 2c: bend over actuator pressure, by the wrinkling-based restoring moment and by a constant one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.moment import JointMoments, free_curvature, joint_moments
from dynamics.tube import VineParams
from surrogate.kernels.compiled import Floats

CELLS = 20e-3, 30e-3, 42e-3, 60e-3, 80e-3
"""Cell lengths [m]."""
SMALLEST, LARGEST, STEP = 0.25e3, 35e3, 0.25e3
"""Range and step of the actuator pressure [Pa]; the regulators begin at 5 kPa."""


@dataclass(frozen=True, slots=True, eq=False)
class Bending:
    """Bends of an actuated tube in free space by two models of its restoring moment."""

    length: float
    """Length of tube that bends [m]."""
    pressure: Floats
    """Actuator pressure [Pa], shape (n,)."""
    wrinkling: Floats
    """Bend of `length` by the wrinkling-based moment [rad], shape (cells, n)."""
    constant: Floats
    """Bend of `length` by the constant moment [rad], shape (cells, n)."""
    onset: Floats
    """Pressure up to which the tube stays straight by the constant moment [Pa], shape (cells,)."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        bends = np.degrees([self.wrinkling, self.constant]).round(4).tolist()
        return {
            "length_mm": 1e3 * self.length,
            "pressure_kpa": (1e-3 * self.pressure).round(3).tolist(),
            "cells": [
                {
                    "cell_mm": 1e3 * l_0,
                    "straight_up_to_kpa": round(1e-3 * onset, 4),
                    "wrinkling_deg": one,
                    "constant_deg": other,
                }
                for l_0, onset, one, other in zip(CELLS, self.onset.tolist(), *bends, strict=True)
            ],
        }


def full_moment(params: VineParams) -> float:
    """Return the moment of a fully wrinkled tube, pi P R^3 [N m], the constant of a constant-moment model (Comer and Levy, 1963)."""
    return math.pi * params.growth_pressure * params.radius**3


def with_constant_moment(joint: JointMoments, params: VineParams) -> JointMoments:
    """Return the moments of a joint whose tube resists every bend with `full_moment`; those of its actuators are the same."""
    constant = np.full_like(joint.moment, full_moment(params))
    return joint._replace(
        elasticity=joint.elasticity._replace(transition=0.0, collapse=math.pi), moment=constant, rising=constant
    )


def onset_pressure(params: VineParams, l_0: Floats) -> Floats:
    """Return the pressure at which the pull on the straight tube equals `full_moment` [Pa], shape (cells,).

    Args:
        l_0: Cell lengths [m], shape (cells,).
    """
    pull = np.array([params.actuator.force_per_pressure(np.zeros(1), length)[0] for length in l_0])
    return np.asarray(full_moment(params) / (params.arm() * pull))


def bend_tube(params: VineParams) -> Bending:
    """Return the bends of one segment of a tube in free space, for `CELLS` and pressures up to `LARGEST`."""
    joint, l_0 = joint_moments(params), np.array(CELLS)
    pressure = np.arange(SMALLEST, LARGEST + STEP / 2, STEP)
    wrinkling, constant = (
        params.segment_length * free_curvature(one, pressure, l_0[:, None])
        for one in (joint, with_constant_moment(joint, params))
    )
    return Bending(params.segment_length, pressure, wrinkling, constant, onset_pressure(params, l_0))

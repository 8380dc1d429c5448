"""Head room of set points: every pressure stays below what its regulator supplies and what its film holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynamics.moment import free_curvature, joint_moments
from dynamics.tube import InvalidTube, VineParams
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats

LEAST_HEAD_ROOM = 10.0
"""Least difference of a set point from its limit [Pa]: the last digit of limits in pressure files."""
SHORT_OF_FULL = 1 - 1e-9
"""Largest strain of an actuator over that of full contraction [-], so that rounding does not exceed it."""


def has_head_room(pressure: ArrayLike, limit: ArrayLike) -> NDArray[np.bool_]:
    """Whether set points [Pa] are below their limits [Pa], of the broadcast shape."""
    return np.asarray(np.asarray(limit, float) - np.asarray(pressure, float) > LEAST_HEAD_ROOM - 1e-6)


def body_limit(params: VineParams) -> float:
    """Pressure below which a tube grows without too much stress in its film [Pa]: its inflated radius sets the stress."""
    return params.wall.most_pressure(params.radius)


def film_limits(params: VineParams, turn: ArrayLike, l_0: ArrayLike, kind: ArrayLike) -> Floats:
    """Limits of set points by the films of actuators that bend the tube freely [Pa], of the broadcast shape.

    Args:
        turn: Angle per length of film in free space [1/m], see `dynamics.moment.free_curvature`.
        l_0: Cell length [m].
        kind: Number of the actuator in `VineParams.actuators`.
    """
    turns, lengths, number = np.broadcast_arrays(np.asarray(turn, float), np.asarray(l_0, float), np.asarray(kind))
    found = np.empty(turns.shape)
    for one in np.unique(number).tolist():
        actuator, own = params.actuators[one], number == one
        cells = lengths[own]
        strain = np.minimum(params.arm(one) * turns[own], SHORT_OF_FULL * actuator.full_contraction(cells))
        # A film that is still flat has an infinite radius, and holds no pressure.
        found[own] = actuator.film.most_pressure(1.0) / actuator.film_radius(strain, cells)
    return found


def regulator_limits(params: VineParams, kind: Integers) -> Floats:
    """Limits of set points by the regulators [Pa], shape of `kind`, the numbers of actuators in `VineParams.actuators`."""
    return np.array([actuator.limits.most_pressure for actuator in params.actuators])[kind]


def actuators_with_head_room(
    params: VineParams, pressure: Floats, l_0: Floats, kind: Integers, turn: Floats
) -> NDArray[np.bool_]:
    """Whether actuators that bend the tube freely have head room, shape (n,): all with the equations of paper 002 as printed.

    Args:
        pressure: Set points [Pa], shape (n,).
        l_0: Cell lengths [m], shape (n,).
        kind: Numbers of the actuators in `VineParams.actuators`, shape (n,).
        turn: As for `film_limits`, shape (n,).
    Raises:
        InvalidTube: An actuator of the tube has no pressure with head room.
    """
    if params.physics == "published":
        return np.ones(len(pressure), bool)
    regulators, films = regulator_limits(params, kind), film_limits(params, turn, l_0, kind)
    kept = has_head_room(pressure, np.minimum(regulators, films))
    for number, actuator in enumerate(params.actuators):
        own = kind == number
        if kept[own].any():
            continue
        least, most = pressure[own].min() / 1e3, actuator.limits.most_pressure / 1e3
        remedy = f"film of {1e6 * actuator.film.thickness:g} um holds no more; set least_pressure_kpa lower"
        if not has_head_room(pressure[own], regulators[own]).any():
            remedy = (
                f"its regulators supply up to {most:g} kPa; set most_pressure_kpa higher or give --supply, "
                "if they supply more, or set least_pressure_kpa lower"
            )
        raise InvalidTube(
            f"no pressure of {actuator.kind} has head room: {least:g} kPa, the lowest, is at its limit or above it: {remedy}"
        )
    return kept


def check_body(params: VineParams) -> None:
    """Check that the growth pressure of a tube has head room.

    Raises:
        InvalidTube: It has none, so that its designs cannot be made.
    """
    limit = body_limit(params)
    if has_head_room(params.growth_pressure, limit):
        return
    assumed = " (assumed)" if params.wall.assumed else ""
    thickness = f"{1e6 * params.wall.thickness:g} um{assumed}"
    raise InvalidTube(
        f"growth_pressure_kpa = {params.growth_pressure / 1e3:g} leaves no head room: a tube of radius_mm = "
        f"{1e3 * params.radius:g} of film of {thickness} is limited to {limit / 1e3:.4g} kPa, so that no design of it can be "
        "exported; give film_thickness_um in the tube file, or a lower growth pressure, or a narrower tube"
    )


def set_point_limit(params: VineParams, pressure: float, l_0: float, kind: int) -> tuple[float, bool]:
    """Limit of the set point of one actuator [Pa], at the strain of its free bend, and whether its film sets it."""
    turn = free_curvature(joint_moments(params), pressure, l_0, kind)
    film = float(film_limits(params, turn, l_0, kind))
    regulator = params.actuators[kind].limits.most_pressure
    return min(film, regulator), film < regulator

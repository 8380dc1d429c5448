"""Moment of an actuator on a CPU, joint by joint: by the force table or by the network."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.moment import ARM, PER_BEND, TAUT_ARM, JointMoments, Vine, joint_moments, total_moment
from dynamics.penalty.pull import NetworkPull, Pull, TablePull
from dynamics.tube import VineParams
from surrogate.force_table import CellPosition
from surrogate.kernels.compiled import Floats, compiled
from surrogate.network import STRAIN_SCALE, StrainAt


class StrainCurve(NamedTuple):
    """`StrainAt`."""

    coefficients: Floats
    """Shape (degree + 1,), highest power first."""
    middle: float
    half: float
    saturated_from: float
    contraction: float


class NetworkArrays(NamedTuple):
    """`NetworkPull` of the log-force form."""

    hidden: Floats
    """Weights of strain and length, and bias, of each hidden unit, and its weight in the logarithm of the force, shape (units, 4)."""
    bias: float
    """Bias of the logarithm of the force [-]."""
    scale: float
    """Strain at which the input changes from linear to logarithmic [-]."""
    shortest: float
    """Cell length that the input refers to [m]."""
    full_force: float
    """Force per pressure where the logarithm is 0, without strain [m^2]."""
    lowest: StrainCurve
    full: StrainCurve
    taut: bool
    elastic: float
    """Slope of the force of taut film [m^2]."""


class PullArrays(NamedTuple):
    """`Pull` of a tube's actuators."""

    limp: JointMoments
    """Moments of a tube that resists no bend: those of its actuators."""
    network: NetworkArrays
    """Empty where the table applies."""
    by_network: bool


def has_kernel(pull: Pull) -> bool:
    """Return whether there is a `PullArrays` of a pull."""
    return isinstance(pull, TablePull) or (isinstance(pull, NetworkPull) and pull.network.form == "log-force")


def pull_arrays(pull: Pull, params: VineParams) -> PullArrays:
    """Make the arrays of a pull that has a kernel."""
    joint = joint_moments(params)
    limp = joint._replace(elasticity=joint.elasticity._replace(transition=math.inf, stiffness=0.0))
    if not isinstance(pull, NetworkPull):
        none = StrainCurve(np.zeros(1), 0.0, 1.0, 0.0, 0.0)
        empty = NetworkArrays(np.zeros((0, 4)), 0.0, 1.0, 0.0, 0.0, none, none, False, 0.0)
        return PullArrays(limp, empty, False)
    network = pull.network
    (weight, bias), (out, out_bias) = (
        [part.double().numpy() for part in one] for one in (network.hidden, network.output)
    )
    arrays = NetworkArrays(
        np.ascontiguousarray(np.column_stack([weight, bias, out[0]])),
        float(out_bias[0]),
        STRAIN_SCALE,
        network.shortest,
        math.pi * network.geometry.constriction_radius**2,
        _curve(network.lowest),
        _curve(network.full),
        pull.taut,
        pull.elastic,
    )
    return PullArrays(limp, arrays, True)


def _curve(strain: StrainAt) -> StrainCurve:
    return StrainCurve(
        np.array(strain.coefficients), strain.middle, strain.half, strain.saturated_from, strain.contraction
    )


@compiled()
def _strain_at(curve: StrainCurve, l_0: float) -> float:
    """See `StrainAt`."""
    if l_0 >= curve.saturated_from:
        return curve.contraction / l_0
    x, strain = (l_0 - curve.middle) / curve.half, 0.0
    for coefficient in curve.coefficients:
        strain = strain * x + coefficient
    return strain


@compiled()
def _network_force(network: NetworkArrays, strain: float, l_0: float) -> tuple[float, float]:
    """F_t / P [m^2] and its slope over strain [m^2], see `NetworkPull`."""
    full = _strain_at(network.full, l_0)
    if strain >= full:
        return 0.0, 0.0
    low = _strain_at(network.lowest, l_0) if network.taut else 0.0
    within = max(strain, low)
    feature, length = math.asinh(within / network.scale), network.shortest / l_0
    exponent, rise, hidden = network.bias, 0.0, network.hidden
    for k in range(len(hidden)):
        unit = hidden[k, 0] * feature + hidden[k, 1] * length + hidden[k, 2]
        if unit > 0.0:
            exponent += hidden[k, 3] * unit
            rise += hidden[k, 3] * hidden[k, 0]
    rise /= math.sqrt(within * within + network.scale * network.scale)
    most, left = network.full_force * math.exp(exponent), 1.0 - within / full
    force, slope = most * left, min(most * (left * rise - 1.0 / full), 0.0)
    if strain < low:
        slope = network.elastic if network.taut else slope
        force += slope * (strain - low)
    return force, slope


@compiled()
def _network_moment(pull: PullArrays, bend: float, pressure: float, l_0: float) -> tuple[float, float]:
    """Moment and its decrease with the bend, by the law of `dynamics.moment.moment_and_slope`."""
    arms, network = pull.limp.arms, pull.network
    far, arm = arms[0, ARM], arms[0, ARM]
    per_bend = arms[0, PER_BEND] if pressure > 0.0 else -arms[0, PER_BEND]
    against = per_bend * bend < 0.0
    if against:
        arm = arms[0, TAUT_ARM]
        per_bend *= arm / far
    force, slope = _network_force(network, per_bend * bend, l_0)
    if against:
        straight = _network_force(network, 0.0, l_0)[0]
        if arm * force < far * straight:
            arm, force, slope = far, straight, 0.0
    return pressure * arm * force, -pressure * arm * slope * per_bend


@compiled()
def actuator_moment(pull: PullArrays, vine: Vine, l_0: Floats, j: int, bend: float) -> tuple[float, float]:
    """Moment of the actuator at joint j [N m], and its decrease with the bend [N m/rad], see `dynamics.penalty.pull.actuator_moments`.

    Args:
        l_0: Cell lengths [m], shape (max_segments,).
        bend: Of `VineParams.moment_length` of tube [rad].
    """
    pressure = vine.pressure[j]
    if pressure == 0.0:
        return 0.0, 0.0
    if not math.isfinite(bend):  # no place in a table
        return math.nan, 0.0
    if pull.by_network:
        return _network_moment(pull, bend, pressure, l_0[j])
    of = CellPosition(vine.row[j], vine.weight[j], vine.per_strain[j], vine.per_strain_saturated[j])
    moment, slope = total_moment(pull.limp, bend, pressure, of)
    return -moment, slope

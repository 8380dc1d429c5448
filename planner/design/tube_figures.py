"""Figures derived from a tube's parameters: its forces, moments, stiffness and curvatures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.geometric.kinematics import largest_moment
from dynamics.moment import joint_moments
from dynamics.tube import VineParams, full_force
from planner.design.catalogue import Catalogue

POISSON = 0.45
"""Poisson's ratio of the film [-], assumed: that of polyethylene and most rubbery films."""


@dataclass(frozen=True, slots=True)
class TubeFigures:
    """Figures derived from a tube."""

    growth_force: float
    """Force with which the tip everts [N]."""
    full_force: float
    """P pi R^2 [N]."""
    onset_moment: float
    """Moment at which wrinkling begins, pi P R^3 / 2 [N m] (Comer and Levy; paper 002, Eq. 2)."""
    largest_moment: float
    """Moment of the fully wrinkled tube, pi P R^3 [N m] (paper 003, Eq. 1)."""
    elastic_bend: float
    """Bend of a segment up to which it is linearly elastic [rad]."""
    bending_stiffness: float
    """EI up to that bend [N m2]: the stiffness of a joint times its length."""
    ranges: dict[str, tuple[float, float]]
    """Minimum and maximum free-space curvature of the centreline with each type of its actuators [1/m] (paper 002, Eq. 3)."""
    buckling_length: float
    """Minimum length at which a straight tube, pinned at both ends, buckles under its growth force [m] (paper 003, Eq. 2)."""

    @property
    def curvatures(self) -> tuple[float, float]:
        """Minimum and maximum free-space curvature of the centreline with any of its actuators [1/m]."""
        low, high = zip(*self.ranges.values(), strict=True)
        return min(low), max(high)

    @property
    def least_turning_radius(self) -> float:
        """Minimum turning radius of the centreline in free space [m]."""
        return 1 / self.curvatures[1]

    def content(self) -> dict[str, Any]:
        """Return the content for a JSON document, in the units of files."""
        return {
            "growth_force_n": self.growth_force,
            "full_force_n": self.full_force,
            "onset_moment_n_m": self.onset_moment,
            "largest_moment_n_m": self.largest_moment,
            "elastic_bend_rad": self.elastic_bend,
            "bending_stiffness_n_m2": self.bending_stiffness,
            "curvatures_per_m": list(self.curvatures),
            **(
                {"curvatures_by_type_per_m": {kind: list(one) for kind, one in self.ranges.items()}}
                if len(self.ranges) > 1
                else {}
            ),
            "least_turning_radius_mm": 1e3 * self.least_turning_radius,
            "buckling_length_mm": 1e3 * self.buckling_length,
        }

    def rows(self, params: VineParams) -> list[tuple[str, str, str]]:
        """Return name, value with unit, and origin of each figure of a tube, as text."""
        reached = {"reachable curvatures": self.curvatures}
        if len(self.ranges) > 1:
            reached = {f"reachable curvatures, {kind}": one for kind, one in self.ranges.items()}
        why = "of the centreline: equilibrium of actuator and restoring moment"
        known = params.elastic_stiffness is not None
        measured = "given" if params.bending_stiffness else "pi R^3 t E of the film"
        return [
            ("growth force", f"{self.growth_force:.4g} N", f"{params.growth_share:.3g} of P pi R^2 = {self.full_force:.4g} N"),
            ("moment at the onset of wrinkling", f"{self.onset_moment:.4g} N m", "pi P R^3 / 2"),
            ("greatest moment", f"{self.largest_moment:.4g} N m", "pi P R^3"),
            ("bend at the onset of wrinkling", f"{self.elastic_bend:.3g} rad", "EI" if known else "fit of Wang et al."),
            ("bending stiffness EI", f"{self.bending_stiffness:.4g} N m2", measured if known else "fit of Wang et al."),
            *((name, f"{low:.3g} to {high:.3g} 1/m", why) for name, (low, high) in reached.items()),
            ("least turning radius", f"{1e3 * self.least_turning_radius:.4g} mm", "of the centreline"),
            ("buckling length", f"{1e3 * self.buckling_length:.4g} mm", "straight and pinned, under the growth force"),
        ]  # fmt: skip

    @classmethod
    def of(cls, params: VineParams) -> TubeFigures:
        """Derive the figures of a tube (takes about 0.5 s)."""
        joint = joint_moments(params)
        stiffness = joint.elasticity.stiffness * joint.length
        largest = float(largest_moment(params.growth_pressure, params.radius))
        return cls(
            growth_force=params.growth_force,
            full_force=full_force(params.radius, params.growth_pressure),
            onset_moment=largest / 2,
            largest_moment=largest,
            elastic_bend=joint.elasticity.transition * (params.segment_length / joint.length),
            bending_stiffness=stiffness,
            ranges=dict(zip(params.kinds.split(","), map(tuple, Catalogue.of(params).ranges.tolist()), strict=True)),
            buckling_length=_buckling_length(params, stiffness),
        )


def _buckling_length(params: VineParams, stiffness: float) -> float:
    """Buckling length [m] from Fichter's formula (paper 003, Eq. 2); 0 if the force exceeds the shear resistance.

    The pressure resists shear, and so does the film if its modulus is known.
    """
    shear = full_force(params.radius, params.growth_pressure)
    if (film := params.elastic_wall) is not None:
        modulus = film.modulus / (2 * (1 + POISSON))
        shear += np.pi * modulus * params.radius * film.thickness
    flexible = 1 / params.growth_force - 1 / shear
    return float(np.pi * np.sqrt(stiffness * flexible)) if flexible > 0 else 0.0

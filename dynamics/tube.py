"""Parameters of the tube, including its inertia."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from environments.uncertainty_in_files import UNSTATED, StatedUncertainty
from surrogate.actuators import Actuator
from surrogate.checks import check_positive
from surrogate.films import FILMS, STRIP_FILM, Film
from surrogate.spam import Spam

RADIUS = 33.35e-3
"""Radius of the prototype [m]; values measured on the prototype are scaled for other tubes."""
GROWTH_PRESSURE = 1.5 * 6894.757293168
"""Growth pressure of the prototype [Pa]."""
GROWTH_FORCE = 25.0
"""Force with which the prototype's tip everts [N]."""
Physics = Literal["corrected", "published"]
"""Names of the two sets of equations, see `VineParams.physics`."""


def share_of(force: float, radius: float, growth_pressure: float) -> float:
    """Growth share that corresponds to a growth force [N], share * P pi R^2 = force, exact to the last digit where possible."""
    full = full_force(radius, growth_pressure)
    share = force / full
    near = share, math.nextafter(share, 0.0), math.nextafter(share, math.inf)
    return min(near, key=lambda one: abs(one * full - force))


def full_force(radius: float, growth_pressure: float) -> float:
    """Growth pressure times cross-section, P pi R^2 [N]: the growth force of a tube that everts without losses."""
    return math.pi * growth_pressure * radius**2


class InvalidTube(ValueError):
    """An invalid tube; the one-line message gives file, key, value and allowed range."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Inertia:
    """Masses, damping and growth rate of a moving tube."""

    mass_per_length: float = 0.04
    """Mass per length [kg/m]. Default: coated fabric of 70 g/m2 for the body, the tail inside it and an actuator, and the air."""
    damping_time: float = 0.01
    """Damping divided by stiffness of a joint, C / K [s], as for the beam of papers 000/001."""
    growth_rate: float = 0.1
    """Growth rate without resistance [m/s]."""
    tip_mass: float = 0.0
    """Mass that the tip carries, such as a camera and its mount [kg]; it counts as a ring around the tip with the tube's radius."""

    def __post_init__(self) -> None:
        check_positive("inertia", self, ("mass_per_length", "growth_rate"), or_zero=("damping_time", "tip_mass"))


@dataclass(frozen=True, slots=True)
class VineParams:
    """Parameters of the tube and its actuators. Defaults: paper 002; growth and viscosities as measured on a prototype."""

    radius: float = RADIUS
    """Tube radius R_vine [m]."""
    growth_pressure: float = GROWTH_PRESSURE
    """Growth pressure P_vine [Pa]."""
    segment_length: float = 25e-3
    """Length of a rigid segment, l_seg [m]."""
    hinge_length: float = 25e-3
    """Length of tube to whose bend the restoring moment refers [m]: a segment of paper 002, for which it was measured."""
    growth_share: float = share_of(GROWTH_FORCE, RADIUS, GROWTH_PRESSURE)
    """Growth force as a share of P pi R^2 [-]; the rest is spent on everting the film."""
    growth_viscosity: float = 0.2
    """Resisting force at the full growth rate [N]."""
    tail_tension: float = 0.0
    """Tension of the tail at the base, as a force that the tip loses [N], see `dynamics.drive`: twice that in the film. No published
    value is known for this tube; 1 N is plausible (assumption)."""
    tail_drag: float = 0.0
    """Growth of that tension per length of tube [N/m], by the weight of the tail on the wall. No published value is known."""
    tail_friction: float = 0.0
    """Coefficient of friction of the tail at bends [-], see `dynamics.drive`. No published value is known; 0.2 is plausible
    (assumption)."""
    bending_viscosity: float = 1.2e-3
    """Damping of a joint while the tip grows: moment divided by the change of bend per grown length [N m / rad * m], for the bend
    of `moment_length` of tube."""
    contact_stiffness: float = 2e5
    """Stiffness of a contact [N/m]."""
    penetration_tolerance: float = 1e-3
    """Maximum penetration of obstacles in accepted states [m], beyond what the cross-section gives way by."""
    least_height: float = 1.0
    """Height to which walls may squeeze the tube, as a share of its diameter [-]; each side gives way by up to half of the rest, see
    `dynamics.cross_section`. 1 for a tube that is rigid across."""
    collapse_share: float = 1.0
    """Moment at which the cross-section collapses, as a share of pi P R^3 [-], see `dynamics.collapse`; 1 for a tube that does not
    fold, whose moment (Eq. 2) stays below that. The wrinkles of an ideal membrane close around it at 1 (Comer and Levy, 1963)."""
    thickness_share: float = 1.0
    """Share of the thickness of inflated actuators that walls meet [-], see `dynamics.actuator_contacts`: 0 for actuators that need no
    room beside the tube, 1 for those as thick as in free space. Without effect with the published physics."""
    friction: float | None = None
    """Kinetic Coulomb friction coefficient on walls [-]; None for that of the environment, or else the propagator's default."""
    static_friction: float | None = None
    """Coefficient of friction up to which a contact sticks [-], at least `friction`; None if it is the same."""
    film: str | None = None
    """Name of the tube's film, one of `surrogate.films.FILMS`, which sets its thickness and the stresses that it holds, but no
    stiffness: bent tubes are softer than the modulus of a flat film makes them. pi R^3 t E of the prototype in LDPE is 1.2 N m2, where
    the measurements of Wang et al. on LDPE give 0.33 N m2. None if unknown."""
    film_thickness: float | None = None
    """Thickness t of the tube's film [m]; None if unknown, or that of `film`."""
    film_modulus: float | None = None
    """Young's modulus E of the tube's film [Pa], which with its thickness sets the stiffness; None if unknown."""
    bending_stiffness: float | None = None
    """Measured EI of the tube before it wrinkles [N m2]; it takes precedence over the value from the film. None if unknown."""
    physics: Physics = "corrected"
    """Equations of the tube: "corrected", or "published", those of paper 002 as printed.

    Published: the moment is one of a joint's bend, whatever the length of its segment, and the force of an actuator that is bent
    against its pull is extrapolated linearly, about the far wall; links keep their length. Corrected: the moment is one of
    curvature, that of `hinge_length` of tube, an actuator bent against its pull stretches by Eq. 1, about the near wall, and a
    link that an actuator bends turns about the wall on its outer side, see `pivot`.
    """
    inertia: Inertia = Inertia()
    """Masses and dampers, for propagators with inertia."""
    actuator: Actuator = field(default_factory=Spam)
    """Type and dimensions of its actuators."""
    others: tuple[Actuator, ...] = ()
    """Actuators of other kinds that may be mixed with `actuator` along the tube, at most one of each kind."""
    uncertainty: StatedUncertainty = UNSTATED
    """Errors with which it is made, as stated in its file; no model depends on them."""

    def __post_init__(self) -> None:
        check_positive(
            "",
            self,
            (
                "radius", "growth_pressure", "segment_length", "hinge_length", "growth_share", "contact_stiffness",
                "penetration_tolerance", "least_height", "collapse_share", "film_thickness", "film_modulus", "bending_stiffness",
            ),
            or_zero=(
                "growth_viscosity", "bending_viscosity", "friction", "static_friction", "tail_tension", "tail_drag", "tail_friction",
                "thickness_share",
            ),
        )  # fmt: skip
        if self.uncertainty.obstacles:
            raise ValueError("uncertainty names obstacles, which a tube does not have")
        if self.physics not in get_args(Physics):
            raise ValueError(f"physics = {self.physics!r:.40} must be {' or '.join(get_args(Physics))}")
        if self.penetration_tolerance >= self.radius:
            raise ValueError(
                f"penetration_tolerance = {self.penetration_tolerance:g} must be less than radius = {self.radius:g}"
            )
        if len({one.kind for one in self.actuators}) <= len(self.others):
            kinds = ", ".join(one.kind for one in self.actuators)
            raise ValueError(f"actuators of a tube must be of different kinds, not {kinds}")
        if self.thickness_share > 1:
            raise ValueError(
                f"thickness_share = {self.thickness_share:g} must be at most 1, the thickness in free space"
            )
        if self.least_height > 1:
            raise ValueError(f"least_height = {self.least_height:g} must be at most 1, the diameter of the tube")
        if self.static_friction is not None and self.static_friction < (self.friction or 0.0):
            raise ValueError(
                f"static_friction = {self.static_friction:g} must be at least friction = {self.friction:g}, the kinetic one"
            )
        if self.film is not None and self.film not in FILMS:
            raise ValueError(f"film = {self.film!r:.40} must be one of {', '.join(FILMS)}")
        if self.film_modulus is not None and self.film_thickness is None and self.film is None:
            raise ValueError(f"film_modulus = {self.film_modulus:g} needs a film_thickness, or a film")
        if self.collapse_share > 1:
            raise ValueError(f"collapse_share = {self.collapse_share:g} must be at most 1: a share of pi P R^3")
        if self.tail_tension >= self.growth_force:
            least = 1e-3 * self.growth_pressure * (self.tail_tension / self.growth_force)
            raise ValueError(
                f"tail_tension = {self.tail_tension:g} N must be less than the growth force of {self.growth_force:.4g} N: this tube "
                f"cannot drive itself; a growth pressure of more than {least:.4g} kPa would drive it"
            )

    @property
    def growth_force(self) -> float:
        """Force with which the tip everts [N]: `growth_share` times P pi R^2; the drag of the tail reduces it, see `dynamics.drive`."""
        return self.growth_share * full_force(self.radius, self.growth_pressure)

    @property
    def has_tail(self) -> bool:
        """Whether the tail takes any force from the tip: without tension it has no friction."""
        return self.tail_tension > 0 or self.tail_drag > 0

    @property
    def scale(self) -> float:
        """Radius divided by that of the prototype [-]."""
        return self.radius / RADIUS

    @property
    def wall(self) -> Film:
        """Film of its body, with the thickness and the modulus that are given; LDPE of 50 um (assumed) if nothing is known."""
        numbers = {"thickness": self.film_thickness, "modulus": self.film_modulus}
        given = {key: value for key, value in numbers.items() if value is not None}
        film = STRIP_FILM if self.film is None else FILMS[self.film]
        return film.changed(given) if given else film

    @property
    def elastic_wall(self) -> Film | None:
        """Film of its body if a modulus is given that sets the stiffness of the tube, or else None."""
        return None if self.film_modulus is None else self.wall

    @property
    def elastic_stiffness(self) -> float | None:
        """EI before the tube wrinkles [N m2]: as measured, or else pi R^3 t E of a thin-walled tube; None if neither is known."""
        if self.bending_stiffness is not None or (film := self.elastic_wall) is None:
            return self.bending_stiffness
        return float(np.pi * self.radius**3 * film.thickness * film.modulus)

    @property
    def clearance(self) -> float:
        """Minimum distance of the axis from every obstacle [m]."""
        return self.least_height * self.radius - self.penetration_tolerance

    @property
    def pivot(self) -> float:
        """Distance from the centreline to the point about which a tube turns that an actuator bends [m]: the wall on the outer
        side of the bend, about which Eq. 3 of paper 002 takes moments; published, the centreline itself."""
        return 0.0 if self.physics == "published" else self.radius

    @property
    def actuators(self) -> tuple[Actuator, ...]:
        """All actuators that the tube may have; a section, or a segment of a vine, gives the number of its own as `kind`."""
        return (self.actuator, *self.others)

    @property
    def kinds(self) -> str:
        """Names of the types of its actuators, as on the command line."""
        return ",".join(one.kind for one in self.actuators)

    def arm(self, kind: int = 0) -> float:
        """Moment arm of an actuator about the far wall of the tube [m] (paper 002, Eq. 3)."""
        return 2 * self.radius + self.actuators[kind].offset

    def taut_arm(self, kind: int = 0) -> float:
        """Moment arm of an actuator that is bent against its pull [m]: about the near wall; published, about the far wall."""
        return self.arm(kind) if self.physics == "published" else self.actuators[kind].offset

    @property
    def moment_length(self) -> float:
        """Length of tube to whose bend the moments of a joint refer [m]: `hinge_length`; published, that of a segment."""
        return self.segment_length if self.physics == "published" else self.hinge_length

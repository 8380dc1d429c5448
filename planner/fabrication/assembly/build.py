"""The parts of a design and their cut lengths: body, actuators and preformed bends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dynamics.moment import free_curvature, joint_moments
from planner.design.design import Design, Section, types_of
from planner.design.folds import Folds
from planner.fabrication.assembly.films import Thickness, body_film, strip_film
from planner.fabrication.assembly.strips import End, bar_of, closing_of, end_of, layers, piece_width, stretch_of
from surrogate.actuators import Actuator
from surrogate.kernels.compiled import Floats
from surrogate.pouch import SEAM

HOLD = 15e-3
"""Film beyond every seal at an end, by which it is held and trimmed [m]."""
FITTING = 40e-3
"""Allowance of film for an actuator's air fitting, at its proximal end [m]."""
HOLE = 5e-3
"""Diameter of the hole for an actuator's fitting [m]: the M5 thread of a bulkhead fitting for a tube of 4 mm."""
CLAMP = 100e-3
"""Length of body film clamped onto the pressure vessel at the base [m]."""
LEAD = 300e-3
"""Length of a feed line from the base to its regulator [m]."""
IN_PROPORTION = "Pressures that burst a film are in proportion to its thickness."
"""Reason why a builder has to know the thickness."""


@dataclass(frozen=True, slots=True)
class ActuatorBuild:
    """An actuator as fabricated: a strip of lay-flat tube, fixed to the body at every cell end."""

    number: int
    """Position counted from the base, starting at 1."""
    section: Section
    actuator: Actuator
    contraction: float
    """Shortening in free space [m]; the same length is added as slack at the feed end."""

    @property
    def name(self) -> str:
        """Label on all drawings, e.g. `L2`: side and number."""
        return f"{self.section.side[0].upper()}{self.number}"

    @property
    def cells(self) -> int:
        """Number of cells."""
        return round((self.section.end - self.section.start) / self.section.l_0)

    @property
    def ends(self) -> Floats:
        """Positions of its cell ends along the body [m], shape (cells + 1,); each has a bracket, a seam or a line."""
        return np.asarray(self.section.start + self.section.l_0 * np.arange(self.cells + 1))

    @property
    def strain(self) -> float:
        """Contraction in free space over its length [-]."""
        return self.contraction / (self.section.end - self.section.start)

    @property
    def thickness(self) -> float:
        """Distance by which its inflated cells stand out from the tube in free space [m]."""
        return float(self.actuator.thickness(self.strain, self.section.l_0))

    @property
    def end(self) -> End:
        """Kind of its cell ends."""
        return end_of(self.actuator)

    @property
    def stretch(self) -> float:
        """Length of the strip on the body over its length as cut [-]."""
        return stretch_of(self.actuator)

    @property
    def width(self) -> float:
        """Lay-flat width of the strip before it is fixed [m]."""
        return self.actuator.flat_width

    @property
    def cut_width(self) -> float:
        """Width of the piece to cut [m]: of lay-flat tube, or of the sheet from which a tube is made."""
        return piece_width(self.actuator, self.section.l_0)

    @property
    def pitch(self) -> float:
        """Distance of its cell ends on the strip as cut [m]."""
        return self.section.l_0 / self.stretch

    @property
    def seam(self) -> float:
        """Length of every cell that is no chamber [m], half of it at each of its ends."""
        return self.actuator.seam

    @property
    def bar(self) -> float:
        """Width of its seals [m]; 0 if it is not known."""
        return bar_of(self.actuator)

    @property
    def closing(self) -> float:
        """Distance from its last cell end to the seal that closes it [m], see `closing_of`."""
        return closing_of(self.actuator)

    @property
    def tail(self) -> float:
        """Length of film before the first cell end [m]: to hold it, seal, fitting, slack and half a seam."""
        return HOLD + self.bar + FITTING + self.contraction + self.seam / 2

    @property
    def head(self) -> float:
        """Length of film beyond the last cell end [m]: up to the seal, seal, and to hold it."""
        return self.closing + self.bar + HOLD

    @property
    def cut_length(self) -> float:
        """Cut length of the strip [m]."""
        return self.tail + self.cells * self.pitch + self.head

    @property
    def area(self) -> float:
        """Area of film or fabric of the strip, all layers [m^2]."""
        return layers(self.actuator) * self.cut_width * self.cut_length


@dataclass(frozen=True, slots=True)
class BendBuild:
    """A preformed bend as fabricated: folds across the body, on the inner side of the bend."""

    name: str
    """Label on all drawings, e.g. `F2`."""
    section: Section
    folds: Folds

    @property
    def turn(self) -> float:
        """Angle between the tube before and behind it [rad]."""
        return len(self.folds.at) * self.folds.turn


@dataclass(frozen=True)
class Build:
    """A design of whole cells and the measures of its parts."""

    design: Design

    @cached_property
    def actuators(self) -> tuple[ActuatorBuild, ...]:
        """The actuators, from the base."""
        params, joint, made = self.design.params, joint_moments(self.design.params), []
        for number, section in enumerate(self.design.actuated, start=1):
            turn = float(free_curvature(joint, section.pressure, section.l_0, section.kind))
            contraction = params.arm(section.kind) * turn * (section.end - section.start)
            made.append(ActuatorBuild(number, section, params.actuators[section.kind], contraction))
        return tuple(made)

    @cached_property
    def by_type(self) -> dict[str, list[ActuatorBuild]]:
        """The actuators of each type that is built, in the order of `VineParams.actuators`."""
        return {kind: [one for one in self.actuators if one.actuator.kind == kind] for kind in types_of(self.design)}

    @property
    def mixed(self) -> bool:
        """Whether the actuators are of several types."""
        return len(self.by_type) > 1

    @cached_property
    def bends(self) -> tuple[BendBuild, ...]:
        """The preformed bends, from the base."""
        params = self.design.params
        return tuple(
            BendBuild(label, one, Folds.of(one, params)) for label, one in self.design.labelled if one.preformed
        )

    @property
    def film(self) -> Thickness:
        """Thickness of the film of the body."""
        return body_film(self.design.params)

    @property
    def strip_films(self) -> tuple[Thickness, ...]:
        """Films of the strips that are made of lay-flat tube, each once."""
        films = (strip_film(one.actuator) for one in self.actuators if layers(one.actuator) == 2)
        return tuple(dict.fromkeys(films))

    @property
    def film_note(self) -> str:
        """Note on thicknesses of film that are assumed; "" if none is."""
        assumed = dict.fromkeys(film.text() for film in self.strip_films if film.assumed)
        if not self.film.assumed:
            if not assumed:
                return ""
            return (
                f"Film of the strips: {' and '.join(assumed)}. {IN_PROPORTION} Give film or film_thickness_um in the table "
                "[actuator] of the tube file."
            )
        parts, where = ("body and strips", " and in its table [actuator]") if assumed else ("the body", "")
        return (
            f"Film thickness not given: {1e6 * self.film.metres:g} um assumed for {parts}. {IN_PROPORTION} Give film or "
            f"film_thickness_um in the tube file{where}."
        )

    @property
    def off(self) -> list[str]:
        """Names of the actuators without pressure in this environment."""
        return [actuator.name for actuator in self.actuators if not actuator.section.on]

    @property
    def body_width(self) -> float:
        """Lay-flat width of the body's tube [m]."""
        return float(np.pi * self.design.params.radius)

    @property
    def bar(self) -> float:
        """Width of the seal at the body's tip [m]: that of the widest seal of the strips, or else of a usual bar."""
        return max((one.bar for one in self.actuators), default=0.0) or SEAM

    @property
    def body_length(self) -> float:
        """Cut length of the body [m]: clamped length, tube, seal at the tip, and film to hold it."""
        return CLAMP + self.design.built + self.bar + HOLD

"""The cross-section of an inflated tube: how far walls dent and squeeze it, and what they need for that.

The film does not stretch: the circumference 2 pi R is kept, and the load is the pressure P times the width of the flat that a wall
presses into the tube. Three laws follow for a dent d of one side:

* A wall on one side: the flat is sqrt(8 R d) wide, within 3 % up to d = 0.6 R. The load per length is P sqrt(8 R d).
* Walls on both sides, each with the dent d: both flats are pi d wide. The load per length is pi P d, the area pi R^2 h (2 - h), with
  the height h in diameters.
* The cap at the tip is pressed flat on a disc of the radius sqrt(2 R d). The force is 2 pi P R d.

Between walls, the smaller dent is squeezed and the rest of the larger one is a dent of one side. Every law rises with the dent, so a
step with the compliance dent / force of the present dent remains a complementarity problem. At rest the law holds exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.tube import VineParams
from surrogate.compiled import Floats, compiled

SOFT_START = 0.024
"""Dents of one side smaller than this share of the radius follow the chord of their law [-], by which they differ from it by at
most a quarter of that. A square root has no compliance at 0; and with a chord no steeper than pi (3 + 2 sqrt 2) P, the loads of both
sides are a monotone function of both dents (8 R / this, squared, is less than that)."""
LENGTH, TIP, DENT, OPPOSITE, COMPLIANCE = range(5)
"""Columns of `dynamics.contacts.Contacts.pressing`."""


class CrossSection(NamedTuple):
    """The cross-section of a tube, for kernels, in SI units."""

    radius: float
    compliance: float
    """Of a contact with a rigid cross-section [m/N]; it is added to that of the dent."""
    most_dent: float
    """Largest dent of a side, beyond which the cross-section is rigid [m]; 0 for a tube that is rigid across."""
    pressure: float
    corner_length: float
    """Length of tube that a sharp corner dents [m]."""


def cross_section(params: VineParams) -> CrossSection:
    """The cross-section of a tube."""
    most = (1 - params.least_height) * params.radius
    return CrossSection(params.radius, 1 / params.contact_stiffness, most, params.growth_pressure, params.dent_length)


def rigid_section(radius: float, compliance: float) -> CrossSection:
    """A tube that is rigid across.

    Args:
        radius: [m].
        compliance: Of a contact [m/N].
    """
    return CrossSection(radius, compliance, 0.0, 0.0, 0.0)


@compiled()
def dent_force(section: CrossSection, dent: float, opposite: float, length: float, tip: bool) -> float:
    """Force with which a wall holds a dent [N].

    Args:
        dent: Dent of this side, at most `most_dent` [m].
        opposite: Dent of the opposite side [m].
        length: Length of tube on which the wall presses [m].
        tip: Whether it presses on the cap at the tip.
    """
    squeezed = max(min(dent, opposite), 0.0)
    alone, start = dent - squeezed, SOFT_START * section.radius
    flat = np.pi * squeezed + alone * np.sqrt(8.0 * section.radius / max(alone, start))
    cap = 2.0 * np.pi * section.radius * dent if tip else 0.0
    return section.pressure * (length * flat + cap)


@compiled()
def dent_compliance(section: CrossSection, pressing: Floats) -> tuple[float, float]:
    """Compliance of a contact [m/N], and the dent that it takes up without a force [m].

    Args:
        pressing: Row of `Contacts.pressing`.
    """
    length, tip, opposite = pressing[LENGTH], pressing[TIP] > 0.0, pressing[OPPOSITE]
    most = section.most_dent
    # Of a wall that does not touch yet: the compliance of a first touch.
    dent = min(max(pressing[DENT], 1e-6 * section.radius), most)
    force = dent_force(section, dent, opposite, length, tip)
    if pressing[DENT] > most + section.compliance * force:
        return section.compliance, most
    return section.compliance + dent / force, 0.0


@compiled()
def holds(section: CrossSection, pressing: Floats, force: float, tolerance: float) -> bool:
    """Whether a force holds a dent, give or take a tolerance of the dent [m].

    Args:
        pressing: Row of `Contacts.pressing`.
        force: In the last step [N].
    """
    dent = pressing[DENT] - tolerance - section.compliance * force
    if dent <= 0.0:
        return True
    if dent > section.most_dent:
        return False
    return dent_force(section, dent, pressing[OPPOSITE], pressing[LENGTH], pressing[TIP] > 0.0) <= force

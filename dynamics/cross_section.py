"""The cross-section of an inflated tube: how far walls dent and squeeze it, and what they need for that.

The film does not stretch: the circumference 2 pi R is kept, and the load is the pressure P times the width of the flat that a wall
presses into the tube. Three laws follow for a dent d of one side:

* A wall on one side: the flat is sqrt(8 R d) wide, within 3 % up to d = 0.6 R. The load per length is P sqrt(8 R d).
* Walls on both sides, each with the dent d: both flats are pi d wide. The load per length is pi P d, the area pi R^2 h (2 - h), with
  the height h in diameters.
* The cap at the tip is pressed flat on a disc of the radius sqrt(2 R d). The force is 2 pi P R d.

Where a passage is narrower than the tube, the second law holds for both sides, else the first. Every law rises with the dent, and with
its square at most as fast as its chord, so a step with the compliance dent / force of the present dent remains a complementarity
problem, and such steps converge. At rest the law holds exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.tube import VineParams
from surrogate.compiled import Floats, compiled

START = 5e-3
"""Dents of one side smaller than this share of the radius follow the chord of their law [-]: a square root has no compliance at 0."""
NARROW = 0.1
"""A passage that is narrower than the tube by this share of the radius, or more, squeezes it from both sides [-]; by less, partly."""
LENGTH, TIP, AT, CORNER, MOST, DENT, SQUEEZED, NEAREST, LAW, STOPPED, COMPLIANCE = range(11)
"""Columns of `dynamics.contacts.Contacts.pressing`: the first five as in `dynamics.contacts.Press`; the dent [m]; 1 for one that is
squeezed between two walls [-]; the deepest contact of the same corner there; the compliance of the cross-section [m/N]; 0 or, of the
largest dent, its force [N]; and the compliance of the contact [m/N]."""


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
def dent_force(section: CrossSection, dent: float, squeezed: float, length: float, tip: float) -> float:
    """Force with which a wall holds a dent [N].

    Args:
        dent: [m].
        squeezed: 1 between two walls, 0 at one [-].
        length: Length of tube on which the wall presses [m].
        tip: Share of the cap at the tip on which it presses [-].
    """
    radius = section.radius
    flat = squeezed * np.pi * dent + (1.0 - squeezed) * dent * np.sqrt(8.0 * radius / max(dent, START * radius))
    return section.pressure * (length * flat + tip * 2.0 * np.pi * radius * dent)


@compiled()
def dent_compliance(section: CrossSection, pressing: Floats) -> tuple[float, float]:
    """Compliance of the cross-section to a contact [m/N], and 0 or, of one that dents it as far as possible, the force for that [N].

    Args:
        pressing: Row of `Contacts.pressing`.
    """
    # Of a wall that does not touch yet: the compliance of a first touch.
    dent = min(max(pressing[DENT], 1e-6 * section.radius), pressing[MOST])
    force = dent_force(section, dent, pressing[SQUEEZED], pressing[LENGTH], pressing[TIP])
    return dent / force, force if pressing[DENT] > dent + section.compliance * force else 0.0


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
    if dent > pressing[MOST]:
        return False
    return dent_force(section, dent, pressing[SQUEEZED], pressing[LENGTH], pressing[TIP]) <= force

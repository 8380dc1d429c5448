"""The cross-section of an inflated tube: how far walls dent and squeeze it, and what they need for that.

The film does not stretch, and carries the pressure P. A wall that presses a load f per length [N/m] into it makes a flat of the width
f / P. The rest of the tube holds the section by shear in the film, in proportion to the sine of the angle from the wall, so the tension
of the film is largest opposite to it. To first order in f / (P R), the equilibrium of this film gives, for its surface against the axis,

* at the wall, a dent of 3 f / (4 pi P);
* at the opposite side, which recedes as the film follows, f / (4 pi P).

So the height loses f / (pi P), and two walls that squeeze the tube to the height H need P (pi R - pi H / 2) each, which holds for every
H: the section is a stadium of the area pi R^2 h (2 - h), h = H / 2R. The work of the loads is P times the area lost. The exact film is
softer, by up to 3 % at a dent of R / 10 and 9 % at R / 4 (`tests/dynamics/test_cross_section.py` integrates it).

The cap at the tip, a sphere of the radius R, is pressed flat on a disc of the area 2 pi R d by the dent d, with 2 pi P R d: it is as
stiff as a length of 3 R / 2 of the tube. A sharp corner dents as much of the tube: an assumption, no figure is published for it. Half of
that disc lies behind the joint at the tip, more than the half segment there, of which no other joint holds the length.

All laws are linear: the compliance of a step's contacts is a constant, positive definite matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.tube import VineParams
from surrogate.kernels.compiled import Floats, compiled

FOLLOWS = 1 / 3
"""Share of a dent by which the opposite side of the tube recedes [-]."""
CAP = 1.5
"""`CrossSection.cap` over the radius [-]."""
LENGTH, TIP, AT, CORNER, MOST, DENT, NEAREST, LAW, RIGID, ASIDE, COMPLIANCE = range(11)
"""Columns of `dynamics.contact_rows.Contacts.pressing`: the first five as in `dynamics.contact_rows.Press`; the dent [m]; the deepest
contact of the same corner there; the compliance of the cross-section [m/N]; 1 of a contact to which the tube is rigid, else 0; the share by
which the contact of a squeezed tip is turned aside [-]; and the compliance of the contact [m/N]."""


class CrossSection(NamedTuple):
    """The cross-section of a tube, for kernels, in SI units."""

    radius: float
    compliance: float
    """Compliance of a contact with a rigid cross-section [m/N]; it is added to the compliance of the dent."""
    most_dent: float
    """Largest dent of a side, beyond which the cross-section is rigid [m]; 0 for a tube that is rigid across."""
    pressure: float
    cap: float
    """Length of tube that is as stiff as the cap at the tip, and that a sharp corner dents [m]."""


def cross_section(params: VineParams) -> CrossSection:
    """Return the cross-section of a tube."""
    most = (1 - params.least_height) * params.radius
    return CrossSection(params.radius, 1 / params.contact_stiffness, most, params.growth_pressure, CAP * params.radius)


def rigid_section(radius: float, compliance: float) -> CrossSection:
    """Return a tube that is rigid across.

    Args:
        radius: [m].
        compliance: Of a contact [m/N].
    """
    return CrossSection(radius, compliance, 0.0, 0.0, 0.0)


@compiled()
def dent_compliance(section: CrossSection, pressing: Floats) -> float:
    """Compliance of the cross-section to a contact [m/N].

    Args:
        pressing: Row of `Contacts.pressing`.
    """
    return 1.0 / (section.pressure * 4.0 / 3.0 * np.pi * (pressing[LENGTH] + pressing[TIP]))

"""Seams between the cells of sealed actuators: those of the design must be those that the workshop's bar makes."""

from __future__ import annotations

import re

from planner.design.design import InvalidDesign
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.stock import UNITS
from planner.fabrication.assembly.strips import end_of

ALIKE = 0.05e-3
"""Difference of two widths that counts as none [m]."""
WIDEST = 100e-3
"""Largest width of a bar [m], that of seams in tube files."""


class OtherSeam(InvalidDesign):
    """Seams of a design that the bar does not make; the message says what to do."""


class InvalidSeam(ValueError):
    """A width of a seam that cannot be used."""

    exit_code = 2


def parse_seam(text: str) -> float:
    """Parse the width of a seam such as "5mm" or "5", in millimetres without a unit [m].

    Raises:
        InvalidSeam: It is malformed, or out of range.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-z]*)\s*", text)
    if not found or (found[2] and found[2] not in UNITS):
        raise InvalidSeam(f"--seam {text} is not a width; give one such as 5mm ({', '.join(UNITS)})")
    width = float(found[1]) * UNITS[found[2] or "mm"]
    if width > WIDEST + 1e-12:
        raise InvalidSeam(f"--seam {text} must be from 0 to {1e3 * WIDEST:g} mm")
    return width


def check_seams(build: Build, bar: float | None) -> None:
    """Check that all sealed actuators of a build have the seams of a bar.

    A seam does not shorten: with another one, each actuator bends by another angle than planned.

    Args:
        bar: Width that the bar seals [m]; None for that of the design, which must not be 0 then, as it is where nobody gave one.
    Raises:
        OtherSeam: One has another.
    """
    for kind, of in build.by_type.items():
        actuator = of[0].actuator
        if end_of(actuator) != "seam":
            continue
        planned = actuator.seam
        first = actuator.kind == build.design.params.actuator.kind
        table = "[actuator]" if first else "its table of [[other_actuators]]"
        if bar is None and planned == 0.0:
            raise OtherSeam(
                f"the seams of the {kind} actuators of this design have no width, which no bar seals: plan with seam_mm = the width "
                f"of your bar in {table} of the tube file, or confirm with --seam 0mm that nothing between two cells stays flat"
            )
        if bar is not None and abs(bar - planned) > ALIKE:
            raise OtherSeam(
                f"--seam {1e3 * bar:g}mm is not the seam of this design: its {kind} actuators were planned with {1e3 * planned:g} mm, and "
                f"would bend by other angles; plan with seam_mm = {1e3 * bar:g} in {table} of the tube file"
            )

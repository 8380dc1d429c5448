"""Strips of each type of actuator: how they are cut, closed and fixed to the body."""

from __future__ import annotations

from typing import Literal

from planner.fabrication.assembly.bracket import THICKNESS
from surrogate.actuators import Actuator
from surrogate.cpam import Cpam
from surrogate.fpam import Fpam
from surrogate.pouch import SEAM, PouchMotor
from surrogate.spam import Spam

LAP = 15e-3
"""Overlap of the long edges of a tube that is made from a sheet [m] (assumed)."""

AIRWAY = 8e-3
"""Gap in the seam between two pouches that lets air pass [m] (assumed)."""

End = Literal["bracket", "seam", "line"]
"""Kind of a cell end: a printed bracket, a seam across the strip, or only a line at which the strip is taped to the body."""


def end_of(actuator: Actuator) -> End:
    """Return the kind of the cell ends of an actuator.

    Raises:
        TypeError: Its fabrication is not known, as for the other functions here.
    """
    match actuator:
        case Spam():
            return "bracket"
        case PouchMotor() | Cpam():
            return "seam"
        case Fpam():
            return "line"
    raise TypeError(
        f"the strips of a {type(actuator).__name__} are not known: add them to planner/fabrication/assembly/strips.py"
    )


def bar_of(actuator: Actuator) -> float:
    """Width of the bar that seals the strips of an actuator [m].

    It makes the seams between its cells, and so is as wide as they are; 0 for seams whose width is not known. The ends of strips
    without such seams are sealed with a usual bar.
    """
    return actuator.seam if end_of(actuator) == "seam" else SEAM


def airway_of(actuator: Actuator) -> float:
    """Width of the gap in the middle of the seams between pouches [m]."""
    return min(AIRWAY, actuator.flat_width / 4)


def closing_of(actuator: Actuator) -> float:
    """Distance from the last cell end to the seal that closes the strip [m].

    The seam between pouches lies half before the cell end. A bracket, or the length that it holds, lies half behind it.
    """
    match end_of(actuator):
        case "bracket":
            return max(THICKNESS, actuator.seam) / 2
        case "seam":
            return -actuator.seam / 2
        case "line":
            return 0.0


def stretch_of(actuator: Actuator) -> float:
    """Length of a strip on the body over its length as cut [-]."""
    return actuator.stretch if isinstance(actuator, Fpam) else 1.0


def piece_width(actuator: Actuator, l_0: float) -> float:
    """Width of the piece to cut [m]: of lay-flat tube, or of the sheet from which a tube is made."""
    match actuator:
        case Spam() | PouchMotor():
            return actuator.flat_width
        case Cpam():
            return actuator.width + 2 * actuator.fold_depth(l_0)
        case Fpam():
            return 2 * actuator.flat_width + LAP
    raise TypeError(
        f"the strips of a {type(actuator).__name__} are not known: add them to planner/fabrication/assembly/strips.py"
    )


def layers(actuator: Actuator) -> int:
    """Layers of film of the piece to cut: two of a lay-flat tube, one of a sheet."""
    return 1 if isinstance(actuator, Fpam) else 2


def material(actuator: Actuator, film: str) -> str:
    """Return the material of the piece to cut.

    Args:
        film: Name of the film of the strips.
    """
    if isinstance(actuator, Fpam):
        return "coated nylon ripstop on the bias (threads at 45 degrees to its length)"
    return film

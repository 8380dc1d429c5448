"""The sections of design files."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from dynamics.file_table import FileTable
from dynamics.tube import VineParams
from planner.design.design import InvalidDesign, Section, Side
from surrogate.actuators import cell_range

MOST_LENGTH_MM = 1e5
"""[mm]"""
NotNegative = Annotated[float, Field(ge=0)]


class SectionPart(FileTable):
    """A section of a file."""

    start_mm: NotNegative
    """Where it starts, along the film from the base."""
    end_mm: Annotated[float, Field(gt=0, le=MOST_LENGTH_MM)]
    """Where it ends, along the film from the base."""
    side: Side
    """Side of the tube on which its actuator is, as seen in the direction of growth; none if it has none."""
    curvature_per_m: NotNegative
    """Curvature of the centreline in free space [1/m]; 0 if it is straight."""
    l0_mm: NotNegative
    """Cell length; for pouches, their flat length."""
    pressure_kpa: Annotated[float, Field(ge=0, le=200)]
    """Gauge pressure of its actuator; with a schedule, the highest."""
    pressurised: bool = True
    """Whether its actuator has pressure in this environment."""
    preformed: bool = False
    """Whether it is bent by folds instead of an actuator."""
    actuator: Annotated[str, Field(max_length=40)] | None = None
    """Type of its actuator; None for the first of the tube."""


def section_content(section: Section, params: VineParams) -> dict[str, Any]:
    """Return the content of a section in a design file."""
    return {
        "start_mm": tidy(section.start * 1e3),
        "end_mm": tidy(section.end * 1e3),
        "side": section.side,
        "curvature_per_m": tidy(section.curvature),
        "l0_mm": tidy(section.l_0 * 1e3),
        "pressure_kpa": tidy(section.pressure * 1e-3),
        **({} if section.on else {"pressurised": False}),
        **({"preformed": True} if section.preformed else {}),
        **({"actuator": params.actuators[section.kind].kind} if section.kind else {}),
    }


def parse_section(part: SectionPart, params: VineParams) -> Section:
    """Make the section of a file that `check_sections` has checked."""
    return Section(
        part.start_mm * 1e-3,
        part.end_mm * 1e-3,
        part.side,
        part.curvature_per_m,
        part.l0_mm * 1e-3,
        part.pressure_kpa * 1e3,
        part.pressurised,
        part.preformed,
        actuator_number(part, params),
    )


def actuator_number(part: SectionPart, params: VineParams) -> int:
    """Return the number of a section's actuator in the tube."""
    return 0 if part.actuator is None else [one.kind for one in params.actuators].index(part.actuator)


def check_sections(file: Any, params: VineParams) -> None:
    """Check that sections are contiguous, that the tube has their actuators, and that the force is known for their cells.

    Raises:
        InvalidDesign: They are not.
    """
    sections, known = file.sections, [one.kind for one in params.actuators]
    if sections[0].start_mm != 0:
        raise InvalidDesign(f"sections[0].start_mm = {sections[0].start_mm:g} must be 0, the base of the tube")
    for i, (one, following) in enumerate(pairwise(sections)):
        if abs(following.start_mm - one.end_mm) > 1e-6:
            fault = "overlaps" if following.start_mm < one.end_mm else "leaves a gap after"
            raise InvalidDesign(
                f"sections[{i + 1}].start_mm = {following.start_mm:g} {fault} sections[{i}], which ends at {one.end_mm:g} mm"
            )
    for i, section in enumerate(sections):
        if section.end_mm <= section.start_mm:
            raise InvalidDesign(
                f"sections[{i}].end_mm = {section.end_mm:g} must be greater than start_mm = {section.start_mm:g}"
            )
        if section.preformed:
            continue
        if section.actuator is not None and section.actuator not in known:
            raise InvalidDesign(f"sections[{i}].actuator = {section.actuator!r} must be {' or '.join(known)}")
        low, high = (1e3 * end for end in cell_range(params.actuators[actuator_number(section, params)]))
        if section.side != "none" and not (low - 1e-9 <= section.l0_mm <= high + 1e-9):
            raise InvalidDesign(f"sections[{i}].l0_mm = {section.l0_mm:g} must be from {low:g} to {high:g}")
        for key in ("pressure_kpa", "curvature_per_m"):
            if section.side != "none" and getattr(section, key) == 0:
                raise InvalidDesign(f'sections[{i}].{key} = 0 must be greater than 0, or side "none"')
        if section.side == "none" and not section.pressurised:
            raise InvalidDesign(
                f'sections[{i}].pressurised = false is for a section with an actuator, not for side "none"'
            )
    if abs(sections[-1].end_mm - file.tube.length_mm) > 1e-6:
        raise InvalidDesign(
            f"tube.length_mm = {file.tube.length_mm:g} must be the end of the last section, {sections[-1].end_mm:g}"
        )
    if file.grow_mm is not None and file.grow_mm > file.tube.length_mm + 1e-6:
        raise InvalidDesign(f"grow_mm = {file.grow_mm:g} must be at most tube.length_mm = {file.tube.length_mm:g}")


def tidy(value: float) -> float:
    """Round to nine significant digits, which removes rounding errors of the unit conversion."""
    return float(f"{value:.9g}")

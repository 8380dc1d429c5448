"""Words for the actuators of a design, of one type or of several."""

from __future__ import annotations

from planner.design import Design, Section


def types_of(design: Design) -> list[str]:
    """The types of the actuators that are built, in the order of `VineParams.actuators`."""
    used = {section.kind for section in design.actuated}
    return [one.kind for number, one in enumerate(design.params.actuators) if number in used]


def cell_name(design: Design) -> str:
    """What the cells are called: by the name that all types have for them, or else cell."""
    built = [section.kind for section in design.actuated] or [0]
    names = {design.params.actuators[number].cell_name for number in built}
    return names.pop() if len(names) == 1 else "cell"


def type_of(section: Section, design: Design) -> str:
    """The type of a section's actuator, in a design with several; empty if there is one, or the section has no actuator."""
    if not section.actuated or len(types_of(design)) < 2:
        return ""
    return design.params.actuators[section.kind].kind

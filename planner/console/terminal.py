"""The console that every command writes to, and output that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from planner.design import Design

CROSSING = "note: this tube crosses or overlaps itself; the model has no contact of the tube with itself, so test it on a real tube first"


def new_console(wrapped: bool = False) -> Console:
    """A console that prints text unchanged: names in brackets are not interpreted as markup.

    Args:
        wrapped: Whether long lines and table cells are wrapped at the width of the terminal.
    """
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not wrapped, markup=False)


def actuators_of(design: Design) -> str:
    """Number of actuators of a design, as text."""
    return f"{design.actuators} actuator{'s' * (design.actuators != 1)}"


def section_table(design: Design) -> Table:
    """The sections of a design, for fabrication."""
    from rich.table import Table

    cell = design.params.actuator.cell_name
    table = Table("from mm", "to mm", "side", f"{cell} mm", "pressure kPa", "curvature 1/m", "radius mm")
    for column in table.columns:
        column.justify = "right"
    for section in design.sections:
        cells = ["-"] * 4
        if section.side != "none":
            cells = [
                f"{section.l_0 * 1e3:.0f}",
                f"{section.pressure * 1e-3:.1f}",
                f"{section.curvature:.2f}",
                f"{1e3 / section.curvature:.0f}",
            ]
        table.add_row(f"{section.start * 1e3:.0f}", f"{section.end * 1e3:.0f}", section.side, *cells)
    return table

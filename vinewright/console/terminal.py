"""The console of every command, and output that several commands share."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from environments.environment import Environment
    from planner.design.design import Design
    from planner.plan.choice.front import Champion
    from planner.plan.several.selection import CommonChampion

CROSSING = "note: this tube crosses or overlaps itself; the model has no contact of the tube with itself, so test it on a real tube first"
THIN = "note: in this model, actuators have no thickness; leave room beside the tube where it is narrow"


def thickness_notes(design: Design, environment: Environment, propagator: str) -> list[str]:
    """Return notes on the room that the actuators of a design need: where there is less (`room_notes`), and if its model has no thickness.

    Args:
        design: With its centreline in the environment.
        propagator: Name of the model that it was grown with.
    """
    from dynamics.registry import find_capabilities
    from planner.drawing.room import room_notes

    capabilities, notes = find_capabilities(propagator), list[str]()
    met = design.params.thickness_share > 0 and design.params.physics != "published"
    if design.actuators and not (met and capabilities and capabilities.thickness):
        notes.append(THIN)
    notes += [f"note: {note}" for note in room_notes(design, environment)]
    return notes


def print_thickness(console: Console, design: Design, environment: Environment, propagator: str) -> None:
    """Print `thickness_notes`."""
    for note in thickness_notes(design, environment, propagator):
        console.print(note)


class _Stream(io.FileIO):
    """Output to a terminal, pipe or file. After a failure to write, for example after `| head`, all text is dropped."""

    failure: OSError | None = None

    def write(self, text: Any) -> int:
        """Write bytes, or drop them after a failure."""
        if self.failure is None:
            try:
                return super().write(text)
            except OSError as error:
                # Its traceback would keep all that the command holds to the end of the process, which OMPL reports as a leak.
                self.failure = error.with_traceback(None)
        return memoryview(text).nbytes


@contextmanager
def tolerate_lost_output() -> Iterator[list[OSError]]:
    """Let a command finish and write its results even if its output cannot be written.

    Yields a list that contains the errors at the end, without those of a closed pipe or terminal.
    """
    kept, streams, failures = (sys.stdout, sys.stderr), [], list[OSError]()
    for name, stream in zip(("stdout", "stderr"), kept, strict=True):
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__"):
            raw = _Stream(stream.fileno(), "w", closefd=False)
            text = io.TextIOWrapper(
                io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=stream.line_buffering
            )
            streams.append((raw, text, stream.isatty()))
            setattr(sys, name, text)
    try:
        yield failures
    finally:
        for raw, text, terminal in streams:
            text.flush()
            if raw.failure and not terminal and not isinstance(raw.failure, BrokenPipeError):
                failures.append(raw.failure)
        sys.stdout, sys.stderr = kept


def make_console(stderr: bool = False) -> Console:
    """Make a console that prints text unchanged, without markup, and fits tables to its width.

    Args:
        stderr: Whether the console prints to stderr instead of stdout.
    """
    from vinewright.console.tables import Terminal

    return Terminal(highlight=False, soft_wrap=True, markup=False, stderr=stderr)


def actuators_text(design: Design) -> str:
    """Return the number of actuators of a design as text."""
    return design.words.replace("no actuators", "0 actuators")


def trials_line(design: Design) -> str:
    """Return the trials in the file of a design as text; "" without trials."""
    return f"this design, as planned, {design.success.words}" if design.success else ""


def doubt_words(champion: Champion | CommonChampion) -> str:
    """Return the doubt about a design or a tube that is not sound, for the end of a line; "" if it is."""
    if champion.outside:
        from planner.design.arrival import outside_words

        return f"; as planned, it {outside_words(champion.outside)}"
    return "" if champion.sound else "; as planned, it stalls in the goal or snaps where only its damping decides"


def rejection_text(rejected: int, ambiguous: int) -> str:
    """Return the number of replayed candidates that are no solutions, and the reasons, as text.

    Args:
        rejected: Number of rejected candidates, the ambiguous included.
    """
    need = "needs" if ambiguous == 1 else "need"
    doubtful = f" and {ambiguous} {need} an ambiguous snap" if ambiguous else ""
    return f"{rejected - ambiguous} missed the goal{doubtful}"


def section_table(design: Design) -> Table:
    """Return a table of the sections of a design, for fabrication."""
    from rich.table import Table

    from planner.design.design import cell_name, type_of, types_of
    from vinewright.console.schedules import schedule_text

    mixed = len(types_of(design)) > 1
    steered = "highest kPa" if design.schedule else "pressure kPa"
    table = Table(
        "from mm", "to mm", "side", *["type"] * mixed, f"{cell_name(design)} mm", steered, "curvature 1/m", "radius mm"
    )
    table.caption, table.caption_justify = schedule_text(design), "left"
    for column in table.columns:
        column.justify = "right"
    for section in design.sections:
        cells, kind = ["-"] * 4, [type_of(section, design) or "-"] * mixed
        if section.side != "none":
            off = "" if section.on else " off"
            pressurised = [f"{section.l_0 * 1e3:.0f}", f"{section.pressure * 1e-3:.1f}{off}"]
            cells = [
                *(["-", "preformed"] if section.preformed else pressurised),
                f"{section.curvature:.2f}",
                f"{1e3 / section.curvature:.0f}",
            ]
        table.add_row(f"{section.start * 1e3:.0f}", f"{section.end * 1e3:.0f}", section.side, *kind, *cells)
    return table

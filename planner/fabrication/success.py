"""What a pack says about the trials of its design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.design.design import Design
from planner.design.design_file import trials_content
from planner.design.estimate import UNTRIED, Success

LEAST = 0.8
"""Success rate below which a pack warns."""


@dataclass(frozen=True, slots=True)
class PackSuccess:
    """How often a design reached its goal under errors before it was rounded."""

    planned: Success | None
    """Trials of the planned design; None if it was not tried."""
    rounded: bool
    """Whether the sections of the pack differ from the planned ones."""

    @classmethod
    def of(cls, planned: Design, made: Design) -> PackSuccess:
        """What is known of a planned design, and whether the one that is made differs from it."""
        return cls(planned.success, not alike(planned, made))

    @property
    def text(self) -> str:
        """What is known, in sentences."""
        if self.planned is None:
            return f"{UNTRIED[0].upper()}{UNTRIED[1:]}."
        rounded = " Rounded to whole cells, as in this pack, it was not tried itself." * self.rounded
        return f"{'The planned' if self.rounded else 'This'} design {self.planned.words}.{rounded}"

    @property
    def warning(self) -> str:
        """What to do about a low success; empty for one of at least `LEAST`, and without trials."""
        if self.planned is None or self.planned.rate >= LEAST:
            return ""
        return (
            f"{self.heading} Plan again with a longer --time-budget or, if you can build with smaller errors, with --uncertainty "
            "lasercut; otherwise place everything and cut with more care than usual."
        )

    @property
    def heading(self) -> str:
        """The warning in short."""
        return f"Less than {100 * LEAST:.0f} % of the trials of this design reach the goal."

    def content(self) -> dict[str, Any]:
        """For a JSON file."""
        return {"trials": trials_content(self.planned) if self.planned else None, "rounded": self.rounded}


def alike(planned: Design, made: Design) -> bool:
    """Whether two designs of the same tube have the same sections, to the rounding of a file."""
    first, second = ([(one.side, one.on, one.preformed, one.kind) for one in each.sections] for each in (planned, made))
    if first != second:
        return False
    pairs = zip(planned.sections, made.sections, strict=True)
    lengths = all(
        abs(getattr(one, part) - getattr(other, part)) < 1e-6
        for one, other in pairs
        for part in ("start", "end", "l_0")
    )
    pairs = zip(planned.sections, made.sections, strict=True)
    return lengths and all(abs(one.pressure - other.pressure) < 0.1 for one, other in pairs)

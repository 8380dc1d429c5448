"""Success of the design of a pack under errors, in words for its documents."""

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
    """Success of a planned design, and whether the pack differs from that design."""

    planned: Success | None
    """Trials of the planned design; None if it was not tried."""
    rounded: bool
    """Whether the sections of the pack differ from the planned ones."""

    @classmethod
    def of(cls, planned: Design, made: Design) -> PackSuccess:
        """Take the success of a planned design, and compare its sections with those of the made design."""
        return cls(planned.success, not have_equal_sections(planned, made))

    @property
    def text(self) -> str:
        """Success in sentences."""
        if self.planned is None:
            return f"{UNTRIED[0].upper()}{UNTRIED[1:]}."
        if not self.rounded:
            return f"This design {self.planned.words}."
        return f"The planned design {self.planned.words}. Rounded to whole cells, as in this pack, it was not tried itself."

    @property
    def warning(self) -> str:
        """Advice for a low success; empty for a rate of at least `LEAST`, and without trials."""
        if self.planned is None or self.planned.rate >= LEAST:
            return ""
        return (
            f"{self.heading} Plan again with a longer --time-budget or, if you can build with smaller errors, with --uncertainty "
            "lasercut; otherwise place everything and cut with more care than usual."
        )

    @property
    def heading(self) -> str:
        """Warning in short."""
        return f"Less than {100 * LEAST:.0f} % of the trials of this design reach the goal."

    def content(self) -> dict[str, Any]:
        """Return the content for a JSON file."""
        return {"trials": trials_content(self.planned) if self.planned else None, "rounded": self.rounded}


def have_equal_sections(planned: Design, made: Design) -> bool:
    """Return whether two designs of the same tube have the same sections, to the rounding of a file."""
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

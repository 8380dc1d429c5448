"""`vinewright simulate`: the snap-throughs of a design, and which of them depend on its damping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vinewright.console.compiling import compiling

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import Propagator
    from dynamics.snaps import Snaps
    from planner.design.design import Design


def print_snaps(console: Console, design: Design, propagator: Propagator) -> list[dict[str, Any]] | None:
    """Print a line for each snap-through of a design, and advice if any is ambiguous; return the content for a file.

    The design is grown once more, at an eighth of the growth step.

    Returns:
        The snap-throughs in order of length; None if the propagator does not look for them.
    """
    from dynamics.quasistatic.propagator import QuasiStatic
    from dynamics.relaxations import Relaxations
    from dynamics.snaps import Snaps
    from dynamics.vine import Status
    from planner.design.replay import replay
    from planner.search.solutions import REFINED

    if not isinstance(propagator, QuasiStatic) or design.params.physics == "published":
        return None
    found = Snaps.of(replay(design, propagator.refined(REFINED)), 0)
    if len(found.vine):
        with compiling(console, "impulse"):
            relaxations = Relaxations(propagator.environment, design.params)
            found = found.examine(design.actuation_at(found.length), relaxations)
    content = snaps_content(found, design)
    for snap in content:
        console.print(_line(snap))
    if any(snap["ambiguous"] for snap in content):
        console.print(f"warning: this design {Status.AMBIGUOUS.advice}")
    return content


def snaps_content(snaps: Snaps, design: Design) -> list[dict[str, Any]]:
    """Return the snap-throughs of a vine, in the units of files."""
    import numpy as np

    ambiguous = set(snaps.find_ambiguous(design.params).tolist())
    return [
        {
            "length_mm": round(1e3 * float(snaps.length[k]), 3),
            "tip_mm": [round(1e3 * float(part), 3) for part in snaps.tip[k]],
            "energy_mj": round(1e3 * float(snaps.energy[k]), 3),
            "apart_mm": round(1e3 * float(snaps.apart[k]), 3) if np.isfinite(snaps.apart[k]) else None,
            "ambiguous": k in ambiguous,
        }
        for k in range(len(snaps.vine))
    ]


def _line(snap: dict[str, Any]) -> str:
    """Return a snap-through as a sentence."""
    x, y = snap["tip_mm"]
    if not snap["ambiguous"]:
        doubt = "not ambiguous"
    elif snap["apart_mm"] is None:
        doubt = "ambiguous: not every way of moving ends at rest"
    else:
        doubt = f"ambiguous: rests up to {snap['apart_mm']:.0f} mm apart, depending on the damping"
    return f"snap at {snap['length_mm']:.0f} mm, tip at ({x:.0f}, {y:.0f}) mm: releases {snap['energy_mj']:.1f} mJ; {doubt}"

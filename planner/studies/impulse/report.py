"""The table of run times of the impulse simulator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from planner.provenance import machine, versions
from planner.studies.impulse.study import PUBLISHED_MS, SECONDS, SOLVERS, STEP, Timing, _apart, exponent, of_solver


def report(timings: Sequence[Timing], command: str) -> tuple[str, dict[str, Any]]:
    """A table as Markdown, and what it is made of."""
    slope = exponent(timings)
    grows = (
        f"\nFrom 100 bodies on the time of a step grows with their number to the power of {slope:.2f}." if slope else ""
    )
    banded = {timing.bodies: timing for timing in of_solver(timings, "banded")}
    real_time = [timing.bodies for timing in banded.values() if timing.milliseconds < 1e3 * STEP]
    lines = [
        "# Runtime of the impulse simulator",
        "",
        f"Made by `{command}` on {machine()}, one thread. The papers' example (000, Figs. 4 and 5): a robot of links that",
        f"telescope grows past a circle for {SECONDS:g} s in steps of {1e3 * STEP:g} ms; everything counts, assembly and contacts",
        "too. Spring, damper and masses per body change with their number such that the robot stays the same. `banded` is",
        "the Schur complement, the fastest of five runs; OSQP solves the same steps, set up anew for each. Off: how far the",
        "tip ends from where `banded` has it.",
        "",
        f"Paper 000: {PUBLISHED_MS} ms a step at 30 bodies, real time up to 70; here, of those tried,",
        f"up to {max(real_time, default=0)}.{grows}",
        "",
        "| bodies | banded ms | against the paper's 3.0 ms | OSQP, 1e-7 ms | off mm | OSQP, 1e-3 (its default) ms | off mm |",
        "|---|---|---|---|---|---|---|",
    ]
    for bodies, own in banded.items():
        cells = [f"{bodies}", f"{own.milliseconds:.3f}"]
        cells.append(f"1 / {PUBLISHED_MS / own.milliseconds:.0f}" if bodies == 30 else "")
        for solver in list(SOLVERS)[1:]:
            found = [timing for timing in of_solver(timings, solver) if timing.bodies == bodies]
            cells += [f"{found[0].milliseconds:.2f}", f"{1e3 * _apart(found[0], own):.3g}"] if found else ["", ""]
        lines.append(f"| {' | '.join(cells)} |")
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "versions": versions(),
        "exponent": slope,
        "timings": [asdict(timing) for timing in timings],
    }
    return "\n".join(lines) + "\n", content

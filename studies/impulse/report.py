"""The runtime table of the impulse simulator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from planner.output.markdown import markdown_table
from studies.impulse.study import PUBLISHED_MS, SECONDS, SOLVERS, STEP, StepTiming, _apart, exponent, of_solver
from studies.impulse.telescope import TelescopeMotion
from vinewright.console.study import Report

COLUMNS = "bodies", "banded ms", "paper's 3.0 ms", "OSQP, 1e-7 ms", "off mm", "OSQP, 1e-3 (its default) ms", "off mm"


def report(timings: Sequence[StepTiming]) -> Report:
    """Return a table in Markdown, and its data."""
    slope = exponent(timings)
    grows = (
        f"\nFrom 100 bodies on, the time per step grows with the number of bodies to the power of {slope:.2f}."
        if slope
        else ""
    )
    banded = {timing.bodies: timing for timing in of_solver(timings, "banded")}
    real_time = [timing.bodies for timing in banded.values() if timing.milliseconds < 1e3 * STEP]
    lines = [
        "The example of paper 000 (Figs. 4 and 5) on one thread: a robot of telescoping links grows past a circle for",
        f"{SECONDS:g} s in time steps of {1e3 * STEP:g} ms. Times include the assembly of the matrices and the contacts.",
        "The springs, dampers and masses of the bodies are scaled with their number, so that the robot stays the same.",
        "`banded` is the Schur complement (the fastest of five runs). OSQP solves the same steps and is set up again for",
        "each. *Off*: distance between the final tip and that of `banded`.",
        "",
        f"Paper 000 reports {PUBLISHED_MS} ms a step with 30 bodies, and real time up to 70 bodies. Here, of the sizes tried,",
        f"the simulation runs in real time up to {max(real_time, default=0)} bodies.{grows}",
        "",
        *markdown_table(COLUMNS, _rows(timings, banded)),
    ]
    content = {"exponent": slope, "timings": [asdict(timing) for timing in timings]}
    return Report("Runtime of the impulse simulator", lines, content)


def _rows(timings: Sequence[StepTiming], banded: dict[int, StepTiming]) -> Iterator[list[str]]:
    for bodies, own in banded.items():
        cells = [f"{bodies}", f"{own.milliseconds:.3f}"]
        cells.append(f"1 / {PUBLISHED_MS / own.milliseconds:.0f}" if bodies == 30 else "")
        for solver in list(SOLVERS)[1:]:
            found = [timing for timing in of_solver(timings, solver) if timing.bodies == bodies]
            cells += [f"{found[0].milliseconds:.2f}", f"{1e3 * _apart(found[0], own):.3g}"] if found else ["", ""]
        yield cells


def report_clutter(motion: TelescopeMotion) -> Report:
    """Final position of the robot in the cluttered environment, and its maximum penetration of obstacles."""
    (x, y), deepest = 1e3 * motion.joints[-1, -1], 1e3 * float(np.max(motion.deepest))
    lines = [
        "The robot of paper 000, section IV-C, grows through a cluttered environment for 3 s. Its final tip is at "
        f"({x:.0f}, {y:.0f}) mm;",
        f"no body was ever deeper than {deepest:.3f} mm in an obstacle.",
        "",
        "![The robot at several times](impulse-clutter.png)",
        "![The motion](impulse-clutter.gif)",
    ]
    content = {"tip_mm": [round(float(x), 3), round(float(y), 3)], "deepest_mm": round(deepest, 6)}
    return Report("A robot grown through clutter by the impulse simulator", lines, content)

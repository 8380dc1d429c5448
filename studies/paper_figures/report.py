"""The report of the study: what each figure shows, in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynamics.moment import restoring_moment, wrinkling
from dynamics.tube import VineParams
from planner.output.markdown import markdown_table
from studies.paper_figures.bending import CELLS, Bending, full_moment
from studies.paper_figures.free_shapes import SHOWN, Solved
from studies.paper_figures.progress import ENVIRONMENT, TreeSnapshot
from studies.paper_figures.study import Part, Parts
from vinewright.console.study import Report

BENDING_FIGURE, TREE_FIGURE, SOLUTIONS_FIGURE = "bending.png", "search-tree.png", "solutions.png"
PRESSURES = 5e3, 10e3, 20e3, 35e3
"""Actuator pressures in the table [Pa]."""
BENDS = 1.0, 2.0, 3.0, 4.0, 5.0
"""Bends of a segment in the table of moments [deg]."""


def report(results: Sequence[Part], iterations: int, seed: int) -> Report:
    """Make the report as Markdown, and its data; figures whose cases were not computed are left out."""
    parts = Parts.of(results)
    lines = [
        "Figures 2c, 4 and 8 of paper 002, made with this program. The angles measured there are published as a picture only, and no",
        "recording of an actuated tube in free space comes with the program: the first figure compares two models with each other.",
        f"Searches: {iterations} iterations of SST* at most, seed {seed}, default tube, no trials under errors, no refinement.",
    ]
    content: dict[str, object] = {"iterations": iterations, "seed": seed}
    if parts.bending:
        lines += _describe_bending(parts.bending, VineParams())
        content["bending"] = parts.bending.content()
    if parts.trees:
        lines += _describe_search(parts.trees)
        content["search"] = [one.content() for one in parts.trees]
    if parts.solved:
        lines += _describe_solutions(parts.solved)
        content["environments"] = [one.content() for one in parts.solved]
    return Report("Figures of paper 002", lines, content)


def _describe_bending(bending: Bending, params: VineParams) -> list[str]:
    length = f"{1e3 * bending.length:g} mm"
    columns = ["cell [mm]", "straight up to [kPa]", *(f"{1e-3 * pressure:g} kPa" for pressure in PRESSURES)]
    at = [int(np.argmin(np.abs(bending.pressure - pressure))) for pressure in PRESSURES]
    both = np.degrees([bending.wrinkling[:, at], bending.constant[:, at]])
    rows = [
        [
            f"{1e3 * l_0:g}",
            f"{1e-3 * onset:.2f}",
            *(f"{one:.2f} / {other:.2f}" for one, other in zip(*both[:, k], strict=True)),
        ]
        for k, (l_0, onset) in enumerate(zip(CELLS, bending.onset, strict=True))
    ]
    full, moments = full_moment(params), restoring_moment(np.radians(BENDS), params)
    factors = [
        [f"{bend:g}", f"{moment:.3f}", f"{full / moment:.2f}"] for bend, moment in zip(BENDS, moments, strict=True)
    ]
    return [
        "",
        "## Fig. 2c: bend over actuator pressure",
        "",
        f"![Bend over actuator pressure by two models]({BENDING_FIGURE})",
        "",
        f"Bend of {length} of the default tube in free space [deg], by the wrinkling-based moment (Eq. 2) / by the constant moment",
        f"pi P R^3 = {full:.3f} N m; sPAM actuators. *Straight up to*: the pressure at which the pull on the straight tube equals the",
        "constant moment; below it a tube with that moment does not bend.",
        "",
        *markdown_table(columns, rows),
        "",
        f"Moment of the tube at a bend of {length}; the wrinkling-based one is linear up to {np.degrees(wrinkling(params)[1]):.2f} deg:",
        "",
        *markdown_table(["bend [deg]", "wrinkling-based [N m]", "constant / wrinkling-based"], factors),
    ]


def _describe_search(trees: Sequence[TreeSnapshot]) -> list[str]:
    rows = [
        [
            f"{one.iteration}{' (first solution)' if one.first else ''}",
            str(len(one.branches)),
            str(one.actuators.max(initial=0)),
            one.best.words if one.best else "-",
            f"{1e3 * one.best.length:.0f}" if one.best else "-",
        ]
        for one in trees
    ]
    return [
        "",
        f"## Fig. 4: progress of a search in `{ENVIRONMENT}`",
        "",
        f"![Search tree at several iterations]({TREE_FIGURE})",
        "",
        "Each panel is the tree after an iteration, with all nodes that it has then; nodes that are pruned later are gone in later panels.",
        "",
        *markdown_table(["iteration", "branches", "most actuators", "best solution", "tube [mm]"], rows),
    ]


def _describe_solutions(solved: Sequence[Solved]) -> list[str]:
    columns = ["environment", "iterations", "kept", "shown", "actuators", "tube [mm]", "free tip to goal [mm]"]
    rows = [
        [
            *([f"`{one.environment.name}`", str(one.iterations), str(one.found)] if number == 0 else [""] * 3),
            str(number + 1),
            str(design.actuators),
            f"{1e3 * design.length:.0f}",
            f"{1e3 * one.free_gap(number):.0f}",
        ]
        for one in solved
        for number, design in enumerate(one.shown)
    ]
    return [
        "",
        "## Fig. 8: solutions, and their shapes in free space",
        "",
        f"![Solutions and their shapes in free space]({SOLUTIONS_FIGURE})",
        "",
        "Of the solutions that a search keeps the one of lowest cost is shown (1, blue), and up to "
        f"{SHOWN - 1} others that differ most from it",
        "and from each other (2, orange; 3, grey; Hausdorff distance of centrelines). At the right of each environment the same",
        "designs are grown without obstacles, drawn at the smaller scale that is written there.",
        "",
        "*Free tip to goal*: distance from the goal disc at which the same design ends in free space; 0 within it.",
        "",
        *markdown_table(columns, rows),
    ]

"""Rounding a design to whole cells such that it still reaches the goal where possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from scipy.optimize import isotonic_regression

from dynamics.propagator import Propagator
from environments.environment import Environment
from planner.design import Design, Section
from planner.design_file import InvalidDesign
from planner.replay import Grown, grow_designs

ANCHORS = 0.5, 0.0, 1.0
"""Points of a section that may stay fixed when its length changes: middle, start or end, as a share of its length."""
ROUNDINGS = 1, 15, 48, 192
"""Batch sizes of the roundings to grow, nearest first, until one of them ends in the goal."""
MANY = 40
"""With more sections than this, only one section at a time deviates from its nearest rounding."""
NO_LENGTH = 1e-6
"""Shorter gaps are ignored [m]."""


def round_to_cells(design: Design, environment: Environment, propagator: Propagator) -> tuple[Grown, int]:
    """Find the nearest whole-cell design that ends in the goal.

    If none does, return the nearest that reaches the goal at any time, or else the nearest of all.

    The nearest rounding gives every section the number of cells closest to its length and keeps its middle. The others
    differ from it in at most two sections, by one cell more or fewer or by keeping the section's start or end. Sections
    start at whole millimetres.

    Returns:
        The design with its simulated growth, and the number of roundings tried.
    Raises:
        InvalidDesign: A section is shorter than one cell.
    """
    _check(design)
    roundings = list(_roundings(design))
    tried: list[Grown] = []
    for count in ROUNDINGS:
        tried += grow_designs(roundings[len(tried) : len(tried) + count], environment, propagator)
        for grown in tried:
            if grown.ends_in_goal:
                return grown, len(tried)
    return next((grown for grown in tried if grown.reached), tried[0]), len(tried)


def _check(design: Design) -> None:
    for section in design.actuated:
        if section.end - section.start < section.l_0 - NO_LENGTH:
            raise InvalidDesign(
                f"the section from {1e3 * section.start:g} to {1e3 * section.end:g} mm is shorter than one cell of "
                f"{1e3 * section.l_0:g} mm; make it one cell long at least, or its cells shorter"
            )


def _roundings(design: Design) -> Iterator[Design]:
    """Whole-cell designs, nearest first; each combines a whole-cell length and an anchor per section."""
    actuated = design.actuated
    options = []
    for section in actuated:
        cells = (section.end - section.start) / section.l_0
        counts = sorted({max(int(np.floor(cells)), 1), int(np.ceil(cells - NO_LENGTH))}, key=lambda n: abs(n - cells))
        options.append([(n * section.l_0, anchor) for n, anchor in product(counts, ANCHORS)])
    nearest = [option[0] for option in options]
    changes = []
    for several in range(3 if len(actuated) <= MANY else 2):
        for which in combinations(range(len(actuated)), several):
            for chosen in product(*(range(1, len(options[k])) for k in which)):
                changes.append((sum(chosen), which, chosen))
    for _, which, chosen in sorted(changes)[: sum(ROUNDINGS)]:
        lengths = nearest.copy()
        for k, option in zip(which, chosen, strict=True):
            lengths[k] = options[k][option]
        yield replace(design, sections=_laid_out(design, actuated, lengths))


def _laid_out(design: Design, actuated: list[Section], lengths: list[tuple[float, float]]) -> tuple[Section, ...]:
    """Lay out sections of given lengths and anchors; overlapping ones move apart by the least-squares minimum."""
    if not actuated:
        return design.sections
    length, anchor = np.array(lengths).T
    start, end = np.array([(section.start, section.end) for section in actuated]).T
    wanted = start + anchor * (end - start - length)
    # Minus the length of the actuators before it, the start must not decrease along the tube: an isotonic regression.
    before = np.cumsum(length) - length
    first = np.round(before + np.maximum(isotonic_regression(wanted - before).x, 0.0), 3)
    sections: list[Section] = []
    done = 0.0
    for section, begins, extent in zip(actuated, first.tolist(), length.tolist(), strict=True):
        if begins > done + NO_LENGTH:
            sections.append(_bare(done, begins))
            done = begins
        sections.append(replace(section, start=done, end=done + extent))
        done += extent
    if design.length > done + NO_LENGTH:
        sections.append(_bare(done, design.length))
    return tuple(sections)


def _bare(start: float, end: float) -> Section:
    return Section(start, end, "none", 0.0, 0.0, 0.0)

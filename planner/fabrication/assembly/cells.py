"""Rounding a design to whole cells such that it still reaches the goal where possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from scipy.optimize import isotonic_regression

from dynamics.propagator import Propagator
from environments.environment import Environment
from planner.design.design import Design, InvalidDesign, Section
from planner.design.replay import GrowthEnd, grow_designs
from surrogate.kernels.compiled import Floats

ANCHORS = 0.5, 0.0, 1.0
"""Points of a section that may stay fixed when its length changes: middle, start or end, as a share of its length."""
ROUNDINGS = 1, 15, 48, 192
"""Batch sizes of the roundings to grow, nearest first, until one of them ends in the goal."""
MANY = 40
"""With more sections than this, only one section at a time deviates from its nearest rounding."""
NO_LENGTH = 1e-6
"""Shorter gaps are ignored [m]."""
SLIVER = 10e-3
"""Gaps shorter than this, between two sections or before the first, are closed [m]: the brackets or seams at their two ends have no
room beside each other."""


def round_to_cells(design: Design, environment: Environment, propagator: Propagator) -> tuple[GrowthEnd, int]:
    """Find the nearest whole-cell design that ends in the goal.

    If none does, return the nearest that reaches the goal at any time, or else the nearest of all.

    The nearest rounding gives every section the number of cells closest to its length and keeps its middle. The others
    differ from it in at most two sections, by one cell more or fewer or by keeping the section's start or end. Sections
    start at whole millimetres, or where the section before them ends: gaps shorter than `SLIVER` are closed.

    Returns:
        The design with its simulated growth, and the number of roundings tried.
    Raises:
        InvalidDesign: A section is shorter than one cell.
    """
    _check_lengths(design)
    roundings = list(_roundings(design))
    tried: list[GrowthEnd] = []
    for count in ROUNDINGS:
        tried += grow_designs(roundings[len(tried) : len(tried) + count], environment, propagator)
        for grown in tried:
            if grown.ends_in_goal:
                return grown, len(tried)
    return next((grown for grown in tried if grown.reached), tried[0]), len(tried)


def _check_lengths(design: Design) -> None:
    """Check that every actuated section is at least one cell long."""
    for section in design.actuated:
        if section.end - section.start < section.l_0 - NO_LENGTH:
            raise InvalidDesign(
                f"the section from {1e3 * section.start:g} to {1e3 * section.end:g} mm is shorter than one cell of "
                f"{1e3 * section.l_0:g} mm; make it one cell long at least, or its cells shorter"
            )


def _roundings(design: Design) -> Iterator[Design]:
    """Generate whole-cell designs, nearest first: combinations of a whole-cell length and an anchor per section. Preformed
    sections keep their length."""
    bent = [section for _, section in design.labelled]
    options = []
    for section in bent:
        if section.preformed:
            options.append([(section.end - section.start, ANCHORS[0])])
            continue
        cells = (section.end - section.start) / section.l_0
        counts = sorted({max(int(np.floor(cells)), 1), int(np.ceil(cells - NO_LENGTH))}, key=lambda n: abs(n - cells))
        options.append([(n * section.l_0, anchor) for n, anchor in product(counts, ANCHORS)])
    nearest = [option[0] for option in options]
    changes = []
    for several in range(3 if len(bent) <= MANY else 2):
        for which in combinations(range(len(bent)), several):
            for chosen in product(*(range(1, len(options[k])) for k in which)):
                changes.append((sum(chosen), which, chosen))
    for _, which, chosen in sorted(changes)[: sum(ROUNDINGS)]:
        lengths = nearest.copy()
        for k, option in zip(which, chosen, strict=True):
            lengths[k] = options[k][option]
        yield replace(design, sections=_lay_out(design, bent, lengths), success=None)


def _lay_out(design: Design, bent: list[Section], lengths: list[tuple[float, float]]) -> tuple[Section, ...]:
    """Lay out sections of given lengths and anchors; overlapping ones move apart by the least-squares minimum."""
    if not bent:
        return design.sections
    length, anchor = np.array(lengths).T
    start, end = np.array([(section.start, section.end) for section in bent]).T
    first = _starts(start + anchor * (end - start - length), length)
    sections: list[Section] = []
    done = 0.0
    for section, begins, extent in zip(bent, first.tolist(), length.tolist(), strict=True):
        if begins > done + SLIVER - NO_LENGTH:
            sections.append(_bare_section(done, begins))
            done = begins
        sections.append(replace(section, start=done, end=done + extent))
        done += extent
    if design.built > done + NO_LENGTH:
        sections.append(_bare_section(done, design.built))
    return tuple(sections)


def _starts(wanted: Floats, length: Floats) -> Floats:
    """Return the starts nearest to the wanted ones [m] such that sections neither overlap nor leave a gap shorter than
    `SLIVER`, shape (n,)."""
    # Minus the length of the actuators before it, the start must not decrease along the tube: an isotonic regression, in which
    # sections that are joined move as one. A section before the first stands for the base, and does not move.
    before = np.cumsum(length) - length
    shift, weight = np.concatenate([[0.0], wanted - before]), np.concatenate([[1e9], np.ones(len(length))])
    block = np.arange(len(shift))
    while True:
        each = np.bincount(block, weight)
        moved = isotonic_regression(np.bincount(block, weight * shift) / each, weights=each).x[block]
        gaps = np.diff(moved)
        slivers = np.flatnonzero((gaps > NO_LENGTH) & (gaps < SLIVER - NO_LENGTH))
        if not len(slivers):
            return np.asarray(np.round(before + np.maximum(moved[1:], 0.0), 3))
        closed = slivers[np.argmin(gaps[slivers])] + 1
        block[closed:] -= 1


def _bare_section(start: float, end: float) -> Section:
    return Section(start, end, "none", 0.0, 0.0, 0.0)

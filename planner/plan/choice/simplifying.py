"""Simpler designs: with one actuator fewer, made from a design, and how to tell that their success does not suffer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.design.catalogue import Catalogue
from planner.design.design import Design, Section
from planner.plan.choice.refinement import fits, replace_curvature

BRIDGED = 0.1
"""Longest bare tube between two actuators of which one replaces both, for the prototype [m]."""
TOUCHING = 1e-9
"""Distance of two sections that counts as none [m]."""
SUFFERED = 0.02
"""Loss of success from which on a design is measurably worse than another one [-]: an actuator is given up only if the whole 95 %
confidence interval of the loss lies below."""
Z_95 = 1.959963984540054
"""Quantile of the normal distribution for an interval of 95 % [-]."""


class Loss(NamedTuple):
    """Loss of success of a design in comparison with another one in the same trials [-]."""

    value: float
    """With half a trial added to each of the four cells of the table of both results."""
    low: float
    """Lower end of its 95 % confidence interval."""
    high: float
    """Upper end."""


def paired_loss(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> Loss:
    """Compare the success of two designs in the same trials.

    The interval is that of Agresti and Min, "Simple improved confidence intervals for comparing matched proportions", Statistics in
    Medicine 24 (2005): Wald's with half a trial added to each cell. It has a width even where no trial differs.

    Args:
        before: Whether each trial reached the goal with the one design, shape (T,).
        after: The same with the other design.
    """
    trials = len(before) + 2
    lost, won = (float((one & ~other).sum() + 0.5) / trials for one, other in ((before, after), (after, before)))
    loss, half = lost - won, Z_95 * float(np.sqrt((lost + won - (lost - won) ** 2) / trials))
    return Loss(loss, loss - half, loss + half)


def merge_equal(design: Design) -> Design:
    """Merge contiguous sections that are alike: two such actuators are one. A design with a schedule stays as it is."""
    return design if design.schedule is not None else merge_equal_in_all([design])[0]


def merge_equal_in_all(designs: Sequence[Design]) -> list[Design]:
    """Merge contiguous sections that are alike in all designs of one tube, which differ in the actuators that are off."""
    merged: list[tuple[Section, ...]] = []
    for several in zip(*(design.sections for design in designs), strict=True):
        before = merged[-1] if merged else None
        if before and all(_continues(one, other) for one, other in zip(before, several, strict=True)):
            merged[-1] = tuple(replace(one, end=other.end) for one, other in zip(before, several, strict=True))
        else:
            merged.append(several)
    if len(merged) == len(designs[0].sections):
        return list(designs)
    each = zip(designs, zip(*merged, strict=True), strict=True)
    return [replace(design, sections=sections, success=None) for design, sections in each]


def _continues(one: Section, other: Section) -> bool:
    """Whether a section begins where another one ends and is like it."""
    return other.start - one.end < TOUCHING and replace(one, start=0.0, end=0.0) == replace(other, start=0.0, end=0.0)


def simpler_designs(design: Design, catalogue: Catalogue) -> list[Design]:
    """Return all designs with one actuator fewer than a design, and as long, those that change least of it first.

    Neighbours on the same side become one actuator that turns as much; a boundary is dropped, so that one of two neighbours takes the
    place of both; an actuator is removed, and its length becomes bare. Neighbours have at most `BRIDGED` of bare tube between them.
    """
    sections, found = list(design.sections), dict[tuple[Section, ...], Design]()
    for changed in (*_merged(sections, catalogue, BRIDGED * design.params.scale), *_removed(sections)):
        made = merge_equal(replace(design, sections=tuple(changed), success=None))
        if all(fits(section, design.params.segment_length) for section in made.sections):
            found.setdefault(made.sections, made)
    return list(found.values())


def _merged(sections: Sequence[Section], catalogue: Catalogue, most: float) -> Iterator[list[Section]]:
    """Generate sections of which one actuator replaces two, with at most `most` of bare tube between them [m]."""
    actuated = [k for k, section in enumerate(sections) if section.actuated]
    pairs = [
        (k, m)
        for k, m in pairwise(actuated)
        if sections[m].start - sections[k].end <= most + TOUCHING
        and not any(section.preformed for section in sections[k + 1 : m])
    ]
    for k, m in pairs:
        one, other = sections[k], sections[m]
        if (one.side, one.kind, one.on) == (other.side, other.kind, other.on):
            turn = sum(section.curvature * (section.end - section.start) for section in (one, other))
            whole = replace(one, end=other.end)
            made = replace_curvature(whole, catalogue, turn / (whole.end - whole.start))
            yield [*sections[:k], made, *sections[m + 1 :]]
    for k, m in pairs:
        for kept in (sections[k], sections[m]):
            whole = replace(kept, start=sections[k].start, end=sections[m].end)
            yield [*sections[:k], whole, *sections[m + 1 :]]


def _removed(sections: Sequence[Section]) -> Iterator[list[Section]]:
    """Generate sections of which one actuator is bare, the one that turns least first."""
    turns = {k: one.curvature * (one.end - one.start) for k, one in enumerate(sections) if one.actuated}
    for k in sorted(turns, key=lambda one: turns[one]):
        bare = Section(sections[k].start, sections[k].end, "none", 0.0, 0.0, 0.0)
        yield [*sections[:k], bare, *sections[k + 1 :]]

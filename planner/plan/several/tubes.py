"""Tubes for several environments: how they are made from the designs for each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from environments.environment import Environment
from planner.design.catalogue import LEAST_CELLS
from planner.design.design import Design, Section

MANY = 6
"""Number of actuators up to which all combinations of those under pressure are tried."""
Mask = tuple[bool, ...]
"""Truth values of a tube's actuators, from the base: whether each is under pressure in an environment."""


@dataclass(frozen=True, slots=True, eq=False)
class Tube:
    """A tube as it is built, and its actuators that are under pressure in each environment."""

    design: Design
    """All sections, each under pressure."""
    masks: tuple[Mask, ...]
    """One for each environment."""


def in_environment(design: Design, mask: Mask, environment: Environment, stop: float | None = None) -> Design:
    """A tube as it is used in an environment.

    Args:
        mask: Which of its actuators are under pressure.
        stop: Length at which its growth stops [m]; None for the whole tube.
    """
    marks = iter(mask)
    sections = tuple(replace(one, on=next(marks)) if one.actuated else one for one in design.sections)
    return replace(
        design, environment=environment.name, sha256=environment.sha256, sections=sections, success=None, stop=stop
    )


def all_masks(own: Mask) -> Iterator[Mask]:
    """Every mask for a number of actuators, a given one first; beyond `MANY` actuators those that differ from it in one."""
    yield own
    if len(own) <= MANY:
        yield from (mask for mask in product((True, False), repeat=len(own)) if mask != own)
    else:
        yield from (tuple(on ^ (k == changed) for k, on in enumerate(own)) for changed in range(len(own)))


def without(tube: Tube, k: int) -> Tube:
    """A tube without its k-th actuator, counted from 0."""
    kept = [section for number, section in enumerate(tube.design.actuated) if number != k]
    masks = tuple(mask[:k] + mask[k + 1 :] for mask in tube.masks)
    return Tube(_laid_out(tube.design, kept, tube.design.built), masks)


def extend(design: Design, length: float) -> Design:
    """A design with bare tube at its end, up to a length [m]."""
    return _laid_out(design, design.actuated, max(length, design.built))


def trim(tube: Tube, length: float) -> Tube:
    """A tube cut at a length [m], without the actuators beyond; farther on if an actuator would become too short to be made."""
    for section in tube.design.actuated:
        if section.start < length < section.end:
            length = min(max(length, section.start + LEAST_CELLS * section.l_0), section.end)
    kept = [k for k, section in enumerate(tube.design.actuated) if section.start < length]
    every = tube.design.actuated
    sections = [replace(every[k], end=min(every[k].end, length)) for k in kept]
    masks = tuple(tuple(mask[k] for k in kept) for mask in tube.masks)
    return Tube(_laid_out(tube.design, sections, min(length, tube.design.built)), masks)


def _laid_out(design: Design, actuated: list[Section], length: float) -> Design:
    """A design with these actuators, all under pressure, and bare tube between and after them, but no piece shorter than a segment."""
    sections, done = list[Section](), 0.0
    shortest = design.params.segment_length - 1e-9
    for section in actuated:
        if section.start >= done + shortest:
            sections.append(Section(done, section.start, "none", 0.0, 0.0, 0.0))
            done = section.start
        sections.append(replace(section, start=done, on=True))
        done = section.end
    if length >= done + shortest:
        sections.append(Section(done, length, "none", 0.0, 0.0, 0.0))
    return replace(design, sections=tuple(sections), success=None, stop=None)

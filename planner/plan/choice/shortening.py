"""Shortening: designs that end in the goal as planned, where they grow through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynamics.vine import grown_length
from planner.design.design import Design
from planner.design.replay import grow_together
from planner.plan.choice.refinement import fits
from planner.search.goal import GOAL_MARGIN
from planner.uncertainty.trials import Worlds


def ending_in_goal(designs: Sequence[Design], worlds: Worlds) -> list[Design]:
    """The designs; each that grows through the goal and out of it is shortened to where its tip is deepest in the goal.

    Designs found with friction do so where there is less.
    """
    if not designs:
        return []
    # Each tube of a long batch has a record of all its segments at the end of each of them.
    few = worlds.batch_size(max(design.segments for design in designs))
    return [one for k in range(0, len(designs), few) for one in _shortened(designs[k : k + few], worlds)]


def _shortened(designs: Sequence[Design], worlds: Worlds) -> list[Design]:
    """Return `ending_in_goal` of designs that are grown in one batch."""
    rollout = grow_together(designs, worlds.planned)
    lengths = grown_length(rollout, worlds.params)
    goal, found = worlds.environment.goal, []
    for k, design in enumerate(designs):
        tips = rollout.tips[k, : rollout.records[k], :2]
        depth = goal[2] - np.hypot(*(tips - goal[:2]).T)
        inside = depth > GOAL_MARGIN * design.params.scale
        if not inside.any() or inside[-1]:
            found.append(design)
            continue
        found.append(shorten(design, float(lengths[k, depth.argmax()])))
    return found


def shorten(design: Design, length: float) -> Design:
    """The beginning of a design, up to a length [m]; the whole design if its last section were too short then."""
    sections = [replace(one, end=min(one.end, length)) for one in design.sections if one.start < length - 1e-9]
    if not fits(sections[-1], design.params.segment_length):
        return design
    return replace(design, sections=tuple(sections), success=None)

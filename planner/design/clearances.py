"""Room in the passages that a design passes: an inflated actuator needs more than the bare tube."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from environments.environment import Environment
from environments.passages import Passage, passages_along
from planner.design.design import Design, Section

PASSAGES = 100
"""Maximum number of the narrowest passages along a tube that are looked at."""


@dataclass(frozen=True, slots=True)
class Clearance:
    """A passage between obstacles, and the section of a design that lies in it."""

    passage: Passage
    """The passage."""
    section: int
    """Index of the section in the design."""
    needed: float
    """Width that the section needs there [m]: the diameter of the tube and the thickness of its actuator."""

    @property
    def spare(self) -> float:
        """Width of the passage less what the section needs [m]; negative where it does not pass without being squeezed."""
        return self.passage.width - self.needed


def clearances(design: Design, environment: Environment) -> list[Clearance]:
    """Return the room of a design in each of the narrowest passages that it lies in, from the base on.

    Passages that are wider than its widest section are left out. A section needs 2 R + t, t the thickness of its inflated actuator as
    bent in free space, 0 without pressure.
    """
    joints = design.centerline
    if len(joints) < 2:
        return []
    line, ends = shapely.LineString(joints), np.array([section.end for section in design.sections])
    film = np.concatenate([[0.0], np.cumsum(design.film(joints, float(environment.start[2])))])
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(joints, axis=0).T))])
    needed, found = [_needed(section, design.params) for section in design.sections], []
    widest = max(needed)
    for passage in passages_along(environment, line, widest, PASSAGES, widest):
        crossed = line.intersection(shapely.LineString(passage.ends))
        # The parts of an empty geometry are one that is empty.
        for part in shapely.get_parts(crossed) if not crossed.is_empty else ():
            at = float(np.interp(line.project(part.centroid), lengths, film))
            k = min(int(np.searchsorted(ends, at)), len(ends) - 1)
            found.append((at, Clearance(passage, k, needed[k])))
    return [clearance for _, clearance in sorted(found, key=lambda one: one[0])]


def _needed(section: Section, params: VineParams) -> float:
    """Width that a section needs [m]."""
    if not section.actuated:
        return 2 * params.radius
    thickness = signed_thickness(params, section.signed_pressure, section.l_0, section.kind)
    return 2 * params.radius + abs(float(thickness))

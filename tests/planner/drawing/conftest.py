"""Fixtures of figures."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design.design import Design, Section

Bent = Callable[..., Design]


@pytest.fixture(scope="session")
def bent() -> Bent:
    """A design with the given bends [deg], one per segment, and sections of equal length; l, r and n are their sides."""

    def make(params: VineParams, bends: list[float], sides: str, start: tuple[float, float] = (0.0, 0.0)) -> Design:
        segment = params.segment_length
        heading = np.radians(np.cumsum(bends))
        moves = segment * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
        joints = np.array(start) + np.concatenate([np.zeros((1, 2)), np.cumsum(moves, axis=0)])
        names, ends = {"l": "left", "r": "right", "n": "none"}, segment * len(bends) / len(sides)
        sections = tuple(
            Section(ends * k, ends * (k + 1), names[side], *((0.0,) * 3 if side == "n" else (2.0, 0.03, 3e4)))
            for k, side in enumerate(sides)
        )
        return Design("bare", "0" * 64, params, sections, np.array([*joints[-1], heading[-1]]), joints)

    return make

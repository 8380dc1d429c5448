"""Builds of known dimensions, constructed without planning."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design import Design, Section
from planner.fabrication.build import Build

MakeBuild = Callable[..., Build]


@pytest.fixture(scope="session")
def make_build() -> MakeBuild:
    """Factory of builds at 35 kPa from parts `(side, cells, l_0)` or `("none", length)` [m], from the base."""

    def make(*parts: tuple, params: VineParams | None = None) -> Build:
        sections: list[Section] = []
        for part in parts:
            start = sections[-1].end if sections else 0.0
            if part[0] == "none":
                sections.append(Section(start, start + part[1], "none", 0.0, 0.0, 0.0))
            else:
                side, cells, l_0 = part
                sections.append(Section(start, start + cells * l_0, side, 1.5, l_0, 35e3))
        line = np.array([[0.2, 0.2], [0.2, 0.6]])
        tip = np.array([0.2, 0.6, np.pi / 2])
        return Build(Design("plus", "0" * 64, params or VineParams(), tuple(sections), tip, line))

    return make


@pytest.fixture(scope="session")
def example(make_build: MakeBuild) -> Build:
    """L1 from 300 to 594 mm with 7 cells of 42 mm, R2 from 800 to 1160 mm with 12 of 30 mm, on 1300 mm of tube."""
    return make_build(("none", 0.3), ("left", 7, 0.042), ("none", 0.206), ("right", 12, 0.03), ("none", 0.14))

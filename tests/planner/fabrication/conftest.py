"""Builds of known dimensions, constructed without planning."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design.design import Design, Section
from planner.fabrication.assembly.build import Build
from surrogate.actuators import Limits
from surrogate.fpam import Fpam
from surrogate.pouch import PouchMotor
from surrogate.registry import actuators
from tests.planner.fabrication.operated import steered, with_pressures

MakeBuild = Callable[..., Build]
KINDS = [*actuators(), "bare", "one", "mixed", "steered", "stepped", "preformed", "off", "stopped", "gradual", "shared"]
"""Kinds of `operated`."""


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
def mixed(make_build: MakeBuild) -> Build:
    """R1 and L4 of pouches 50 mm wide, whose pressures end at 20 kPa, L2 a sPAM and R3 an fPAM, both up to 35 kPa."""
    pouch = PouchMotor(width=50e-3, limits=Limits(longest_cell=50e-3, most_pressure=20e3))
    parts = ("right", 6, 0.035), ("left", 7, 0.042), ("right", 5, 0.04), ("none", 0.1), ("left", 8, 0.025)
    made = make_build(*parts, params=VineParams(others=(pouch, Fpam()))).design
    numbers = zip((1, 0, 2, 0, 1), (15e3, 30e3, 32.5e3, 0.0, 17.5e3), strict=True)
    pairs = zip(made.sections, numbers, strict=True)
    sections = tuple(replace(section, kind=kind, pressure=pressure) for section, (kind, pressure) in pairs)
    return Build(replace(made, sections=sections))


@pytest.fixture(scope="session")
def example(make_build: MakeBuild) -> Build:
    """L1 from 300 to 594 mm with 7 cells of 42 mm, R2 from 800 to 1160 mm with 12 of 30 mm, on 1300 mm of tube."""
    return make_build(("none", 0.3), ("left", 7, 0.042), ("none", 0.206), ("right", 12, 0.03), ("none", 0.14))


@pytest.fixture(params=KINDS)
def operated(request: pytest.FixtureRequest, example: Build, mixed: Build, make_build: MakeBuild) -> Build:
    """Builds of all types, of 0 to 4 actuators, steered, preformed, and shared with other environments."""
    kind = request.param
    if kind in actuators():
        cell = 0.04 if kind == "fpam" else 0.03
        parts = ("left", 4, cell), ("right", 5, cell), ("none", 0.1), ("left", 6, cell), ("none", 0.2)
        return with_pressures(make_build(*parts, params=VineParams(actuator=actuators()[kind]())), 15e3, 20e3, 15e3)
    match kind:
        case "bare":
            return make_build(("none", 1.0))
        case "one":
            return make_build(("none", 0.2), ("left", 5, 0.04))
        case "mixed":
            return mixed
        case "steered":
            return steered(example, [0.0, 0.5, 0.91, 0.91, 1.2], [[35, 35], [20, 35], [20, 35], [0, 20], [0, 35]])
        case "stepped":
            return steered(example, [0.0, 0.91, 0.91, 1.2, 1.2], [[35, 30], [35, 30], [0, 30], [0, 30], [35, 30]])
        case "preformed":
            sections = list(example.design.sections)
            sections[1] = replace(sections[1], preformed=True, l_0=0.0, pressure=0.0)
            return Build(replace(example.design, sections=tuple(sections)))
        case "off":
            sections = [replace(one, on=one.side != "left") for one in example.design.sections]
            return Build(replace(example.design, sections=tuple(sections)))
        case "shared":
            return steered(example, [0.0, 1.2, 1.2], [[0, 0], [0, 0], [35, 35]])
        case "stopped":
            return Build(replace(example.design, stop=0.75))
        case _:
            return steered(example, [0.3, 1.25], [[5, 35], [35, 5]])

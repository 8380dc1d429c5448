"""A tube in free space, and what is known of one that was built so."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import ArrayLike

from dynamics.tube import VineParams
from environments import Environment
from environments.uncertainty import Uncertainty
from planner.adapting.set_points import with_free_bends
from planner.built.posterior import Posterior
from planner.built.predicting import BuiltTube
from planner.design.design import Design, Section

SECTIONS = (
    Section(0.0, 0.2, "none", 0.0, 0.0, 0.0),
    Section(0.2, 0.5, "left", 2.0, 0.04, 15e3),
    Section(0.5, 0.6, "none", 0.0, 0.0, 0.0),
    Section(0.6, 0.8, "right", 2.0, 0.04, 14e3),
    Section(0.8, 1.0, "none", 0.0, 0.0, 0.0),
)
Known = Callable[..., Posterior]


def free_space(goal: ArrayLike = (2.0, 2.0, 0.1)) -> Environment:
    return Environment("free", "", [-3, -3, 3, 3], np.zeros(3), goal)


@pytest.fixture(scope="session")
def planned() -> Design:
    """A tube with two actuators, and a goal of 40 mm around its tip."""
    return _predicted(SECTIONS)


@pytest.fixture(scope="session")
def single() -> Design:
    """A tube with its first actuator alone, whose pressure decides whether it reaches the goal."""
    return _predicted((*SECTIONS[:2], replace(SECTIONS[2], end=1.0)))


def _predicted(sections: tuple[Section, ...]) -> Design:
    design = Design("free", "", VineParams(), sections, np.zeros(3), np.zeros((1, 2)))
    tip = BuiltTube(design, free_space(), Uncertainty()).grow(np.zeros((1, 2))).tip[0]
    return with_free_bends(replace(design, tip=np.array([*tip, 0.0])), design.params)


@pytest.fixture(scope="session")
def known() -> Known:
    """Samples of a posterior in which errors have the values given, in standard deviations, by the ends of their names."""

    def make(
        design: Design, uncertainty: Uncertainty, truth: dict[str, float], goal: ArrayLike | None = None
    ) -> Posterior:
        there = free_space((*design.tip[:2], 0.04) if goal is None else goal)
        tube = BuiltTube(replace(design, sha256=there.sha256), there, uncertainty)
        normal = 0.1 * np.random.default_rng(3).standard_normal((48, len(tube.unknowns)))
        for k, cause in enumerate(tube.unknowns):
            normal[:, k] += sum(value for name, value in truth.items() if cause.name.endswith(name))
        return Posterior(tube, normal, len(normal), {}, 0)

    return make

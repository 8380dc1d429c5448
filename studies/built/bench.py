"""Simulated benches: tubes with errors that nobody knows, which are not those that the posterior expects."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from environments.environment import Environment
from environments.uncertainty import Uncertainty
from planner.adapting.actuators import errors_of
from planner.built.posterior import Posterior
from planner.built.predicting import BuiltTube, Setting
from planner.built.trial import BendTest, Growth, MeasurementErrors, Trials
from planner.design.design import Design
from planner.uncertainty.deviations import measured_bends
from surrogate.kernels.compiled import Floats

FREEDOM, WIDER = 4.0, 1.25
"""Degrees of freedom of the t distribution of hidden errors, and factor on them [-]: tails are heavier, and errors larger."""
BIAS = 0.5
"""Standard deviation of a shift that the bends of all sections of a bench have in common, in their standard deviations [-]."""
FRICTION = (0.0, 0.3)
"""Range of the hidden coefficient of friction [-], three times that which the posterior expects."""
FINER = 2
"""The tube of every other bench has segments shorter by this factor [-]: it is another model."""
ERRORS = MeasurementErrors()
"""Errors of what is measured on the benches."""


class Bench:
    """A tube as it truly is, and what is measured of it."""

    def __init__(self, design: Design, environment: Environment, uncertainty: Uncertainty, number: int) -> None:
        """Draw the hidden errors.

        Args:
            uncertainty: Errors that the posterior expects.
            number: Number of the bench, from which everything random follows.
        """
        self.number, self.rng = number, np.random.default_rng([number, 12])
        self.finer = FINER if number % 2 else 1
        self.hidden = replace(uncertainty, friction=FRICTION)
        self.environment = environment
        self.tube = self.true_tube(design)
        lasting = WIDER * self.rng.standard_t(FREEDOM, (1, len(self.tube.unknowns)))
        bent = [cause.made and cause.field == "curvature" for cause in self.tube.unknowns]
        lasting[:, bent] += BIAS * self.rng.standard_normal()
        friction = [cause.field == "friction" for cause in self.tube.unknowns]
        lasting[:, friction] = self.rng.standard_normal()
        self.truth = Posterior(self.tube, lasting, 1, {}, 0)

    def true_tube(self, design: Design) -> BuiltTube:
        """Return the tube of a design as it truly grows."""
        params = replace(design.params, segment_length=design.params.segment_length / self.finer)
        return BuiltTube(replace(design, params=params), self.environment, self.hidden)

    def grow(self, setting: Setting, growths: int) -> tuple[NDArray[np.bool_], Floats]:
        """Grow the tube as it is set.

        Returns:
            Whether each growth reaches the goal, and where its tip ends [m], shapes (growths,) and (growths, 2).
        """
        tube = self.true_tube(setting.design)
        # Errors of an actuator that is made later are hidden, too; those of what was built stay.
        renewed = "".join(f"section {index + 1}: " for index in setting.renewed)
        lasting = errors_of(self.truth, tube, renewed, self.number).normal
        passing = self.rng.standard_normal((growths, lasting.shape[1]))
        found = tube.grow(tube.repeat(lasting, passing), replace(setting, design=tube.design))
        return found.nearest <= 0.0, found.tip

    def measure(self, design: Design, growths: int) -> Trials:
        """Measure growths (whether the goal is reached, and the tip) and the bend of each actuator in free space."""
        reached, tips = self.grow(Setting(design), growths)
        tips = tips + self.rng.normal(0.0, ERRORS.tip, tips.shape)
        found = tuple(
            Growth(bool(one), None if np.isnan(tip).any() else (float(tip[0]), float(tip[1])), None, None, None, "")
            for one, tip in zip(reached, tips, strict=True)
        )
        world, sections = self.tube.errors(self.truth.normal)
        bends = measured_bends(self.tube.design, sections, world)[0] + self.rng.normal(
            0.0, ERRORS.bend, design.actuators
        )
        tests = tuple(
            BendTest(number, section.pressure, float(bend))
            for number, (section, bend) in enumerate(zip(design.actuated, bends, strict=True), 1)
        )
        return Trials("", ERRORS, found, tests)

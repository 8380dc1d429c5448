"""Tests of the study of designs under the errors of paper 002, Fig. 9."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, Obstacles, load_environment
from environments.objects import walls_at_bounds
from environments.uncertainty import PAPER, Uncertainty
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.errors import errors_of
from planner.uncertainty.trials import Outcome, Worlds
from studies.paper_errors.report import report
from studies.paper_errors.study import (
    CLAIM,
    Misses,
    PaperCase,
    PaperOutcome,
    cells,
    count_shut,
    state_absolute,
    state_relative,
)

TUBE = replace(VineParams(), least_height=0.5)
DIVIDER = load_environment("divider", TUBE.radius)
DESIGN = Design("divider", "", TUBE, (Section(0.0, 1.0, "none", 0.0, 0.0, 0.0),), np.zeros(3), np.zeros((1, 2)))


def test_blocks_move_by_20_mm_at_10_percent_and_the_frame_stands_still() -> None:
    """Over 4 000 worlds, the standard deviations are 20 mm and 10 % within 4 sigma for each block, and 0 for the four walls."""
    stated = replace(DIVIDER, uncertainty=state_absolute(DIVIDER, TUBE, 0.1, 0.12))
    errors = errors_of(stated, TUBE)
    drawn = WorldErrors.draw(stated, TUBE, errors, range(4000), 3)
    frame = walls_at_bounds(DIVIDER)
    assert frame.tolist() == [True] * 4 + [False] * 16
    assert not drawn.shift[:, frame].any()
    assert not drawn.share[:, frame].any()
    np.testing.assert_allclose(drawn.shift[:, ~frame].std(axis=0), 20e-3, rtol=4 / np.sqrt(2 * 4000))
    np.testing.assert_allclose(drawn.share[:, ~frame].std(axis=0), 0.1, rtol=4 / np.sqrt(2 * 4000))
    assert (errors.pressure_share, errors.cell_share) == (0.12, 0.12)


def test_the_relative_reading_is_the_preset_of_the_paper() -> None:
    """At 10 % of both; without any other error."""
    stated = replace(DIVIDER, uncertainty=state_relative(DIVIDER, TUBE, 0.1, 0.1))
    assert errors_of(stated, TUBE) == PAPER


@pytest.mark.parametrize(("gap", "shut", "narrow"), [(20e-3, 1, 0), (50e-3, 0, 1), (80e-3, 0, 0)])
def test_misses_are_counted_by_the_widest_passage(gap: float, shut: int, narrow: int) -> None:
    """A tube of 66.7 mm that is squeezed to half of that: 20 mm are closed to it, 50 mm are narrow, 80 mm are neither."""
    walls = Obstacles(boxes=[(0.5, 0.0, 0.6, 0.5 - gap / 2), (0.5, 0.5 + gap / 2, 0.6, 1.0)])
    room = Environment("room", bounds=(0, 0, 1, 1), start=(0.1, 0.5, 0), goal=(0.9, 0.5, 0.05), obstacles=walls)
    worlds = Worlds.draw(room, TUBE, Uncertainty(), [0], seed=0)
    none = np.zeros(1)
    missed = Outcome(none.astype(bool), none, none.astype(np.int64), np.zeros((1, 1, 2)), {})
    assert count_shut(room, TUBE, worlds, missed) == (shut, narrow)
    assert count_shut(room, TUBE, worlds, replace(missed, reached=np.ones(1, bool))) == (0, 0)


def test_the_verdict_counts_the_designs_that_reach_the_claim() -> None:
    """Two designs, one with 900 and one with 899 of 1000: the first counts."""

    def outcome(seed: int, reached: int) -> PaperOutcome:
        rates = {levels: Estimate(reached if levels in CLAIM.values() else 1000, 1000) for levels in cells()}
        misses = Misses(1000, {"stalled": 1000 - reached}, 3, 4)
        return PaperOutcome(PaperCase("absolute", seed), DESIGN, Estimate(9, 10), rates, misses)

    made = report([outcome(1, 899), outcome(0, 900)], 60.0, 1000)
    assert "*absolute*, 10 % of obstacles: 1 of 2 plans have a design with 90 % success or more" in made.text
    assert "| absolute | 1 | 1000 | 101 | 3 | 4 | 101 |" in made.text
    assert [plan["seed"] for plan in made.content["plans"]] == [0, 1]

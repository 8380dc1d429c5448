"""Success that twice the time brought to plans, as measured."""

from itertools import pairwise

import pytest

from planner.plan import more_time
from planner.plan.choice.front import Passed
from planner.plan.more_time import EDGES, FEWEST_ROUNDS, Gain, expected_gain, measure_gains
from studies.uncertainty.more_time import gains_text


def passed(*rates: float, first: float = 3.0) -> list[Passed]:
    """Rounds of a plan whose time doubles, with some success."""
    return [Passed(first * 2**k, 2, round(100 * rate), 100) for k, rate in enumerate(rates)]


def test_gains_are_those_of_the_round_after() -> None:
    """Quartiles of the success after twice the time, for each range of success before; from 90 % on none."""
    plans = [passed(0.3, 0.6, 0.95, 1.0), passed(0.4, 0.8), passed(0.2, 0.4, 0.7)]
    assert measure_gains(plans) == [
        Gain(0.2, 0.5, 4, 0.55, 0.65, 0.725),  # 60, 80, 40 and 70 %
        Gain(0.5, 0.8, 1, 0.95, 0.95, 0.95),
    ]


def test_rounds_that_are_not_about_doubled_do_not_count() -> None:
    rounds = [Passed(3.0, 2, 30, 100), Passed(4.0, 2, 40, 100), Passed(40.0, 2, 90, 100)]
    assert not measure_gains([rounds])


def test_too_few_rounds_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gains = [Gain(0.2, 0.5, FEWEST_ROUNDS - 1, 0.5, 0.6, 0.7), Gain(0.5, 0.8, FEWEST_ROUNDS, 0.7, 0.8, 0.9)]
    monkeypatch.setattr(more_time, "_measured", lambda: gains)
    assert [expected_gain(rate) for rate in (0.1, 0.3, 0.5, 0.79, 0.8)] == [None, None, gains[1], gains[1], None]
    assert gains[1].words == (
        "in 5 measured rounds of plans at 50 to 80 %, twice the time led to 80 % (median; quartiles 70 and 90 %)"
    )


def test_plans_read_what_the_study_measured() -> None:
    """Otherwise: `python -m studies.uncertainty.more_time`."""
    assert more_time.MEASURED.read_text() == gains_text()
    gains = more_time._measured()
    assert gains
    assert {one[:2] for one in gains} <= set(pairwise(EDGES))

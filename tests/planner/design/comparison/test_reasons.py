"""Reasons for a miss: each difference of two models is named where the growths show it, and only there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.registry import load_propagator
from dynamics.tube import VineParams
from dynamics.vine import Status
from planner.design.comparison.changes import NO_FRICTION, NO_TAIL, SLOW
from planner.design.comparison.growths import Comparison, RecordedGrowth
from planner.design.comparison.reasons import DEFAULT_FRICTION, PLANNED_FRICTION, PLANNED_TUBE, Disagreement, TubeModel
from planner.design.design import Design, Section
from tests.conftest import MakeEnvironment

PARAMS = VineParams()
ON_WALL = 0.5 - PARAMS.radius
"""x of a tip that touches the box of these tests [m]."""


def growth(x: float, y: float = 0.0, touched: bool = True, status: Status = Status.GROWN) -> RecordedGrowth:
    """A straight tube from the base to a tip, that has touched the box or not."""
    line, met = np.array([[0.0, 0.0], [x, y]]), [(0, 0)] if touched else []
    return RecordedGrowth(np.array([np.hypot(x, y)]), [line], met, status, False, False)


STUCK = growth(ON_WALL, status=Status.STALLED)
BEYOND = growth(0.6, 0.3)


def between(
    environment: MakeEnvironment,
    name: str,
    own: RecordedGrowth,
    default: RecordedGrowth = BEYOND,
    changed: dict[str, Any] | None = None,
    planned: VineParams = PARAMS,
) -> Disagreement:
    """Two growths of one bare tube, with a box ahead, by the named propagator with a changed tube, and by the default one."""
    room = environment(boxes=[(0.5, -0.6, 0.6, 0.2)])
    section = Section(0.0, 0.7, "none", 0.0, 0.0, 0.0)
    design = Design("bare", "", planned, (section,), np.zeros(3), np.zeros((1, 2)))
    made = replace(design, params=replace(planned, **(changed or {})))
    models = [TubeModel(n, load_propagator(n), one, room) for n, one in ((name, made), ("quasistatic", design))]
    return Disagreement(models[0], models[1], Comparison(room, made, name, own, default))


def named(found: list[str], words: str) -> bool:
    return any(words in clause for clause in found)


@pytest.mark.parametrize(
    ("own", "default", "again", "expected"),
    [
        (STUCK, BEYOND, {}, True),
        (STUCK, BEYOND, {NO_FRICTION: STUCK, NO_TAIL: STUCK}, True),
        (STUCK, BEYOND, {NO_FRICTION: growth(0.6, 0.3)}, False),  # friction holds it
        (STUCK, BEYOND, {NO_FRICTION: STUCK, NO_TAIL: growth(0.6)}, False),  # its tail does
        (STUCK, growth(ON_WALL, status=Status.STALLED), {}, False),  # the default is stuck there too
        (replace(STUCK, status=Status.GROWN), BEYOND, {}, False),
        (growth(ON_WALL - 3e-3, status=Status.STALLED), BEYOND, {}, False),  # 3 mm away
        (growth(0.1, -0.3, status=Status.STALLED), BEYOND, {}, False),
    ],
)
def test_a_tube_that_cannot_buckle_is_named_where_its_tip_is_stuck_on_an_obstacle(
    environment: MakeEnvironment,
    own: RecordedGrowth,
    default: RecordedGrowth,
    again: dict[str, RecordedGrowth],
    expected: bool,
) -> None:
    one = between(environment, "geometric", own, default)
    assert named(one.differences(again), "does not buckle") == expected
    assert not named(between(environment, "impulse", own, default).differences(again), "buckle")


def test_an_obstacle_behind_a_stuck_tip_does_not_hold_it(environment: MakeEnvironment) -> None:
    """It touches the box with its side, and heads away from it."""
    past = growth(ON_WALL, status=Status.STALLED)
    turned = replace(past, lines=[np.array([[ON_WALL + 1e-3, -0.1], [ON_WALL, 0.0]])])
    assert between(environment, "geometric", past).compared.stuck_on == (0, pytest.approx(np.pi / 2))
    assert between(environment, "geometric", turned).compared.stuck_on is None
    assert between(environment, "geometric", turned).compared.causes() == []  # the default misses too


def test_inertia_is_named_if_slower_growth_ends_elsewhere(environment: MakeEnvironment) -> None:
    """By a tenth of the distance between the two models' tips, here 100 mm, and not by less; with models that have inertia."""
    own, default = growth(0.4, 0.1, touched=False), growth(0.4, touched=False)
    for moved, expected in ((0.0, False), (9e-3, False), (11e-3, True)):
        again = {SLOW: growth(0.4, 0.1 - moved, touched=False)}
        assert named(between(environment, "impulse", own, default).differences(again), "inertia") == expected
        assert not named(between(environment, "penalty", own, default).differences(again), "inertia")
    assert not named(between(environment, "impulse", own, default).differences({}), "inertia")


def test_friction_is_named_if_the_tube_touches_and_ends_elsewhere_with_that_of_the_plan(
    environment: MakeEnvironment,
) -> None:
    """Whether it has more or less than the plan's; a model without friction is shown by the default one without it."""
    own, elsewhere = growth(0.4, 0.1), growth(0.4, 0.0)
    rubbed = replace(PARAMS, friction=0.2)
    for name, changed, planned, key in (
        ("quasistatic", {"friction": 0.3}, PARAMS, NO_FRICTION),
        ("quasistatic", {"friction": 0.3}, rubbed, PLANNED_FRICTION),
        ("quasistatic", {"friction": 0.0}, rubbed, PLANNED_FRICTION),
        ("geometric", {}, PARAMS, NO_FRICTION),
        ("impulse", {}, rubbed, DEFAULT_FRICTION),
    ):
        one = between(environment, name, own, BEYOND, changed, planned)
        assert key in {**one.changes(), **one.comparisons()}
        reference = BEYOND if key == DEFAULT_FRICTION else own
        assert named(one.differences({key: elsewhere}), "the friction is")
        assert not named(one.differences({key: reference}), "the friction is")
        assert not named(one.differences({}), "the friction is")
        free, bare = (replace(part, touched=[]) for part in (own, BEYOND))
        apart = between(environment, name, free, bare, changed, planned)
        assert not {key, NO_FRICTION} & {*apart.changes(), *apart.comparisons()}
        assert not named(apart.differences({key: elsewhere}), "the friction is")


def test_a_tube_is_named_if_that_of_the_plan_ends_elsewhere(environment: MakeEnvironment) -> None:
    own = growth(0.4, 0.1)
    one = between(environment, "quasistatic", own, changed={"radius": 0.03})
    assert list(one.comparisons()) == [PLANNED_TUBE]
    assert named(one.differences({PLANNED_TUBE: growth(0.4)}), "radius_mm 33.35 there, 30 here")
    assert one.differences({PLANNED_TUBE: own}) == []
    assert between(environment, "quasistatic", own).comparisons() == {}


def test_the_moment_per_length_is_named_where_something_bends(environment: MakeEnvironment) -> None:
    published = replace(PARAMS, physics="published", segment_length=0.0125)
    straight = growth(0.4, touched=False)
    for own, expected in ((growth(0.4), True), (straight, False)):
        one = between(environment, "impulse", own, straight, planned=published)
        assert named(one.differences({}), "takes the moment per length") == expected


def test_only_changes_that_may_matter_are_grown(environment: MakeEnvironment) -> None:
    """Without a contact neither friction nor, without a tail, growth force."""
    free = growth(0.4, touched=False)
    assert list(between(environment, "geometric", free, free).changes()) == []
    assert list(between(environment, "impulse", free, free).changes()) == ["at half its step", SLOW]
    pulled = between(environment, "geometric", free, free, {"tail_tension": 1.0})
    assert NO_TAIL in pulled.changes()
    assert NO_FRICTION not in pulled.changes()
    assert len([change for change in pulled.changes() if "growth force" in change]) == 2

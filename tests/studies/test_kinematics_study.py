"""Single-turn vines grown into a wall: the fold they turn by, what they do, and what is made of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from dynamics.geometric.kinematics import Behaviour
from dynamics.moment import free_curvature, joint_moments, restoring_moment, total_moment
from studies.kinematics import study as kinematics
from studies.kinematics.report import count_contested, measure_agreement, report
from studies.kinematics.study import (
    AFTER,
    GROWN,
    MODELS,
    RADIUS,
    SEGMENT,
    Collision,
    CollisionOutcome,
    Fold,
    collide,
    list_collisions,
)
from surrogate.force_table import ForceTable, cell
from vinewright.cli import main

PNG = b"\x89PNG"
HINGES = MODELS[0]


def outcome(angle: float, base: float, turn: float, slid: float = 0.05, grown: float = GROWN) -> CollisionOutcome:
    """Make the outcome of a turn of 60 degrees with equal lengths; angles in degrees."""
    return CollisionOutcome(
        HINGES.name, Collision(np.pi / 3, 1.0, np.radians(angle)), *np.radians([base, turn]), slid, grown
    )


def test_a_fold_bends_on_against_the_tube_alone() -> None:
    """At rest it is bent by the film folded out over the tube's width; beyond, only the tube resists; before, it pulls hard."""
    params, turn = HINGES.params(), np.radians(60)
    joint, fold = joint_moments(params), 2 * RADIUS * turn
    bend = SEGMENT * float(free_curvature(joint, params.growth_pressure, fold))
    assert bend == pytest.approx(turn, rel=0.01)
    of = cell(joint.tables, 0, fold)
    on, back = (total_moment(joint, angle, params.growth_pressure, of)[0] for angle in (1.05 * turn, 0.95 * turn))
    largest = np.pi * params.growth_pressure * RADIUS**3
    assert on == pytest.approx(float(restoring_moment(1.05 * turn, params)))
    assert on == pytest.approx(largest, rel=0.01)
    assert back < -5 * largest


def test_the_table_of_a_fold_is_its_force() -> None:
    """Falling in a straight line to nothing at the strain l_0 over the segment's length."""
    fold, l_0 = Fold(pull=2.0, segment_length=0.1), np.array([20e-3, 33e-3, 80e-3])
    force, slope = ForceTable(fold.tabulate())(0.25 * l_0 / 0.1, l_0)
    np.testing.assert_allclose(force, 1.5)
    np.testing.assert_allclose(slope, -2.0 * 0.1 / l_0)
    np.testing.assert_allclose(fold.force_per_pressure([0.1, 0.5], 20e-3), [1.0, 0.0])
    np.testing.assert_array_equal(fold.full_contraction(fold.grid.l_0), fold.grid.l_0 / 0.1)


@pytest.mark.parametrize(
    ("angle", "seen"),
    [(20, Behaviour.POSITIVE_PIVOT), (63, Behaviour.PIVOT_AT_TURN), (110, Behaviour.NEGATIVE_PIVOT)],
)
def test_vines_turn_as_rigid_parts_do(angle: float, seen: Behaviour) -> None:
    """Deep in each region the part that yields turns by what keeps base and turn at their distances from the wall.

    Within a degree, as what does not yield is not quite rigid. By every propagator, of either pressure, the same part yields.
    """
    theta, turn = np.radians([angle, 40])
    found, *others = (collide(model, Collision(float(turn), 1.0, float(theta))) for model in MODELS)
    assert {found.seen, *(other.seen for other in others)} == {seen}
    assert found.grown == pytest.approx(GROWN)
    before = AFTER * np.sin(theta + turn) if seen != Behaviour.PIVOT_AT_TURN else 0.0

    def above(turned: float) -> float:
        """How far the base, or the turn, would be from where it is: the part before its tip turned, and grown."""
        first = AFTER * np.sin(theta + turn - turned) if before else 0.0
        return float(first + (AFTER + GROWN) * np.sin(theta - turned) - before - AFTER * np.sin(theta))

    turned = brentq(above, *sorted([0.0, -1.0 if seen == Behaviour.NEGATIVE_PIVOT else 0.9 * float(theta)]))
    expected = (0.0, turned) if seen == Behaviour.PIVOT_AT_TURN else (turned, 0.0)
    np.testing.assert_allclose(np.degrees([found.base, found.turn]), np.degrees(expected), atol=1.0)


def test_only_limit_analysis_has_the_base_hold_longer() -> None:
    """Between the ends of Pivot-at-Turn by paper and limit analysis the vine bends at its turn."""
    for turn, ratio, angle in ((60, 1.0, 66), (80, 2.0, 42), (40, 0.5, 80.5)):
        found = collide(HINGES, Collision(np.radians(turn), ratio, np.radians(angle)))
        assert found.predicted("paper") != Behaviour.PIVOT_AT_TURN
        assert found.predicted("limit analysis") == found.seen == Behaviour.PIVOT_AT_TURN


def test_outcomes_are_read() -> None:
    """The part that turns more has given way, unless the tip stays; off is the way to the region of what was seen."""
    seen = [outcome(50, *turned).seen for turned in ((2, 1), (-1, 2), (-2, 1), (-2, -9))]
    positive, pivot, negative, _ = seen
    assert (positive, pivot, negative) == (
        Behaviour.POSITIVE_PIVOT, Behaviour.PIVOT_AT_TURN, Behaviour.NEGATIVE_PIVOT,
    )  # fmt: skip
    assert seen[3] == Behaviour.NEGATIVE_PIVOT
    assert outcome(50, 2, 1, slid=0.003).seen == Behaviour.FRICTION_LOCKED
    assert outcome(50, 2, 1, grown=0.01).seen == Behaviour.FRICTION_LOCKED
    wrong = outcome(37, 2, 1)
    assert wrong.predicted("paper") == Behaviour.PIVOT_AT_TURN
    assert np.degrees(wrong.off("paper")) == pytest.approx(7)
    assert wrong.off("paper") == wrong.off("limit analysis")
    assert outcome(20, 2, 1).off("paper") == 0


def test_report_counts_who_is_right() -> None:
    """Percentages, distances and the collisions on which the forms differ."""
    some = [outcome(20, 2, 0), outcome(37, 2, 1), outcome(50, 0, 2), outcome(65, 0, 2)]
    paper, hinges = (measure_agreement(some, form) for form in ("paper", "limit analysis"))
    assert (paper["percent"], hinges["percent"]) == (50.0, 75.0)
    assert hinges["mean_distance_deg"] == pytest.approx(7)
    assert hinges["right_of_predicted"]["pivot_at_turn"] == [2, 3]
    assert count_contested(some) == {"collisions": 1, "paper": 0, "limit analysis": 1}
    made = report(some)
    table, content = made.text, made.content
    assert f"| {HINGES.name} | 4 | limit analysis | 75.0 | 7.0 | 1/1 | 2/3 |  |  |" in table
    assert f"| {HINGES.name} | 1 | 0 | 1 |" in table
    assert len(content["collisions"][HINGES.name]) == 4
    json.dumps(content, allow_nan=False)
    assert "nan" not in report(some[:1]).text


def test_collisions_have_their_base_before_the_wall() -> None:
    """Every vine starts clear of the wall, its tip at it, with the contact angle that it is for."""
    for one in list_collisions()[::7]:
        x, y, heading = one.environment.start
        turn = x + 1j * y + one.ratio * AFTER * np.exp(1j * heading)
        tip = turn + AFTER * np.exp(1j * (heading + one.turn))
        assert min(y, turn.imag) > RADIUS
        assert tip == pytest.approx(1j * (RADIUS + 1e-4))
        assert heading + one.turn == pytest.approx(-one.contact_angle)


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Interrupted, table, data and picture hold what was grown before, and say so."""

    def interrupted(_cases: object) -> Iterator[CollisionOutcome]:
        yield outcome(20, 2, 0)
        raise KeyboardInterrupt

    monkeypatch.setattr(kinematics, "run_cases", interrupted)
    monkeypatch.setattr("sys.argv", ["vinewright", "reproduce", "kinematics", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    total = 360 * (len(MODELS) + len(kinematics.EFFECTS))
    assert f"interrupted after 1 of {total} collisions" in capsys.readouterr().out
    assert ", interrupted,` on" in (tmp_path / "kinematics" / "README.md").read_text()
    assert len(json.loads((tmp_path / "kinematics" / "data.json").read_text())["collisions"][HINGES.name]) == 1
    assert (tmp_path / "kinematics" / "kinematics.png").read_bytes()[:4] == PNG

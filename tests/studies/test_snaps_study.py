"""The study of snaps: its vines, what it counts, its designs, and what it says."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.moment import cell, free_curvature, total_moment
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.relaxations import Relaxations
from dynamics.snaps import Snaps
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines
from environments import Environment
from planner.design.design import Design, Section
from studies.snaps.agreement import ImpulseAgreement, measure_agreement
from studies.snaps.branches import (
    FINEST,
    PARTS,
    BranchShares,
    ends_elsewhere,
    grow_vines,
    make_model,
    make_random_vines,
    measure_branches,
    moment_residuals,
    motion_to_rest,
)
from studies.snaps.designs import Snap, Snapped, Unsolved, measure_designs, relax_snaps
from studies.snaps.plots import save_branches, save_designs
from studies.snaps.report import report
from studies.snaps.study import RestCost, cases, measure_cost

MakeEnvironment = Callable[..., Environment]
H = VineParams().segment_length


@pytest.fixture(scope="module")
def plus(shipped: dict[str, Environment], params: VineParams) -> Snapped:
    """A tube of 1.35 m without actuators in `plus`, which leaves a wall with a jump."""
    environment = shipped["plus"]
    sections = (Section(0.0, 1.35, "none", 0.0, 0.0, 0.0),)
    start = environment.start
    design = Design(environment.name, environment.sha256, params, sections, start, start[None, :2])
    return relax_snaps("best", design, make_model(environment, params, True, 8), Relaxations(environment, params))


def test_vines_have_sections_of_the_lengths_and_pressures_described(params: VineParams) -> None:
    """Sections of 4 to 20 segments, of 4.6 to 32.5 kPa on either side or none, the same for the same seed."""
    vines = make_random_vines(params, 50, 140, seed=3)
    again = make_random_vines(params, 50, 140, seed=3)
    np.testing.assert_array_equal(vines.pressure, again.pressure)
    strength = np.abs(vines.pressure[vines.pressure != 0])
    assert 32.5e3 / 7 <= strength.min() < 8e3
    assert 30e3 < strength.max() <= 32.5e3
    assert vines.l_0.min() >= 20e-3
    assert vines.l_0.max() <= 80e-3
    for row in vines.l_0:  # neighbouring sections differ in their cells, also where both have no actuator
        lengths = np.diff(np.flatnonzero(np.diff(row, prepend=np.nan, append=np.nan) != 0))
        assert lengths[:-1].min() >= 4
        assert lengths.max() <= 20
    shares = [np.mean(np.sign(vines.pressure) == side) for side in (-1, 0, 1)]
    np.testing.assert_allclose(shares, 1 / 3, atol=0.07)


@pytest.mark.parametrize("physics", ["corrected", pytest.param("published", marks=pytest.mark.slow)])
def test_rests_can_be_turned_on_and_off(environment: MakeEnvironment, params: VineParams, physics: str) -> None:
    """Each physics has its own kind of step by default; the other kind is that of the other physics, the tube stays."""
    tube, place = replace(params, physics=physics), environment(boxes=[[0.3, -0.2, 0.4, 0.2]])
    vines = make_random_vines(params, 4, 24, seed=0)
    own, default = make_model(place, tube, physics == "corrected", 2), QuasiStatic(place, tube).refined()
    expected = default.grow(default.start(4, 24), vines, 0.6, H).tips
    np.testing.assert_allclose(grow_vines(own, vines).tips, expected, atol=1e-9)
    rests, none = (grow_vines(make_model(place, tube, rests, 2), vines).relaxations for rests in (True, False))
    assert rests is not None
    assert none is not None
    assert rests.sum() > none.sum()
    for one in (True, False):
        assert make_model(place, tube, one).params.physics == physics


def test_a_branch_is_wrong_if_tips_part_or_endings_differ(environment: MakeEnvironment, params: VineParams) -> None:
    """Tips 19 mm apart are the same branch, 21 mm another; so is another ending, or no record where there was one."""
    model = QuasiStatic(environment(), params)
    rollout = grow_vines(model, make_random_vines(params, 5, 8, seed=0))
    tips, status, records = rollout.tips.copy(), rollout.status.copy(), rollout.records.copy()
    last = rollout.records - 1
    tips[0, last[0], 0] += 0.019
    tips[1, last[1], 1] -= 0.021
    tips[2, 0, 0] += 0.5  # not the last record
    status[3], records[4] = Status.STALLED, 0
    other: Rollout = replace(rollout, tips=tips, status=status, records=records)
    assert ends_elsewhere(rollout, other, 0.02).tolist() == [False, True, False, True, True]
    assert not ends_elsewhere(rollout, rollout, 0.0).any()


def test_straight_tube_that_is_let_go(environment: MakeEnvironment, params: VineParams) -> None:
    """Its residual is the pull of its actuator, its way to rest that of the arc's tip; at rest, both are zero."""
    model, segments, pressure = make_model(environment(), params, True), 8, 15e3
    carried = Actuation(np.full((1, segments), pressure), np.full((1, segments), 0.04))
    straight = VineState(
        np.zeros((1, segments)),
        np.array([segments]),
        np.array([H]),
        model.joint.elasticity.pivot * np.ones((1, segments)),
    )
    pull = -total_moment(model.joint, 0.0, pressure, cell(model.joint.tables, 0, 0.04))[0]
    assert moment_residuals(model, straight, carried)[0] == pytest.approx(pull, rel=1e-9)
    bend = H * float(free_curvature(model.joint, pressure, 0.04))
    headings = bend * np.arange(1, segments + 1)
    tip = (H - params.radius * bend) * np.array([np.cos(headings).sum(), np.sin(headings).sum()])
    way = np.hypot(*(tip - [segments * H, 0.0]))
    assert motion_to_rest(model, straight, carried)[0] == pytest.approx(way, rel=1e-3)
    rest = replace(straight, angles=np.full((1, segments), bend))
    assert moment_residuals(model, rest, carried)[0] < 1e-6 * pull
    assert motion_to_rest(model, rest, carried)[0] < 1e-6


def test_contact_forces_balance_a_tube_at_rest(environment: MakeEnvironment, params: VineParams) -> None:
    """Pressed on a wall, a tube at rest has hardly a residual; without the wall it has that of its actuator, nearly."""
    vines = Actuation(np.full((1, 16), 15e3), np.full((1, 16), 0.04))
    model = make_model(environment(boxes=[[-0.2, 0.05, 1.0, 0.2]]), params, True)
    grown = model.grow(model.start(1, 16), vines, 0.4, 0.4)
    held = model.grow(grown.state(np.zeros(1, int), np.zeros(1, int)), vines, 0.0, H)
    assert held.contact_force.sum() > 1.0
    state = held.state(np.zeros(1, int), np.zeros(1, int))
    balanced = moment_residuals(model, state, vines)[0]
    alone = moment_residuals(make_model(environment(), params, True), state, vines)[0]
    assert balanced < 2e-3 * alone
    assert alone > 0.1


def test_rests_leave_fewer_states_that_move(shipped: dict[str, Environment], params: VineParams) -> None:
    """Among vines in `plus`, more states without rests move by 1 mm than with rests, and farther."""
    without, with_rests = measure_branches(shipped["plus"], params, make_random_vines(params, 3, 60, seed=0))
    assert (without.rests, with_rests.rests) == (False, True)
    assert without.moved[0] > with_rests.moved[0]
    assert without.farthest > with_rests.farthest
    assert without.moved[0] >= without.moved[1]
    assert with_rests.wrong == with_rests.wrong_of_rests
    assert tuple(without.wrong) == PARTS
    assert len(without.residuals) == without.states > 6
    assert without.quantiles()["largest"] == max(without.residuals)
    assert FINEST not in without.wrong


def test_a_snap_ends_where_growth_ends(plus: Snapped, params: VineParams) -> None:
    """A snap begins where its tip is; the viscous way ends near the record after it, over 20 mm away."""
    assert plus.status == Status.GROWN
    assert plus.snaps
    model = make_model(plus.environment, params, True, 8)
    rollout = grow_vines(model, Actuation(np.zeros((1, 54)), np.full((1, 54), 0.04)))
    recorded = Snaps.of(rollout, 0)
    starts = centerlines(recorded.states(params), model.pose, params)
    for snap, before in zip(plus.snaps, starts, strict=True):
        assert snap.energy > 0
        record, count = int(snap.length / H), int(np.ceil(snap.length / H))
        np.testing.assert_allclose(before[count], snap.place, atol=1e-6)
        after = centerlines(rollout.state(np.zeros(1, int), np.array([record])), model.pose, params)[0]
        way = np.linalg.norm(after[:count] - before[:count], axis=1).max()
        assert way > 0.02
        # Until it is recorded, the vine also grows by up to a segment, and its joints move about as far.
        assert snap.moved == pytest.approx(way, abs=H)
        np.testing.assert_allclose(after[:count], snap.rests[2][:count], atol=H)
        assert snap.again
        assert snap.ambiguous == (snap.apart > 0.01)
    content = plus.content()["snaps"][0]
    assert content["length_mm"] == pytest.approx(1e3 * plus.snaps[0].length, abs=1e-3)


def test_first_and_best_design_are_measured(environment: MakeEnvironment, params: VineParams) -> None:
    """The first one is longer than the best one with as many actuators; an environment without a solution says so."""
    place = replace(environment(bounds=[-0.2, -0.6, 1.2, 0.6]), goal=np.array([0.6, -0.35, 0.08]))
    first, best = measure_designs(place, params, 10)
    assert isinstance(first, Snapped)
    assert isinstance(best, Snapped)
    assert (first.which, best.which) == ("first", "best")
    assert first.design.actuators == best.design.actuators
    assert first.design.length > best.design.length
    assert best.in_goal
    agreement = measure_agreement(best)
    assert (agreement.status, agreement.in_goal) == (Status.GROWN, True)
    assert agreement.apart < 1e-3
    assert not measure_agreement(replace(best, environment=replace(place, goal=np.array([0.5, 0.3, 0.1])))).in_goal
    far = replace(place, goal=np.array([0.9, 0.5, 1e-4]))
    assert measure_designs(far, params, 1) == [Unsolved("bare", 0)]


def test_times_are_taken_in_turn(environment: MakeEnvironment, params: VineParams) -> None:
    """Each kind once in each round, with its ratio to the published physics of the same round."""
    place = environment()
    published, without, with_rests = measure_cost(place, make_random_vines(params, 2, 8, seed=0), rounds=2)
    assert [one.physics for one in (published, without, with_rests)] == ["published", "corrected", "corrected"]
    assert published.ratios == (1.0, 1.0)
    assert with_rests.ratios[1] == pytest.approx(with_rests.seconds[1] / published.seconds[1])
    assert without.steps == published.steps == 2 * 8 * 6
    assert (without.relaxations, published.relaxations) == (0, 0)


def test_report_says_the_shares(plus: Snapped, tmp_path: Path) -> None:
    """Shares of each environment and of all together, the snaps, and the median time; pictures of the same; ambiguous snaps count."""
    one = BranchShares("a", "corrected", False, 20, dict(zip(PARTS, (10, 5, 2, 1), strict=True)),
                   dict(zip(PARTS, (12, 0, 0, 0), strict=True)), 40, 1, (8, 2), 0.3, (1e-3, 3e-3))  # fmt: skip
    two = replace(one, environment="b", vines=60, wrong=dict.fromkeys(PARTS, 0), states=60, farthest=0.4)
    parted = Snap(1.001, (0.5, 0.25), 0.002, np.full((3, 4, 2), np.nan), np.inf, 0.01, 0.03, 0.02)
    cost = RestCost("a", "corrected", True, 20, (1.0, 4.0, 2.0), 100, 250, (2.0, 3.0, 2.5))
    slow = ImpulseAgreement("plus", Status.STALLED, 0.0123, False)
    found = [[one, two], [slow, replace(plus, snaps=[parted], refused=7), Unsolved("spiral", 3)], [cost]]
    made = report(found)
    assert "| a | corrected | no | 20 | 50.0 % | 25.0 % | 10.0 % | 5.0 % | 60.0 % |" in made.text
    assert "| all | corrected | no | 80 | 12.5 % | 6.2 % | 2.5 % | 1.2 % | 30.0 % |" in made.text
    assert "| all | corrected | no | 100 | 16.0 % | 4.0 % | 2.0 % | 400.00 | 2 | 3 | 3 |" in made.text
    assert (
        "1 of 1 designs snap; of 1 snaps, 1 go farther than 20 mm by viscosity and 1 are ambiguous. No design was found in: spiral"
        in made.text
    )
    assert "| plus | best | 0 | 1350 |" in made.text
    assert "| plus | best | 1001.0 | 500 250 | 2 | 30.0 | no rest | yes |" in made.text
    assert "0 of 1 designs end in the goal" in made.text
    assert "| plus | stalled | no | 12.3 |" in made.text
    assert "| a | corrected | yes | 2 | 2.50 | 100 | 250 | 2.50 |" in made.text
    assert made.content["branches"][0]["wrong_by_part_of_step"] == {"1/1": 10, "1/2": 5, "1/4": 2, "1/8": 1}
    assert made.content["designs"][0]["snaps"][0]["apart_mm"] is None
    for draw in (save_branches, save_designs):
        for some in (found, [[cost]]):  # also where Ctrl-C came before the rest
            draw(tmp_path / "picture.png", some)
            assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"
    assert "##" not in report([]).text


def test_cases_cover_every_environment() -> None:
    """Times and both physics in the seven environments of the random vines, designs in all nine; with a choice, only there."""
    every = cases()
    assert [sum(case.kind == kind for case in every) for kind in ("cost", "branches", "designs")] == [7, 14, 9]
    assert {case.environment for case in cases(["maze"])} == {"maze"}

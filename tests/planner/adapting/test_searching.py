"""Search of changes of a built tube, against closed forms: what undoes an error that is known."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynamics.moment import free_curvature, holding_pressure, joint_moments
from environments.uncertainty import Uncertainty
from planner.adapting.actuators import another_actuator, errors_of, one_more_actuator
from planner.adapting.changes import (
    Change,
    Mount,
    another_pose,
    changes_at_a_mark,
    other_growth_pressure,
    other_pressures,
)
from planner.adapting.searching import WORLDS, Limit, Search, part_of, split
from planner.adapting.set_points import growth_range
from planner.built.posterior import Posterior, predict_success
from planner.built.predicting import BuiltTube
from planner.design.design import Design, Section

Known = Callable[..., Posterior]
WEAK = -2 / np.sqrt(2)
"""Standard deviations of the common and of the own part by which bends are 20 % too weak, where they vary by 10 %."""


def searched(change: Change, posterior: Posterior, generations: int = 12) -> Search:
    """Search a change in a number of generations."""
    search = Search(change, split(posterior, 0)[0], seed=0)
    search.run(Limit(generations=generations).of(np.inf))
    return search


def success_of(search: Search) -> float:
    """Success of the best setting in tubes that the search has not met."""
    assert search.best is not None
    assert search.posterior is not None
    unseen = split(search.posterior, 0)[1]
    return predict_success(part_of(search.posterior, unseen), search.best).mean


def test_pressures_undo_weak_bends(single: Design, known: Known) -> None:
    """A bend 20 % too weak: the pressure becomes that which holds 1 / 0.8 of the planned curvature, and the goal is reached again."""
    posterior = known(single, Uncertainty(curvature_share=0.1), {"bend": -2.0})
    assert predict_success(posterior).mean < 0.1
    search = searched(other_pressures(single, posterior), posterior)
    assert success_of(search) > 0.95
    assert search.best is not None
    joint, before, after = joint_moments(single.params), single.actuated[0], search.best.design.actuated[0]
    wanted = free_curvature(joint, before.pressure, before.l_0) / 0.8
    assert after.pressure == pytest.approx(float(holding_pressure(joint, wanted, before.l_0)), rel=0.05)
    assert free_curvature(joint, after.pressure, after.l_0) == pytest.approx(wanted, rel=0.03)


def test_pressures_of_several_actuators(planned: Design, known: Known) -> None:
    """All bends 20 % too weak, by what they have in common and their own parts: other pressures reach the goal."""
    posterior = known(planned, Uncertainty(curvature_share=0.1), {"bend": WEAK})
    assert predict_success(posterior).mean < 0.1
    assert success_of(searched(other_pressures(planned, posterior), posterior, 8)) > 0.95


def test_the_base_is_turned_back_within_its_mount(planned: Design, known: Known) -> None:
    """A heading that is 3 degrees off is turned back; a mount with less play is used as far as it goes, and not beyond.

    The tube has no actuators that could do the same.
    """
    planned = replace(planned, sections=(replace(planned.sections[0], end=1.0),))
    posterior = known(planned, Uncertainty(start_heading=np.radians(3)), {"heading": 1.0}, (1.0, 0.0, 0.02))
    search = searched(another_pose(planned, posterior, Mount(0.0, np.radians(4))), posterior)
    assert search.best is not None
    assert np.degrees(search.best.base[2]) == pytest.approx(-3.0, abs=0.7)
    assert search.best.base[:2] == (0.0, 0.0)
    narrow = searched(another_pose(planned, posterior, Mount(1.23e-3, np.radians(0.77))), posterior, 3)
    assert narrow.best is not None
    assert max(map(abs, narrow.best.base[:2])) <= 1.23e-3
    assert np.radians(0.3) < abs(narrow.best.base[2]) <= np.radians(0.77)
    assert not another_pose(planned, posterior, Mount(0.0, 0.0)).variants


def test_the_growth_pressure_stays_within_its_range(single: Design, known: Known) -> None:
    """A stiffer tube reaches the goal at another growth pressure; no point of the search leaves the range."""
    uncertainty, goal = Uncertainty(moment_share=0.1), (*single.tip[:2], 0.02)
    posterior = known(single, uncertainty, {"stiffness of the tube": 3.0}, goal)
    assert predict_success(posterior).mean < 0.1
    change = other_growth_pressure(single, posterior)
    assert success_of(searched(change, posterior, 6)) > 0.9
    own = single.params.growth_pressure
    low, high = growth_range(single, posterior.tube.environment)
    for x, wanted in ((9.0, high), (-9.0, low), (0.0, own)):
        made = change.variants[0].make(np.array([x, 0.0]))
        assert made is not None
        assert own + made.growth_pressure == pytest.approx(wanted, abs=51.0)
        assert low <= own + made.growth_pressure <= high


def test_one_more_actuator_lies_beyond_the_last(planned: Design, known: Known) -> None:
    """The goal lies where only another bend leads: it is found, and all that is built stays."""
    straight = replace(planned, sections=(*planned.sections[:2], Section(0.5, 1.2, "none", 0.0, 0.0, 0.0)))
    bent = replace(straight, sections=(*straight.sections[:2], *_bent(0.5, 0.6, 0.9, 1.2)))
    uncertainty = Uncertainty(section_position=2e-3, curvature_share=0.03)
    tip = BuiltTube(bent, known(planned, Uncertainty(), {}).tube.environment, Uncertainty()).grow(np.zeros((1, 2))).tip
    posterior = known(straight, uncertainty, {}, (*tip[0], 0.03))
    assert predict_success(posterior).mean < 0.05
    assert success_of(searched(other_pressures(straight, posterior), posterior, 6)) < 0.3
    search = searched(one_more_actuator(straight, posterior), posterior, 10)
    assert success_of(search) > 0.9
    assert search.best is not None
    made = search.best.design
    before, after = straight.sections[:2], made.sections[:2]
    assert [replace(one, pressure=0.0) for one in after] == [replace(one, pressure=0.0) for one in before]
    assert made.actuators == 2
    assert made.actuated[1].start >= straight.sections[-1].start
    assert made.actuated[1].side == "right"
    assert made.built == straight.built
    ends = [one.end for one in made.sections[:-1]]
    assert ends == [one.start for one in made.sections[1:]]


def _bent(*at: float) -> list[Section]:
    first, second, third, last = at
    bare = Section(first, second, "none", 0.0, 0.0, 0.0)
    return [bare, Section(second, third, "right", 3.0, 0.04, 20e3), replace(bare, start=third, end=last)]


def test_another_actuator_bends_to_the_other_side(planned: Design, known: Known) -> None:
    """A tube with its last actuator on the wrong side gets one on the other side, of new errors; the first one stays."""
    wrong = replace(
        planned, sections=tuple(replace(one, side="left") if one.side == "right" else one for one in planned.sections)
    )
    posterior = known(wrong, Uncertainty(section_position=2e-3, cell=1e-3), {"section 2: place": 3.0})
    search = searched(another_actuator(wrong, posterior), posterior, 8)
    assert search.best is not None
    assert search.posterior is not None
    assert search.best.renewed == (1,)
    first, second = search.best.design.actuated
    assert (first.side, second.side) == ("left", "right")
    assert (second.start, second.end, first.l_0) == (0.6, 0.8, wrong.actuated[0].l_0)
    assert success_of(search) > 0.9
    names = [cause.name for cause in posterior.tube.unknowns]
    assert search.posterior.normal[:, names.index("section 2: place")].mean() < 1.0
    kept = names.index("section 1: place")
    assert (search.posterior.normal[:, kept] == posterior.normal[:, kept]).all()


def test_the_known_bend_of_an_actuator_stays_when_it_gets_a_neighbour(planned: Design, known: Known) -> None:
    """The error of an actuator is its own before, and its own and a common part after: the sum is the same, and so the other way round."""
    one = replace(planned, sections=(*planned.sections[:2], replace(planned.sections[2], end=1.0)))
    posterior = known(one, Uncertainty(curvature_share=0.1), {"bend": -1.0})
    tube = BuiltTube(planned, posterior.tube.environment, posterior.tube.uncertainty)
    two = errors_of(posterior, tube)
    before = posterior.tube.errors(posterior.normal)[1].curvature[:, 0]
    after = two.tube.errors(two.normal)[1].curvature
    assert after[:, 0] == pytest.approx(before)
    # Of the new one only the part in common is known: half of the variance.
    assert after[:, 1].mean() == pytest.approx(before.mean() / 2, abs=0.03)
    assert after[:, 1].std() > 5 * before.std()
    again = errors_of(two, posterior.tube)
    assert again.tube.errors(again.normal)[1].curvature[:, 0] == pytest.approx(before)


def test_a_change_at_a_mark(planned: Design, known: Known) -> None:
    """Pressures before and behind a mark on the tube; also all vented behind it; not with an actuator that is off."""
    posterior = known(planned, Uncertainty(), {})
    others, vented = changes_at_a_mark(planned, posterior).variants
    made = others.make(np.array([0.0, 1.0, 0.0, -1.0, 0.0]))
    assert made is not None
    assert made.design.schedule is not None
    assert made.design.schedule.lengths.tolist() == [0.0, 0.5, 0.5]
    (first, second), _, (third, fourth) = made.design.schedule.pressures.tolist()
    assert first > 15e3 > third
    assert (second, fourth) == (14e3, 14e3)
    empty = vented.make(np.array([2.0, 0.0, 0.0]))
    assert empty is not None
    assert empty.design.schedule is not None
    assert empty.design.schedule.pressures[-1].tolist() == [0.0, 0.0]
    off = replace(planned, sections=tuple(replace(one, on=one.side != "right") for one in planned.sections))
    assert not changes_at_a_mark(off, posterior).variants
    assert len(other_pressures(off, posterior).variants[0].starts[0]) == 1
    stretched = changes_at_a_mark(made.design, posterior)
    assert stretched.name == "other lengths of the schedule"
    later = stretched.variants[0].make(np.array([1.0, 0.0, 0.0]))
    assert later is not None
    assert later.design.schedule is not None
    assert later.design.schedule.lengths[-1] == pytest.approx(0.553)


def test_samples_that_a_search_has_met_do_not_judge(planned: Design, known: Known) -> None:
    """Copies of a sample are on one side, and both sides are large."""
    posterior = known(planned, Uncertainty(start_heading=0.05), {})
    copies = replace(posterior, normal=posterior.normal[np.arange(96) % 24])
    seen, unseen = split(copies, 1)
    assert len(seen) == 12
    assert len(unseen) == 48
    assert not {row.tobytes() for row in copies.normal[seen]} & {row.tobytes() for row in copies.normal[unseen]}
    many = replace(posterior, normal=np.random.default_rng(0).standard_normal((256, posterior.normal.shape[1])))
    seen, unseen = split(many, 1)
    assert (len(seen), len(unseen)) == (WORLDS, 256 - WORLDS)
    one = replace(posterior, normal=posterior.normal[:1])
    assert [part.tolist() for part in split(one, 0)] == [[0], [0]]

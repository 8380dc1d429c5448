"""Adaptation of built tubes, as a whole: order, judgement, repeatability, and what is written."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from environments import Environment, Obstacles, load_environment
from environments.objects import object_names, obstacles_digest
from environments.uncertainty import Uncertainty
from planner.adapting.actuators import one_more_actuator
from planner.adapting.adapting import AS_IT_IS, Adapted, adapt, best_of, is_better, recommended
from planner.adapting.changes import Mount, moved_environment, moved_object, near_objects
from planner.adapting.folder import AdaptedDesign, adapted_content, set_anew
from planner.adapting.searching import Limit, Search
from planner.adapting.words import what_to_do
from planner.built.posterior import Posterior, SuccessRange
from planner.built.predicting import BuiltTube, Setting
from planner.design.design import Design, Section
from planner.design.design_file import load_design
from planner.design.schedule import Schedule
from planner.output.contents import describe_contents, foreign_files
from planner.uncertainty.causes import tube_digest

Known = Callable[..., Posterior]
WEAK = -2 / np.sqrt(2)
ONCE = Limit(generations=1)


@pytest.fixture
def weak(planned: Design, known: Known) -> Posterior:
    """Bends 20 % too weak, and a base that is turned."""
    return known(planned, Uncertainty(curvature_share=0.1, start_heading=0.02), {"bend": WEAK, "heading": 1.0})


def test_kinds_are_tried_from_the_cheapest_on(weak: Posterior) -> None:
    """The first is the tube as it is; what is cheaper and as good is recommended; all is the same with the same seed."""
    weak = replace(weak, normal=weak.normal[:24])
    found = list(adapt(weak, limit=ONCE))
    assert [one.name for one in found] == [
        AS_IT_IS,
        "other pressures",
        "a change of pressures at a mark",
        "another pose of the base",
        "another growth pressure",
        "one more actuator",
        "another actuator in place of one",
    ]
    assert found[0].success.mean < 0.3
    chosen = recommended(found, 0.9)
    assert chosen is not None
    assert chosen.name in ("other pressures", "a change of pressures at a mark", "another pose of the base")
    assert chosen.better
    assert recommended(found, 1.01) is None
    again = list(adapt(weak, limit=ONCE))
    assert [one.success.each.tolist() for one in again] == [one.success.each.tolist() for one in found]
    assert [what_to_do(weak.tube.design, one.setting, weak.tube.environment) for one in again] == [
        what_to_do(weak.tube.design, one.setting, weak.tube.environment) for one in found
    ]
    content = adapted_content(found, 0.9, weak.tube.design, weak.tube.environment)
    assert content["recommended"] == found.index(chosen)
    assert len(content["proposals"]) == 7


def test_a_change_that_is_not_measurably_better_is_no_better(weak: Posterior) -> None:
    """Paired, in the same tubes; and a tube that needs no change gets none."""
    few, more = np.array([0.0, 0.5] * 20), np.array([0.5, 0.5] * 20)
    assert is_better(SuccessRange(more), SuccessRange(few))
    assert not is_better(SuccessRange(few), SuccessRange(few))
    assert not is_better(SuccessRange(few[::-1]), SuccessRange(few))
    one = few.copy()
    one[0] = 0.5
    assert not is_better(SuccessRange(one), SuccessRange(few))
    exact = replace(weak, normal=np.zeros_like(weak.normal))
    found = list(adapt(exact, limit=ONCE))
    assert [one.better for one in found] == [True] + [False] * (len(found) - 1)
    assert best_of(found) is recommended(found, 0.9) is found[0]


def test_ctrl_c_keeps_what_was_found(weak: Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of the search that was interrupted is there, and no other kind is begun."""
    compare, calls = Search._compare, list[int]()

    def interrupted(self: Search, *arguments: Any) -> float:
        calls.append(1)
        if len(calls) == 15:
            raise KeyboardInterrupt
        return compare(self, *arguments)

    monkeypatch.setattr(Search, "_compare", interrupted)
    found = list[Adapted]()
    with pytest.raises(KeyboardInterrupt):
        found.extend(adapt(weak))
    assert [one.name for one in found] == [AS_IT_IS, "other pressures"]
    assert len(calls) == 15


def test_a_tiny_time_is_enough_for_the_cheapest_change(weak: Posterior) -> None:
    """One start of the pressures; kinds for which no time is left are left out."""
    found = list(adapt(weak, limit=Limit(1e-6)))
    assert [one.name for one in found] == [AS_IT_IS, "other pressures"]
    assert not found[1].better


# ---- settings ----


def crowded() -> Environment:
    """A box that is turned, a wall with flat ends and a bare one, a circle, and walls at the bounds."""
    obstacles = Obstacles(
        polygons=[[(-2, 1), (-2, 2), (-1, 2)]],
        boxes=[(0.7, 0.2, 0.9, 0.4, 0.3), (-1, -1, -0.8, -0.8)],
        circles=[(0.5, -0.3, 0.1)],
        walls=[(1.0, 0.5, 1.2, 0.7, 0.02), (2.0, 2.0, 2.5, 2.0, 0.0)],
        names={"circle 1": "pipe"},
    )
    return Environment("crowded", "", [-3, -3, 3, 3], np.zeros(3), [1.0, -0.5, 0.1], obstacles, edge="wall")


def test_moved_obstacles_keep_their_kinds_and_names(tmp_path: Path) -> None:
    """An object is moved with all of its pieces; what is written loads as the same environment."""
    from environments.environment_file import write_environment

    before = crowded()
    names = object_names(before)
    for name in ("box 1", "wall 1", "circle 1 (pipe)", "polygon 1", "wall 2"):
        there = moved_environment(
            before,
            Setting(None, base=(0.01, -0.02, 0.1), moved=((names.index(name), 0.012, -0.034),)),  # type: ignore[arg-type]
        )
        assert there.start.tolist() == pytest.approx([0.01, -0.02, 0.1])
        assert object_names(there) == names
        for index, (one, other) in enumerate(zip(before.solids.shapes(), there.solids.shapes(), strict=True)):
            shift = [0.012, -0.034] if before.solids.name(index) == name else [0.0, 0.0]
            moved = shapely.get_coordinates(one) + shift
            assert shapely.get_coordinates(other) == pytest.approx(moved, abs=1e-9)
        write_environment(there, tmp_path / "there.toml")
        loaded = load_environment(tmp_path / "there.toml")
        assert loaded.sha256 == there.sha256
        assert object_names(loaded) == names


def test_objects_near_the_tube_can_be_moved(single: Design) -> None:
    """The nearest first; walls at the bounds and what is far stay."""
    there = crowded()
    posterior = Posterior(BuiltTube(single, there, Uncertainty()), np.zeros((4, 2)), 4, {}, 0)
    near = near_objects(posterior)
    assert [object_names(there)[item] for item in near] == ["box 1"]
    assert not moved_object(single, posterior, 0.0).variants
    (variant,) = moved_object(single, posterior, 0.05).variants
    made = variant.make(np.array([5.0, -0.5, 0.0]))
    assert made is not None
    assert made.moved == ((near[0], 0.05, -0.025),)
    # It must not be moved onto the base.
    (far,) = moved_object(single, posterior, 2.0).variants
    assert far.make(np.array([-0.4, -0.15, 0.0])) is None


def test_a_setting_grows_as_the_design_that_is_written(planned: Design) -> None:
    """Base, growth pressure and object as errors, and as numbers of design and environment: the same growth."""
    there = crowded()
    tube = BuiltTube(replace(planned, sha256=there.sha256), there, Uncertainty())
    near = near_objects(Posterior(tube, np.zeros((4, 2)), 4, {}, 0))
    setting = Setting(planned, (0.004, -0.003, 0.05), -800.0, ((near[0], 0.01, 0.02),))
    one = tube.grow(np.zeros((1, 2)), setting)
    made, moved = set_anew(setting), moved_environment(there, setting)
    assert made.params.growth_pressure == planned.params.growth_pressure - 800
    other = BuiltTube(made, moved, Uncertainty()).grow(np.zeros((1, 2)))
    assert other.tip[0] == pytest.approx(one.tip[0], abs=1e-6)
    assert other.nearest == pytest.approx(one.nearest, abs=1e-6)


def test_the_folder_of_an_adapted_design(weak: Posterior, tmp_path: Path) -> None:
    """Design, environment with what was learnt, proposals and picture; the design is that of the environment."""
    mount = Mount(5e-3, np.radians(2.0))
    found = [one for one in adapt(weak, mount, limit=ONCE) if one.name in (AS_IT_IS, "another pose of the base")]
    found[1] = replace(found[1], setting=replace(found[1].setting, base=(0.001, -0.002, 0.01)))
    made = AdaptedDesign.of(found[1], "workshop and learnt")
    content = adapted_content(found, 0.5, weak.tube.design, weak.tube.environment)
    made.write(tmp_path / "out", content, lambda path: path.write_bytes(b"png"))
    assert not foreign_files(tmp_path / "out")
    assert describe_contents(tmp_path / "out") == "an adapted design"
    there, design = load_environment(tmp_path / "out" / "environment.toml"), load_design(tmp_path / "out")
    assert there.sha256 == design.sha256 != weak.tube.environment.sha256
    assert there.start == pytest.approx(np.array(found[1].setting.base), abs=1e-9)
    assert design.success is not None
    assert design.success.errors == "workshop and learnt"
    assert design.success.rate == pytest.approx(found[1].success.mean, abs=0.01)
    learnt = there.uncertainty.learnt
    assert learnt is not None
    assert learnt.mean[learnt.errors.index("base: heading [deg]")] == pytest.approx(np.degrees(0.02), rel=0.2)
    assert made.margin is not None


def test_what_was_learnt_goes_with_moved_obstacles_and_new_actuators(single: Design) -> None:
    """Learnt errors hold for obstacles where they are now, and for the tube with its new actuator."""
    there = crowded()
    tube = BuiltTube(
        replace(single, sha256=there.sha256), there, Uncertainty(obstacle_position=3e-3, section_position=2e-3)
    )
    normal = 0.1 * np.random.default_rng(0).standard_normal((48, len(tube.unknowns)))
    normal[:, [cause.name for cause in tube.unknowns].index("box 1: along x")] += 2.0
    normal[:, [cause.name for cause in tube.unknowns].index("section 1: place")] += 2.0
    posterior = Posterior(tube, normal, 48, {}, 0)
    change = one_more_actuator(single, posterior)
    made = next(one for x in change.variants[0].starts if (one := change.variants[0].make(x)) is not None)
    setting = replace(made, moved=((near_objects(posterior)[0], 0.01, 0.02),))
    found = Adapted("both", setting, change.variants[0].posterior, SuccessRange(np.zeros(4)), True, 0.0)
    adapted = AdaptedDesign.of(found, "workshop")
    learnt = adapted.environment.uncertainty.learnt
    assert learnt is not None
    assert learnt.tube == tube_digest(adapted.design)
    assert learnt.obstacles == obstacles_digest(adapted.environment) != obstacles_digest(there)
    assert {"box 1: along x [mm]", "section 1: place [mm]"} <= {*learnt.errors}


# ---- words ----


def test_words_say_what_to_do(planned: Design) -> None:
    """One line for each thing that is changed, with numbers before and after."""
    free = Environment("free", "", [-3, -3, 3, 3], np.zeros(3), [2, 2, 0.1])
    assert what_to_do(planned, Setting(planned), free) == ["leave everything as it is"]
    first, second = planned.actuated
    sections = list(planned.sections)
    sections[1] = replace(first, pressure=17.3e3)
    turned = replace(planned, sections=tuple(sections))
    setting = Setting(turned, (0.0032, -0.001, np.radians(0.4)), 1200.0)
    assert what_to_do(planned, setting, free) == [
        "shift the base by (+3.2, -1.0) mm",
        "turn the base 0.4 degrees to the left",
        "set the growth pressure from 10.3 to 11.5 kPa",
        "turn section 1 from 15.0 to 17.3 kPa",
    ]
    assert what_to_do(planned, Setting(planned, (0.0, 0.0, -0.01)), free) == ["turn the base 0.6 degrees to the right"]
    vented = planned.scheduled(Schedule([0.0, 0.9, 0.9], [[16e3, 14e3], [16e3, 14e3], [0.0, 0.0]]))
    assert what_to_do(planned, Setting(vented), free) == [
        "turn section 1 from 15.0 to 16.0 kPa",
        "vent all at 0.900 m",
    ]
    partly = planned.scheduled(Schedule([0.0, 0.9, 0.9], [[15e3, 14e3], [15e3, 14e3], [0.0, 12e3]]))
    assert what_to_do(planned, Setting(partly), free) == [
        "vent section 1 at 0.900 m",
        "turn section 2 from 14.0 to 12.0 kPa at 0.900 m",
    ]
    assert what_to_do(partly, Setting(partly), free) == ["leave everything as it is"]
    sections[3:] = [replace(second, side="left", l_0=0.03), Section(0.8, 1.0, "right", 2.0, 0.04, 12e3)]
    renewed = Setting(replace(planned, sections=tuple(sections)), renewed=(1,))
    assert what_to_do(planned, renewed, free)[1:] == [
        "replace actuator 2 by one on the left: cells of 30 mm, 14.0 kPa",
        "glue actuator 3 on the right from 800 to 1000 mm: cells of 40 mm, 12.0 kPa",
    ]
    boxed = Environment("b", "", [-3, -3, 3, 3], np.zeros(3), [2, 2, 0.1], Obstacles(boxes=[(1, 1, 1.2, 1.2)]))
    assert what_to_do(planned, Setting(planned, (0.0, -1e-4, 0.0), moved=((0, 0.0, 0.002),)), boxed) == [
        "shift the base by (0, -0.1) mm",
        "move box 1 by (0, +2) mm",
    ]
    assert what_to_do(planned, Setting(planned, renewed=(0,)), free) == [
        "replace actuator 1 by one on the left: cells of 40 mm, 15.0 kPa"
    ]
    assert what_to_do(planned, Setting(planned, moved=((0, 0.012, -0.005),)), boxed) == ["move box 1 by (+12, -5) mm"]

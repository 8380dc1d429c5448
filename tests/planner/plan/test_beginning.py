"""A plan that begins with a known design: what is made of the design, and that nothing worse comes out."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from environments.uncertainty import Uncertainty
from planner.design.design import Design, InvalidDesign, Section
from planner.design.known_design import KnownDesign
from planner.design.schedule import Schedule
from planner.plan.beginning import adapt_known
from planner.plan.choice.front import NO_TRIALS, Champion, Choice
from planner.plan.choice.selection import Selection
from planner.plan.inputs import Inputs
from planner.plan.problem import Problem
from planner.plan.run.folder import write_run
from planner.plan.run.stages import fingerprint
from planner.search.run import Budget, Run
from surrogate.pouch import PouchMotor
from tests.planner.plan.known import known_design, planned, written


def adapted(design: Design, room: Environment, tube: VineParams | None = None, preformed: bool = False) -> KnownDesign:
    return adapt_known(KnownDesign(design, "known.json", "0" * 64), room, tube or VineParams(), preformed)


def test_a_design_of_the_same_tube_stays_as_it_is(room: Environment, tmp_path: Path) -> None:
    """The numbers of an actuator are those of the catalogue to the last bit, which its file rounds; of other actuators they stay."""
    own = known_design(room)
    read = KnownDesign.load(written(own, tmp_path))
    assert read.design.sections != own.sections
    made = adapt_known(read, room, VineParams(friction=0.2), False)
    assert made.changes == ()
    assert [replace(one, start=0.0, end=0.0) for one in made.design.sections] == [
        replace(one, start=0.0, end=0.0) for one in own.sections
    ]
    np.testing.assert_allclose([one.end for one in made.design.sections], [one.end for one in own.sections], atol=1e-12)
    assert (made.design.environment, made.design.params.friction) == ("room", 0.2)
    assert made.words == "begins with " + read.file + ": 1 actuator, 872 mm"
    assert adapt_known(made, room, VineParams(friction=0.2), False).design.sections == made.design.sections


def test_another_tube_gets_the_nearest_bends(room: Environment) -> None:
    """Sides and lengths stay; an actuator that the tube does not have, or that bends it otherwise, is replaced, and said."""
    own = known_design(room)
    for tube, kind in ((VineParams(radius=25e-3), "spam"), (VineParams(actuator=PouchMotor()), "pouch")):
        made = adapted(own, room, tube)
        assert [(one.start, one.end, one.side) for one in made.design.sections] == [
            (one.start, one.end, one.side) for one in own.sections
        ]
        assert made.design.sections[1].curvature == pytest.approx(own.sections[1].curvature, rel=0.05)
        assert (made.design.sections[1].l_0, made.design.sections[1].pressure) != (
            own.sections[1].l_0,
            own.sections[1].pressure,
        )
        (said,) = made.changes
        assert said.startswith(f"actuator 1 has {kind} of ")
        assert " instead of spam of " in said
        again = adapt_known(made, room, tube, False)
        assert (again.design.sections, again.changes) == (made.design.sections, made.changes)
    mixed = VineParams(actuator=PouchMotor(), others=(own.params.actuator,))
    assert adapted(own, room, mixed).changes == ()
    assert adapted(own, room, mixed).design.sections[1].kind == 1, "by its name"


def test_a_pressure_without_head_room_is_replaced(room: Environment) -> None:
    own = known_design(room)
    pressure = own.sections[1].pressure
    actuator = VineParams().actuator
    weak = VineParams(actuator=replace(actuator, limits=replace(actuator.limits, most_pressure=0.9 * pressure)))
    made = adapted(own, room, weak)
    assert made.design.sections[1].pressure < 0.9 * pressure
    assert made.design.sections[1].curvature == pytest.approx(own.sections[1].curvature, rel=0.05)


def test_what_is_not_grown_is_left_out(room: Environment) -> None:
    """A tube is cut where its growth stops, and bare where an actuator is off."""
    own = known_design(room)
    bent = own.sections[1]
    off = replace(own, sections=(own.sections[0], replace(bent, on=False), own.sections[2]), stop=0.6)
    made = adapted(off, room)
    assert made.design.sections == (Section(0.0, 0.6, "none", 0.0, 0.0, 0.0),)
    assert made.changes == (
        "cut at 600 mm, where its growth stops",
        "actuator 1 has no actuator instead of one that is off",
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 7}, "schema = 7"),
        ({"sections": []}, "sections"),
    ],
    ids=["schema", "sections"],
)
def test_designs_that_cannot_be_used_are_refused(
    room: Environment, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    path = written(known_design(room), tmp_path, **change)
    with pytest.raises(InvalidDesign, match=words) as error:
        Problem.of(room, VineParams(), Inputs(start_from=path))
    assert error.value.exit_code == 2
    assert "\n" not in str(error.value)


def test_other_faults_are_told_in_one_line(room: Environment, tmp_path: Path) -> None:
    own = known_design(room)
    folds = replace(own, sections=(replace(own.sections[1], start=0.0, l_0=0.0, pressure=0.0, preformed=True),))
    with pytest.raises(InvalidDesign, match=r"known.json: it has preformed bends; allow them with --preformed"):
        adapted(folds, room)
    assert adapted(folds, room, preformed=True).design.sections == folds.sections
    steered = own.scheduled(Schedule(np.array([0.0, 0.5]), np.array([[own.sections[1].pressure], [0.0]])))
    with pytest.raises(InvalidDesign, match="its pressures change while it grows; give a design with constant"):
        adapted(steered, room)
    short = replace(own, sections=(replace(own.sections[1], start=0.0, end=0.02, l_0=0.2),))
    with pytest.raises(InvalidDesign, match="actuator 1 covers 20 mm, too short in this tube for spam"):
        adapted(short, room)
    for name, text in (("missing.json", None), ("text.json", "text")):
        if text:
            (tmp_path / name).write_text(text)
        with pytest.raises(InvalidDesign, match=name):
            Problem.of(room, VineParams(), Inputs(start_from=str(tmp_path / name)))


# ---- the plan ----


def test_the_design_comes_out_of_a_plan_without_time(room: Environment, tmp_path: Path) -> None:
    """The known design is the first solution, as it is, and stays unless another one is likelier in the trials of both."""
    path = written(known_design(room), tmp_path)
    fast = planned(room, fast=True, first=True, time_budget_s=1.0, start_from=path)
    known = fast.problem.known
    assert known
    assert known.sha256 == sha256(Path(path).read_bytes()).hexdigest()
    assert fast.iterations == 1
    assert fast.best
    assert (fast.best.actuators, fast.shortfall) == (1, "")
    assert fast.best.length <= known.design.length, "a beginning of it in whole segments costs less"
    for options in ({"time_budget_s": 1e-3}, {"iterations": 1}):
        result = planned(room, start_from=path, **options)
        assert result.best
        assert result.choice
        assert result.shortfall == ""
        least = at_least(result.problem, result.choice)
        assert result.best.sections == known.design.sections or least


def at_least(problem: Problem, choice: Choice) -> bool:
    """Whether the chosen design is likelier than the known one in the trials that both have met."""
    assert problem.known
    run = Run.prepare(problem.environment, problem.tube, problem.make, problem.options.seed)
    selection = Selection(run, problem.uncertainty, lambda: np.inf, lambda _: None, effort=problem.effort)
    trials = len(choice.chosen.reached)
    known = selection.with_trials(Champion(problem.known.design, choice.chosen.estimate, 1), trials)
    return choice.chosen.design.actuators < 1 or bool(choice.chosen.reached.sum() > known.reached[:trials].sum())


def test_a_likelier_design_of_the_front_gives_way_to_none_but_a_likelier_one(room: Environment) -> None:
    """The known design meets as many trials as the one with as many actuators that is chosen so far."""
    problem = Problem.of(room, VineParams(), Inputs(seed=1))
    run = Run.prepare(room, VineParams(), problem.make, 1)
    for _ in run.run(Budget(600.0, 1)):
        pass
    errors = Uncertainty(start_heading=np.radians(8.0))
    own = replace(known_design(room), params=run.params)
    worse = replace(own, sections=(replace(own.sections[0], end=own.sections[0].end + 0.1), *shifted(own)))
    selection = Selection(run, errors, lambda: np.inf, lambda _: None, effort=problem.effort)
    for given, rival, kept in ((own, worse, own), (worse, own, own)):
        choice = Choice("own", errors, 0.9)
        choice.add(selection.with_trials(Champion(rival, NO_TRIALS, 1), 20))
        selection.given = given
        selection.add_trials(choice)
        assert [one.design.sections for one in choice.front] == [kept.sections]
        assert choice.chosen.estimate.trials >= problem.effort.other_trials, "the one that stays is tried on"


def shifted(design: Design) -> tuple[Section, ...]:
    """The sections behind the first, 100 mm farther from the base."""
    return tuple(replace(one, start=one.start + 0.1, end=one.end + 0.1) for one in design.sections[1:])


def test_refinement_gets_a_design_that_misses_unless_it_has_far_fewer_actuators(room: Environment) -> None:
    problem = Problem.of(room, VineParams(), Inputs(seed=1))
    run = Run.prepare(room, VineParams(), problem.make, 1)
    selection = Selection(run, Uncertainty(), lambda: np.inf, lambda _: None, effort=problem.effort)
    own = known_design(room)
    bent = own.sections[1]
    split = [replace(bent, start=0.1 * k, end=0.1 * k + 0.1, side="left" if k % 2 else "right") for k in range(4)]
    straight = replace(own, sections=(Section(0.0, 0.4, "none", 0.0, 0.0, 0.0),))
    assert selection.entering([own]) == [own], "no design was given"
    for given, found, enters in (
        (straight, [own], True),  # one actuator fewer
        (straight, [replace(own, sections=tuple(split))], False),
        (own, [replace(own, sections=tuple(split))], True),  # it arrives
    ):
        selection.given = given
        assert selection.entering(found) == ([given, *found] if enters else found)


def test_a_design_that_a_wall_stops_helps_all_the_same(room: Environment, tmp_path: Path) -> None:
    """A box stands in its way: the search goes on from where it grows to, and the plan ends with another design."""
    path = written(known_design(room), tmp_path)
    boxes = (*room.obstacles.polygons, box_corners(0.5, 0.1, 0.56, 0.2))
    blocked = replace(room, obstacles=Obstacles(boxes, room.obstacles.circles, room.obstacles.walls, ends="round"))
    result = planned(blocked, iterations=6, fast=True, start_from=path)
    assert result.best
    assert result.best.sections != result.problem.known.design.sections  # type: ignore[union-attr]


def test_the_same_seed_makes_the_same_plan(room: Environment, tmp_path: Path) -> None:
    path = written(known_design(room), tmp_path)
    one, other = (planned(room, iterations=1, start_from=path) for _ in range(2))
    assert one.best
    assert other.best
    assert one.choice
    assert other.choice
    assert one.best.sections == other.best.sections
    assert one.choice.content() == other.choice.content()


def test_what_was_found_with_another_design_is_not_used(room: Environment, tmp_path: Path) -> None:
    """The content of the file decides, not its place."""
    own = known_design(room)
    longer = replace(own, sections=(*own.sections[:2], replace(own.sections[2], end=0.9)))
    prints = []
    for name, design in (("one.json", own), ("two.json", own), ("two.json", longer), ("two.json", None)):
        path = None if design is None else written(design, tmp_path, name)
        problem = Problem.of(room, VineParams(), Inputs(start_from=path))
        prints.append(fingerprint(room, problem.tube, problem.options, problem.uncertainty, problem.known))
    assert prints[0] == prints[1]
    assert len({*prints}) == 3


def test_the_folder_of_the_run_says_with_what_it_began(room: Environment, tmp_path: Path) -> None:
    path = written(known_design(room), tmp_path)
    for start in (path, None):
        result = planned(room, iterations=4, fast=True, start_from=start)
        write_run(tmp_path / "run", result.run, result.options, result.reason)
        facts = json.loads((tmp_path / "run" / "run.json").read_text())
        digest = sha256(Path(path).read_bytes()).hexdigest()
        assert facts["known"] == (start and {"file": path, "sha256": digest, "changes": []})
        assert facts["inputs"]["start_from"] == start

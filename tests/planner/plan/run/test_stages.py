"""A plan that is killed or stopped in a later stage goes on from there: searches with friction, refinement, trials."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.output.contents import CHECKPOINT, FRICTION, REFINEMENT
from planner.plan.choice.refinement import Descent
from planner.plan.choice.selection import Progress, Selection
from planner.plan.friction import PARTS
from planner.plan.plan import Result, plan
from planner.plan.problem import Problem
from planner.plan.run.arrays import InvalidCheckpoint
from planner.plan.run.stages import ARRAYS, read_known
from planner.plan.watcher import Watcher
from planner.search.sst import Search
from tests.planner.plan.run.stages import OPTIONS, counted, fingerprint_of, front_of, resumed

Arrays = dict[str, np.ndarray[Any, Any]]


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.fixture(scope="module")
def room(small_file: Path) -> Environment:
    return load_environment(str(small_file), VineParams().radius)


@pytest.fixture(scope="module")
def whole(room: Environment) -> tuple[Result, dict[str, int]]:
    """A plan that nothing interrupts, and how much it took."""
    with counted() as done:
        result = plan(Problem.of(room, VineParams(), OPTIONS))
    return result, done


@contextmanager
def killed_at(owner: type, method: str, call: int) -> Iterator[None]:
    """The process ends where a method is called for the given time; until then a checkpoint is saved at every chance."""
    before, calls = getattr(owner, method), 0

    def counting(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            raise Killed
        return before(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("planner.plan.searching.SAVED_EVERY", 0.0)
        patch.setattr(owner, method, counting)
        with pytest.raises(Killed):
            yield


STAGES = {
    "first friction": (Search, "iterate", 7),
    "second friction": (Search, "iterate", 11),
    "refinement begins": (Descent, "generation", 1),
    "refinement": (Descent, "generation", 4),
    "trials": (Selection, "_block", 2),
    "more trials": (Selection, "_block", 4),
}


@pytest.mark.parametrize(
    "stage",
    [
        "first friction",
        "refinement",
        *(pytest.param(one, marks=pytest.mark.slow) for one in STAGES if one not in ("first friction", "refinement")),
    ],
)
def test_a_killed_plan_goes_on_to_the_same_end(
    room: Environment, whole: tuple[Result, dict[str, int]], tmp_path: Path, stage: str
) -> None:
    """In whichever stage: to the last bit the same design and front, and nothing is searched or grown again."""
    folder = tmp_path / "run"
    with counted() as done:
        with killed_at(*STAGES[stage]):
            plan(Problem.of(room, VineParams(), OPTIONS), folder=folder)
        assert (folder / FRICTION[0]).exists()
        assert (folder / FRICTION[1]).exists() == (stage != "first friction")
        assert (folder / REFINEMENT).exists() == (stage in ("refinement", "trials", "more trials"))
        before, result = dict(done), resumed(folder)
    assert front_of(result) == front_of(whole[0])
    assert done["iterations"] == whole[1]["iterations"]
    assert before["vines"] < done["vines"]
    if stage != "refinement begins":  # designs are compared before the first chance to save
        assert done["vines"] == whole[1]["vines"]
    assert [one.search.iteration for one in result.stages.searches] == [4] * PARTS  # type: ignore[union-attr]


def test_a_finished_plan_grows_nothing_again(
    room: Environment, whole: tuple[Result, dict[str, int]], tmp_path: Path
) -> None:
    """From its folder, which has what every stage found; the same files come again."""
    folder, result = tmp_path / "run", whole[0]
    result.save(folder)
    with counted() as done:
        again = resumed(folder)
    assert (done["iterations"], done["vines"]) == (0, 0)
    assert front_of(again) == front_of(result)
    again.save(tmp_path / "again")
    names = sorted(path.name for path in folder.iterdir())
    assert sorted(path.name for path in (tmp_path / "again").iterdir()) == names
    assert {CHECKPOINT, *FRICTION[:PARTS], REFINEMENT} <= set(names)
    more = resumed(folder, iterations=5)
    assert front_of(more) == front_of(
        plan(Problem.of(room, VineParams(), OPTIONS.model_copy(update={"iterations": 5})))
    )


@pytest.mark.slow
def test_an_older_folder_without_later_stages_goes_on(whole: tuple[Result, dict[str, int]], tmp_path: Path) -> None:
    """They are made again."""
    whole[0].save(tmp_path / "run")
    for name in (*FRICTION, REFINEMENT):
        (tmp_path / "run" / name).unlink(missing_ok=True)
    assert front_of(resumed(tmp_path / "run")) == front_of(whole[0])


@pytest.fixture(scope="module")
def killed(room: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a plan that was killed in the middle of its refinement."""
    folder = tmp_path_factory.mktemp("killed") / "run"
    with killed_at(*STAGES["refinement"]):
        plan(Problem.of(room, VineParams(), OPTIONS), folder=folder)
    return folder


def copied(source: Path, target: Path) -> Path:
    target.mkdir()
    for file in source.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target


def arrays_of(folder: Path) -> Arrays:
    with np.load(folder / REFINEMENT) as file:
        return dict(file)


def with_facts(folder: Path, **changed: Any) -> None:
    arrays = arrays_of(folder)
    facts = json.loads(arrays["facts"].tobytes()) | changed
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    np.savez(folder / REFINEMENT, **arrays)  # type: ignore[arg-type]


def test_the_time_of_refinement_counts(room: Environment, tmp_path: Path) -> None:
    """Resumed as it was, a plan without time left stops after what is known; with more time, a round doubles it, then trials."""
    timed = OPTIONS.model_copy(update={"iterations": None, "target_actuators": 20, "time_budget_s": 1e5})
    lefts: list[float] = []

    class Looking(Watcher):
        @contextmanager
        def refining(self, left: Callable[[], float]) -> Iterator[Callable[[Progress], None]]:
            lefts.append(left())
            yield lambda _: None

    with killed_at(*STAGES["refinement"]):
        plan(Problem.of(room, VineParams(), timed), folder=tmp_path / "run")
    with_facts(tmp_path / "run", seconds=2e5)
    for changed, tried in (({}, 20), ({"time_budget_s": 1.5e5}, 20), ({"time_budget_s": 9e5}, 40)):
        folder = copied(tmp_path / "run", tmp_path / f"run-{len(lefts)}")
        with counted() as done:
            result = resumed(folder, Looking(), **changed)
        assert result.choice
        assert (done["generations"] > 3) == (changed != {"time_budget_s": 1.5e5})
        assert result.choice.chosen.estimate.trials == tried
        assert (done["vines"] > 200) == (tried == 40)
        assert result.choice.trials_s + result.choice.refinement_s >= 2e5
        facts, known = read_known(folder / REFINEMENT)
        assert (facts.seconds >= 2e5, facts.before) == (True, 2e5 if changed else 0.0)
        assert known.count > 0
    assert lefts == pytest.approx([1e5, -0.5e5, 2e5, 0.5e5, 7e5], abs=100.0)


def test_what_another_plan_found_is_not_used(
    room: Environment, killed: Path, whole: tuple[Result, dict[str, int]], tmp_path: Path
) -> None:
    """Files of other inputs or versions: they are left alone, and it is said."""
    notes: list[str] = []

    class Noting(Watcher):
        def note(self, message: str) -> None:
            notes.append(message)

    folder = copied(killed, tmp_path / "run")
    with_facts(folder, versions={"numpy": "1.0"})
    with counted() as done:
        assert front_of(resumed(folder, Noting())) == front_of(whole[0])
    assert done["vines"] == whole[1]["vines"]
    assert [f"{REFINEMENT} belongs to another plan or to other versions" in one for one in notes] == [True]
    folder = copied(killed, tmp_path / "other")
    other = OPTIONS.model_copy(update={"seed": 6})
    with killed_at(Search, "iterate", 3):
        plan(Problem.of(room, VineParams(), other), folder=tmp_path / "seed-6")
    (folder / CHECKPOINT).write_bytes((tmp_path / "seed-6" / CHECKPOINT).read_bytes())
    notes.clear()
    assert front_of(resumed(folder, Noting())) == front_of(plan(Problem.of(room, VineParams(), other)))
    assert [name in one for one, name in zip(notes, (FRICTION[0], REFINEMENT), strict=True)] == [True, True]


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"uncertainty": "field"}, {"batch": 21}, {"solutions": 6}, {"heuristic": True}]
)
def test_other_options_are_another_plan(room: Environment, change: dict[str, Any]) -> None:
    """But for how far it goes; another tube or environment is another plan too."""
    made = fingerprint_of(room, VineParams(), OPTIONS)
    assert fingerprint_of(room, VineParams(), OPTIONS.model_copy(update=change)) != made
    longer = {"time_budget_s": 60.0, "iterations": None, "target_actuators": 3, "verify": "impulse"}
    assert fingerprint_of(room, VineParams(), OPTIONS.model_copy(update=longer)) == made
    assert fingerprint_of(room, VineParams(friction=0.1), OPTIONS) != made
    assert fingerprint_of(load_environment("plus", VineParams().radius), VineParams(), OPTIONS) != made


def test_a_plan_that_replaces_another_begins_without_its_stages(
    room: Environment, killed: Path, tmp_path: Path
) -> None:
    """With the same inputs too: its time has not been spent. What lies there stays until its first checkpoint."""
    folder = copied(killed, tmp_path / "run")
    with killed_at(Search, "iterate", 1):
        plan(Problem.of(room, VineParams(), OPTIONS), folder=folder)
    assert (folder / REFINEMENT).exists()
    with killed_at(Search, "iterate", 2):
        plan(Problem.of(room, VineParams(), OPTIONS), folder=folder)
    assert [path.name for path in folder.iterdir()] == [CHECKPOINT]
    with killed_at(Descent, "generation", 1):
        resumed(killed)
    assert (killed / REFINEMENT).exists()


def test_damaged_files_are_refused(killed: Path, tmp_path: Path) -> None:
    """Before anything is searched, in one line that names the file; a fault of each array, and of the facts."""
    folder, good = copied(killed, tmp_path / "run"), arrays_of(killed)

    def refused(words: str = "", name: str = REFINEMENT) -> None:
        with counted() as done, pytest.raises(InvalidCheckpoint) as error:
            resumed(folder)
        message = str(error.value)
        assert message.startswith(f"{folder / name}: ")
        assert words in message
        assert message.endswith("; without this file its stage of the plan is made again")
        assert ("\n" in message, done["iterations"]) == (False, 0)

    def broken(words: str = "", **changed: np.ndarray[Any, Any]) -> None:
        np.savez(folder / REFINEMENT, **{**good, **changed})  # type: ignore[arg-type]
        refused(words)

    for name in ARRAYS:
        broken(**{name: good[name].astype(np.float32)})
        broken(**{name: good[name][..., None]})
        broken(**{name: good[name][:-1]})
    for name in ("nearest", "last"):
        for bad in (np.nan, -np.inf, 1e9):
            broken(f"{name} must be distances", **{name: np.where(np.arange(len(good[name])) == 3, bad, good[name])})
    broken("when must be finite", when=good["when"] * np.inf)
    broken("when must not be negative", when=good["when"] - 1e3)
    broken("trials must be numbers", trials=good["trials"] - 1)
    broken("trials must be numbers", trials=good["trials"] + 2**53)
    broken("counts must be positive", counts=good["counts"] * 0)
    broken("one row per design", designs=good["designs"] * 0)
    with_facts(copied(killed, tmp_path / "schema"), schema=2)
    (folder / REFINEMENT).write_bytes((tmp_path / "schema" / REFINEMENT).read_bytes())
    refused("facts: schema = 2 must be 1")
    broken("facts is not JSON", facts=good["facts"][:5])
    content = (killed / REFINEMENT).read_bytes()
    for share in (0.0, 0.5, 0.999):
        (folder / REFINEMENT).write_bytes(content[: int(share * len(content))])
        refused("damaged")
    (folder / REFINEMENT).write_bytes(content)
    (folder / FRICTION[1]).write_bytes(b"half")
    refused("damaged", FRICTION[1])


def test_the_names_of_the_files_suffice() -> None:
    """There is one for every search with friction that a plan may make."""
    assert len(FRICTION) == 2 * PARTS


def test_a_full_disk_is_a_note(
    room: Environment, whole: tuple[Result, dict[str, int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan goes on without its checkpoints, in every stage."""
    notes: list[str] = []

    class Noting(Watcher):
        def note(self, message: str) -> None:
            notes.append(message)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for owner in ("planner.plan.run.folder", "planner.plan.run.stages"):
        monkeypatch.setattr(f"{owner}.write_checkpoint", full)
    monkeypatch.setattr("planner.plan.run.stages.write_arrays", full)
    result = plan(Problem.of(room, VineParams(), OPTIONS), folder=tmp_path / "run", watcher=Noting())
    assert front_of(result) == front_of(whole[0])
    assert [one.split(": ")[1] for one in notes] == ["no checkpoint"] * 4
    assert not list(tmp_path.iterdir())

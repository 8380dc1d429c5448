"""Content of a checkpoint, and files that are refused as one."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment, load_environment
from planner.output.claim import UnwritableFolder, clear_leftovers
from planner.output.contents import CHECKPOINT
from planner.plan.inputs import Inputs
from planner.plan.run.arrays import InvalidCheckpoint
from planner.plan.run.checkpoint import ARRAYS, NO_PARTICLES, read_checkpoint, write_checkpoint
from planner.plan.run.folder import save_checkpoint
from planner.search.reverse.arc_price import STRAIGHT
from planner.search.run import Budget, Run
from planner.search.sst import LENGTH_COST, Switches
from vinewright.commands.plan_report import resume_command

INPUTS = Inputs(
    actuator="spam", propagator="quasistatic", device="auto", solver=None, surrogate=None, heuristic=True, seed=3, batch=30,
    time_budget_s=600.0, iterations=None, first=False, target_actuators=None, solutions=5, fast=True,
)  # fmt: skip
Arrays = dict[str, np.ndarray[Any, Any]]
STOPPED = 8
"""Iterations of the run that was stopped."""


@pytest.fixture(scope="module")
def params() -> VineParams:
    """The tube with the published physics: fewer of its solutions have to be examined."""
    return VineParams(physics="published")


def prepared(environment: Environment, params: VineParams) -> Run:
    switches = Switches(heuristic=INPUTS.heuristic)
    return Run.prepare(environment, params, QuasiStatic, INPUTS.seed, INPUTS.batch, switches=switches)


def searched(run: Run, iterations: int) -> Run:
    for _ in run.run(Budget(INPUTS.time_budget_s, iterations)):
        pass
    return run


def state(run: Run) -> dict[str, Any]:
    """All that decides how a run continues, in memory."""
    search, used = run.search, run.search.tree.used
    others = "_unbent", "_free", "pivot", "pages"
    tree = {name: getattr(search.tree, name) for name in vars(search.tree) if name not in others}
    rows = np.arange(len(used))
    tree["bends"], tree["controls"] = (
        part(rows, search.max_segments) for part in (search.tree.pages.bends, search.tree.pages.controls)
    )
    best = [(one.cost, one.design.sections, one.controls.tolist()) for one in run.solutions.best]
    shapes = [part for one in run.solutions.best for part in (one.design.tip, one.design.centerline)]
    arrays = [*(array[used] for array in tree.values()), *vars(search.witnesses).values(), *shapes]
    kept = ("radius", "bound", "iteration", "vine_steps", "shrinks", "next_shrink")
    return {
        "bytes": [np.asarray(array).tobytes() for array in arrays],
        "tree": (list(tree), search.tree._free),
        "numbers": [getattr(search, name) for name in kept],
        "random": search.rng.bit_generator.state,
        "found": (best, run.solutions.replayed, run.solutions.rejected, run.solutions.ambiguous),
        "history": [(moment.actuators, moment.length) for moment in run.history],
    }


@pytest.fixture(scope="module")
def stopped(shipped: dict[str, Environment], params: VineParams, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a guided run in the divider, stopped with some solutions and neighbourhoods that have shrunk."""
    folder = tmp_path_factory.mktemp("stopped")
    run = searched(prepared(shipped["divider"], params), STOPPED)
    assert run.best
    assert run.search.shrinks > 1
    assert run.reverse_tree
    write_checkpoint(folder / CHECKPOINT, run, INPUTS)
    return folder


def test_a_run_goes_on_to_the_last_bit(shipped: dict[str, Environment], params: VineParams, stopped: Path) -> None:
    """Read back and resumed, the whole search is as if it had never been stopped; the time continues too."""
    checkpoint = read_checkpoint(stopped)
    assert checkpoint.inputs == INPUTS
    assert checkpoint.caution == ""
    run = prepared(checkpoint.environment, params)
    checkpoint.restore(run)
    before, known = run.seconds, run.reverse_tree
    assert before > 0
    assert known
    searched(run, STOPPED + 2)
    assert run.seconds > before
    whole = searched(prepared(shipped["divider"], params), STOPPED + 2)
    assert state(run) == state(whole)
    # The tree has grown on after the stop, to the last bit as without it.
    assert run.reverse_tree
    assert whole.reverse_tree
    assert run.reverse_tree.samples > known.samples
    for name in ("poses", "parent", "cost", "arc_cost"):
        assert getattr(run.reverse_tree, name).tobytes() == getattr(whole.reverse_tree, name).tobytes()
    assert run.reverse_tree.refused == whole.reverse_tree.refused


def test_a_tree_of_an_older_checkpoint_stays(
    shipped: dict[str, Environment], params: VineParams, stopped: Path, tmp_path: Path
) -> None:
    """Where a checkpoint does not say how far the reverse tree has grown, that tree guides the search to its end, without contact."""
    with_facts(stopped, tmp_path, lambda facts: facts["reverse_tree"].pop("samples"))
    run = prepared(shipped["divider"], params)
    read_checkpoint(tmp_path).restore(run)
    tree = run.reverse_tree
    assert tree
    curved = np.abs(tree.edges[1].sweep) > STRAIGHT
    assert np.allclose(tree.arc_cost, curved + LENGTH_COST * np.array(tree.edges[1].length))
    searched(run, STOPPED + 1)
    assert run.reverse_tree is tree


@pytest.mark.slow
def test_nothing_that_matters_is_forgotten(shipped: dict[str, Environment], params: VineParams, tmp_path: Path) -> None:
    """Stopped after every iteration, before and after the first solution, a run is bit for bit the same as without a stop."""
    inputs = INPUTS.model_copy(update={"heuristic": False})

    def fresh() -> Run:
        return Run.prepare(shipped["plus"], params, QuasiStatic, inputs.seed, inputs.batch)

    whole, stopped = fresh(), fresh()
    whole.solutions.ambiguous = stopped.solutions.ambiguous = 3
    for iteration in range(1, 10):
        write_checkpoint(tmp_path / CHECKPOINT, stopped, inputs)
        stopped = fresh()
        read_checkpoint(tmp_path).restore(stopped)
        assert state(searched(stopped, iteration)) == state(searched(whole, iteration)), iteration
        assert iteration > 1 or not whole.best
    assert whole.best
    assert whole.search.shrinks > 1


@pytest.mark.slow
def test_older_checkpoints_have_no_marks(
    shipped: dict[str, Environment], params: VineParams, stopped: Path, tmp_path: Path
) -> None:
    """The search goes on as it would with marks; only nodes that are new can be marked."""
    arrays = arrays_of(stopped)
    assert arrays["jumped"].any()
    del arrays["jumped"]
    np.savez(tmp_path / CHECKPOINT, **arrays)  # type: ignore[arg-type]
    runs = [prepared(shipped["divider"], params) for _ in range(2)]
    for run, folder in zip(runs, (stopped, tmp_path), strict=True):
        read_checkpoint(folder).restore(run)
    marked, unmarked = (run.search.tree for run in runs)
    assert not unmarked.jumped.any()
    for run in runs:
        searched(run, STOPPED + 1)
    assert not (unmarked.jumped & ~marked.jumped).any()
    unmarked.jumped = marked.jumped
    assert state(runs[1]) == state(runs[0])


def test_an_environment_is_kept_to_the_last_bit(params: VineParams, tmp_path: Path) -> None:
    """An environment whose numbers have more digits than its file shows comes back with all of them."""
    (tmp_path / "thirds.toml").write_text(
        "schema = 1\nunit = 'm'\n[bounds]\nmin = [0, 0]\nmax = [2.0000000000001, 1.3]\n"
        "[start]\nposition = [0.33333333333333331, 0.3]\nheading_deg = 12.345678901234567\n"
        "[goal]\nposition = [1.7, 0.71234567890123456]\nradius = 0.1\n"
        "[obstacles]\ncircles = [[1.1234567890123456, 0.3, 0.077777777777777779]]\n"
        "polygons = [[[0.8, 1.0], [1.1111111111111112, 1.2], [0.9, 1.2345678901234567]]]\n"
        "walls = [[0.2, 0.9, 0.51111111111111112, 1.1, 0.012345678901234567]]\n"
    )
    environment = load_environment(tmp_path / "thirds.toml")
    write_checkpoint(tmp_path / CHECKPOINT, prepared(environment, params), INPUTS)
    again = read_checkpoint(tmp_path).environment
    assert (again.name, again.sha256) == ("thirds", environment.sha256)
    for name in ("bounds", "start", "goal"):
        assert getattr(again, name).tobytes() == getattr(environment, name).tobytes()
    assert again.obstacles.circles.tobytes() == environment.obstacles.circles.tobytes()
    assert again.obstacles.walls.tobytes() == environment.obstacles.walls.tobytes() != b""
    assert again.obstacles.polygons[0].tobytes() == environment.obstacles.polygons[0].tobytes()


def test_other_versions_are_reported(stopped: Path, tmp_path: Path) -> None:
    """A run that was begun with another NumPy is resumed, and it is said that it may end elsewhere."""
    with_facts(stopped, tmp_path, lambda facts: facts["versions"].update(numpy="1.0"))
    assert "started with numpy 1.0, so the result may differ" in read_checkpoint(tmp_path).caution


# ---- what is refused ----


def arrays_of(folder: Path) -> Arrays:
    with np.load(folder / CHECKPOINT) as file:
        return dict(file)


def with_facts(source: Path, folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """A copy of a checkpoint with other facts."""
    arrays = arrays_of(source)
    facts = json.loads(arrays["facts"].tobytes())
    change(facts)
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    np.savez(folder / CHECKPOINT, **arrays)  # type: ignore[arg-type]


@pytest.fixture
def refused(shipped: dict[str, Environment], params: VineParams, tmp_path: Path) -> Callable[[], str]:
    """Read the checkpoint in `tmp_path` and take it up; the one line that it was refused with."""
    run = Run.prepare(shipped["divider"], params, QuasiStatic)

    def why() -> str:
        with pytest.raises(InvalidCheckpoint) as error:
            read_checkpoint(tmp_path).restore(run)
        assert "\n" not in str(error.value)
        assert str(error.value).startswith(f"{tmp_path / CHECKPOINT}: ")
        return str(error.value)

    return why


def test_damaged_files_are_refused(stopped: Path, tmp_path: Path, refused: Callable[[], str]) -> None:
    """Missing, cut off anywhere, no archive, compressed, pickled, or with a byte turned over in what it holds."""
    assert "No such file" in refused()
    whole = (stopped / CHECKPOINT).read_bytes()
    for share in (0.0, 0.1, 0.5, 0.9, 0.999):
        (tmp_path / CHECKPOINT).write_bytes(whole[: int(share * len(whole))])
        assert "damaged" in refused()
    with zipfile.ZipFile(stopped / CHECKPOINT) as file:
        inside = [member.header_offset + 200 for member in file.infolist() if member.file_size > 400]
    assert len(inside) > 8
    for position in inside:
        (tmp_path / CHECKPOINT).write_bytes(whole[:position] + bytes([whole[position] ^ 64]) + whole[position + 1 :])
        assert "damaged" in refused()
    arrays = arrays_of(stopped)
    np.savez_compressed(tmp_path / CHECKPOINT, **arrays)  # type: ignore[arg-type]
    assert "compressed" in refused()
    np.savez(tmp_path / CHECKPOINT, **{**arrays, "tips": np.array([print], object)})  # type: ignore[arg-type]
    assert "damaged" in refused()


@pytest.mark.parametrize("name", [name for name in ARRAYS if name not in NO_PARTICLES])
def test_arrays_that_do_not_fit_are_refused(
    stopped: Path, tmp_path: Path, refused: Callable[[], str], name: str
) -> None:
    """Each array missing, of another type or shape, a row short, not finite, or with numbers that mean nothing."""
    array = arrays_of(stopped)[name]
    assert len(array) > 1
    missing = [None] * (name != "jumped")  # older checkpoints do not have it
    broken: list[np.ndarray[Any, Any] | None] = [*missing, array.astype(np.float32), array[..., None], array[:-1]]
    values = {"f": [np.nan, np.inf, 1e9], "i": [-7, 2**30], "u": [0], "b": []}[array.dtype.kind]
    if name == "controls":
        values = [-(2**30), 2**30]
    for value in values:
        other = array.copy()
        other[0] = value
        broken.append(other)
    for other in broken:
        arrays = {**arrays_of(stopped), name: other}
        np.savez(tmp_path / CHECKPOINT, **{key: one for key, one in arrays.items() if one is not None})  # type: ignore[arg-type]
        refused()


def test_marks_that_do_not_fit_are_refused(stopped: Path, tmp_path: Path, refused: Callable[[], str]) -> None:
    """The root has not grown, so it has not jumped; the descendants of a vine that has jumped have jumped too."""
    arrays = arrays_of(stopped)
    rows = {slot: row for row, slot in enumerate(arrays["slots"].tolist())}
    pairs = [(row, rows[parent]) for row, parent in enumerate(arrays["parent"].tolist()) if parent >= 0]
    below, above = next((row, above) for row, above in pairs if above != rows[0])
    for marked, unmarked, words in (
        (above, below, "must mark the children"),
        (rows[0], below, "jumped marks the root"),
    ):
        jumped = arrays["jumped"].copy()
        jumped[marked], jumped[unmarked] = True, False
        np.savez(tmp_path / CHECKPOINT, **{**arrays, "jumped": jumped})  # type: ignore[arg-type]
        assert words in refused()


def test_a_reverse_tree_without_a_root_is_refused(stopped: Path, tmp_path: Path, refused: Callable[[], str]) -> None:
    """Vertices that lead to each other in a circle never reach the goal."""
    arrays = arrays_of(stopped)
    parent = arrays["reverse_parent"].copy()
    parent[:3] = 1, 2, 0
    np.savez(tmp_path / CHECKPOINT, **{**arrays, "reverse_parent": parent})  # type: ignore[arg-type]
    assert "round in a circle" in refused()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda facts: facts.update(schema=2), "schema = 2 must be 1"),
        (lambda facts: facts.pop("schema"), "missing key schema"),
        (lambda facts: facts.update(more=1), "unknown key more"),
        (lambda facts: facts["inputs"].update(batch=10**9), "inputs.batch = 1000000000 must be"),
        (lambda facts: facts.update(seconds=-1.0), "seconds = -1.0 must be"),
        (lambda facts: facts.update(seconds=float("nan")), "seconds = nan must be"),
        (lambda facts: facts["generator"]["state"].update(state=2**128), "generator.state.state"),
        (lambda facts: facts["generator"].update(bit_generator="MT19937"), "generator.bit_generator"),
        (lambda facts: facts.update(shrinks=10**6), "shrinks = 1000000 must be"),
        (lambda facts: facts["solutions"][0]["joints"][0].__setitem__(0, 1e308), "solutions[0].joints[0][0]"),
        (lambda facts: facts["solutions"][0]["tip"].__setitem__(0, 1e308), "solutions[0].tip[0]"),
        (lambda facts: facts["solutions"][0]["controls"].append(1), "one joint more"),
        (lambda facts: facts["solutions"][0]["controls"].__setitem__(0, 10**6), "solutions[0].controls"),
        (lambda facts: facts.update(history=[]), "history"),
        (lambda facts: facts.update(environment=facts["environment"].replace("radius", "radios")), "goal"),
        (lambda facts: facts.update(environment=facts["environment"].replace("heading_deg = ", "heading_deg = 1")), "place"),
        (lambda facts: facts.update(sha256="0" * 64), "place does not match the environment"),
    ],
)  # fmt: skip
def test_facts_that_do_not_fit_are_refused(
    stopped: Path, tmp_path: Path, refused: Callable[[], str], change: Callable[[dict[str, Any]], object], words: str
) -> None:
    """Another schema, unknown and missing keys, and numbers out of their range are reported by name."""
    with_facts(stopped, tmp_path, change)
    assert words in refused()


# ---- where it lies ----


def test_what_a_kill_left_is_swept_up(tmp_path: Path) -> None:
    """Caught between the two moves, the old folder is put back; halves go; what looks alike but is not ours stays."""
    for name in (".run.old.ab_cd123/run.json", ".run.new.12345678/plan.png", ".run.new.own_work/thesis.tex"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name)
    (tmp_path / ".run.new.87654321").write_text("half a checkpoint")
    (tmp_path / ".run.new.mine.new.12345678").write_text("another's")
    clear_leftovers(tmp_path / "run")
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"run/run.json", ".run.new.own_work/thesis.tex", ".run.new.mine.new.12345678"}
    (tmp_path / ".run.old.ab_cd123").mkdir()
    (tmp_path / ".run.old.ab_cd123" / "run.json").write_text("older")
    clear_leftovers(tmp_path / "run")
    assert (tmp_path / "run" / "run.json").read_text() == ".run.old.ab_cd123/run.json"
    assert not (tmp_path / ".run.old.ab_cd123").exists()


def test_a_checkpoint_leaves_the_other_files(
    shipped: dict[str, Environment], params: VineParams, tmp_path: Path
) -> None:
    """It is put in the place of the one before, beside the results of an earlier run; nothing lies beside the folder."""
    run, out = prepared(shipped["divider"], params), tmp_path / "runs" / "divider"
    save_checkpoint(out, run, INPUTS)
    (out / "design.json").write_text("earlier")
    searched(run, 1)
    save_checkpoint(out, run, INPUTS)
    assert {entry.name for entry in out.iterdir()} == {"design.json", CHECKPOINT}
    assert [entry.name for entry in out.parent.iterdir()] == ["divider"]
    assert json.loads(arrays_of(out)["facts"].tobytes())["iteration"] == 1
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableFolder, match="file cannot be written"):
        save_checkpoint(tmp_path / "file", run, INPUTS)


def test_only_a_run_with_a_checkpoint_is_offered_to_be_resumed(
    shipped: dict[str, Environment], params: VineParams, tmp_path: Path
) -> None:
    """Where no checkpoint could be written there is nothing to resume, and no command that says so."""
    run = prepared(shipped["divider"], params)
    searched(run, 1)
    assert resume_command(run, INPUTS, tmp_path, "") == ""
    save_checkpoint(tmp_path, run, INPUTS)
    assert resume_command(run, INPUTS, tmp_path, "").startswith(f"vinewright plan --resume {tmp_path} --time-budget ")

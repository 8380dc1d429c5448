"""A checkpoint: all that a planning run needs to be resumed as if it had never been stopped.

One `.npz` file that cannot hide anything: no pickles, no compression. Its arrays are listed in `ARRAYS`; one of
them, `facts`, holds JSON (`Facts`), in which every number has as many digits as it takes to read it back to the last bit.
What follows from the rest (costs, bound, radius, cost-to-go) is not kept, so it cannot disagree.
"""

from __future__ import annotations

import json
import os
import zipfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from dynamics.tube import VineParams
from dynamics.tube_file import InvalidTube, tube_content
from environments.environment import Environment, environment_text, parse_environment
from environments.file_model import InvalidEnvironment, describe
from environments.obstacles import Obstacles
from planner.provenance import versions
from planner.runs.facts import LARGEST, Facts
from planner.runs.inputs import Inputs
from planner.search.reverse_tree import ReverseTree
from planner.search.run import HistoryEntry, Run
from planner.search.sst import FIRST_RADIUS, LONGEST_TUBE, RADIUS_FACTOR
from planner.search.tree import KEPT
from surrogate.compiled import Floats

CHECKPOINT = "checkpoint.npz"
"""Its name in the folder of a run."""
MOST_BEND = 100.0
"""No joint bends further [rad]; some fold over, by a little more than pi."""
Arrays = dict[str, NDArray[Any]]
ARRAYS: dict[str, tuple[type, int]] = {
    "facts": (np.uint8, 0),
    "place": (np.float64, 0),
    "slots": (np.int64, 0),
    "free": (np.int64, 0),
    "angles": (np.float64, 0),
    "controls": (np.int32, 0),
    "segments": (np.int64, 0),
    "tips": (np.float64, 3),
    "actuators": (np.int64, 0),
    "straight": (np.bool_, 0),
    "parent": (np.int64, 0),
    "active": (np.bool_, 0),
    "witness_poses": (np.float64, 3),
    "witness_nodes": (np.int64, 0),
    "reverse_poses": (np.float64, 3),
    "reverse_parent": (np.int64, 0),
    "reverse_cost": (np.float64, 0),
}
"""Type of each array, and its columns; 0 is an array of one axis."""


class InvalidCheckpoint(ValueError):
    """A checkpoint that cannot be used; the one-line message names the file and what is wrong with it."""


def write_checkpoint(path: Path, run: Run, inputs: Inputs) -> None:
    """Write the state of a run between two iterations; it is on the disk when this returns.

    Raises:
        OSError: The file cannot be written.
    """
    search, found, tree = run.search, run.solutions, run.reverse_tree
    facts: dict[str, Any] = {
        "schema": 1,
        "versions": versions(),
        "inputs": inputs.model_dump(),
        "tube": tube_content(run.params),
        "name": run.environment.name,
        "environment": environment_text(run.environment),
        "sha256": run.environment.sha256,
        "iteration": search.iteration,
        "vine_steps": search.vine_steps,
        "shrinks": search.shrinks,
        "next_shrink": search.next_shrink,
        "generator": search.rng.bit_generator.state,
        "seconds": run.seconds,
        "prepare_seconds": run.prepare_seconds,
        "history": [asdict(moment) for moment in run.history],
        "replayed": found.replayed,
        "rejected": found.rejected,
        "solutions": [
            {
                "controls": solution.controls.tolist(),
                "tip": solution.design.tip.tolist(),
                "joints": solution.design.centerline.tolist(),
            }
            for solution in found.best
        ],
        "reverse_tree": tree and {"too_tight": tree.too_tight, "blocked": tree.blocked, "seconds": tree.seconds},
    }
    arrays: Arrays = {
        "facts": np.frombuffer(json.dumps(facts, allow_nan=False).encode(), np.uint8),
        "place": _numbers(run.environment),
        **search.tree.stored(),
        "witness_poses": search.witnesses.poses,
        "witness_nodes": search.witnesses.node,
        "reverse_poses": tree.poses if tree else np.zeros((0, 3)),
        "reverse_parent": tree.parent if tree else np.zeros(0, np.int64),
        "reverse_cost": tree.cost if tree else np.zeros(0),
    }
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]  # no array is called allow_pickle
        file.flush()
        os.fsync(file.fileno())


def _numbers(environment: Environment) -> Floats:
    """All numbers of an environment in one row: its file rounds them, but a search must resume from the last bit."""
    solid = environment.obstacles
    parts = [environment.bounds, environment.start, environment.goal, *solid.polygons, solid.circles, solid.walls]
    return np.concatenate([np.ravel(part) for part in parts])


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """What `read_checkpoint` found, checked as far as it can be without the run it came from."""

    path: Path
    inputs: Inputs
    environment: Environment
    tube: VineParams
    versions: dict[str, str]
    _facts: Facts
    _arrays: Arrays

    @property
    def caution(self) -> str:
        """A message if it was written with other versions of what a result depends on; otherwise empty."""
        now = versions()
        changed = [f"{name} {then}" for name, then in self.versions.items() if now.get(name, then) != then]
        return f"; begun with {', '.join(changed)}, so it may not end as it would have" if changed else ""

    def restore(self, run: Run) -> None:
        """Put a run that was prepared with the same inputs into this state.

        Raises:
            InvalidCheckpoint: The state cannot be that of such a run.
        """
        facts, arrays, search, found = self._facts, self._arrays, run.search, run.solutions
        try:
            _check_nodes(arrays, search.max_segments, len(search.catalogue.l_0))
            _check_witnesses(arrays)
            _check_solutions(facts, search.max_segments, len(search.catalogue.l_0), found.keep)
            tree = self._reverse_tree(run)
        except InvalidCheckpoint as error:
            raise InvalidCheckpoint(f"{self.path}: {error}") from None
        search.tree.restore({name: arrays[name] for name in ("slots", "free", "angles", "controls", *KEPT)})
        search.iteration, search.vine_steps = facts.iteration, facts.vine_steps
        search.shrinks, search.next_shrink, search.radius = facts.shrinks, facts.next_shrink, FIRST_RADIUS
        for _ in range(facts.shrinks - 1):
            search.radius *= RADIUS_FACTOR
        search.rng.bit_generator.state = facts.generator.model_dump()
        witnesses, node = search.witnesses, arrays["witness_nodes"]
        witnesses.poses, witnesses.node = arrays["witness_poses"], node
        witnesses.cost = np.where(
            node >= 0, search.cost(search.tree.actuators[node], search.tree.segments[node]), np.inf
        )
        found.replayed, found.rejected = facts.replayed, facts.rejected
        found.best = [
            found.solution(np.array(part.controls, np.int32), np.array(part.tip), np.array(part.joints))
            for part in facts.solutions
        ]
        if found.best:
            search.bound = found.best[0].cost + search.slack
        run.seconds, run.history = facts.seconds, [HistoryEntry(**part.model_dump()) for part in facts.history]
        run.prepare_seconds += facts.prepare_seconds
        if tree:
            run.follow(tree)

    def _reverse_tree(self, run: Run) -> ReverseTree | None:
        part, arrays = self._facts.reverse_tree, self._arrays
        if part is None:
            return None
        poses, parent, cost = (arrays[f"reverse_{name}"] for name in ("poses", "parent", "cost"))
        _demand(len(poses) > 0 and len(parent) == len(cost) == len(poses), "the reverse tree's arrays differ in length")
        _demand(((parent >= -1) & (parent < len(poses))).all(), "reverse_parent points outside the tree")
        radius, tightest = run.params.clearance, run.search.catalogue.reachable[1]
        tree = ReverseTree(poses, parent, cost, radius, tightest, part.too_tight, part.blocked, part.seconds)
        length = np.sum(tree.edges[1].length, axis=0)
        _demand(np.all(length <= LONGEST_TUBE), "the reverse tree has an edge that is longer than any tube")
        return tree


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read and check the checkpoint of a run.

    Raises:
        InvalidCheckpoint: It is missing, damaged, of another schema, or holds what no checkpoint may hold.
    """
    path = folder / CHECKPOINT
    try:
        _demand(path.is_file() or not path.exists(), "is not a regular file")
        arrays = _read_arrays(path)
        facts = _read_facts(arrays["facts"])
        environment, tube = _environment(facts, arrays["place"]), facts.params()
    except OSError as error:
        raise InvalidCheckpoint(f"{path}: cannot be read: {error.strerror}; begin again with `plan ENV`") from None
    except InvalidTube as error:
        raise InvalidCheckpoint(f"{path}: facts: tube: {error}") from None
    except (InvalidCheckpoint, InvalidEnvironment) as error:
        raise InvalidCheckpoint(f"{path}: {error}") from None
    return Checkpoint(path, facts.inputs, environment, tube, facts.versions, facts, arrays)


# ---- what a file holds ----


def _read_arrays(path: Path) -> Arrays:
    try:
        with zipfile.ZipFile(path) as file:
            packed = any(member.compress_type != zipfile.ZIP_STORED for member in file.infolist())
        if not packed:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
    except OSError:
        raise
    except Exception:  # what zipfile and NumPy raise for a damaged file cannot be predicted
        raise InvalidCheckpoint("is no checkpoint, or a damaged one") from None
    _demand(not packed, "is compressed; no checkpoint is")
    _demand(arrays.keys() == ARRAYS.keys(), f"must hold the arrays {', '.join(ARRAYS)}")
    for name, (kind, columns) in ARRAYS.items():
        array, shape = arrays[name], (columns,) if columns else ()
        _demand(array.dtype == kind, f"{name} is of type {array.dtype}; it must be {np.dtype(kind)}")
        fits = array.ndim == 1 + len(shape) and array.shape[1:] == shape
        _demand(fits, f"{name} has the shape {array.shape}; it must be {str(('n', *shape)).replace(chr(39), '')}")
        # NaN is not below either.
        small = array.dtype.kind != "f" or (np.abs(array) < LARGEST).all()
        _demand(bool(small), f"{name} must be finite and below {LARGEST:g}")
    return arrays


def _read_facts(array: NDArray[np.uint8]) -> Facts:
    try:
        return Facts.model_validate(json.loads(array.tobytes()))
    except ValidationError as error:
        raise InvalidCheckpoint(f"facts: {describe(error, Facts)}") from None
    except (ValueError, RecursionError):
        raise InvalidCheckpoint("facts is not JSON") from None


def _environment(facts: Facts, numbers: Floats) -> Environment:
    """The environment, to the last bit: as in its file, which is checked, with the numbers that the file rounds."""
    file = parse_environment(facts.environment.encode("utf-8", "replace"), facts.name)
    rounded = _numbers(file)
    same = len(numbers) == len(rounded) and np.allclose(numbers, rounded, rtol=1e-9, atol=1e-12)
    _demand(same and facts.sha256 == file.sha256, "place is not that of its environment")
    solid, parts = file.obstacles, []
    for part in (file.bounds, file.start, file.goal, *solid.polygons, solid.circles, solid.walls):
        parts.append(numbers[: part.size].reshape(part.shape))
        numbers = numbers[part.size :]
    bounds, start, goal, *polygons, circles, walls = parts
    return replace(file, bounds=bounds, start=start, goal=goal, obstacles=Obstacles(tuple(polygons), circles, walls))


# ---- what a run may hold ----


def _demand(holds: bool | np.bool_, complaint: str) -> None:
    if not holds:
        raise InvalidCheckpoint(complaint)


def _check_nodes(arrays: Arrays, max_segments: int, entries: int) -> None:
    """Make sure that the nodes are a tree of vines.

    Args:
        entries: Of the catalogue.
    """
    slots, free, segments, parent = (arrays[name] for name in ("slots", "free", "segments", "parent"))
    count = len(slots) + len(free)
    for name in KEPT:
        _demand(len(arrays[name]) == len(slots), f"{name} has {len(arrays[name])} nodes; slots has {len(slots)}")
    every = np.sort(np.concatenate([slots, free]))
    _demand(np.array_equal(every, np.arange(count)), "slots and free must hold every number below their count once")
    _demand(np.all((segments >= 0) & (segments <= max_segments)), f"segments must be from 0 to {max_segments}")
    grown, actuators, root = int(segments.sum()), arrays["actuators"], segments == 0
    for name in ("angles", "controls"):
        _demand(len(arrays[name]) == grown, f"{name} has {len(arrays[name])} segments; the nodes have {grown}")
    _demand(np.all(np.abs(arrays["angles"]) <= MOST_BEND), f"angles must be from -{MOST_BEND:g} to {MOST_BEND:g}")
    _demand(
        np.all((arrays["controls"] >= -entries) & (arrays["controls"] <= entries)),
        f"controls must be from -{entries} to {entries}",
    )
    _demand(
        np.all((actuators >= 0) & (actuators <= segments)), "actuators must be from 0 to the segments of their node"
    )
    _demand(root.sum() == 1 and arrays["active"][root].all() and (parent[root] == -1).all(), "there must be one root")
    index = np.full(count + 1, -1)
    index[slots] = np.arange(len(slots))
    _demand(np.all((parent[~root] >= 0) & (parent[~root] < count)), "parent points outside the tree")
    above = index[parent[~root]]
    _demand(np.all(above >= 0), "parent points to a free slot")
    _demand(np.all(segments[above] < segments[~root]), "a node must have more segments than its parent")


def _check_witnesses(arrays: Arrays) -> None:
    node, poses = arrays["witness_nodes"], arrays["witness_poses"]
    _demand(len(node) == len(poses), f"witness_nodes has {len(node)} witnesses; witness_poses has {len(poses)}")
    named = node[node >= 0]
    _demand(
        np.all(node >= -1) and np.isin(named, arrays["slots"][arrays["active"]]).all(),
        "witness_nodes must be active nodes, or -1",
    )


def _check_solutions(facts: Facts, max_segments: int, entries: int, keep: int) -> None:
    _demand(len(facts.solutions) <= keep, f"facts: there are {len(facts.solutions)} solutions; {keep} are kept")
    for k, part in enumerate(facts.solutions):
        segments = len(part.controls)
        _demand(segments <= max_segments, f"facts: solutions[{k}] has {segments} segments; {max_segments} are the most")
        _demand(
            len(part.joints) == segments + 1, f"facts: solutions[{k}] must have one joint more than it has controls"
        )
        _demand(
            max(map(abs, part.controls)) <= entries,
            f"facts: solutions[{k}].controls must be from -{entries} to {entries}",
        )
    _demand(not facts.solutions or bool(facts.history), "facts: solutions without a history")

"""Checkpoints: the complete state of a planning run, so that a resumed run continues as if it had not been stopped.

A checkpoint is one `.npz` file without pickles. Its arrays are listed in `ARRAYS`; one of them, `facts`,
contains JSON (`Facts`), in which all numbers have enough digits to be restored exactly. Derived values (costs, bound,
radius, cost-to-go) are not stored, so they cannot be inconsistent with the rest.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from dynamics.jumps import Jump
from dynamics.tube import InvalidTube, VineParams
from dynamics.tube_file import tube_content
from environments.environment import Environment
from environments.environment_file import environment_text, parse_environment
from environments.error_messages import describe
from environments.file_model import InvalidEnvironment
from planner.design.known_design import KnownDesign
from planner.output.contents import CHECKPOINT
from planner.output.provenance import versions
from planner.plan.inputs import Inputs
from planner.plan.run.arrays import Arrays, InvalidCheckpoint, check_arrays, read_arrays, require, write_arrays
from planner.plan.run.facts import Facts, SolutionPart
from planner.plan.run.stored_sections import restore_design, restore_sections, store_sections
from planner.search.graphs import search_graph
from planner.search.guidance import MOST_SAMPLES
from planner.search.reverse.arc_collision import arc_scene
from planner.search.reverse.arc_price import ArcCurvatures
from planner.search.reverse.reverse_tree import ReverseTree
from planner.search.run import EarlierRun, HistoryEntry, Run
from planner.search.solutions import Solution, Solutions
from planner.search.sst import FIRST_RADIUS, LONGEST_TUBE, RADIUS_FACTOR
from planner.search.tree import KEPT
from surrogate.kernels.compiled import Floats

if TYPE_CHECKING:
    import networkx

MOST_BEND = 100.0
"""Upper limit of a joint's bend [rad]; joints that fold over bend by slightly more than pi."""
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
    "jumped": (np.bool_, 0),
    "parent": (np.int64, 0),
    "active": (np.bool_, 0),
    "witness_poses": (np.float64, 3),
    "witness_nodes": (np.int64, 0),
    "particle_alive": (np.bool_, 0),
    "particle_angles": (np.float64, 0),
    "reverse_poses": (np.float64, 3),
    "reverse_parent": (np.int64, 0),
    "reverse_cost": (np.float64, 0),
}
"""Type and number of columns of each array; 0 means a one-dimensional array."""


NO_PARTICLES: Arrays = {"particle_alive": np.zeros(0, bool), "particle_angles": np.zeros(0)}
"""Arrays of a search without particles; older checkpoints do not have these arrays."""


def write_checkpoint(path: Path, run: Run, inputs: Inputs) -> None:
    """Write the state of a run between two iterations, and wait until it is on disk.

    Raises:
        OSError: The file cannot be written.
    """
    search, found, tree, known = run.search, run.solutions, run.reverse_tree, run.search.switches.known
    facts: dict[str, Any] = {
        "schema": 1,
        "versions": versions(),
        "inputs": inputs.model_dump(),
        "known": known
        and {**known.content(), "sections": [one.model_dump() for one in store_sections(known.design.sections)]},
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
        "prepare_seconds": run.prepare_seconds + run.solutions.preparing,
        "history": [asdict(entry) for entry in run.history],
        "replayed": found.replayed,
        "rejected": found.rejected,
        "ambiguous": found.ambiguous,
        "waited": found.waited,
        "solutions": [
            {
                "controls": solution.controls.tolist(),
                "tip": solution.design.tip.tolist(),
                "joints": solution.design.centerline.tolist(),
                "jump": solution.jump,
                "sections": _known_sections(solution, known),
            }
            for solution in found.best
        ],
        "reverse_tree": tree
        and {
            "too_tight": tree.refused[0],
            "blocked": tree.refused[1],
            "seconds": tree.seconds,
            "samples": tree.samples,
        },
    }
    arrays: Arrays = {
        "facts": np.frombuffer(json.dumps(facts, allow_nan=False).encode(), np.uint8),
        "place": exact_numbers(run.environment),
        **search.tree.to_arrays(root_only=search.repeated),
        "witness_poses": search.witnesses.poses,
        "witness_nodes": search.witnesses.node.ravel(),
        **(search.particles.to_arrays(search.tree) if search.particles else NO_PARTICLES),
        "reverse_poses": tree.poses if tree else np.zeros((0, 3)),
        "reverse_parent": tree.parent if tree else np.zeros(0, np.int64),
        "reverse_cost": tree.cost if tree else np.zeros(0),
    }
    write_arrays(path, arrays)


def exact_numbers(environment: Environment) -> Floats:
    """All numbers of an environment in one row, shape (n,): its file rounds them, but a search must resume with the exact values."""
    solid = environment.obstacles
    parts = [environment.bounds, environment.start, environment.goal, *solid.polygons, solid.circles, solid.walls]
    return np.concatenate([np.ravel(part) for part in parts])


@dataclass(frozen=True, slots=True, eq=False)
class Checkpoint:
    """The content of a checkpoint, checked as far as possible without its run."""

    path: Path
    inputs: Inputs
    environment: Environment
    tube: VineParams
    versions: dict[str, str]
    known: KnownDesign | None
    """The design with which the plan began."""
    _facts: Facts
    _arrays: Arrays

    @property
    def caution(self) -> str:
        """A message if the checkpoint was written with other versions of packages that affect results; otherwise empty."""
        now = versions()
        changed = [f"{name} {then}" for name, then in self.versions.items() if now.get(name, then) != then]
        return f"; started with {', '.join(changed)}, so the result may differ" if changed else ""

    def search_graph(self) -> networkx.DiGraph[int]:
        """Return its search tree as a graph, see `planner.search.graphs.search_graph`."""
        return search_graph(self._arrays)

    def write(self, path: Path) -> None:
        """Write it again as it was read, and wait until it is on disk.

        Raises:
            OSError: The file cannot be written.
        """
        write_arrays(path, self._arrays)

    def restore(self, run: Run) -> None:
        """Put a run that was prepared with the same inputs into this state.

        Raises:
            InvalidCheckpoint: The state is not valid for this run.
        """
        facts, arrays, search, found = self._facts, self._arrays, run.search, run.solutions
        history = [HistoryEntry(**part.model_dump()) for part in facts.history]
        run.prepare_seconds += facts.prepare_seconds
        if search.repeated:
            run.past = EarlierRun(facts.iteration, facts.seconds, history) if facts.iteration else None
            return
        try:
            _check_nodes(arrays, search.max_segments, len(search.catalogue.l_0))
            _check_witnesses(arrays, search.witnesses.levels)
            _check_solutions(facts, search.max_segments, len(search.catalogue.l_0), found.keep)
            if search.particles:
                _check_particles(arrays, len(search.particles.worlds))
            tree = self._reverse_tree(run)
        except InvalidCheckpoint as error:
            raise InvalidCheckpoint(f"{self.path}: {error}") from None
        search.tree.restore({name: arrays[name] for name in ("slots", "free", "angles", "controls", *KEPT)})
        if search.prices.bend is not None:
            segments = search.tree.segments
            controls = search.tree.pages.controls(np.arange(len(segments)), int(segments.max(initial=1)))
            search.tree.actuators = search.prices.of_vines(controls, segments)
        search.iteration, search.vine_steps = facts.iteration, facts.vine_steps
        search.shrinks, search.next_shrink, search.radius = facts.shrinks, facts.next_shrink, FIRST_RADIUS
        for _ in range(facts.shrinks - 1):
            search.radius *= RADIUS_FACTOR
        search.rng.bit_generator.state = facts.generator.model_dump()
        if search.particles:
            search.particles.restore(search.tree, arrays["particle_alive"], arrays["particle_angles"])
        witnesses = search.witnesses
        node = arrays["witness_nodes"].reshape(-1, witnesses.levels)
        witnesses.poses, witnesses.node = arrays["witness_poses"], node
        witnesses.cost = np.where(
            node >= 0, search.cost(search.tree.actuators[node], search.tree.segments[node]), np.inf
        )
        found.replayed, found.rejected, found.ambiguous = facts.replayed, facts.rejected, facts.ambiguous
        found.waited = facts.waited
        found.best = [_solution(found, part) for part in facts.solutions]
        search.bound = found.bound
        run.seconds, run.history = facts.seconds, history
        if tree:
            run.planner.guidance.follow(tree)

    def _reverse_tree(self, run: Run) -> ReverseTree | None:
        part, arrays = self._facts.reverse_tree, self._arrays
        if part is None:
            return None
        poses, parent, cost = (arrays[f"reverse_{name}"] for name in ("poses", "parent", "cost"))
        require(len(poses) > 0 and len(parent) == len(cost) == len(poses), "the reverse tree's arrays differ in length")
        require(((parent >= -1) & (parent < len(poses))).all(), "reverse_parent points outside the tree")
        above = parent
        for _ in range(len(poses).bit_length()):  # twice as many steps towards the goal each time
            above = np.where(above >= 0, above[above], -1)
        require((above < 0).all(), "reverse_parent leads round in a circle")
        older, radius = part.samples is None, run.params.clearance
        bends = ArcCurvatures.of(run.search.catalogue.reachable, run.params, run.search.switches.contact and not older)
        scene, refused = arc_scene(run.environment, radius), (part.too_tight, part.blocked)
        samples = MOST_SAMPLES if part.samples is None else part.samples
        tree = ReverseTree.of(scene, poses, parent, bends, radius, refused, samples, part.seconds)
        length = np.sum(tree.edges[1].length, axis=0)
        require(np.all(length <= LONGEST_TUBE), "the reverse tree has an edge that is longer than any tube")
        return tree


def _solution(found: Solutions, part: SolutionPart) -> Solution:
    """A solution again; in a checkpoint that does not say whether it jumps, its replay does."""
    controls = np.array(part.controls, np.int32)
    known = "jump" in part.model_fields_set
    jump = (Jump(*part.jump) if part.jump else None) if known else found.jump_of(controls)
    made = found.solution(controls, np.array(part.tip), np.array(part.joints), jump)
    if part.sections is None:
        return made
    return replace(made, design=replace(made.design, sections=restore_sections(part.sections)))


def _known_sections(solution: Solution, known: KnownDesign | None) -> list[dict[str, Any]] | None:
    """Sections of a solution that is the known design, for `SolutionPart`; None for others."""
    if known is None or solution.design.sections != known.design.sections:
        return None
    return [one.model_dump() for one in store_sections(known.design.sections)]


def read_checkpoint(folder: Path, name: str = CHECKPOINT) -> Checkpoint:
    """Read and check the checkpoint of a run.

    Args:
        name: Name of the file: the folder has one for each search.
    Raises:
        InvalidCheckpoint: The file is missing, damaged, of another schema, or contains invalid values.
    """
    path = folder / name
    try:
        arrays = read_arrays(path)
        # In older checkpoints no node is marked, because it is not known which vines have jumped.
        unmarked = {"jumped": np.zeros(np.shape(arrays.get("parent", ())), bool)}
        arrays = NO_PARTICLES | unmarked | arrays
        check_arrays(arrays, ARRAYS)
        facts = _read_facts(arrays["facts"])
        tube = facts.params()
        environment = _environment(facts, arrays["place"], tube.radius)
    except OSError as error:
        raise InvalidCheckpoint(f"{path}: cannot be read: {error.strerror}; start again with `plan ENV`") from None
    except InvalidTube as error:
        raise InvalidCheckpoint(f"{path}: facts: tube: {error}") from None
    except (InvalidCheckpoint, InvalidEnvironment) as error:
        raise InvalidCheckpoint(f"{path}: {error}") from None
    known, part = None, facts.known
    if part:
        design = restore_design(part.sections, environment, tube)
        known = KnownDesign(design, part.file, part.sha256, tuple(part.changes))
    return Checkpoint(path, facts.inputs, environment, tube, facts.versions, known, facts, arrays)


# ---- reading the file ----


def _read_facts(array: NDArray[np.uint8]) -> Facts:
    try:
        return Facts.model_validate(json.loads(array.tobytes()))
    except ValidationError as error:
        raise InvalidCheckpoint(f"facts: {describe(error, Facts)}") from None
    except (ValueError, RecursionError):
        raise InvalidCheckpoint("facts is not JSON") from None


def _environment(facts: Facts, numbers: Floats, tube_radius: float) -> Environment:
    """The environment with exact numbers: parsed from its file, which is checked, then with the unrounded numbers."""
    file = parse_environment(facts.environment.encode("utf-8", "replace"), facts.name, tube_radius)
    rounded = exact_numbers(file)
    same = len(numbers) == len(rounded) and np.allclose(numbers, rounded, rtol=1e-9, atol=1e-12)
    require(same and facts.sha256 == file.sha256, "place does not match the environment")
    if np.array_equal(numbers, rounded):
        return file
    solid, parts = file.obstacles, []
    for part in (file.bounds, file.start, file.goal, *solid.polygons, solid.circles, solid.walls):
        parts.append(numbers[: part.size].reshape(part.shape))
        numbers = numbers[part.size :]
    bounds, start, goal, *polygons, circles, walls = parts
    return replace(file, bounds=bounds, start=start, goal=goal, obstacles=solid.at(polygons, circles, walls))


# ---- consistency of the state ----


def _check_nodes(arrays: Arrays, max_segments: int, entries: int) -> None:
    """Check that the nodes form a tree of vines.

    Args:
        entries: Number of entries of the catalogue.
    """
    slots, free, segments, parent = (arrays[name] for name in ("slots", "free", "segments", "parent"))
    count = len(slots) + len(free)
    for name in KEPT:
        require(len(arrays[name]) == len(slots), f"{name} has {len(arrays[name])} nodes; slots has {len(slots)}")
    every = np.sort(np.concatenate([slots, free]))
    require(np.array_equal(every, np.arange(count)), "slots and free must contain each slot once")
    require(np.all((segments >= 0) & (segments <= max_segments)), f"segments must be from 0 to {max_segments}")
    grown, actuators, root = int(segments.sum()), arrays["actuators"], segments == 0
    for name in ("angles", "controls"):
        require(len(arrays[name]) == grown, f"{name} has {len(arrays[name])} segments; the nodes have {grown}")
    require(np.all(np.abs(arrays["angles"]) <= MOST_BEND), f"angles must be from -{MOST_BEND:g} to {MOST_BEND:g}")
    require(
        np.all((arrays["controls"] >= -entries) & (arrays["controls"] <= entries)),
        f"controls must be from -{entries} to {entries}",
    )
    require(
        np.all((actuators >= 0) & (actuators <= segments)),
        "actuators must be from 0 to the number of segments of their node",
    )
    require(root.sum() == 1 and arrays["active"][root].all() and (parent[root] == -1).all(), "there must be one root")
    index = np.full(count + 1, -1)
    index[slots] = np.arange(len(slots))
    require(np.all((parent[~root] >= 0) & (parent[~root] < count)), "parent points outside the tree")
    above = index[parent[~root]]
    require(np.all(above >= 0), "parent points to a free slot")
    require(np.all(segments[above] < segments[~root]), "a node must have more segments than its parent")
    jumped = arrays["jumped"]
    require(not jumped[root].any(), "jumped marks the root, which has not grown")
    require(jumped[~root][jumped[above]].all(), "jumped must mark the children of each node that it marks")


def _check_witnesses(arrays: Arrays, levels: int) -> None:
    node, poses = arrays["witness_nodes"], arrays["witness_poses"]
    require(
        len(node) == levels * len(poses),
        f"witness_nodes has {len(node)} nodes; {len(poses)} witnesses with {levels} levels need {levels * len(poses)}",
    )
    named = node[node >= 0]
    require(
        np.all(node >= -1) and np.isin(named, arrays["slots"][arrays["active"]]).all(),
        "witness_nodes must be active nodes, or -1",
    )


def _check_particles(arrays: Arrays, particles: int) -> None:
    alive, angles, segments = arrays["particle_alive"], arrays["particle_angles"], arrays["segments"]
    require(len(alive) == particles * len(segments), f"particle_alive must have {particles} values for each node")
    bends = int((alive.reshape(-1, particles).sum(axis=1) * segments).sum())
    require(len(angles) == bends, f"particle_angles has {len(angles)} bends; the particles have {bends}")
    require(np.all(np.abs(angles) <= MOST_BEND), f"particle_angles must be from -{MOST_BEND:g} to {MOST_BEND:g}")


def _check_solutions(facts: Facts, max_segments: int, entries: int, keep: int) -> None:
    require(len(facts.solutions) <= keep, f"facts: there are {len(facts.solutions)} solutions; at most {keep} are kept")
    for k, part in enumerate(facts.solutions):
        segments = len(part.controls)
        require(
            segments <= max_segments, f"facts: solutions[{k}] has {segments} segments; the maximum is {max_segments}"
        )
        require(
            len(part.joints) == segments + 1, f"facts: solutions[{k}] must have one joint more than it has controls"
        )
        require(
            max(map(abs, part.controls)) <= entries,
            f"facts: solutions[{k}].controls must be from -{entries} to {entries}",
        )
    require(not facts.solutions or bool(facts.history), "facts: solutions without a history")

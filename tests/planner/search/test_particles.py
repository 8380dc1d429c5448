"""Particles: they end where designs end that are grown in the same worlds, and what survives is kept beside what costs little."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, load_environment
from environments.uncertainty import PRESETS
from planner.plan.inputs import Inputs
from planner.plan.run.checkpoint import read_checkpoint, write_checkpoint
from planner.search.controls import sections_of
from planner.search.particles import NEAR
from planner.search.run import Budget, Run
from planner.search.sst import Switches
from planner.search.witnesses import Witnesses
from planner.uncertainty.deviations import actuation_of
from planner.uncertainty.trials import Worlds, grow_rows

PARAMS = VineParams()


@pytest.fixture(scope="module")
def divider() -> Environment:
    return load_environment("divider", PARAMS.radius)


def prepared(divider: Environment, worlds: Worlds) -> Run:
    return Run.prepare(divider, PARAMS, seed=1, batch=12, switches=Switches(worlds=worlds))


@pytest.fixture(scope="module")
def worlds(divider: Environment) -> Worlds:
    return Worlds.draw(divider, PARAMS, PRESETS["workshop"], range(3), seed=1)


@pytest.fixture(scope="module")
def run(divider: Environment, worlds: Worlds) -> Run:
    made = prepared(divider, worlds)
    for _ in made.run(Budget(1e6, iterations=4)):
        pass
    return made


def test_particles_are_where_designs_end_in_the_same_worlds(run: Run, worlds: Worlds) -> None:
    """A node's particle, grown section after section, ends where the design of its controls, grown in one go in that world, ends."""
    search, particles = run.search, run.search.particles
    assert particles
    slots = np.flatnonzero(
        search.tree.used & (search.tree.actuators >= 1) & particles.alive.any(axis=1)[: len(search.tree.used)]
    )
    compared = 0
    for slot in slots[:25].tolist():
        segments = int(search.tree.segments[slot])
        controls = search.tree.pages.controls(np.array([slot]), segments)[0]
        sections = sections_of(controls, PARAMS.segment_length, search.catalogue)
        design = replace(run.solutions.solution(controls, np.zeros(3), np.zeros((2, 2))).design, sections=sections)
        carried = actuation_of(design, worlds.sections(design), worlds.errors)
        rollout = grow_rows(worlds, np.arange(3), carried, design.length)
        for world in np.flatnonzero(particles.alive[slot]):
            assert rollout.records[world] == segments
            bends = particles.angles[slot, world, :segments]
            # The growth was interrupted at nodes; what differs after that are tolerances of rest.
            moved = np.hypot(
                *(tip_of(bends, carried.pressure[world], worlds, int(world)) - rollout.tips[world, segments - 1, :2])
            )
            compared += moved < 5e-3
            assert moved < NEAR * PARAMS.radius
    assert compared > 15


def tip_of(bends: np.ndarray, pressure: np.ndarray, worlds: Worlds, world: int) -> np.ndarray:
    """Where a vine ends [m]."""
    x, y, heading = worlds.motions.start[world]
    lengths = PARAMS.segment_length - PARAMS.pivot * np.abs(bends) * (pressure[: len(bends)] != 0)
    headings = heading + np.cumsum(bends)
    return np.array([x + (lengths * np.cos(headings)).sum(), y + (lengths * np.sin(headings)).sum()])


def test_levels_count_the_particles_that_survive(run: Run) -> None:
    """Each node that represents a witness has the level of its living particles; the dead do not come back to life."""
    tree, witnesses, particles = run.search.tree, run.search.witnesses, run.search.particles
    assert particles
    w, level = np.nonzero(witnesses.node >= 0)
    assert (particles.alive[witnesses.node[w, level]].sum(axis=1) == level).all()
    assert len(set(level.tolist())) > 1
    child = np.flatnonzero(tree.used & (tree.parent >= 0))
    assert not (particles.alive[child] & ~particles.alive[tree.parent[child]]).any()


def test_a_particle_survives_up_to_a_distance(divider: Environment, worlds: Worlds) -> None:
    """Just within it, and not just beyond it; nor beyond its last record, nor in a vine that did not grow."""
    particles = prepared(divider, worlds).search.particles
    assert particles
    bare = np.zeros((2, particles.max_segments), np.int32)
    grown = particles.grow(np.zeros(2, int), np.zeros(2, int), bare, np.array([5, 0]))
    assert grown.rollout is not None
    first, near = np.zeros(1, int), 0.1
    tip = grown.rollout.tips[grown.row[0, 1], 4, :2]
    for aside, alive in ((0.999, True), (1.001, False)):
        assert grown.survive(first, np.array([4]), tip[None] + [0.0, aside * near], near)[0, 1] == alive
    assert not grown.survive(first, np.array([5]), tip[None], near).any()
    assert not grown.survive(first + 1, np.array([0]), tip[None], 9.0).any()


def test_survival_is_worth_up_to_two_actuators(run: Run) -> None:
    """Nothing is added where all particles survive, and more the fewer do: such nodes are selected and replayed first."""
    risk = run.search._risk(np.arange(4))
    assert risk == pytest.approx([1.5, 1.0, 0.5, 0.0])


def test_no_node_of_a_witness_dominates_another(run: Run) -> None:
    """The costlier of two nodes of one witness survives in more worlds."""
    cost = run.search.witnesses.cost
    for row in cost:
        known = row[np.isfinite(row)]
        assert (np.diff(known) > 0).all()


def test_a_search_with_particles_resumes_bitwise(
    run: Run, divider: Environment, worlds: Worlds, tmp_path: Path
) -> None:
    """Two iterations, a checkpoint and two more make the same tree, with the same particles, as four."""
    first = prepared(divider, worlds)
    for _ in first.run(Budget(1e6, iterations=2)):
        pass
    write_checkpoint(tmp_path / "checkpoint.npz", first, Inputs(particles=4, batch=12, seed=1))
    again = prepared(divider, worlds)
    read_checkpoint(tmp_path).restore(again)
    for _ in again.run(Budget(1e6, iterations=4)):
        pass
    used = np.flatnonzero(run.search.tree.used)
    assert np.array_equal(used, np.flatnonzero(again.search.tree.used))
    for one, other in ((run.search, again.search),):
        assert one.particles
        assert other.particles
        assert np.array_equal(one.tree.tips[used], other.tree.tips[used])
        assert np.array_equal(one.particles.alive[used], other.particles.alive[used])
        living = one.particles.alive[used]
        assert np.array_equal(one.particles.angles[used][living], other.particles.angles[used][living])
        assert np.array_equal(one.witnesses.node, other.witnesses.node)


def test_a_damaged_particle_is_refused(run: Run, tmp_path: Path) -> None:
    """A checkpoint whose particles do not fit its nodes gives one line."""
    path = tmp_path / "checkpoint.npz"
    write_checkpoint(path, run, Inputs(particles=4))
    with np.load(path) as file:
        arrays = dict(file)
    arrays["particle_angles"] = arrays["particle_angles"][:-1]
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match=r"particle_angles has \d+ bends; the particles have \d+"):
        read_checkpoint(tmp_path).restore(prepared(run.environment, run.search.switches.worlds))


def test_witnesses_keep_what_neither_cost_nor_level_dominates() -> None:
    """Candidates at one pose: kept are exactly those that no other one beats in both, whether they come together or one by one."""
    rng = np.random.default_rng(0)
    costs, level = rng.integers(0, 6, 40) + rng.uniform(0, 1e-3, 40), rng.integers(0, 4, 40)
    pose = np.zeros((1, 3))
    expected = {
        k
        for k in range(40)
        if not any(
            (costs[j] < costs[k] and level[j] >= level[k]) or (costs[j] == costs[k] and level[j] > level[k])
            for j in range(40)
        )
    }
    single = Witnesses(4)
    for k in range(40):
        chosen, witness = single.best(pose, costs[k : k + 1], 0.1, level=level[k : k + 1])
        single.represent(
            witness, k + np.zeros(len(chosen), np.int64), costs[k : k + 1][chosen], level[k : k + 1][chosen]
        )
    assert set(single.node[single.node >= 0].tolist()) == expected
    together = Witnesses(4)
    chosen, witness = together.best(np.repeat(pose, 40, axis=0), costs, 0.1, level=level)
    assert set(chosen.tolist()) == expected
    assert (
        together.undominated(pose, np.array([99.0]), 0.1, np.array([3]))
    ).all()  # nothing represents the witness yet
    together.represent(witness, chosen, costs[chosen], level[chosen])
    assert not together.undominated(pose, np.array([99.0]), 0.1, np.array([3])).any()

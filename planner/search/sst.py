"""Batched SST*: a sparse tree of vines that may grow into contact (paper 002, Algorithm 2; Li et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynamics.propagator import Propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Integers, Rollout
from environments.environment import Environment
from planner.design.catalogue import LEAST_CELLS
from planner.design.known_design import KnownDesign
from planner.search.candidates import GrowingVines, find_candidates
from planner.search.controls import actuation
from planner.search.goal import goal_radius, in_goal
from planner.search.levels import Levels
from planner.search.pages import PAGE, pages_for
from planner.search.particles import NEAR, GrownParticles, Particles
from planner.search.prices import Prices
from planner.search.sampling import Growths, sample_growths
from planner.search.tree import Candidates, Counts, StraightVines, Tree
from planner.search.witnesses import Witnesses, embed, pose_tree, unscale
from planner.uncertainty.trials import Worlds
from surrogate.kernels.compiled import Floats

Examined = TypeVar("Examined")
LENGTH_COST = 1e-2
"""Cost per metre of tube, in actuators."""
FIRST_RADIUS = 60e-3
"""Initial radius of a witness's neighbourhood for the prototype [m]; it is scaled with the tube."""
RADIUS_FACTOR = 0.8
FINEST_RADIUS = 10e-3
"""Minimum radius of neighbourhoods; a search with nothing left to grow continues with smaller radii down to it [m]."""
FIRST_ITERATIONS = 7
UNGUIDED_SHARE = 0.25
"""Share of a batch that is selected without the cost-to-go, or without the distance to the goal."""
TOURNAMENT = 4
"""Size of a tournament: of this many nodes selected by cost-to-come, the one with the lowest total cost is taken."""
LONGEST_TUBE = 50.0
"""Maximum length of a vine [m]."""
LONGEST_ROUND = 2.0
"""Maximum length of a vine in circumferences of the bounds: the way along a spiral is longer than one."""
RISK = 2.0
"""Additional actuators that a search with particles accepts for reaching the goal in all worlds instead of none."""


@dataclass(frozen=True, slots=True)
class Switches:
    """Parts of the search that can be disabled or changed."""

    maximal_recording: bool = True
    """Whether every recorded state may become a node, not only the last of each vine."""
    subset: bool = True
    """Whether of several new candidates near each other only the one with the lowest cost becomes a node."""
    best_near: float = 4.0
    """Radius in which the lowest-cost node is selected, relative to the witness radius."""
    first_batch: int = 30
    """Maximum number of vines grown in each iteration until there is a solution."""
    levels: bool = True
    """Whether most nodes are drawn by their distance to the goal until there is a solution, unless a cost-to-go guides the search."""
    aimed: bool = True
    """Whether some growth is aimed at the goal, and the first vine is straight and as long as it can be."""
    steer: int = 0
    """Maximum number of actuators whose pressures may change while a vine grows."""
    worlds: Worlds | None = None
    """Further worlds in which every vine is grown too; None for none."""
    heuristic: bool = False
    """Whether a reverse tree guides the search from its beginning."""
    pinned: bool = False
    """Whether vines go on from where their tip has stayed in place while they grew, see `dynamics.pinned`."""
    lost: bool = True
    """Whether a reverse tree guides a search that has no solution after some iterations, until it has one."""
    contact: bool = True
    """Whether the reverse tree may use walls."""
    preformed: float | None = None
    """Price of a preformed bend, in actuators; None to search without them."""
    known: KnownDesign | None = None
    """Design with which the search begins, of its tube; None for none."""
    search: Callable[..., Search] | None = None
    """Function or class that makes another kind of search, with the arguments of `Search`; None for `Search` itself."""


DEFAULT_SWITCHES = Switches()


def most_segments(environment: Environment, params: VineParams) -> int:
    """Return the maximum number of segments of a vine."""
    bounds = environment.bounds
    longest = min(LONGEST_ROUND * 2 * (bounds[2] - bounds[0] + bounds[3] - bounds[1]), LONGEST_TUBE)
    return max(int(longest / params.segment_length), 4)


class Search:
    """SST* search; every call of `iterate` grows one batch and returns the vines that reached the goal."""

    repeated: ClassVar[bool] = False
    """Whether it cannot continue from a checkpoint, and is repeated from its beginning instead."""
    name: str = "SST*"
    """Name of the planner among OMPL's."""

    def __init__(
        self,
        environment: Environment,
        propagator: Propagator,
        params: VineParams,
        rng: np.random.Generator,
        batch: int,
        switches: Switches = DEFAULT_SWITCHES,
    ) -> None:
        """Create the tree."""
        self.environment, self.propagator, self.params = environment, propagator, params
        self._grower = propagator
        if isinstance(propagator, QuasiStatic) and not switches.pinned:
            self._grower = propagator.stopping_where_pinned()
        self.prices = Prices(params, switches.preformed)
        self.catalogue = self.prices.catalogue
        self.rng, self.batch, self.switches = rng, batch, switches
        self.max_segments = most_segments(environment, params)
        self.width = 0
        """Capacity for segments of the vines that are grown, as far as they have needed it."""
        self.tree = Tree(StraightVines(propagator), params.pivot)
        self.tree.actuators = self.tree.actuators.astype(self.prices.of_entry.dtype)
        worlds = switches.worlds
        self.particles = Particles(worlds, self.catalogue, self.max_segments) if worlds else None
        self.witnesses = Witnesses(len(worlds) + 1 if worlds else 1)
        self.size = params.scale
        """Radius of the tube over the prototype's [-]: poses are compared in lengths of the prototype."""
        self.radius = FIRST_RADIUS
        self.bound = np.inf
        """Nodes that cannot lead to a solution below this cost are pruned; infinite until there is a solution."""
        self.iteration = 0
        self.vine_steps = 0
        self._cost_to_go: Callable[[Floats], Floats] | None = None
        self.shrinks, self.next_shrink = 1, FIRST_ITERATIONS
        """Number of the radius, from 1, and the iteration at whose end it is reduced."""
        none, no = np.zeros(1, np.int64), np.zeros(1, bool)
        root = Candidates(
            propagator.start(1, 1).angles,
            np.zeros((1, 1), np.int32), none,
            np.asarray(environment.start, float)[None], none, no, no, np.full(1, -1), none, none,
            ~worlds.blocked[None] if worlds else np.zeros((1, 0), bool),
        )  # fmt: skip
        self._insert(root)

    def guide(self, cost_to_go: Callable[[Floats], Floats]) -> None:
        """Use a cost-to-go from now on: a function of poses, shape (n, 3), infinite where unknown."""
        self._cost_to_go = cost_to_go
        self.tree.to_go = cost_to_go(self.tree.tips)

    @overload
    def iterate(self) -> Candidates: ...

    @overload
    def iterate(self, examine: Callable[[Candidates], Examined]) -> Examined: ...

    def iterate(self, examine: Callable[[Candidates], Any] = lambda arrived: arrived) -> Any:
        """Select, grow and examine one batch, then prune and insert it.

        Args:
            examine: Called with the vines whose tip is in the goal, sorted by cost, before the batch is inserted.
        Returns:
            What `examine` returns: without it these vines.
        Raises:
            Interrupted: Growth was cut short, here or in `examine`. The next call is the same iteration then; nothing has changed but
                a radius with which no node could grow. An iteration that fails in any other way does not count either.
        """
        before = self.iteration, self.vine_steps, self.rng.bit_generator.state
        try:
            arrived, insert = self.grow()
            found = examine(arrived)
        except BaseException:
            self.iteration, self.vine_steps, self.rng.bit_generator.state = before
            raise
        insert()
        return found

    def grow(self) -> tuple[Candidates, Callable[[], None]]:
        """Select and grow one batch; return the vines whose tip is in the goal, sorted by cost, and a function that inserts
        the batch."""
        self.iteration += 1
        if not self._growable_nodes().any():
            self._shrink()
        growths = self._sample(self._select())
        nodes, controls, _, segments = growths
        self._widen(self.tree.segments[nodes] + segments)
        full, carried = self.params.segment_length, self._carried(growths)
        state = self.tree.state(nodes, full, self.width)
        rollout = self._grower.grow(state, actuation(carried, self.catalogue), segments * full, full)
        self.vine_steps += int(rollout.steps.sum())
        candidates = self._candidates(rollout, nodes, controls, carried)
        grown = None
        if self.particles:
            candidates, grown = self._with_particles(self.particles, candidates, nodes, carried)

        def insert() -> None:
            self.tree.straight[nodes[controls == 0]] = True
            self._insert(candidates, grown)
            if self.iteration == self.next_shrink:
                self._shrink()

        arrived = candidates[in_goal(candidates.tips, self.environment, self.params)]
        cost = self.cost(arrived.actuators, arrived.segments) + self._risk(arrived.level)
        return arrived[np.argsort(cost, kind="stable")], insert

    def _risk(self, level: Integers) -> Floats:
        """Return the cost of the particles that do not survive, in actuators, shape (n,)."""
        return RISK * (1 - (level + 1) / self.witnesses.levels)

    def _with_particles(
        self, particles: Particles, candidates: Candidates, nodes: Integers, carried: NDArray[np.int32]
    ) -> tuple[Candidates, GrownParticles]:
        """Return the candidates that known nodes do not dominate, with their levels, and their particles."""
        most = particles.alive[candidates.parents].sum(axis=1)
        cost = self.cost(candidates.actuators, candidates.segments)
        poses = unscale(candidates.tips, self.size)
        candidates = candidates[self.witnesses.undominated(poses, cost, self.radius, most)]
        old = self.tree.segments[nodes]
        until = old.copy()
        np.maximum.at(until, candidates.vine, candidates.segments)
        grown = particles.grow(nodes, old, carried, until)
        if grown.rollout is not None:
            self.vine_steps += int(grown.rollout.steps.sum())
        near = NEAR * self.params.radius
        alive = grown.survive(candidates.vine, candidates.record, candidates.tips[:, :2], near)
        return replace(candidates, alive=alive), grown

    def cost(self, actuators: Counts, segments: Integers) -> Floats:
        """Return the cost of vines: price of their bends in actuators, plus LENGTH_COST per metre."""
        return actuators + LENGTH_COST * self.params.segment_length * segments

    def tighten(self, bound: float) -> None:
        """Set the bound and prune every node that cannot stay below it."""
        self.bound = bound
        active = np.flatnonzero(self.tree.active)
        least = self._least_cost(self.tree.tips[active], self.tree.actuators[active], self.tree.segments[active])
        self.prune(active[least >= self.bound])

    def prune(self, slots: Integers) -> None:
        """Remove nodes from the search, except the root."""
        self.tree.retire(slots[self.tree.segments[slots] > 0])
        self.witnesses.forget(~self.tree.active)

    def _least_cost(self, tips: Floats, actuators: Counts, segments: Integers) -> Floats:
        """Return a lower bound of the cost of a solution through a node: straight to the goal without another actuator."""
        goal = self.environment.goal
        ahead = np.maximum(np.hypot(*(tips[:, :2] - goal[:2]).T) - goal[2], 0.0)
        return self.cost(actuators, segments) + LENGTH_COST * ahead

    @property
    def exhausted(self) -> bool:
        """Whether no node can lead to a better solution any more, down to the finest radius."""
        return self.radius < FINEST_RADIUS and not self._growable_nodes().any()

    def affordable_nodes(self, price: ArrayLike, nodes: Any = slice(None)) -> NDArray[np.bool_]:
        """Return whether nodes may get another bend of a price and still lead to a better solution."""
        return self.cost(self.tree.actuators[nodes] + price, self.tree.segments[nodes]) < self.bound

    def _growable_nodes(self) -> NDArray[np.bool_]:
        """Return whether nodes may grow: a control is left to try, and the maximum length is not reached."""
        room = self.tree.segments < self.max_segments
        return self.tree.active & room & (~self.tree.straight | self.affordable_nodes(self.prices.least))

    @cached_property
    def _levels(self) -> Levels | None:
        reach = goal_radius(self.environment, self.params)
        return Levels(self.environment, self.params, reach, LONGEST_TUBE) if self.switches.levels else None

    def _select(self) -> Integers:
        """Select nodes to grow: some by cost-to-come only, the others by cost-to-go too if there is one. Until there is a solution,
        those others, or half of them with a cost-to-go, are selected by their distance to the goal instead.

        The cost-to-go is not a lower bound for a vine that uses contact, so it never prunes: a node whose estimated total
        cost is not below the bound is only ignored by the guided selection. Every batch has an unguided share, so each node
        is selected at least UNGUIDED_SHARE times as often as without guidance. The node of a neighbourhood is still the one
        with the lowest cost-to-come (the cost-to-go is that of the witness, the same for all). Therefore the proofs of
        Li et al. (2016) for SST* still apply.
        """
        growable = np.flatnonzero(self._growable_nodes())
        cost = self.cost(self.tree.actuators[growable], self.tree.segments[growable])
        batch = self.batch if self.bound < np.inf else min(self.batch, self.switches.first_batch)
        if self.switches.aimed and len(growable) == 1:
            return np.repeat(growable, batch)
        plain = int(np.ceil(UNGUIDED_SHARE * batch))
        levels = None if self.bound < np.inf else self._levels
        guided = self._cost_to_go is not None and (self.switches.heuristic or self.bound == np.inf)
        if not guided and levels is None:
            return growable[self._best_near(growable, cost, batch)]
        far = np.zeros(0, np.int64)
        if levels is not None:
            by_level = (batch - plain) // (2 if guided else 1)
            far = levels.draw(self.tree.tips[growable, :2], by_level, self.rng)
        if not guided:
            return growable[np.concatenate([self._best_near(growable, cost, plain), far])]
        drawn = self._best_near(growable, cost, plain + TOURNAMENT * (batch - plain - len(far)))
        rivals = drawn[plain:].reshape(-1, TOURNAMENT)
        through = cost + self.tree.to_go[growable]
        through[through >= self.bound] = np.inf
        winners = rivals[np.arange(len(rivals)), through[rivals].argmin(axis=1)]
        return growable[np.concatenate([drawn[:plain], far, winners])]

    def _best_near(self, nodes: Integers, cost: Floats, count: int) -> Integers:
        """Return the lowest-cost node near each of `count` random poses, or else the nearest; indices into `nodes`."""
        bounds = self.environment.bounds
        drawn = self.rng.uniform([*bounds[:2], -np.pi], [*bounds[2:], np.pi], (count, 3))
        poses = embed(unscale(drawn, self.size))
        kd = pose_tree(unscale(self.tree.tips[nodes], self.size))
        near = kd.query_ball_point(poses, self.switches.best_near * self.radius)
        nearest = kd.query(poses)[1]
        if not self.particles:
            return np.array(
                [min(around, key=cost.__getitem__) if around else nearest[i] for i, around in enumerate(near)]
            )
        # Some draws favour low cost, some favour survival.
        risk, care = self._risk(self.particles.alive[nodes].sum(axis=1)), self.rng.random(count)
        return np.array(
            [
                around[int(np.argmin((cost + care[i] * risk)[around]))] if around else nearest[i]
                for i, around in enumerate(near)
            ]
        )

    def _sample(self, nodes: Integers) -> Growths:
        """Sample how nodes grow, see `sample_growths`."""
        return sample_growths(self, nodes)

    def _carried(self, growths: Growths) -> NDArray[np.int32]:
        """Return the control of every segment, also of those not yet grown."""
        at, old = np.arange(self.width), self.tree.segments[growths.nodes, None]
        new = np.where(at < old + growths.bent[:, None], growths.controls[:, None], np.int32(0))
        return np.where(at < old, self.tree.pages.controls(growths.nodes, self.width), new)

    def _widen(self, until: Integers) -> None:
        """Make `width` sufficient for vines that grow to some numbers of segments. It is never reduced, so that a device keeps its work
        space, but for that of the first vine, which may grow as far as it can; particles have the whole one. Capacity for the longest vine
        possible would take most of the memory of a search."""
        needed, before = PAGE * int(pages_for(until.max(initial=0) + 1)), self.width if self.iteration > 2 else 0
        self.width = self.max_segments if self.particles else min(max(before, needed), self.max_segments)

    def _candidates(
        self, rollout: Rollout, nodes: Integers, controls: NDArray[np.int32], carried: NDArray[np.int32]
    ) -> Candidates:
        """Select records that may become nodes, see `find_candidates`."""
        old = self.tree.segments[nodes]
        previous = self.tree.pages.control(nodes, np.maximum(old - 1, 0))
        new = (controls != 0) & ((old == 0) | (controls != previous))
        batch = GrowingVines(
            nodes,
            old,
            carried,
            controls == 0,
            np.where(new, LEAST_CELLS * self.catalogue.l_0[np.abs(controls) - 1], 0.0),
            self.tree.actuators[nodes] + self.prices.price_added(controls, new),
            self.tree.tips[nodes, :2],
            self.tree.jumped[nodes],
        )
        switches = self.switches
        return find_candidates(
            rollout, batch, self.params, self._may_improve, switches.maximal_recording, switches.pinned
        )

    def _may_improve(self, tips: Floats, actuators: Counts, segments: Integers) -> NDArray[np.bool_]:
        """Return whether vines may still lead to a better solution."""
        return self._least_cost(tips, actuators, segments) < self.bound

    def _insert(self, candidates: Candidates, grown: GrownParticles | None = None) -> tuple[Integers, Candidates]:
        """Insert the candidates that no witness's node dominates, and prune the nodes they replace; return slots and inserted
        candidates."""
        cost = self.cost(candidates.actuators, candidates.segments)
        poses = unscale(candidates.tips, self.size)
        chosen, witness = self.witnesses.best(poses, cost, self.radius, self.switches.subset, candidates.level)
        kept = candidates[chosen]
        slots = self.tree.add(kept)
        if self._cost_to_go:
            self.tree.to_go[slots] = self._cost_to_go(kept.tips)
        if self.particles:
            self.particles.put(slots, len(self.tree.used), kept.alive)
            if grown and kept.alive.any():
                self.particles.angles[slots] = grown.angles(kept.vine, kept.record, kept.alive)
        self.tree.retire(self.witnesses.represent(witness, slots, cost[chosen], kept.level))
        return slots, kept

    def _shrink(self) -> None:
        """Algorithm 2, lines 14-17: d = 3 dimensions of a pose, l = 2 of a control.

        Growth without an actuator is allowed again, because it may now reach nodes that a larger neighbourhood excluded.
        """
        self.tree.straight[:] = False
        self.radius *= RADIUS_FACTOR
        self.shrinks += 1
        wait = FIRST_ITERATIONS * (1 + np.log2(self.shrinks)) * RADIUS_FACTOR ** (-(3 + 2 + 1) * self.shrinks)
        self.next_shrink = self.iteration + int(np.ceil(wait))

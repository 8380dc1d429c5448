"""Batched SST*: a sparse tree of vines grown into contact (paper 002, Algorithm 2; Li et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dynamics.propagator import Propagator
from dynamics.tube import VineParams
from dynamics.vine import Array, Integers, Rollout, Status
from environments.environment import Environment
from planner.search.catalogue import Catalogue
from planner.search.controls import actuation
from planner.search.tree import Tree
from planner.search.witnesses import Witnesses, embed, pose_tree, unscaled
from surrogate.compiled import Floats

LENGTH_COST = 1e-2
"""Cost of a metre of tube, in actuators."""
FIRST_RADIUS = 60e-3
"""Radius of a witness's neighbourhood at first [m], for the prototype: with a tube of another size it goes in proportion."""
RADIUS_FACTOR = 0.8
FINEST_RADIUS = 10e-3
"""A search with nothing left to grow goes on with smaller neighbourhoods until they are smaller than this [m]."""
FIRST_ITERATIONS = 7
PLAIN = 0.25
"""Share of a batch that is selected as if there were no cost-to-go."""
TOURNAMENT = 4
"""Of so many nodes selected by cost-to-come the others take the one with the least cost-to-come and cost-to-go."""
ALTERNATIVES = 5e-3
"""What is looked for beside the best solution, in cost: half a metre longer, as many actuators."""
GOAL_MARGIN = 2e-3
"""The search stops this far inside the goal [m]: a replay may end a little beside it."""
LEAST_CELLS = 2
"""A section shorter than this many cells is not worth making."""
LONGEST_TUBE = 50.0
"""No vine is longer than this [m], nor than the circumference of the bounds."""
LONGEST_GROWTH = 60
"""Most segments grown at once with an actuator."""
LONGEST_STRAIGHT = 40
"""Most segments grown at once without."""
UNFINISHED = 10
"""Records before the end of a growth from which it may go on."""
STRAIGHT = 0.5
"""Chance that a node which has not been grown straight on is."""


@dataclass(frozen=True, slots=True)
class Switches:
    """Parts of the search that can be turned off or changed, to see what they are worth."""

    maximal_recording: bool = True
    """Every state on the way may become a node, not the last of each vine only."""
    subset: bool = True
    """Of new candidates near one another only the cheapest becomes a node."""
    best_near: float = 2.0
    """Radius in which the cheapest node is selected, over the witness radius."""


AS_IT_IS = Switches()


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Recorded states that may become nodes, one a row."""

    angles: Array
    controls: NDArray[np.int32]
    segments: Integers
    tips: Floats
    actuators: Integers
    straight: NDArray[np.bool_]
    parents: Integers

    def __getitem__(self, rows: Integers | NDArray[np.bool_]) -> Candidates:
        return Candidates(
            self.angles[rows],
            self.controls[rows],
            self.segments[rows],
            self.tips[rows],
            self.actuators[rows],
            self.straight[rows],
            self.parents[rows],
        )


class Search:
    """One search; every call of `iterate` grows one batch and returns the vines that reached the goal."""

    def __init__(
        self,
        environment: Environment,
        propagator: Propagator,
        params: VineParams,
        catalogue: Catalogue,
        rng: np.random.Generator,
        batch: int,
        switches: Switches = AS_IT_IS,
        slack: float = ALTERNATIVES,
    ) -> None:
        """Plant the tree; nodes stay while they may lead to solutions no more than `slack` dearer than the best."""
        self.environment, self.propagator, self.params, self.catalogue = environment, propagator, params, catalogue
        self.rng, self.batch, self.switches, self.slack = rng, batch, switches, slack
        bounds = environment.bounds
        longest = min(2 * (bounds[2] - bounds[0] + bounds[3] - bounds[1]), LONGEST_TUBE)
        self.max_segments = max(int(longest / params.segment_length), 4)
        self.tree = Tree(lambda count: propagator.start(count, self.max_segments).angles)
        self.witnesses = Witnesses()
        self.size = params.scale
        """Radius of the tube over the prototype's [-]: poses are compared in lengths of the prototype."""
        self.radius = FIRST_RADIUS
        self.bound = np.inf
        """Nodes that cannot lead to a solution below this cost are pruned."""
        self.iteration = 0
        self.vine_steps = 0
        self._cost_to_go: Callable[[Floats], Floats] | None = None
        self.shrinks, self.next_shrink = 1, FIRST_ITERATIONS
        """Number of the radius, from 1, and the iteration at whose end it becomes smaller."""
        root = Candidates(
            propagator.start(1, self.max_segments).angles,
            np.zeros((1, self.max_segments), np.int32),
            np.zeros(1, np.int64),
            np.asarray(environment.start, float)[None],
            np.zeros(1, np.int64),
            np.zeros(1, bool),
            np.full(1, -1),
        )
        self._insert(root)

    def guide(self, cost_to_go: Callable[[Floats], Floats]) -> None:
        """Be guided from now on by the cost from poses, shape (n, 3), to the goal; infinite where it is unknown."""
        self._cost_to_go = cost_to_go
        self.tree.to_go = cost_to_go(self.tree.tips)

    def iterate(self) -> Candidates:
        """Select, grow, prune and insert one batch; returns the vines whose tip is in the goal, cheapest first."""
        self.iteration += 1
        if not self._growable().any():
            self._shrink()
        nodes, controls, segments = self._sample(self._select())
        carried = self._carried(nodes, controls)
        rollout = self.propagator.grow(
            self.tree.state(nodes, self.params.segment_length),
            actuation(carried, self.catalogue),
            segments * self.params.segment_length,
            self.params.segment_length,
        )
        self.vine_steps += int(rollout.steps.sum())
        candidates = self._candidates(rollout, nodes, controls, carried)
        goal = self.environment.goal
        arrived = np.hypot(*(candidates.tips[:, :2] - goal[:2]).T) <= max(
            goal[2] - GOAL_MARGIN * self.size, 0.5 * goal[2]
        )
        self.tree.straight[nodes[controls == 0]] = True
        self._insert(candidates)
        if self.iteration == self.next_shrink:
            self._shrink()
        reached = candidates[arrived]
        return reached[np.argsort(self.cost(reached.actuators, reached.segments), kind="stable")]

    def cost(self, actuators: Integers, segments: Integers) -> Floats:
        """Cost of vines: actuators, then length."""
        return actuators + LENGTH_COST * self.params.segment_length * segments

    def tighten(self, best: float) -> None:
        """Take up a better solution's cost and prune every node that leads to nothing near it."""
        self.bound = best + self.slack
        active = np.flatnonzero(self.tree.active)
        least = self._least_cost(self.tree.tips[active], self.tree.actuators[active], self.tree.segments[active])
        self.prune(active[least >= self.bound])

    def prune(self, slots: Integers) -> None:
        """Take nodes out of the search; the root stays."""
        self.tree.retire(slots[self.tree.segments[slots] > 0])
        self.witnesses.forget(~self.tree.active)

    def _least_cost(self, tips: Floats, actuators: Integers, segments: Integers) -> Floats:
        """A lower bound on the cost of any solution through a node: straight on to the goal, without another actuator."""
        goal = self.environment.goal
        ahead = np.maximum(np.hypot(*(tips[:, :2] - goal[:2]).T) - goal[2], 0.0)
        return self.cost(actuators, segments) + LENGTH_COST * ahead

    @property
    def exhausted(self) -> bool:
        """Whether nothing that could lead to a better solution is left to try, down to the finest radius."""
        return self.radius < FINEST_RADIUS and not self._growable().any()

    def _affordable(self) -> NDArray[np.bool_]:
        """Nodes that may take one more actuator and still lead to a better solution."""
        return self.cost(self.tree.actuators + 1, self.tree.segments) < self.bound

    def _growable(self) -> NDArray[np.bool_]:
        """Nodes that may grow: there is something left to try, and room for it (growing by nothing would hold them)."""
        room = self.tree.segments < self.max_segments
        return self.tree.active & room & (~self.tree.straight | self._affordable())

    def _select(self) -> Integers:
        """Nodes to grow: some by cost-to-come alone, the others by cost-to-go as well, where there is one.

        Cost-to-go is no lower bound on what a vine needs that leans on walls. So it prunes nothing for good: a node from
        which it promises nothing better than the best solution is passed over by guided selection only. Since every
        batch has its plain share, each node is selected at least PLAIN times as often as without; and since a
        neighbourhood's node is still the one with the least cost-to-come (cost-to-go there is that of its witness, the
        same for all), what Li et al. (2016) prove of SST* goes on to hold.
        """
        growable = np.flatnonzero(self._growable())
        cost = self.cost(self.tree.actuators[growable], self.tree.segments[growable])
        if self._cost_to_go is None:
            return growable[self._best_near(growable, cost, self.batch)]
        plain = int(np.ceil(PLAIN * self.batch))
        drawn = self._best_near(growable, cost, plain + TOURNAMENT * (self.batch - plain))
        rivals = drawn[plain:].reshape(-1, TOURNAMENT)
        through = cost + self.tree.to_go[growable]
        through[through >= self.bound] = np.inf
        winners = rivals[np.arange(len(rivals)), through[rivals].argmin(axis=1)]
        return growable[np.concatenate([drawn[:plain], winners])]

    def _best_near(self, nodes: Integers, cost: Floats, count: int) -> Integers:
        """The cheapest node near each of some random poses, or else the nearest; indices into `nodes`."""
        bounds = self.environment.bounds
        drawn = self.rng.uniform([*bounds[:2], -np.pi], [*bounds[2:], np.pi], (count, 3))
        poses = embed(unscaled(drawn, self.size))
        kd = pose_tree(unscaled(self.tree.tips[nodes], self.size))
        near = kd.query_ball_point(poses, self.switches.best_near * self.radius)
        nearest = kd.query(poses)[1]
        return np.array([min(around, key=cost.__getitem__) if around else nearest[i] for i, around in enumerate(near)])

    def _sample(self, nodes: Integers) -> tuple[Integers, NDArray[np.int32], Integers]:
        """Random controls and lengths: straight, left or right; curvatures uniform over what can be reached.

        Growth is deterministic: a node is grown straight on once, and after that only with an actuator.

        Returns:
            The nodes to grow, the control of each, and the segments to grow.
        """
        batch = len(nodes)
        side = self.rng.choice([-1, 1], batch)
        entry, _ = self.catalogue.synthesise(self.rng.uniform(*self.catalogue.reachable, batch))
        once = np.zeros(batch, bool)
        once[np.unique(nodes, return_index=True)[1]] = True
        affordable = self._affordable()[nodes]
        straight = once & ~self.tree.straight[nodes] & (~affordable | (self.rng.random(batch) < STRAIGHT))
        controls = np.where(straight, 0, side * (entry + 1)).astype(np.int32)
        segments = np.where(straight, LONGEST_STRAIGHT, self.rng.integers(1, LONGEST_GROWTH + 1, batch))
        segments = np.minimum(segments, self.max_segments - self.tree.segments[nodes])
        grown = straight | affordable
        return nodes[grown], controls[grown], segments[grown]

    def _carried(self, nodes: Integers, controls: NDArray[np.int32]) -> NDArray[np.int32]:
        """Controls of every segment, the new ones on all that is not yet grown."""
        grown = np.arange(self.max_segments) < self.tree.segments[nodes, None]
        return np.where(grown, self.tree.controls[nodes], controls[:, None])

    def _candidates(
        self, rollout: Rollout, nodes: Integers, controls: NDArray[np.int32], carried: NDArray[np.int32]
    ) -> Candidates:
        """All records that are whole sections and may still lead to a better solution; none of a vine that broke down."""
        trusted = np.where(rollout.broken < 0, rollout.records, 0)
        vine, record = np.nonzero(np.arange(rollout.segments.shape[1]) < trusted[:, None])
        if not self.switches.maximal_recording:
            last = record == rollout.records[vine] - 1
            vine, record = vine[last], record[last]
        segments = rollout.segments[vine, record]
        tips = rollout.tips[vine, record]
        old = self.tree.segments[nodes]
        previous = self.tree.controls[nodes, np.maximum(old - 1, 0)]
        new = (controls != 0) & ((old == 0) | (controls != previous))
        actuators = (self.tree.actuators[nodes] + new)[vine]
        cells = self.catalogue.l_0[np.abs(controls) - 1]
        enough = ~new[vine] | ((segments - old[vine]) * self.params.segment_length >= LEAST_CELLS * cells[vine])
        whole = np.isclose(rollout.last_length[vine, record], self.params.segment_length)
        # What a vine has grown through without actuator it need not grow through again, but where it was cut off it may go
        # on: from any of the last records, since the cheapest node around there stands for them all.
        goes_on = (record + UNFINISHED >= rollout.records[vine]) & (rollout.status[vine] == Status.GROWN)
        straight = (controls[vine] == 0) & ~goes_on
        fits = enough & whole & (self._least_cost(tips, actuators, segments) < self.bound)
        vine, record = vine[fits], record[fits]
        return Candidates(
            rollout.angles[vine, record], carried[vine],
            segments[fits], tips[fits], actuators[fits], straight[fits], nodes[vine],
        )  # fmt: skip

    def _insert(self, candidates: Candidates) -> None:
        """Keep the candidates that no witness's node dominates, and prune the nodes they replace."""
        cost = self.cost(candidates.actuators, candidates.segments)
        chosen, witness = self.witnesses.best(
            unscaled(candidates.tips, self.size), cost, self.radius, self.switches.subset
        )
        kept = candidates[chosen]
        slots = self.tree.add(
            kept.angles, kept.controls, kept.segments, kept.tips, kept.actuators, kept.straight, kept.parents
        )
        if self._cost_to_go:
            self.tree.to_go[slots] = self._cost_to_go(kept.tips)
        replaced = self.witnesses.node[witness]
        self.witnesses.node[witness], self.witnesses.cost[witness] = slots, cost[chosen]
        self.tree.retire(replaced[replaced >= 0])

    def _shrink(self) -> None:
        """Algorithm 2, lines 14-17: d = 3 dimensions of a pose, l = 2 of a control.

        Growing straight on again may now leave nodes that a larger neighbourhood hid.
        """
        self.tree.straight[:] = False
        self.radius *= RADIUS_FACTOR
        self.shrinks += 1
        wait = FIRST_ITERATIONS * (1 + np.log2(self.shrinks)) * RADIUS_FACTOR ** (-(3 + 2 + 1) * self.shrinks)
        self.next_shrink = self.iteration + int(np.ceil(wait))

"""The front of tubes that reach the goals of several environments: for each number of actuators the likeliest."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from dynamics.vine import Integers
from planner.design.arrival import outside_goal
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.plan.choice import contest
from planner.plan.choice.front import NO_TRIALS, Champion
from planner.plan.choice.refinement import Candidate, Descent, with_another
from planner.plan.choice.selection import Progress, Selection
from planner.plan.choice.simplifying import merge_equal_in_all
from planner.plan.several.fixed_actuators import FixedActuators, prepare_run, runs_of
from planner.plan.several.growth import PLANNED, Common, best_masked, grow_tubes
from planner.plan.several.tubes import Tube, all_masks, extend, trim, without
from planner.search.run import Budget, Run
from planner.search.solutions import Solution

_Given = tuple[int, bytes, int]
"""Number of an environment, controls of the given actuators, and seed of a search with them."""
LONGER = 1.1
"""Bare tube is added to them up to this multiple of the longest of the best solutions [-]: another environment may need more."""


class JointDescent(Descent):
    """CMA-ES on one tube for several environments, with a mask for each, which is chosen again from time to time."""

    def __init__(self, start: Common, selections: Sequence[Selection]) -> None:
        first = selections[0]
        super().__init__(start, first.worlds, first.catalogue, first.seed, first.effort)
        self.each, self.masks = [one.worlds for one in selections], start.tube.masks

    @property
    def tube(self) -> Common:
        """The best tube so far."""
        return common(self.best)

    def compete(self, designs: list[Design], rows: Integers) -> list[Candidate]:
        """All in all worlds: tubes that miss a goal as planned drop out already."""
        return self.grow(designs, rows) if designs else []

    def grow(self, designs: list[Design], rows: Integers) -> list[Candidate]:
        """Designs in some worlds of every environment, with the present masks."""
        return [*grow_tubes([Tube(design, self.masks) for design in designs], self.each, rows)]

    def choose_masks(self, rows: Integers) -> None:
        """Take other masks if the best tube does better with them."""
        found = best_masked(self.best.design, self.masks, self.each, rows)
        if found.loss < self.best.loss:
            self.found.append(found)
            self.masks = found.tube.masks


def common(candidate: Candidate) -> Common:
    """A candidate of a `JointDescent`, by its type."""
    assert isinstance(candidate, Common)
    return candidate


@dataclass(frozen=True, slots=True, eq=False)
class CommonChampion:
    """The tube of the front with a given number of actuators."""

    each: tuple[Champion, ...]
    """Its design for each environment, and its success there."""

    @property
    def worst(self) -> Champion:
        """Champion of the environment in which it is least likely to reach the goal."""
        return min(self.each, key=lambda one: one.estimate.rate if one.estimate.trials else 0.0)

    @property
    def actuators(self) -> int:
        """Number of actuators that are built."""
        return self.each[0].design.actuators

    @property
    def sound(self) -> bool:
        """See `Champion.sound`: in every environment."""
        return all(one.sound for one in self.each)

    @property
    def outside(self) -> float:
        """See `Champion.outside`: the largest of all environments [m]."""
        return max(one.outside for one in self.each)


class JointSelection:
    """Makes tubes for several environments from the solutions of each, refines them, and evaluates the best in fresh trials."""

    def __init__(
        self,
        searches: Sequence[Sequence[Run]],
        selections: Sequence[Selection],
        left: Callable[[], float],
        show: Callable[[Progress], None],
    ) -> None:
        """Prepare it.

        Args:
            searches: The searches in each environment, with their solutions; the last may have friction.
            selections: The selection of each environment, with its worlds.
            left: Remaining time [s]; infinite for a result that does not depend on the machine.
            show: Called with the progress, often.
        """
        self.searches, self.selections, self.left, self.show = searches, selections, left, show
        self.worlds, self.catalogue = [one.worlds for one in selections], selections[0].catalogue
        self.effort, self.shared = selections[0].effort, selections[0].effort.shared
        self.rng = np.random.default_rng(selections[0].seed)
        self.pool: dict[int, list[Common]] = {}
        """Tubes by their number of actuators, the best as planned first."""
        self.grown = 0
        """Number of tubes that were compared."""
        self.refined: list[JointDescent] = []
        """The best descent for each number of actuators, fewest first; none before tubes are refined."""
        self._given_before, self._given_now = dict[_Given, Run](), dict[_Given, Run]()
        """Searches with given actuators, of the round before and of this one."""
        self._done: set[Hashable] = set()
        """Everything tried in earlier rounds: solutions, tubes with given actuators, actuators to leave out, starts of descents."""
        self._trying: set[Hashable] = set()
        """Everything tried in this round."""

    def go_on(
        self, searches: Sequence[Sequence[Run]], left: Callable[[], float], show: Callable[[Progress], None]
    ) -> None:
        """Go on with more time and solutions; the arguments are those of `__init__`."""
        self.searches, self.left, self.show = searches, left, show
        for one in self.selections:
            one.left, one.show = left, show

    def _begin_round(self) -> None:
        """Count what was tried so far among what earlier rounds have tried."""
        self._given_before, self._given_now = self._given_now, {}
        self._done |= self._trying
        self._trying.clear()

    def _is_new(self, what: Hashable) -> bool:
        """Whether no earlier round has tried something."""
        self._trying.add(what)
        return what not in self._done

    def contenders(self) -> list[JointDescent]:
        """For each number of actuators the best tubes as planned, fewest actuators first; those that reach every goal.

        No tube has more than `MORE` actuators beyond the fewest. Tubes are made from the solutions of one environment, tried in
        the others; from searches in one environment with the actuators of a solution of another one; and from tubes that
        reach every goal, with one actuator less or more. Tubes that were refined before go on.
        """
        self._begin_round()
        limited = np.isfinite(self.left())
        until = (1 - self.shared.making) * self.left() if limited else 0.0
        self._try_solutions(until)
        self._search_given(until)
        self._leave_out(until)
        found = list[JointDescent]()
        fewest = min((n for n, some in self.pool.items() if some[0].reached), default=None)
        for actuators in range(fewest, fewest + contest.MORE + 1) if fewest is not None else ():
            if found and self.left() > until:
                self._add(self._with_one_more(found[-1].tube))
            found += [one for one in self.refined if one.tube.design.actuators == actuators]
            starts = [one for one in self.pool.get(actuators, []) if one.reached]
            some = [one for one in starts[: self.effort.starts] if one not in self._done]
            found += [JointDescent(one, self.selections) for one in some]
        return found

    def _try_solutions(self, until: float) -> None:
        """Solutions of one environment in the others, with every mask."""
        needed = max(first.solutions.best[0].design.built for first, *_ in self.searches)
        for run in chain.from_iterable(self.searches):
            for solution in run.solutions.best[: self.shared.solutions]:
                if (not self.pool or self.left() > until) and self._is_new(solution):
                    whole = extend(solution.design, LONGER * needed)
                    masks = ((True,) * whole.actuators,) * len(self.searches)
                    self._add([best_masked(whole, masks, self.worlds, PLANNED)])

    def _search_given(self, until: float) -> None:
        """Search in each environment for tubes with the actuators of a solution of the others, which are on or off.

        It goes on after its time until a tube reaches every goal.
        """
        count, every = len(self.searches), [roomy(both) for both in self.searches]
        for k in range(self.shared.fixed):
            for first, best in enumerate(every):
                order = [(first + step) % count for step in range(count)]
                if k >= len(best) or self.left() <= (until if self._fewest() < np.inf else 0.0):
                    continue
                tubes = [FixedActuators.of(best[k])]
                for step in order[1:]:
                    tubes = [more for one in tubes[: self.shared.fixed_kept] for more in self._given(one, step, k)]
                made = [one.tube(self.searches[0][0], order) for one in tubes]
                masked = [one for one in made if one.design.actuators == len(one.masks[0])]
                masked = [one for one in masked if self._is_new((one.design.sections, one.masks))]
                self._add(grow_tubes(masked, self.worlds, PLANNED) if masked else [])

    def _given(self, tube: FixedActuators, environment: int, k: int) -> list[FixedActuators]:
        """Tubes with new actuators for one more environment, from a search of a share of the remaining time, in every round."""
        like = self.searches[environment][-1]
        key = environment, tube.controls.tobytes(), like.seed + k
        run = self._given_before.pop(key, None)
        if run is None:
            run = prepare_run(like, tube.controls, like.seed + k, self.shared.fixed_kept)
        self._given_now[key] = run
        iterations = None if np.isfinite(self.left()) else self.shared.fixed_iterations
        before, share = run.seconds, self.shared.fixed_share * self.left()
        for _ in run.run(Budget(before + share, iterations=iterations)):
            self.show(Progress(len(runs_of(tube.controls)), 0, 0.0))
            if self.left() <= 0 or (run.best and iterations is None and run.seconds > before + share / 2):
                break
        return [tube.with_solution(solution) for solution in run.solutions.best]

    def _leave_out(self, until: float) -> None:
        """Tubes with one actuator less, and with other masks, from the most to the fewest actuators."""
        for actuators in sorted(self.pool, reverse=True):
            for one in [one for one in self.pool[actuators] if one.reached][: self.shared.tubes]:
                for k in range(actuators):
                    going = self.left() > until and actuators <= self._fewest() + contest.MORE + 1
                    if going and self._is_new((one, k)):
                        fewer = without(one.tube, k)
                        self._add([best_masked(fewer.design, fewer.masks, self.worlds, PLANNED)])

    def _fewest(self) -> float:
        """The fewest actuators with which a tube reaches every goal as planned; inf if none does."""
        return min((actuators for actuators, some in self.pool.items() if some[0].reached), default=np.inf)

    def _add(self, grown: Sequence[Common]) -> None:
        """Add tubes to those with as many actuators, cut where no environment needs more."""
        self.grown += len(grown)
        for one in grown:
            tube = trim(one.tube, max(part.design.length for part in one.each)) if one.reached else one.tube
            cut = tube.design.actuators < one.design.actuators
            kept = grow_tubes([tube], self.worlds, PLANNED)[0] if one.reached and cut else one
            self.pool.setdefault(kept.design.actuators, []).append(kept)
        for some in self.pool.values():
            some[:] = sorted(some, key=lambda one: one.loss)[: 2 * self.shared.tubes]
        if grown:
            self.show(Progress(grown[0].design.actuators, 0, 0.0))

    def _with_one_more(self, tube: Common) -> list[Common]:
        """A tube with one more actuator, under pressure in some of the environments."""
        made, own = list[Tube](), tube.tube.masks
        on = [mask for mask in all_masks((True,) * len(own)) if any(mask)]
        for _ in range(self.effort.inserted):
            design = with_another(tube.design, self.catalogue, self.rng)
            if design is None:
                continue
            new = _new_actuator(tube.design, design)
            marks = on[int(self.rng.integers(len(on)))]
            masks = tuple((*mask[:new], mark, *mask[new:]) for mask, mark in zip(own, marks, strict=True))
            made.append(Tube(design, masks))
        return grow_tubes(made, self.worlds, PLANNED) if made else []

    def champions(self, contenders: Sequence[JointDescent]) -> Iterator[CommonChampion]:
        """Refine tubes in worlds with errors, and evaluate each, the most promising first.

        Of the time, the share `Effort.refining` is for refinement. If there is no time left, they come up to the first that ends in
        every goal as planned.
        """
        until = (1 - self.effort.refining) * self.left() if np.isfinite(self.left()) else 0.0
        before = [one for one in contenders if one in self.refined]
        contenders = self._best_of_each([*before, *self._join(contenders, until)])
        every = np.arange(self.effort.levels[1] + 1)
        while self.left() > until and (following := self._next(contenders)):
            self._generation(following, every)
            if following.generations % self.effort.heat == 0:
                following.choose_masks(every)
        self.refined = contenders
        leading = max(one.tube.rate for one in contenders)
        order = sorted(contenders, key=lambda one: (one.tube.rate < leading - contest.ALIKE, one.tube.design.actuators))
        arrived = False
        for one in order:
            if not arrived or self.left() > 0:
                champion = self.champion(one)
                arrived = arrived or not champion.outside
                each = zip(self.selections, champion.each, strict=True)
                yield CommonChampion(tuple(own.with_trials(part, self.effort.block) for own, part in each))

    def _join(self, contenders: Sequence[JointDescent], until: float) -> list[JointDescent]:
        """Refine those that are new a little, and compare the best for each number of actuators in more worlds.

        Those before that have converged begin again: there is new time.
        """
        few, every = (np.arange(count + 1) for count in self.effort.levels[:2])
        for one in self.refined:
            if one.best.loss > contest.SURE and not contest.gains(one):
                one.restart()
        new = [one for one in contenders if one not in self.refined]
        for k, one in enumerate(new):
            if (k == 0 and not self.refined) or self.left() > until:
                self._trying.add(one.best)
                one.compare_in(few)
            for _ in range(self.effort.heat):
                if self.left() > until:
                    self._generation(one, few)
        new = self._best_of_each(new)
        for one in new if self.left() > until else new[: 0 if self.refined else 1]:
            one.found = one.found if self.left() > until else one.found[-1:]
            one.compare_in(every)
            if self.left() > until:
                one.choose_masks(every)
        return new

    @staticmethod
    def _best_of_each(contenders: Sequence[JointDescent]) -> list[JointDescent]:
        """Return the best for each number of actuators, fewest first, of those compared in most worlds: few flatter."""
        best = dict[int, JointDescent]()
        for one in sorted(contenders, key=lambda one: (-one.worlds_used, one.best.loss)):
            best.setdefault(one.tube.design.actuators, one)
        return [best[actuators] for actuators in sorted(best)]

    def _generation(self, one: JointDescent, rows: Integers) -> None:
        self.grown += one.generation(rows)
        self.show(Progress(one.tube.design.actuators, one.generations, one.tube.rate))

    @staticmethod
    def _next(contenders: Sequence[JointDescent]) -> JointDescent | None:
        """Return the tube to refine next: of those that are almost as likely as the likeliest, that with the fewest actuators."""
        left = [one for one in contenders if contest.gains(one)]
        leading = max((one.tube.rate for one in left), default=0.0)
        return next((one for one in left if one.tube.rate >= leading - contest.ALIKE), None)

    def champion(self, one: JointDescent) -> CommonChampion:
        """The best tube of a descent that is sound; without one, the best that ends in every goal; the best one if none does."""
        good = [found for found in map(common, one.found) if found.reached]
        tried = list[CommonChampion]()
        for found in [*reversed(good), one.tube]:
            tried.append(self._at_finer_step(found))
            if tried[-1].sound:
                return tried[-1]
        return next((champion for champion in tried if not champion.outside), tried[-1])

    def _at_finer_step(self, found: Common) -> CommonChampion:
        """A tube without trials: where it ends in each environment at a finer step, and whether it is sound."""
        each = list(zip(self.selections, self._finished(found), strict=True))
        designs = [grow_designs([design], own.environment, own.replayer)[0].design for own, design in each]
        pairs = list(zip(self.selections, designs, strict=True))
        sound = all(own.holds(design) for own, design in pairs)
        return CommonChampion(
            tuple(
                Champion(
                    design, NO_TRIALS, self.grown, sound=sound, outside=outside_goal(own.environment.goal, design.tip)
                )
                for own, design in pairs
            )
        )

    def _finished(self, found: Common) -> list[Design]:
        """The designs of a tube for each environment: cut where no environment needs more, off what does not grow out, and merged what is
        alike in all."""
        tube = trim(found.tube, max(one.design.length for one in found.each))
        designs = []
        for mask, one in zip(tube.masks, found.each, strict=True):
            out = [section.start < one.design.length - 1e-9 for section in tube.design.actuated]
            made = iter([on and grown for on, grown in zip(mask, out, strict=True)])
            sections = tuple(replace(part, on=next(made)) if part.actuated else part for part in tube.design.sections)
            stop = None if one.design.length >= tube.design.built - 1e-9 else one.design.length
            designs.append(replace(one.design, sections=sections, stop=stop))
        return merge_equal_in_all(designs)


def roomy(searches: Sequence[Run]) -> list[Solution]:
    """The solution that leaves most tube bare for others, that of lowest cost, the next of each kind, and so on."""
    solutions = sorted((one for run in searches for one in run.solutions.best), key=lambda one: one.cost)
    bare = sorted(solutions, key=lambda one: int(np.count_nonzero(one.controls)))
    mixed = [one for pair in zip(bare, solutions, strict=True) for one in pair]
    return list({id(one): one for one in mixed}.values())


def _new_actuator(before: Design, after: Design) -> int:
    """Index of the actuator that `after` has and `before` has not; of the second half of one that was split."""
    for k, (one, other) in enumerate(zip(before.actuated, after.actuated, strict=False)):
        if (one.start, one.end) != (other.start, other.end):
            return k + 1 if one.start == other.start else k
    return before.actuators

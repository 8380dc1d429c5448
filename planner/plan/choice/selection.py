"""Selection of the front of a plan: refinement, contest and trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynamics.jumps import largest_jump
from dynamics.snaps import Snaps
from environments.uncertainty import Uncertainty
from planner.design.arrival import outside_goal
from planner.design.design import Design, Section
from planner.design.replay import grow_designs, make_simulation, replay
from planner.output.text import plural
from planner.plan.choice.contest import MORE, SURE, Contest, Round
from planner.plan.choice.front import NO_TRIALS, Champion, Choice
from planner.plan.choice.refinement import Descent, race
from planner.plan.choice.shortening import ending_in_goal
from planner.plan.choice.simplifying import SUFFERED, merge_equal, paired_loss, simpler_designs
from planner.plan.effort import Effort, default_effort
from planner.plan.enough import is_enough
from planner.search.run import Keep, Run
from planner.uncertainty.deviations import Trials
from planner.uncertainty.memo import TrialMemo, digest
from planner.uncertainty.trials import CHOOSING, COMPARING, EVALUATING, Worlds, compute_goal_distances
from planner.uncertainty.weakest import estimate_success

PARTS = 6
"""Number of parts of the trials that compare a design with a simpler one, which ends after a part where it is decided."""
SLACK = MORE + 0.05
"""Maximum cost of a solution above the lowest cost, in actuators: `MORE` actuators, plus 5 m of tube."""


def keep_candidates(solutions: int = 0, effort: Effort | None = None) -> Keep:
    """The solutions that a search keeps to choose from, for each number of actuators.

    Args:
        solutions: Number of solutions that are kept at least.
        effort: Gives the number of candidates; None for the default.
    """
    return Keep(max(solutions, (effort or default_effort()).candidates), SLACK, each_count=True)


@dataclass(frozen=True, slots=True)
class Progress:
    """Present step of a selection."""

    actuators: int
    generation: int
    """0 while solutions are compared."""
    rate: float
    """Share of the worlds of the refinement in which the best design reaches the goal [-]."""
    trials: int = 0
    """Number of trials that evaluated the refined design."""

    @property
    def words(self) -> str:
        """Present step as text, without figures of success."""
        what = plural(self.actuators, "actuator")
        if self.trials:
            return f"trials of {what}"
        return f"refining {what}, generation {self.generation}" if self.generation else f"comparing designs with {what}"


class Selection:
    """Refines solutions for each number of actuators, and evaluates the best one in trials that chose nothing."""

    def __init__(
        self,
        run: Run,
        uncertainty: Uncertainty,
        left: Callable[[], float],
        show: Callable[[Progress], None],
        known: TrialMemo | None = None,
        device: str | None = None,
        effort: Effort | None = None,
    ) -> None:
        """Prepare the selection.

        Args:
            run: The search that found the solutions.
            left: Remaining time [s]; infinite for a result that does not depend on the machine.
            show: Called with the progress, often.
            known: What is known of designs from before, and the clock; None for nothing.
            device: Where trials grow, see `QuasiStatic`; None for its default.
            effort: Numbers of worlds, generations and trials; None for the default.
        """
        self.known, self.device, self.refinement_s = known or TrialMemo(), device, 0.0
        self.environment, self.params, self.uncertainty = run.environment, run.params, uncertainty
        self.catalogue, self.solutions, self.seed = run.search.catalogue, run.solutions, run.seed
        self.replayer = self.solutions.replayer
        self.left, self.show, self.effort = left, show, effort or default_effort()
        self.worlds = self._worlds([None, *range(CHOOSING, CHOOSING + self.effort.levels[-1])])
        self._blocks: dict[int, Worlds] = {}
        self.contest: Contest | None = None
        """The contest of the designs that are refined; None before the first."""
        self.rounds: list[Round] = []
        """Rounds of the contest: the designs that joined, and the number of turns that followed."""
        self._ending: dict[tuple[Section, ...], Design] = {}
        """Designs that were found, by their sections, each cut so that it ends in the goal if it grows through it."""
        self._sound: dict[bytes, bool] = {}
        self._simpler: dict[bytes, Champion | None] = {}
        """Designs with fewer actuators that are as likely as a chosen one, by its digest; None if there is none."""
        self._comparing: Worlds | None = None
        self.wanted = 1.0
        """Share of trials in which a design should reach the goal [-]."""
        self._deciding = True
        self.given: Design | None = None
        """Design with which the plan began: if it reaches the goal as planned, only a likelier one takes its place in the front."""

    def _worlds(self, trials: Trials) -> Worlds:
        worlds = Worlds.draw(self.environment, self.params, self.uncertainty, trials, self.seed, self.device)
        worlds.known = self.known
        return worlds

    def champions(self, designs: Sequence[Design], last: bool = True) -> Iterator[Champion]:
        """The design of the front for each number of actuators up to `contest.MORE` above the minimum, the most promising first.

        Of the time, the share `Effort.refining` is for refinement, which ends sooner where it is decided; trials may come to less than that
        says, so it is decided once only. If there is no time left, they come up to the first that ends in the goal as planned.

        Args:
            last: Whether this may be the end. If not, others than the first come only while none is enough, if they may be.
        """
        wanted = self.wanted if self._deciding else 1.0
        limited, began = bool(np.isfinite(self.left())), self.known.seconds
        until = (1 - self.effort.refining) * self.left() if limited else 0.0
        contest = self._contest_with(designs, lambda: self.left() > until)
        while self.left() > until and not contest.is_decided(wanted) and (one := contest.turn(limited)):
            self.rounds[-1].turns += 1
            self.show(Progress(one.design.actuators, one.generations, one.best.rate))
        self.refinement_s += self.known.seconds - began
        self._deciding = self._deciding and not contest.is_decided(wanted)
        arrived = enough = False
        for one in contest.winners():
            promising = last or (not enough and one.best.rate >= self.wanted)
            if not arrived or (promising and self.left() > 0):
                tried = self._try_winner(one, contest)
                arrived = arrived or not tried.outside
                enough = enough or is_enough(self.wanted, tried.outside, tried.estimate)
                yield tried

    def _try_winner(self, one: Descent, contest: Contest) -> Champion:
        """Return the best planned design of a descent, with a block of trials; actuators that are alike are merged."""
        design, sound = self._best_planned(one)
        grown = contest.grown[one.design.actuators]
        return self.with_trials(Champion(merge_equal(design), NO_TRIALS, grown, sound=sound), self.effort.block)

    def simplify(self, choice: Choice) -> None:
        """Add designs with fewer actuators to a choice, while there is time, whose success does not suffer measurably (`SUFFERED`).

        They are made from the chosen design, one actuator after another (`simpler_designs`), and refined. Of the remaining time at most
        the share `Effort.simplifying` is spent; the rest is for trials.
        """
        began, left = self.known.seconds, self.left()
        until = (1 - self.effort.simplifying) * left if np.isfinite(left) else 0.0
        while self.left() > until and (chosen := choice.chosen.design).actuators and chosen.schedule is None:
            key = digest(chosen)
            if key in self._simpler and self._simpler[key] is None:
                break
            found = self._simpler.get(key) or self._find_simpler(chosen, lambda: self.left() > until)
            if found or self.left() > until:
                self._simpler[key] = found
            if found is None:
                break
            choice.add(self.with_trials(found, self.effort.block))
            if choice.chosen.design.actuators >= chosen.actuators:
                break
        self.refinement_s += self.known.seconds - began

    def _find_simpler(self, design: Design, going: Callable[[], bool]) -> Champion | None:
        """Return a refined design with fewer actuators that is as likely to reach the goal, without trials of its own; None if none is.

        Args:
            going: Whether there is time left.
        """
        effort, few = self.effort, np.arange(min(self.effort.levels[0] + 1, len(self.worlds)))
        some = simpler_designs(design, self.catalogue)[: effort.simpler]
        compared = race(some, self.worlds, few, effort.kept, effort)
        whole = [one for one in compared if len(one.nearest) == len(few)]
        if not whole:
            return None
        one, grown = (
            Descent(min(whole, key=lambda one: one.loss), self.worlds, self.catalogue, self.seed, effort),
            len(some),
        )
        while (
            one.design.actuators and one.generations < effort.simpler_generations and one.best.loss > SURE and going()
        ):
            grown += one.generation(few)
            self.show(Progress(one.design.actuators, one.generations, one.best.rate))
        simpler, sound = self._best_planned(one)
        if not sound or not self._is_as_likely(simpler, design, going):
            return None
        return Champion(merge_equal(simpler), NO_TRIALS, grown, sound=True)

    def _is_as_likely(self, simpler: Design, design: Design, going: Callable[[], bool]) -> bool:
        """Whether the success of a simpler design is not measurably less, in trials that both designs meet and that chose nothing."""
        if self._comparing is None:
            self._comparing = self._worlds(range(COMPARING, COMPARING + self.effort.paired))
        loss, done, step = None, 0, max(self.effort.paired // PARTS, 1)
        reached = np.zeros((2, 0), bool)
        while done < self.effort.paired and going():
            rows = np.arange(done, min(done + step, self.effort.paired))
            nearest, _ = compute_goal_distances([design, simpler], self._comparing, rows)
            reached, done = np.concatenate([reached, nearest <= 0.0], axis=1), done + len(rows)
            loss = paired_loss(*reached)
            self.show(Progress(simpler.actuators, 0, float(reached[1].mean()), done))
            if loss.low > SUFFERED:
                return False
        return loss is not None and done == self.effort.paired and loss.high < SUFFERED

    def repeat(self, rounds: Sequence[Round]) -> None:
        """Repeat rounds of an earlier process, whose trials are known, so that they can go on."""
        for past in rounds:
            contest = self._contest_with(past.designs, lambda: True)
            for _ in range(past.turns):
                contest.turn(True)
            self.rounds[-1].turns = past.turns

    def _contest_with(self, designs: Sequence[Design], going: Callable[[], bool]) -> Contest:
        """Return the contest after designs that are new to it have joined."""
        new = [design for design in designs if design.sections not in self._ending]
        if new or self.contest is None:
            self._ending |= zip([one.sections for one in new], ending_in_goal(new, self.worlds), strict=True)
        joining = [self._ending[design.sections] for design in new]
        if self.contest is None:
            self.contest = Contest(joining, self.worlds, self.catalogue, self.seed, going, self.effort)
        else:
            self.contest.going = going
            self.contest.join(joining)
        self.rounds.append(Round(new))
        return self.contest

    def _best_planned(self, one: Descent) -> tuple[Design, bool]:
        """The best design of a descent that is sound; without one, any with as many actuators that at least ends in the goal.

        Returns:
            The design, and whether it is sound. It misses the goal as planned only if all do.
        """
        found = [candidate.design for candidate in reversed(one.found)]
        for design in found:
            if self.holds(design):
                return design, True
        alike = [design for design in self._ending.values() if design.actuators == found[0].actuators]
        arriving = next((design for design in [*found, *alike] if self.arrives(design)), found[0])
        return arriving, self.holds(arriving)

    def as_found(self, designs: Sequence[Design]) -> Iterator[Champion]:
        """Yield the designs of the front without refinement: for each number of actuators the design with the highest success.

        Of each number `Effort.compared` designs are compared, those of lowest cost; only up to the first that ends in the goal as
        planned if there is no time.
        """
        arrived, began = False, self.known.seconds
        for actuators in sorted({design.actuators for design in designs}):
            if arrived and self.left() <= 0:
                return
            few = [design for design in designs if design.actuators == actuators][: self.effort.compared]
            self.show(Progress(actuators, 0, 0.0))
            nearest, _ = compute_goal_distances(few, self.worlds, np.arange(len(self.worlds)))
            order = [few[k] for k in np.argsort(-(nearest <= 0.0).mean(axis=1), kind="stable")]
            best = next((design for design in order if self.arrives(design)), order[0])
            self.refinement_s += self.known.seconds - began
            tried = self.with_trials(Champion(best, NO_TRIALS, len(few)), self.effort.block)
            arrived = arrived or not tried.outside
            yield tried
            began = self.known.seconds

    def arrives(self, design: Design) -> bool:
        """Whether the tip of a design ends in the goal as planned, at a finer step."""
        return not outside_goal(self.environment.goal, grow_designs([design], self.environment, self.replayer)[0].tip)

    def holds(self, design: Design) -> bool:
        """Whether a design ends in the goal as planned, at a finer step and without a snap that only its damping decides."""
        key = digest(design)
        if key not in self._sound:
            self._sound[key] = self._replays_soundly(design)
        return self._sound[key]

    def _replays_soundly(self, design: Design) -> bool:
        if not grow_designs([design], self.environment, self.replayer)[0].ends_in_goal:
            return False
        snaps = Snaps.of(replay(design, self.replayer), 0)
        if not len(snaps.vine) or self.params.physics == "published":
            return True
        return not len(
            snaps.examine(design.actuation_at(snaps.length), self.solutions.relaxations).find_ambiguous(self.params)
        )

    def add_trials(self, choice: Choice, last: bool = True) -> None:
        """Try the designs of a choice, block by block, while there is time and one needs it; by its trials, another may be chosen.

        Args:
            last: Whether this may be the end, so that the front has all numbers of actuators, and the chosen design gets
                `Effort.other_trials` at least, and more if it needs them.
        """
        if last and self.contest:
            tried = {champion.design.actuators for champion in choice.front}
            for winner in self.contest.winners():
                if winner.design.actuators not in tried and self.left() > 0:
                    choice.add(self._try_winner(winner, self.contest))
        effort = self.effort
        few = effort.other_trials
        most, least = (effort.chosen_trials, few) if last else (few, 0)
        changed = True
        while changed:
            while self.left() > 0 and (one := choice.next_to_try(most, few, least)):
                k = choice.front.index(one)
                choice.front[k] = self.with_trials(one, one.estimate.trials + effort.block)
            changed = self.add_given(choice)

    def add_given(self, choice: Choice) -> bool:
        """Try the given design in as many trials as that with as many actuators, at most `Effort.other_trials`; the likelier one stays.

        Returns:
            Whether that changes the front.
        """
        if self.given is None or not self.holds(self.given):
            return False
        before = list(choice.front)
        rival = next((one for one in before if one.design.actuators == self.given.actuators), None)
        trials = min(len(rival.reached), self.effort.other_trials) if rival else self.effort.block
        choice.add(self.with_trials(Champion(self.given, NO_TRIALS, 1), trials))
        return choice.front != before

    def entering(self, found: Sequence[Design]) -> list[Design]:
        """The given design, if refinement may make something of it, and those that were found.

        One that misses the goal as planned, and has at least two actuators fewer than all that were found, would only take their time.
        """
        given, fewest = self.given, min(design.actuators for design in found)
        if given is None or (given.actuators < fewest - 1 and not self.arrives(given)):
            return [*found]
        return [given, *found]

    def with_trials(self, champion: Champion, count: int) -> Champion:
        """A design with at least one block of trials, and up to `count` while there is time."""
        reached, design = champion.reached, champion.design
        while len(reached) < count and (not len(reached) or self.left() > 0):
            reached = np.concatenate([reached, self._block(design, len(reached) // self.effort.block)])
            self.show(Progress(design.actuators, 0, float(reached.mean()), len(reached)))
        rollout = replay(design, self.replayer)
        planned = make_simulation(design, self.environment, rollout).design
        trials = range(EVALUATING, EVALUATING + len(reached))
        estimate = estimate_success(design, self.environment, self.uncertainty, trials, self.seed, reached)
        jump = largest_jump(rollout, 0, self.params)
        outside = outside_goal(self.environment.goal, planned.tip)
        return replace(
            champion,
            design=planned,
            estimate=estimate,
            reached=reached,
            jump=jump,
            outside=outside,
        )

    def _block(self, design: Design, block: int) -> NDArray[np.bool_]:
        if block not in self._blocks:
            first = EVALUATING + block * self.effort.block
            self._blocks[block] = self._worlds(range(first, first + self.effort.block))
        rows = np.arange(self.effort.block)
        return np.asarray(compute_goal_distances([design], self._blocks[block], rows)[0][0] <= 0.0)

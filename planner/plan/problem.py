"""A problem of planning: environment, tube and options, with all that they decide, resolved and checked once."""

from __future__ import annotations

from dataclasses import dataclass, field

from dynamics.propagator import CannotRun, PropagatorFactory
from dynamics.registry import choose_friction, choose_propagator, ignored_properties
from dynamics.tube import VineParams
from environments.environment import Environment
from environments.reach import goal_within_reach
from environments.uncertainty import Uncertainty
from planner.design.head_room import check_body
from planner.design.known_design import KnownDesign
from planner.design.supply import with_supply
from planner.plan.beginning import adapt_known
from planner.plan.effort import Effort, default_effort
from planner.plan.inputs import Inputs
from planner.search.planners import SST_STAR, search_of
from planner.search.sst import Switches
from planner.uncertainty.errors import named_errors, with_errors
from planner.uncertainty.trials import SEARCHING, Worlds

EXACT = "quasistatic"
"""The propagator that trials and particles grow with, and whose searches can have friction."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Everything that a plan reads: search, choice, checkpoints and callers resolve no name again."""

    environment: Environment
    """Where the tube grows; its own errors include those of a file that the options name."""
    tube: VineParams
    """The tube, with the friction that it is planned with."""
    options: Inputs
    """The options, with the settings of the propagator that were chosen."""
    make: PropagatorFactory
    """Makes the propagator that plans."""
    second: PropagatorFactory | None
    """Makes the propagator that verifies; None without verification."""
    errors: str
    """Name of the errors of trials."""
    uncertainty: Uncertainty
    """The errors of trials."""
    friction: float | None
    """Mean friction coefficient of trials [-], with which solutions are searched for too; None if that search is not made."""
    known: KnownDesign | None
    """Design with which the plan begins, made one of the tube and the environment; None for none."""
    device: str | None
    """Device on which trials and particles grow; None for the default of `QuasiStatic`."""
    notes: tuple[str, ...] = ()
    """Notes for the user: properties of tube and walls that a propagator ignores."""
    effort: Effort = field(default_factory=default_effort)
    """Numbers of designs, worlds, generations and trials of refinement and choice."""

    @classmethod
    def of(
        cls, environment: Environment, tube: VineParams, options: Inputs, known: KnownDesign | None = None
    ) -> Problem:
        """Resolve and check everything before any computation.

        Args:
            known: Design with which the plan begins, if it has been read already, as for a plan that is resumed.
        Raises:
            CannotRun: An option is unknown, does not fit the others, or cannot be used on this machine.
            InvalidDesign: The design with which the plan begins cannot be read or used.
            InvalidErrors: The errors cannot be used.
            InvalidTube: Its growth pressure has no head room, or the supply does not fit it.
            ModuleNotFoundError: A library that the options need is not installed.
            WalledIn: No passage as wide as the tube leads to the goal.
        """
        tube = with_supply(tube, options.supply)
        check_body(tube)
        make, tube = resolve_models(environment, tube, options)
        notes = ignored_properties(tube, options.propagator, environment)
        # What is recorded names the device, solver and surrogate that were chosen.
        options = options.model_copy(update=getattr(make, "keywords", {}))
        second = None
        if options.verify:
            second = _resolve_second(tube, options)
            notes += ignored_properties(tube, options.verify, environment)
        environment, preset = with_errors(environment, options.uncertainty)
        options = options.model_copy(update={"uncertainty": preset})
        errors, uncertainty = named_errors(environment, tube, preset)
        friction = typical_friction(uncertainty, options)
        # Trials and particles grow where the search does, also if a plan is resumed.
        device = options.device if options.device != "auto" and options.propagator == EXACT else None
        goal_within_reach(environment, tube.radius, tube.clearance)
        if options.start_from is not None:
            known = adapt_known(known or KnownDesign.load(options.start_from), environment, tube, options.preformed)
            notes.append(known.words)
        return cls(environment, tube, options, make, second, errors, uncertainty, friction, known, device, tuple(notes))

    def switches(self) -> Switches:
        """Settings of the search: what searches and what guides it, and the worlds with errors in which it grows every vine too."""
        options, worlds = self.options, None
        if options.particles > 1:
            trials = range(SEARCHING, SEARCHING + options.particles - 1)
            worlds = Worlds.draw(self.environment, self.tube, self.uncertainty, trials, options.seed, self.device)
        return Switches(
            heuristic=options.heuristic,
            preformed=options.preformed_cost if options.preformed else None,
            steer=options.steer,
            known=self.known,
            search=search_of(options.planner),
            worlds=worlds,
        )


def resolve_models(environment: Environment, tube: VineParams, options: Inputs) -> tuple[PropagatorFactory, VineParams]:
    """Return the propagator that plans, and the tube with the friction that it plans with; the search is checked too.

    Raises:
        CannotRun: A name is unknown, or two options do not fit each other.
        ModuleNotFoundError: The search needs OMPL, or the propagator another library, which is not installed.
    """
    ours = options.planner == SST_STAR
    begun = options.start_from is not None
    for option, asked in (
        ("--heuristic", options.heuristic),
        ("--particles", options.particles > 1),
        ("--from", begun),
    ):
        if asked and not ours:
            raise CannotRun(f"{option} needs --planner {SST_STAR}; not {options.planner}")
    search_of(options.planner)
    if tube.others and not ours:
        raise CannotRun(
            f"planner {options.planner} takes one type of actuator, not {tube.kinds}: choose one with --actuator, or the planner {SST_STAR}"
        )
    if options.steer and (not ours or options.particles > 1 or options.preformed or begun):
        raise CannotRun(
            f"steer = {options.steer} is for the planner {SST_STAR}, without particles, preformed bends and a design to begin with: "
            "leave one of them out"
        )
    make = choose_propagator(tube, options.propagator, options.device, options.solver, options.surrogate)
    return make, choose_friction(tube, options.friction, options.propagator, environment)


def _resolve_second(tube: VineParams, options: Inputs) -> PropagatorFactory:
    verify = str(options.verify)
    if verify == options.propagator:
        raise CannotRun(f"--verify {verify} is the propagator that plans; give a different one")
    try:
        return choose_propagator(tube, verify)
    except CannotRun as error:
        raise CannotRun(f"--verify {verify}: {error}") from None


def typical_friction(uncertainty: Uncertainty, options: Inputs) -> float | None:
    """Mean of the friction coefficients in trials, in which solutions are searched for too; None if that is not done.

    Most errors are as often too large as too small: without them a world is a typical one. Friction is at least 0, so that a
    search without friction finds designs that are stopped by the least of it.
    """
    if options.fast or options.first or options.particles > 1 or options.propagator != EXACT:
        return None
    return sum(uncertainty.friction) / 2 if uncertainty.friction else None

"""Replay of designs from the start, to find where they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from dynamics.propagator import CannotRun, Propagator, PropagatorFactory
from dynamics.registry import PropagatorSettings, choose_friction, choose_propagator
from dynamics.stages import Stage, grow_in_stages, growth_function
from dynamics.vine import Actuation, Rollout, Status, centerlines, grown_length, to_host
from environments.environment import Environment
from planner.design.design import Design
from surrogate.kernels.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class GrowthEnd:
    """A design and the end of its growth."""

    design: Design
    """The design, with tip and centreline at the end of its growth."""
    status: Status
    """Status at the end of the growth."""
    ending: str
    """Explanation of the status, with advice."""
    reached: bool
    """Whether the tip reaches the goal while it grows."""
    ends_in_goal: bool
    """Whether it grows to its full length and its tip ends in the goal."""

    @property
    def tip(self) -> Floats:
        """x [m], y [m] and heading [rad] at the end."""
        return self.design.tip

    @property
    def centerline(self) -> Floats:
        """Joints from base to tip at the end [m], shape (n, 2)."""
        return self.design.centerline


@dataclass(frozen=True, slots=True, eq=False)
class Simulation(GrowthEnd):
    """Growth of one design, in T records: one at the end of every segment."""

    lengths: Floats
    """Grown length [m], shape (T,)."""
    joints: Floats
    """Joints from base to tip [m], shape (T, N + 1, 2), NaN beyond the tip."""
    contact_force: Floats
    """Sum of the normal forces on each segment [N], shape (T, N)."""


def grow(propagator: Propagator, actuation: Actuation, length: ArrayLike, segment_length: float) -> Rollout:
    """Grow vines from the start, recorded at the end of every segment.

    Args:
        actuation: Actuation of each segment, shape (batch, segments).
        length: Length of the tubes [m], one for all or one per vine.
    """
    start = propagator.start(*actuation.pressure.shape)
    return propagator.grow(start, actuation, length, segment_length)


def grow_designs(designs: Sequence[Design], environment: Environment, propagator: Propagator) -> list[GrowthEnd]:
    """Grow designs with the same tube from the start, those without schedules in one batch.

    Each result has the tip and centreline at the end of its growth.

    A design that did not grow at all ends at the start.
    """
    constant = [design for design in designs if design.schedule is None]
    together = iter(_ends(constant, environment, grow_together(constant, propagator)) if constant else [])
    return [
        next(together) if design.schedule is None else _ends([design], environment, replay(design, propagator))[0]
        for design in designs
    ]


def grow_together(designs: Sequence[Design], propagator: Propagator) -> Rollout:
    """Grow one vine of each design from the start, in one batch; the designs have the same tube and no schedules."""
    most = max(design.segments for design in designs)
    carried = Actuation.joined([design.actuation(most) for design in designs])
    return grow(propagator, carried, [design.length for design in designs], designs[0].params.segment_length)


def replay(design: Design, propagator: Propagator) -> Rollout:
    """Grow one vine of a design from the start, recorded at the end of every segment."""
    full, room = design.params.segment_length, design.segments
    if design.schedule is None:
        return grow(propagator, design.actuation(room), design.length, full)
    stages = [Stage(until, one.actuation(room)) for until, one in design.stages()]
    return grow_in_stages(propagator, growth_function(propagator), propagator.start(1, room), stages)


def make_simulation(design: Design, environment: Environment, rollout: Rollout) -> Simulation:
    """Make the simulation of one vine of a design from its rollout (see `replay`)."""
    (end,) = _ends([design], environment, rollout)
    joints, lengths = trajectory(environment, design, rollout)
    force = np.asarray(to_host(rollout.contact_force)[0, : len(lengths)])
    return Simulation(end.design, end.status, end.ending, end.reached, end.ends_in_goal, lengths, joints, force)


def _ends(designs: Sequence[Design], environment: Environment, rollout: Rollout) -> list[GrowthEnd]:
    """Return the end of each vine of a rollout."""
    reached = rollout.enters(environment.goal)
    last = rollout.records - 1
    lines = centerlines(rollout.state(np.arange(len(designs)), last), environment.start, designs[0].params)
    grown = []
    for i, design in enumerate(designs):
        tip, line = environment.start, environment.start[None, :2]
        if last[i] >= 0:
            tip, line = rollout.tips[i, last[i]], lines[i][~np.isnan(lines[i, :, 0])]
        status = Status(rollout.status[i])
        ends = status == Status.GROWN and np.hypot(*(tip[:2] - environment.goal[:2])) <= environment.goal[2]
        predicted = replace(design, tip=tip.copy(), centerline=line)
        grown.append(GrowthEnd(predicted, status, rollout.ending(i), bool(reached[i]), bool(ends)))
    return grown


def trajectory(environment: Environment, design: Design, rollout: Rollout) -> tuple[Floats, Floats]:
    """Return the joints of the first vine at every record [m], shape (T, N + 1, 2), NaN beyond the tip, and its length [m],
    shape (T,)."""
    records = np.arange(rollout.records[0])
    state = rollout.state(np.zeros_like(records), records)
    return centerlines(state, environment.start, design.params), grown_length(state, design.params)


def resolve_growth(
    design: Design,
    environment: Environment,
    propagator: str | type[Propagator],
    friction: float | None = None,
    **settings: Unpack[PropagatorSettings],
) -> tuple[Design, PropagatorFactory]:
    """Return a design with the friction that it grows with, and a factory of the propagator; both are checked before any computation.

    Args:
        friction: Coulomb friction coefficient, static and kinetic [-]; None for that of the design's tube or environment.
        settings: Of the propagator.
    Raises:
        CannotRun: The propagator does not have a setting or friction, or models one section only; or a design has a schedule over its
            length, and inputs over time are given.
        ModuleNotFoundError: A library that the propagator needs is not installed.
    """
    if design.schedule is not None and settings.get("inputs") is not None:
        raise CannotRun("inputs over time cannot be combined with a schedule of pressures over the grown length")
    sections = 1 if design.uniform else len(design.sections)
    make = choose_propagator(design.params, propagator, sections=sections, **settings)
    params = choose_friction(design.params, friction, propagator, environment)
    return replace(design, params=params), make

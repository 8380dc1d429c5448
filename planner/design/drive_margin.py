"""Drive margin: the growth force that a design has left over while it grows, and the growth pressure that it needs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynamics.drive import available_force, tail_of, tail_tension
from dynamics.links import link_lengths
from dynamics.propagator import PropagatorFactory
from dynamics.tube import VineParams
from dynamics.vine import Rollout, Status, grown_length, to_host
from environments.environment import Environment
from planner.design.comparison.changes import without_tail
from planner.design.design import Design
from planner.design.replay import replay
from surrogate.kernels.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class DriveMargin:
    """Forces on the tip of one vine at each of T records."""

    params: VineParams
    lengths: Floats
    """Grown length of film [m], shape (T,)."""
    tips: Floats
    """x, y [m], shape (T, 2)."""
    tension: Floats
    """Force that the tail takes [N], shape (T,)."""
    needed: Floats
    """Force that contacts and friction take [N], shape (T,)."""
    blocked: bool
    """Whether walls alone stop the vine, whatever its tail."""

    @property
    def available(self) -> Floats:
        """Force that the tail leaves [N], shape (T,); negative beyond the length that the vine can reach."""
        return self.params.growth_force - self.tension

    @property
    def margin(self) -> Floats:
        """Force left over, available - needed, as a share of the growth force without a tail [-], shape (T,)."""
        return np.asarray((self.available - self.needed) / self.params.growth_force)

    @property
    def least(self) -> int:
        """Index of the record with the smallest margin."""
        return int(self.margin.argmin())

    @property
    def needed_pressure(self) -> float | None:
        """Growth pressure at which the smallest margin would be 0 [Pa]; None if no pressure is enough.

        The growth force is in proportion to the pressure, the drag of the tail is independent of it. The force that walls take is
        somewhere between: the moments of the tube are in proportion to its pressure, those of the actuators are not. Of the two
        limits the one that needs more pressure is taken.
        """
        if self.blocked:
            return None
        full = self.params.growth_force
        kept = (self.tension + self.needed) / full
        free = full - self.needed
        in_proportion = np.where(free > 0, self.tension / np.where(free > 0, free, 1.0), np.inf)
        share = np.where(self.tension > 0, np.maximum(kept, in_proportion), kept).max()
        return float(share * self.params.growth_pressure) if np.isfinite(share) else None

    def content(self) -> dict[str, Any]:
        """Return the record with the smallest margin, in the units of files."""
        at, pressure = self.least, self.needed_pressure
        return {
            "margin": round(float(self.margin[at]), 4),
            "length_mm": round(1e3 * float(self.lengths[at]), 3),
            "tip_mm": [round(1e3 * float(part), 3) for part in self.tips[at]],
            "available_n": round(float(self.available[at]), 3),
            "needed_n": round(float(self.needed[at]), 3),
            "growth_force_n": round(self.params.growth_force, 3),
            "growth_pressure_kpa": round(1e-3 * self.params.growth_pressure, 4),
            "needed_pressure_kpa": None if pressure is None else round(1e-3 * pressure, 4),
        }


def drive_margin(rollout: Rollout, params: VineParams, vine: int = 0) -> DriveMargin | None:
    """Compute the forces on the tip of one vine of a rollout; None without a record, or if the rollout has no needed force.

    Args:
        params: The tube whose tail counts: that of the rollout, or one with another tail.
    """
    count = int(rollout.records[vine])
    if rollout.needed_force is None or not count:
        return None
    records = np.arange(count)
    state = rollout.state(np.full(count, vine), records)
    bends, last = to_host(state.angles), state.segments - 1
    films = np.full(bends.shape, params.segment_length)
    films[records, last] = state.last_length
    lengths = films if state.pivots is None else link_lengths(films, bends, state.pivots)
    tail = tail_of(params)
    tension = [tail_tension(tail, bends[k], lengths[k], int(last[k]) + 1) for k in records]
    return DriveMargin(
        params,
        grown_length(state, params),
        rollout.tips[vine, :count, :2].copy(),
        np.array(tension),
        rollout.needed_force[vine, :count].copy(),
        bool(rollout.status[vine] == Status.STALLED),
    )


def design_drive_margin(
    design: Design, environment: Environment, make: PropagatorFactory, rollout: Rollout
) -> DriveMargin | None:
    """Compute the forces on the tip of a design over its growth; see `drive_margin`.

    A design that stalls because of its tail has a margin of 0 there, which does not say what it lacks. So it is grown again without
    the tail, and its drag is computed along that growth.

    Args:
        make: Made the propagator.
        rollout: Growth of one vine of the design.
    """
    params = design.params
    if params.has_tail and rollout.needed_force is not None and rollout.status[0] == Status.STALLED:
        slack = replace(design, params=without_tail(params))
        rollout = replay(slack, make(environment, slack.params))
    return drive_margin(rollout, params)


def force_at_tip(design: Design) -> float:
    """Growth force that the tail leaves at the tip of a design in its predicted shape [N]."""
    moves = np.diff(design.centerline, axis=0)
    headings = np.arctan2(moves[:, 1], moves[:, 0])
    bends = (np.diff(headings, prepend=headings[:1]) + np.pi) % (2 * np.pi) - np.pi
    lengths, params = np.hypot(moves[:, 0], moves[:, 1]), design.params
    return float(available_force(params.growth_force, tail_of(params), bends, lengths, len(bends)))


def drive_text(content: dict[str, Any]) -> str:
    """Return one line of text about the content of `DriveMargin.content`."""
    (x, y), pressure = content["tip_mm"], content["needed_pressure_kpa"]
    needs = "no growth pressure is enough" if pressure is None else f"growth pressure needed {pressure:.1f} kPa"
    return (
        f"drive: least margin {100 * content['margin']:.0f} % of {content['growth_force_n']:.1f} N at {content['length_mm']:.0f} mm, "
        f"tip at ({x:.0f}, {y:.0f}) mm: {content['available_n']:.1f} N left by the tail, {content['needed_n']:.1f} N needed; "
        f"{needs}, given {content['growth_pressure_kpa']:.1f} kPa"
    )

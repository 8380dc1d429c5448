"""A vine with one actuator along its whole length, grown into a box: its bend in contact compared with that in free space.

Paper 002, section 6.1 and Fig. 5. The vine bends to the left. The contact angle is that between its heading and the box's face
on that side: if it is acute, the box pushes the tip in the direction of the bend, if it is obtuse, against it, and at 90 degrees
the vine meets the box head-on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, centerlines, grown_length, to_host
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.design.catalogue import Catalogue
from planner.design.comparison.paths import touched_obstacles
from planner.output.markdown import markdown_table
from studies.validation.variants import DENTS, TAIL
from surrogate.kernels.compiled import Floats

CURVATURE = 1.0
"""Desired free-space curvature of the vine [1/m]; that of the nearest actuator is used."""
BEFORE, AFTER = 0.7, 0.15
"""Length at which the tip touches the box, and length grown after that [m]."""
RECORD = 12.5e-3
"""Spacing of records [m]."""
BOX = box_corners(-0.8, -0.3, 0.8, 0.0)
"""Corners of the box, which the tip touches at (0, 0) [m]."""
BENT = np.radians(0.5)
"""Total absolute bend from contact below which the vine counts as not bent [rad]."""
COLUMNS = (
    *("contact", "propagator", "end", "mm", "contact", "turned deg", "near the tip deg", "most deg", "at mm"),
    *("base half %", "as published"),
)


EFFECTS: dict[str, dict[str, Any]] = {
    "friction 0.3": {"friction": 0.3},
    "walls dent the tube": DENTS,
    "tail": TAIL,
    "folds at 0.8 of pi P R^3": {"collapse_share": 0.8},
}
"""Effects that the default propagator leaves out, as fields of `VineParams`."""
THIN = VineParams(thickness_share=0.0)
"""The default tube with actuators that need no room beside it, as in most propagators."""


@cache
def make_actuator() -> tuple[float, float, float]:
    """Pressure [Pa], cell length [m] and `free_curvature` [1/m] of the one actuator, on the default tube."""
    params = VineParams()
    catalogue = Catalogue.of(params)
    entry = int(catalogue.synthesise(CURVATURE)[0])
    pressure, l_0 = float(catalogue.pressure[entry]), float(catalogue.l_0[entry])
    return pressure, l_0, float(free_curvature(joint_moments(params), pressure, l_0))


def grow_bent(propagator: Propagator, params: VineParams, length: float, record_every: float = RECORD) -> Rollout:
    """Grow a vine with the actuator along it from the start."""
    pressure, l_0, _ = make_actuator()
    shape = 1, int(np.ceil(length / params.segment_length - 1e-9))
    carried = Actuation(np.full(shape, pressure), np.full(shape, l_0))
    return propagator.grow(propagator.start(*shape), carried, length, record_every)


@dataclass(frozen=True, slots=True)
class ContactCase:
    """One way to touch the box."""

    name: str
    contact_angle: float
    """[rad]"""
    before: float = BEFORE
    """Length at which the tip touches the box [m]."""

    @property
    def environment(self) -> Environment:
        """The box, with the base placed so that the actuator's arc touches its upper face at (0, 0)."""
        params, (_, _, curvature) = VineParams(), make_actuator()
        heading = -self.contact_angle - curvature * self.before
        radius = 1 / centerline_curvature(curvature, params)
        arc = (np.exp(-1j * self.contact_angle) - np.exp(1j * heading)) / 1j * radius
        start = np.array([-arc.real, params.radius - arc.imag, heading])
        goal = np.array([1.4, 1.4, 0.05])
        return Environment(self.name, "", np.array([-1.5, -0.5, 1.5, 1.5]), start, goal, Obstacles((BOX,)))


ACUTE, HEAD_ON, OBTUSE = CASES = (
    ContactCase("acute", np.radians(45)),
    ContactCase("head-on", np.radians(90)),
    ContactCase("obtuse", np.radians(135)),
)


@dataclass(frozen=True, slots=True, eq=False)
class ContactResult:
    """Result of growing a vine into the box."""

    propagator: str
    """Or the effect, of the default propagator."""
    case: ContactCase
    status: Status
    length: float
    """Grown length [m]."""
    line: Floats
    """Joints [m], shape (n + 1, 2)."""
    free: Floats
    """Joints of the same vine of that length in free space [m], shape (n + 1, 2)."""
    bends: Floats
    """Bend of each joint minus that in free space [rad], positive in the direction of the actuator, shape (n,)."""
    segment_length: float
    """Length of a segment [m]."""
    touches: bool
    """Whether the vine touches the box at the end."""

    @property
    def turned(self) -> float:
        """Sum of all bends [rad]."""
        return float(self.bends.sum())

    @property
    def tip_half(self) -> float:
        """Sum of the bends in the distal half of the tube [rad]."""
        return float(self.bends[len(self.bends) // 2 :].sum())

    @property
    def peak(self) -> float | None:
        """Distance from the base to the joint with the largest bend from contact [m]; None if the vine is not bent."""
        size = np.abs(self.bends)
        return float(size.argmax() * self.segment_length) if size.sum() > BENT else None

    @property
    def base_share(self) -> float | None:
        """Share of the bends in the proximal half of the tube [-]; None if the vine is not bent."""
        size = np.abs(self.bends)
        return float(size[: len(size) // 2].sum() / size.sum()) if self.peak is not None else None

    @property
    def seen(self) -> str:
        """Effect of the contact, in one or two words."""
        if self.peak is None:
            return "stuck" if self.status == Status.STALLED else "nothing"
        return "curvature grows" if self.turned > 0 else "curvature shrinks"

    @property
    def as_published(self) -> bool:
        """Whether the curvature increases if the angle is acute, decreases if it is obtuse, and the tube buckles near its base head-on.

        Near the base means in the proximal third of the tube.
        """
        match self.case.name:
            case "acute":
                return self.seen == "curvature grows"
            case "obtuse":
                return self.seen == "curvature shrinks"
        return self.peak is not None and self.peak < self.length / 3

    def content(self) -> dict[str, Any]:
        """Content for a JSON file, in millimetres and degrees."""
        return {
            "propagator": self.propagator,
            "case": self.case.name,
            "contact_angle_deg": round(np.degrees(self.case.contact_angle), 3),
            "status": self.status.name.lower(),
            "seen": self.seen,
            "as_published": self.as_published,
            "length_mm": round(1e3 * self.length, 3),
            "touches": self.touches,
            "turned_deg": round(np.degrees(self.turned), 3),
            "curvature_change_per_m": round(self.turned / self.length, 5),
            "tip_half_turned_deg": round(np.degrees(self.tip_half), 3),
            "largest_bend_deg": round(np.degrees(float(np.abs(self.bends).max())), 3),
            "largest_bend_at_mm": None if self.peak is None else round(1e3 * self.peak, 1),
            "base_half_share": None if self.base_share is None else round(self.base_share, 3),
        }


def touch(name: str, case: ContactCase, after: float = AFTER, effect: str = "") -> ContactResult:
    """Grow one vine into the box with a named propagator, and to the same length without the box.

    Args:
        effect: One of `EFFECTS`, or none.
    """
    params, make = replace(THIN, **EFFECTS.get(effect, {})), load_propagator(name)
    environment = case.environment
    inside = grow_bent(make(environment, params), params, case.before + after)
    line, bends, length = _end(inside, environment, params)
    outside = grow_bent(make(replace(environment, obstacles=Obstacles()), params), params, length)
    free, free_bends, _ = _end(outside, environment, params)
    touches = bool(touched_obstacles([line], environment, params.radius))
    status = Status(inside.status[0])
    return ContactResult(
        effect or name, case, status, length, line, free, bends - free_bends, params.segment_length, touches
    )


def _end(rollout: Rollout, environment: Environment, params: VineParams) -> tuple[Floats, Floats, float]:
    """Joints [m], bends [rad] and length [m] of the first vine at its last record."""
    state = rollout.state(np.zeros(1, np.int64), rollout.records[:1] - 1)
    line = centerlines(state, environment.start, params)[0]
    count = int(state.segments[0])
    return line[: count + 1], to_host(state.angles)[0, :count], float(grown_length(state, params)[0])


def with_contact(names: Sequence[str]) -> list[str]:
    """Return the propagators that support contact."""
    return [name for name in names if load_propagator(name).capabilities.contact]


def run_contacts(names: Sequence[str]) -> Iterator[ContactResult]:
    """Run all cases with each of these propagators that supports contact (see `with_contact`), and with each of `EFFECTS`."""
    for name, effect in list_runs(names):
        for case in CASES:
            yield touch(name, case, effect=effect)


def list_runs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Propagators and effects that `run_contacts` combines."""
    default = propagators()[0]
    return [(name, "") for name in with_contact(names)] + [(default, effect) for effect in EFFECTS if default in names]


def report(outcomes: Sequence[ContactResult]) -> list[str]:
    """Return a table as lines of Markdown, with an explanation."""
    lines = [
        f"A vine of {1e3 * (BEFORE + AFTER):g} mm with one actuator along its whole length, {make_actuator()[2]:.2f} /m in free",
        f"space, meets a box with its tip at {1e3 * BEFORE:g} mm and keeps growing. The columns compare the bend with that",
        "in free space. *Turned*: additional bend of the whole tube, positive in the direction of the actuator; *near the",
        "tip*: that of the half next to the tip. *Most*: the joint with the greatest additional bend, and its distance",
        "from the base. *Base half*: share of the additional bend that is in the half next to the base. *As published*:",
        "whether the curvature changes in the direction that paper 002 reports or, head-on, whether the tube buckles near",
        "its base. The last rows of each contact are `quasistatic` with one effect that it leaves out by default.",
        "",
        *markdown_table(COLUMNS, [_row(one) for case in CASES for one in outcomes if one.case == case]),
    ]
    return lines + _stuck(outcomes)


def _row(one: ContactResult) -> list[str]:
    known = one.peak is not None and one.base_share is not None
    return [
        f"{one.case.name}, {np.degrees(one.case.contact_angle):.0f}°",
        one.propagator,
        one.status.name.lower(),
        f"{1e3 * one.length:.0f}",
        one.seen,
        f"{np.degrees(one.turned):.1f}",
        f"{np.degrees(one.tip_half):.1f}",
        f"{np.degrees(float(np.abs(one.bends).max())):.2f}",
        f"{1e3 * one.peak:.0f}" if one.peak is not None else "-",
        f"{100 * one.base_share:.0f}" if known and one.base_share is not None else "-",
        "yes" if one.as_published else "no",
    ]


def _stuck(outcomes: Sequence[ContactResult]) -> list[str]:
    """Return the lines about vines that did not grow to their full length."""
    found = [one for one in outcomes if one.status != Status.GROWN]
    return ["", *(f"`{one.propagator}`, {one.case.name}: {one.status.advice}." for one in found)] if found else []

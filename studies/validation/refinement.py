"""Convergence of every propagator when steps or segments are halved, in scenes that are not sensitive to initial conditions.

The scene is one arc, bent by an actuator: in free space, and sliding along a wall that it bends into. An error is the maximum
distance, over all records, between the tip and that at half the step or half the segment length. For a method of order p it
decreases by 2^p with each halving, whatever the limit is, so no reference solution is needed.

One more scene snaps: a passive tube in `plus` that buckles several times. There an error is the distance between the tip at the
end and that with the finest step: not an order, but whether the tube takes the same way with every step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.registry import load_propagator, propagators
from dynamics.tube import Physics, VineParams
from dynamics.vine import Actuation, Status
from environments import Environment, Obstacles, load_environment
from planner.output.markdown import markdown_table
from studies.validation.contacts import THIN, ContactCase, grow_bent, make_actuator
from surrogate.kernels.compiled import Floats

BEFORE, AFTER = 0.4, 0.1
"""Length at which the tip touches the wall, and length grown after that [m]."""
WALL = ContactCase("wall", np.radians(150), BEFORE)
SCENES = "free space", "wall"
SNAPS: dict[str, Physics] = {"snap, corrected": "corrected", "snap, published": "published"}
"""Scenes with a snap, and their physics; only with the propagator that looks for snaps."""
SNAP_HEADING, SNAP_LENGTH, SNAP_PARTS = np.radians(29.5), 2.0, (1, 2, 4, 8, 16)
"""Heading of the base [rad], length [m], and numbers by which the step is divided; the last is the finest."""
STEP_RECORD, SEGMENT_RECORD = 12.5e-3, 50e-3
"""Spacing of records when steps and when segments are halved [m]; the second is the longest segment, where all vines have joints."""
HALVINGS, PATIENT_HALVINGS = 7, 3
"""Number of halvings of the step; fewer for penalty, which is hundreds of times slower than the others."""
SEGMENTS = 50e-3, 25e-3, 12.5e-3, 6.25e-3, 3.125e-3
"""Lengths of segments [m]; the default is the second."""
FINER = 2
"""Number of halvings of the step when segments are halved, so that no step is as long as a segment."""
FITTED = 4
"""Number of last errors to which a slope is fitted; coarser steps do not resolve the scene."""
EXPECTED = 1
"""Order of every method in step and segment: each step is implicit or semi-implicit Euler, and a chain has its joints at the start
of its segments, which rotates it by half a segment's bend relative to the arc (`chain_error`)."""
ROUNDING = 1e-12
"""Distance between tips below which only rounding errors differ [m]."""
STEP, AS_GIVEN, PER_LENGTH = "step", "segment, moment per joint", "segment, moment per length"
"""The halved quantity. A segment's moment is either Eq. 2 of paper 002 for its bend, whatever its length, as published,
or Eq. 2 for the bend of 25 mm of tube at the same curvature; see `VineParams.physics`."""
COLUMNS = "propagator", "scene", "halved", "halvings", "first error mm", "last error mm", "slope"


@dataclass(frozen=True, slots=True)
class Refinement:
    """Errors of one propagator in one scene when one quantity is halved."""

    propagator: str
    scene: str
    halved: str
    sizes: tuple[float, ...]
    """Steps or segment lengths relative to the default, each half of the one before [-]."""
    errors: tuple[float, ...]
    """Distance between the results for each size and its half, or, in `SNAPS`, the finest [m], one fewer than sizes."""
    complaint: str = ""
    """Reason why there are no errors."""

    @property
    def exact(self) -> bool:
        """Whether results do not depend on the size, except for rounding."""
        return not self.complaint and max(self.errors) < ROUNDING

    @property
    def slope(self) -> float | None:
        """Least-squares slope of log error over log size for the last `FITTED` errors; None if they are rounding errors or too few,
        and for a snap."""
        errors, sizes = np.array(self.errors[-FITTED:]), np.array(self.sizes[:-1][-FITTED:])
        if self.complaint or self.scene in SNAPS or len(errors) < 2 or errors.min() < ROUNDING:
            return None
        return float(np.polyfit(np.log(sizes), np.log(errors), 1)[0])

    def content(self) -> dict[str, Any]:
        """Content for a JSON file, in millimetres."""
        return {
            "propagator": self.propagator,
            "scene": self.scene,
            "halved": self.halved,
            "sizes_of_default": list(self.sizes),
            "errors_mm": [float(f"{1e3 * error:.6g}") for error in self.errors],
            "slope": None if self.slope is None else round(self.slope, 3),
            "exact": self.exact,
            "complaint": self.complaint,
        }


def make_environment(scene: str) -> Environment:
    """Make the environment of one of `SCENES`; the base is the same in both."""
    environment = WALL.environment
    return environment if scene == "wall" else replace(environment, obstacles=Obstacles())


def make_segmented(
    name: str, environment: Environment, segment_length: float, halved: str
) -> tuple[Propagator, VineParams]:
    """Make a propagator with this segment length, and its step halved `FINER` times."""
    physics: Physics = "corrected" if halved == PER_LENGTH else "published"
    params = replace(THIN, segment_length=segment_length, physics=physics)
    model: Propagator = load_propagator(name)(environment, params)
    for _ in range(FINER if name != "penalty" else 0):
        model = model.refined()
    return model, params


class _Stopped(Exception):
    """A vine did not grow to its full length; the message gives the reason."""


def _tips(model: Propagator, params: VineParams, record_every: float) -> Floats:
    """Tips at every record [m], shape (records, 2)."""
    rollout = grow_bent(model, params, BEFORE + AFTER, record_every)
    status = Status(rollout.status[0])
    if status != Status.GROWN:
        raise _Stopped(status.advice)
    return rollout.tips[0, : rollout.records[0], :2]


def _errors(tips: Sequence[Floats]) -> tuple[float, ...]:
    return tuple(float(np.hypot(*(one - half).T).max()) for one, half in pairwise(tips))


def refine_step(name: str, scene: str) -> Refinement:
    """Halve a propagator's step repeatedly."""
    params = THIN
    model: Propagator = load_propagator(name)(make_environment(scene), params)
    sizes, tips = [], []
    for k in range((PATIENT_HALVINGS if name == "penalty" else HALVINGS) + 1):
        sizes.append(0.5**k)
        try:
            tips.append(_tips(model, params, STEP_RECORD))
        except _Stopped as stopped:
            return Refinement(name, scene, STEP, tuple(sizes), (), str(stopped))
        model = model.refined()
    return Refinement(name, scene, STEP, tuple(sizes), _errors(tips))


def refine_segments(name: str, scene: str, halved: str, lengths: Sequence[float] = SEGMENTS) -> Refinement:
    """Halve the segments of a propagator repeatedly.

    Args:
        halved: `AS_GIVEN` or `PER_LENGTH`.
        lengths: Segment lengths [m], each half of the one before.
    """
    sizes = tuple(length / VineParams().segment_length for length in lengths)
    try:
        tips = [
            _tips(*make_segmented(name, make_environment(scene), length, halved), SEGMENT_RECORD) for length in lengths
        ]
    except _Stopped as stopped:
        return Refinement(name, scene, halved, sizes, (), str(stopped))
    return Refinement(name, scene, halved, sizes, _errors(tips))


def snap_ends(name: str, scene: str, parts: Sequence[int]) -> list[Floats]:
    """Tips at the end in a scene with a snap [m], with a propagator's step divided by each of `parts`."""
    params = VineParams(physics=SNAPS[scene])
    plus = load_environment("plus", params.radius)
    environment = replace(plus, start=np.array([*plus.start[:2], SNAP_HEADING]))
    model: Propagator = load_propagator(name)(environment, params)
    passive = np.zeros((1, round(SNAP_LENGTH / params.segment_length)))
    ends = []
    for part in parts:
        start = model.start(*passive.shape)
        rollout = model.refined(part).grow(start, Actuation(passive, passive), SNAP_LENGTH, SEGMENT_RECORD)
        status = Status(rollout.status[0])
        if status != Status.GROWN:
            raise _Stopped(status.advice)
        ends.append(rollout.tips[0, rollout.records[0] - 1, :2])
    return ends


def refine_snap(name: str, scene: str, parts: Sequence[int] = SNAP_PARTS) -> Refinement:
    """Divide a propagator's step by each of `parts`, ascending, in a scene with a snap."""
    sizes = tuple(1 / part for part in parts)
    try:
        ends = snap_ends(name, scene, parts)
    except _Stopped as stopped:
        return Refinement(name, scene, STEP, sizes, (), str(stopped))
    return Refinement(name, scene, STEP, sizes, tuple(float(np.hypot(*(end - ends[-1]))) for end in ends[:-1]))


def cases(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Propagator, scene and halved quantity; the wall only for propagators that support contact, snaps only for the default."""
    whole = [
        (name, scene, halved)
        for name in names
        for scene in SCENES
        if scene != "wall" or load_propagator(name).capabilities.contact
        for halved in (STEP, AS_GIVEN, PER_LENGTH)
    ]
    return whole + [(name, scene, STEP) for name in names if name == propagators()[0] for scene in SNAPS]


def run_refinement(names: Sequence[str]) -> Iterator[Refinement]:
    """Run all `cases`."""
    for name, scene, halved in cases(names):
        if scene in SNAPS:
            yield refine_snap(name, scene)
        elif halved == STEP:
            yield refine_step(name, scene)
        else:
            yield refine_segments(name, scene, halved, SEGMENTS[:-1] if name == "penalty" else SEGMENTS)


def chain_error(segment_length: float) -> float:
    """Distance between the tips of an arc approximated by these segments and by segments of half the length, to first order [m].

    A joint bends by curvature times segment length at the start of the segment, so the chain is rotated by half of that relative to
    the arc, and the error of its tip is chord times bend of a joint / 2. Half the segment length halves this error.
    """
    curvature = make_actuator()[2]
    radius = 1 / centerline_curvature(curvature, VineParams())
    chord = 2 * radius * np.sin(curvature * (BEFORE + AFTER) / 2)
    return float(chord * curvature * segment_length / 4)


def curvatures_as_given() -> list[float]:
    """Free-space curvature with the actuator for each of `SEGMENTS` [1/m], if a segment's moment is Eq. 2 for its bend."""
    pressure, l_0, _ = make_actuator()
    joints = (joint_moments(VineParams(segment_length=length, physics="published")) for length in SEGMENTS)
    return [float(free_curvature(joint, pressure, l_0)) for joint in joints]


def report(found: Sequence[Refinement]) -> list[str]:
    """Return a table as lines of Markdown, with an explanation."""
    lengths = ", ".join(f"{1e3 * length:g}" for length in SEGMENTS)
    bent = ", ".join(f"{curvature:.2f}" for curvature in curvatures_as_given())
    lines = [
        f"A vine of {1e3 * (BEFORE + AFTER):g} mm with one actuator along its whole length grows in free space, and",
        f"against a wall along which it slides from {1e3 * BEFORE:g} mm on. The step size or the segment length is halved",
        "repeatedly. *Error*: the greatest distance, over all records, of the tip from that at half the size; the table",
        f"has the first and the last. *Slope*: that of log error over log size, by least squares over the last {FITTED}",
        f"errors; {EXPECTED} is expected. *Moment per length*: the moment of a segment depends on its bend per length.",
        "*Moment per joint*: it is that of paper 002, Eq. 2, for the bend of the joint, whatever the length of the",
        f"segment. This describes a different tube for each length: in free space the actuator bends it to {bent} /m with",
        f"segments of {lengths} mm. *Snap*: a passive tube of {1e3 * SNAP_LENGTH:g} mm in `plus`, its base at",
        f"{np.degrees(SNAP_HEADING):g} degrees; the error is the distance of the tip at the end from that with the finest step,",
        f"1/{SNAP_PARTS[-1]} of the default, so it has no slope; the last error is that of the second finest step.",
        "",
        *markdown_table(COLUMNS, map(_row, found)),
        "",
        f"With a moment per length, the first error in free space is expected to be {1e3 * chain_error(SEGMENTS[0]):.2f} mm, the last "
        f"{1e3 * chain_error(SEGMENTS[-2]):.2f} mm:",
        "the joint is at the beginning of each segment, which turns the arc by half a segment's bend.",
    ]
    return lines


def _row(one: Refinement) -> list[str]:
    errors = ["-", "-"] if one.complaint else [f"{1e3 * error:.3g}" for error in (one.errors[0], one.errors[-1])]
    slope = one.complaint or (
        "none: zero to rounding" if one.exact else "-" if one.slope is None else f"{one.slope:.2f}"
    )
    return [one.propagator, one.scene, one.halved, str(len(one.errors)), *errors, slope]

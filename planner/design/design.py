"""A design: the sections of a tube and its predicted shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import shapely

from dynamics.actuation import actuation_along
from dynamics.links import LEAST_LINK
from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.preformed import turn_of_film
from dynamics.self_contact import APART
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from planner.design.estimate import Success
from planner.design.schedule import VENTED, InvalidSchedule, Schedule
from planner.output.text import plural
from surrogate.kernels.compiled import Floats

Side = Literal["left", "right", "none"]
ROUNDING = 1e-9
"""Length by which an actuator may cover a segment and still be beside it [m]."""
RAMPS = 5
"""Number of steps in which a pressure changes while a segment grows, so that it is exact at the end of the segment."""
TOUCHING = 0.01
"""Share of the diameter by which parts of a tube may overlap and still count as touching [-]."""


class InvalidDesign(ValueError):
    """An unusable design; the one-line message names file, key, value and the allowed range."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Section:
    """A length of tube with one actuator, with a bend that is preformed, or straight."""

    start: float
    """Distance of its start from the base, along the film [m]."""
    end: float
    """Distance of its end from the base, along the film [m]."""
    side: Side
    """Side of its actuator, to which it bends: "left" or "right", seen from the base; "none" for a straight section."""
    curvature: float
    """Curvature of the centreline in free space [1/m], 0 without actuator."""
    l_0: float
    """Cell length [m], 0 without actuator."""
    pressure: float
    """Actuator pressure [Pa], 0 without actuator."""
    on: bool = True
    """Whether its actuator is pressurised in this environment. If not, it is built all the same, for another environment."""
    preformed: bool = False
    """Whether it is bent by folds made when the tube is built (`dynamics.preformed`), without an actuator: `l_0` and `pressure` are 0."""
    kind: int = 0
    """Number of its actuator in `VineParams.actuators`."""

    @property
    def sense(self) -> float:
        """Sign of its bend [-]: 1 to the left, -1 to the right, 0 if it is straight or has no pressure."""
        return {"left": 1.0, "right": -1.0, "none": 0.0}[self.side] if self.on else 0.0

    @property
    def actuated(self) -> bool:
        """Whether the section has an actuator."""
        return self.side != "none" and not self.preformed

    @property
    def signed_pressure(self) -> float:
        """Actuator pressure [Pa], positive if the section bends to the left, negative if to the right, as in `Actuation`."""
        return self.sense * self.pressure

    def rest(self, params: VineParams) -> float:
        """Return the angle per length of film by which it is preformed [1/m], positive to the left, 0 if it is not; see
        `Actuation.rest`."""
        return turn_of_film(self.sense * self.curvature, params) if self.preformed else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A design for one environment, with its predicted shape there."""

    environment: str
    """Name of the environment."""
    sha256: str
    """Hash of the environment's geometry."""
    params: VineParams
    """The tube and its actuators."""
    sections: tuple[Section, ...]
    """Contiguous sections from the base to the tip."""
    tip: Floats
    """Predicted x [m], y [m] and heading [rad] of the tip."""
    centerline: Floats
    """Predicted joints from base to tip [m], shape (n, 2)."""
    success: Success | None = None
    """Success of exactly these sections under errors; None if they were not tried, as after any change of them."""
    stop: float | None = None
    """Length at which its growth is stopped in this environment [m]; None for the whole tube."""
    schedule: Schedule | None = None
    """Pressures of its actuators over the grown length, the highest of which are those of its sections; None if they are constant."""

    def __repr__(self) -> str:
        parts = [
            f"{'preformed ' if section.preformed else ''}{section.side} {1e3 * section.start:.0f} to {1e3 * section.end:.0f} mm"
            f"{'' if section.on else ' (off)'}"
            for section in self.sections
            if section.side != "none"
        ]
        return (
            f"<Design for {self.environment}: {1e3 * self.length:.0f} mm of tube, {', '.join(parts) or 'no actuator'}>"
        )

    @property
    def built(self) -> float:
        """Length of the tube as built [m]."""
        return self.sections[-1].end

    @property
    def length(self) -> float:
        """Length to which the tube grows [m]."""
        return self.built if self.stop is None else min(self.stop, self.built)

    @property
    def actuated(self) -> list[Section]:
        """Its sections with an actuator, from the base, also those without pressure in this environment."""
        return [section for section in self.sections if section.actuated]

    @property
    def preformed(self) -> list[Section]:
        """Its preformed bends, from the base."""
        return [section for section in self.sections if section.preformed]

    @property
    def labelled(self) -> list[tuple[str, Section]]:
        """All sections that are bent, from the base, with their labels: `1`, `2` for actuators, `F1`, `F2` for preformed bends."""
        actuated, preformed = iter(range(1, self.actuators + 1)), iter(range(1, len(self.preformed) + 1))
        bent = [section for section in self.sections if section.side != "none"]
        return [(f"F{next(preformed)}" if one.preformed else f"{next(actuated)}", one) for one in bent]

    @property
    def words(self) -> str:
        """Number of actuators and of preformed bends, as text."""
        parts = [plural(self.actuators, "actuator") if self.actuators else "no actuators"]
        if count := len(self.preformed):
            parts.append(plural(count, "preformed bend"))
        return ", ".join(parts)

    @property
    def actuators(self) -> int:
        """Number of actuators that are built."""
        return len(self.actuated)

    @property
    def off(self) -> list[int]:
        """Numbers of the actuators without pressure in this environment, counted from 1 at the base."""
        return [number for number, section in enumerate(self.actuated, start=1) if not section.on]

    @property
    def uniform(self) -> bool:
        """Whether all sections have the same actuator properties."""
        properties = [
            (one.side, one.l_0, one.pressure, one.on, one.rest(self.params), one.kind) for one in self.sections
        ]
        return len(set(properties)) == 1

    @property
    def segments(self) -> int:
        """Number of segments in the simulation; the last may be shorter."""
        return int(np.ceil(self.length / self.params.segment_length - 1e-9))

    @property
    def crosses_itself(self) -> bool:
        """Whether the predicted tube crosses or overlaps itself: by a propagator that ignores contact of the tube with itself,
        or stacked."""
        return not find_overlap(self.centerline, self.params.radius).is_empty

    def actuation(self, max_segments: int) -> Actuation:
        """Return the actuation of each segment of one vine; a partly covered segment is actuated in proportion."""
        rows = [(one.start, one.end, one.signed_pressure, one.l_0, one.rest(self.params)) for one in self.sections]
        start, end, pressure, l_0, rest = np.array(rows).T[:, None]
        kind = np.array([[one.kind for one in self.sections]]) if self.params.others else None
        bends = Actuation(pressure, l_0, rest if self.preformed else None, kind)
        return actuation_along(start, end, bends, self.length, self.params, max_segments)

    def actuation_at(self, lengths: Floats) -> Actuation:
        """Return the actuation of each segment at given lengths [m], a row for each."""
        return Actuation.joined([self.stage_at(length).actuation(self.segments) for length in lengths.tolist()])

    def stages(self) -> list[tuple[float, Design]]:
        """Return the lengths up to which it grows [m], each with the design at constant pressures; one stage without a
        schedule.

        Where the length is that of the stage before, it is held, see `Schedule.stages`.
        """
        if self.schedule is None:
            return [(self.length, self)]
        ramp = self.params.segment_length / RAMPS
        return [(until, self._at(pressures)) for until, pressures in self.schedule.stages(self.length, ramp)]

    def scheduled(self, schedule: Schedule) -> Design:
        """Return the design with the pressures of a schedule: its sections get the highest pressure of each, its trials are
        dropped.

        Raises:
            InvalidSchedule: It has another number of actuators, an actuator is off, or never has pressure.
        """
        if schedule.actuators != self.actuators or self.off:
            of = f"{self.actuators} actuators, of which {len(self.off)} are off"
            raise InvalidSchedule(f"a schedule of {schedule.actuators} actuators does not fit a design with {of}")
        if len(never := np.flatnonzero(schedule.highest == 0)):
            raise InvalidSchedule(
                f"actuator {never[0] + 1} never has pressure in the schedule; leave it out of the design"
            )
        joint, of_actuators = joint_moments(self.params), iter(schedule.highest.tolist())

        def pressurise(section: Section) -> Section:
            if not section.actuated:
                return section
            pressure = next(of_actuators)
            film = free_curvature(joint, pressure, section.l_0, section.kind)
            return replace(section, pressure=pressure, curvature=float(centerline_curvature(film, self.params)))

        return replace(self, sections=tuple(map(pressurise, self.sections)), schedule=schedule, success=None)

    def stage_at(self, length: float) -> Design:
        """Return the design at the constant pressures that it has at a length [m]."""
        return self if self.schedule is None else self._at(self.schedule.at(length))

    def drawn_at(self, length: float) -> Design:
        """Return the design to draw at a length [m]: actuators that are vented there are off."""
        if self.schedule is None:
            return self
        now = self.stage_at(length)
        return replace(now, sections=tuple(replace(one, on=one.pressure != VENTED) for one in now.sections))

    def _at(self, pressures: Floats) -> Design:
        """Return the design at constant pressures of its actuators [Pa], shape (actuators,)."""
        of = iter(np.maximum(pressures, VENTED).tolist())
        sections = tuple(replace(one, pressure=next(of)) if one.actuated else one for one in self.sections)
        return replace(self, sections=sections, schedule=None)

    def film(self, joints: Floats, heading: float | None = None) -> Floats:
        """Return the length of the film of each segment of a centreline of this design [m], shape (n - 1,).

        It is longer than the segment where an actuator or a preformed bend shortens the centreline; undoes `dynamics.links.link`. Where
        links have kept their length, it is that length.

        Args:
            joints: Joints from base to tip [m], shape (n, 2); may be shorter than the design.
            heading: Direction in which the tube leaves its base [rad]; None is that of the first segment.
        """
        moves = np.diff(joints, axis=0)
        lengths = np.hypot(*moves.T)
        headings = np.arctan2(moves[:, 1], moves[:, 0])
        bends = np.diff(headings, prepend=headings[:1] if heading is None else heading)
        bends = np.abs((bends + np.pi) % (2 * np.pi) - np.pi)
        edges, shortened = self.params.segment_length * np.arange(len(joints)), np.zeros(len(lengths), bool)
        for section in (one for one in self.sections if one.sense):
            shortened |= (section.start < edges[1:] - ROUNDING) & (section.end > edges[:-1] + ROUNDING)
        film = np.minimum(lengths + self.params.pivot * bends, lengths / LEAST_LINK)
        return np.where(shortened, np.minimum(film, np.maximum(lengths, self.params.segment_length)), lengths)


def link_headings(joints: Floats, heading: float) -> Floats:
    """Direction of each link of a centreline [rad], continuous from the base on, shape (n - 1,).

    Args:
        joints: Joints from base to tip [m], shape (n, 2).
        heading: Direction in which the tube leaves its base [rad].
    """
    moves = np.diff(joints, axis=0)
    directions = np.concatenate([[heading], np.arctan2(moves[:, 1], moves[:, 0])])
    return np.asarray(np.unwrap(directions)[1:])


def find_overlap(joints: Floats, radius: float) -> shapely.Geometry:
    """Find the area where a tube crosses or overlaps itself.

    Two parts of the tube overlap if their axes are less than a diameter apart although the tube between them is longer than
    `dynamics.self_contact.APART`; the inside of a bend is no overlap.

    Args:
        joints: Joints from base to tip [m], shape (n, 2).
        radius: Radius of the tube [m].
    Returns:
        One polygon or several [m]; empty if the tube does not overlap itself.
    """
    if len(joints) < 2 or not np.ptp(joints, axis=0).any():
        return shapely.Polygon()  # a tube of no length
    line = shapely.segmentize(shapely.LineString(joints), radius)
    corners = shapely.get_coordinates(line)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    parts = shapely.linestrings(np.stack([corners[:-1], corners[1:]], axis=1))
    nearest = 2 * radius * (1 - TOUCHING)
    later, earlier = shapely.STRtree(parts).query(parts, predicate="dwithin", distance=nearest)
    apart = along[later] - along[earlier + 1] > APART * radius
    first, second = (shapely.buffer(parts[some[apart]], radius, quad_segs=16) for some in (earlier, later))
    return shapely.union_all(shapely.intersection(first, second)).buffer(0)


def types_of(design: Design) -> list[str]:
    """Return the types of the actuators that are built, in the order of `VineParams.actuators`."""
    used = {section.kind for section in design.actuated}
    return [one.kind for number, one in enumerate(design.params.actuators) if number in used]


def cell_name(design: Design) -> str:
    """Return the name of the cells if all actuator types share it, else `cell`."""
    built = [section.kind for section in design.actuated] or [0]
    names = {design.params.actuators[number].cell_name for number in built}
    return names.pop() if len(names) == 1 else "cell"


def type_of(section: Section, design: Design) -> str:
    """Return the type of a section's actuator, in a design with several; empty if there is one, or the section has no
    actuator."""
    if not section.actuated or len(types_of(design)) < 2:
        return ""
    return design.params.actuators[section.kind].kind

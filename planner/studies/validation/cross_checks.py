"""The best designs in the shipped environments, grown with every propagator: comparison of their tips, contacts and paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import shapely

from dynamics.propagator import CannotRun, Propagator, PropagatorFactory
from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment, load_environment
from planner.design import Design
from planner.markdown import table
from planner.replay import replay, trajectory
from planner.search.run import Budget, Run
from planner.studies.rollouts.study import PARTED
from planner.studies.validation.contacts import able
from planner.studies.validation.paths import TOUCH, obstacle_name, same_way, touched
from surrogate.compiled import Floats

ENVIRONMENTS = ("plus", "maze", "pickone", "needle", "long", "tube", "divider")
SEED, ITERATIONS = 1, 60
"""Seed and iterations of the search: reproducible on one machine, and about as good as a search of 20 s."""
HALVED = "half step"
"""Suffix of the name of the default propagator with half its step."""
CHANGES = {"with 10 % less growth force": 0.9, "with 10 % more growth force": 1.1}
"""Factors on the growth force with which a design is grown again; see `changes`."""
SLOWER = 0.2
"""Factor on the growth rate with which a design is grown again by propagators with inertia."""
COLUMNS = (
    *("environment", "actuators", "propagator", "end", "mm", "in goal", "tips apart mm", "at most mm"),
    *("contacts", "same way"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Growth:
    """A design grown by one propagator."""

    lengths: Floats
    """Length at each record [m], shape (records,)."""
    lines: list[Floats]
    """Joints at each record [m], shape (n, 2) each."""
    touched: list[tuple[int, int]]
    """Touched obstacles, and the first record of each contact; see `paths.touched`."""
    status: Status
    enters: bool
    """Whether the tip reaches the goal while it grows."""
    reached: bool
    """Whether it grows to its full length and its tip ends in the goal."""

    @property
    def length(self) -> float:
        """Grown length [m]."""
        return float(self.lengths[-1]) if len(self.lengths) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A design grown with one propagator, and with the default one, with which it was found."""

    environment: Environment
    design: Design
    propagator: str
    own: Growth
    default: Growth
    cured_by: tuple[str, ...] = ()
    """For a design that misses the goal with this propagator: those of `changes` with which it reaches the goal."""
    default_misses: tuple[str, ...] = ()
    """Those of `changes` with which the default propagator misses the goal."""

    @property
    def common(self) -> int:
        """Number of first records that both have at the same length."""
        count = min(len(self.own.lengths), len(self.default.lengths))
        alike = np.abs(self.own.lengths[:count] - self.default.lengths[:count]) < 1e-6
        return count if alike.all() else int(alike.argmin())

    @property
    def apart(self) -> Floats:
        """Distance between the tips at the common records [m], shape (common,)."""
        pairs = zip(self.own.lines[: self.common], self.default.lines, strict=False)
        return np.array([np.hypot(*(one[-1] - other[-1])) for one, other in pairs])

    @property
    def parts(self) -> tuple[int, int] | None:
        """First and last record in which the tips are farther apart than `PARTED`; None if there is none."""
        beyond = np.flatnonzero(self.apart > PARTED)
        return (int(beyond[0]), int(beyond[-1])) if len(beyond) else None

    @property
    def same_class(self) -> bool | None:
        """Whether both are in the same homotopy class at the last common record; None if that is undefined."""
        if not self.common:
            return None
        return same_way(self.own.lines[self.common - 1], self.default.lines[self.common - 1], self.environment)

    @property
    def contacts(self) -> str:
        """Comparison of the obstacles touched up to the last common record: "same", "other order", "fewer", "more" or "other"."""
        pair = self.own, self.default
        own, default = ([k for k, record in grown.touched if record < self.common] for grown in pair)
        if own == default:
            return "same"
        if set(own) == set(default):
            return "other order"
        return "fewer" if set(own) < set(default) else "more" if set(own) > set(default) else "other"

    @property
    def fails(self) -> bool:
        """Whether the design ends in the goal with the default propagator but not with this one."""
        return self.default.reached and not self.own.reached

    def causes(self) -> list[str]:
        """Possible causes of missing the goal, from the records and from growths with one change each."""
        if not self.fails:
            return []
        said = [self._end()]
        if self.parts is not None:
            said.append(self._parting(*self.parts))
        said += [f"{change} it ends in the goal" for change in self.cured_by]
        said += [f"{change} the default misses it" for change in self.default_misses]
        return said

    def _end(self) -> str:
        """How the growth ended, and the distance from the goal or from the obstacle that stopped it."""
        tip, goal = self.own.lines[-1][-1] if self.own.lines else self.environment.start[:2], self.environment.goal
        if self.own.status == Status.GROWN:
            beyond = float(np.hypot(*(tip - goal[:2])) - goal[2])
            passed = "it reaches the goal and ends" if self.own.enters else "it ends"
            return f"{passed} {1e3 * beyond:.1f} mm outside"
        gap, angle = self._wedged()
        ended = "stuck" if self.own.status == Status.STALLED else self.own.status.name.lower().replace("_", " ")
        return f"{ended} at {1e3 * self.own.length:.0f} mm, heading at {angle:.0f}° into the nearest obstacle, {1e3 * gap:.1f} mm from it"

    def _wedged(self) -> tuple[float, float]:
        """Gap between the tip and the nearest obstacle [m], and angle between its heading and that obstacle's face [degrees]."""
        joints = self.own.lines[-1] if len(self.own.lines) else self.design.centerline[:2]
        tip, solid = shapely.Point(joints[-1]), shapely.union_all(self.environment.obstacles.shapes())
        towards = np.subtract(shapely.shortest_line(tip, solid).coords[1], joints[-1])
        ahead = joints[-1] - joints[-2]
        sine = ahead @ towards / (np.hypot(*ahead) * np.hypot(*towards))
        return max(float(np.hypot(*towards)) - self.design.params.radius, 0.0), float(
            np.degrees(np.arcsin(np.clip(sine, -1, 1)))
        )

    def _parting(self, first: int, last: int) -> str:
        """Where the tips diverge, whether they converge again, and which obstacles were touched before."""
        at = f"the tips part at {1e3 * self.own.lengths[first]:.0f} mm, "
        if last < self.common - 1:
            at = f"the tips are apart from {1e3 * self.own.lengths[first]:.0f} to {1e3 * self.own.lengths[last]:.0f} mm, at first "
        met = [[(k, record) for k, record in grown.touched if record <= first] for grown in (self.own, self.default)]
        own, default = ({k for k, _ in one} for one in met)
        words = []
        for who, only in (("it alone", own - default), ("the default alone", default - own)):
            if only:
                words.append(f"{who} has touched {', '.join(obstacle_name(self.environment, k) for k in sorted(only))}")
        if not words and met[0]:
            k, record = met[0][-1]
            words.append(
                f"having touched {obstacle_name(self.environment, k)} last, at {1e3 * self.own.lengths[record]:.0f} mm"
            )
        return at + (" and ".join(words) or "before either has touched anything")

    def content(self) -> dict[str, Any]:
        """Content for a JSON file, in millimetres."""
        parts = self.parts
        return {
            "environment": self.environment.name,
            "actuators": self.design.actuators,
            "design_length_mm": round(1e3 * self.design.length, 3),
            "propagator": self.propagator,
            "status": self.own.status.name.lower(),
            "enters_goal": self.own.enters,
            "ends_in_goal": self.own.reached,
            "length_mm": round(1e3 * self.own.length, 3),
            "tips_apart_mm": round(1e3 * float(self.apart[-1]), 4) if self.common else None,
            "tips_apart_most_mm": round(1e3 * float(self.apart.max()), 4) if self.common else None,
            "tips_part_at_mm": None if parts is None else round(1e3 * float(self.own.lengths[parts[0]]), 3),
            "touched": [
                {
                    "obstacle": obstacle_name(self.environment, k),
                    "at_mm": round(1e3 * float(self.own.lengths[record]), 3),
                }
                for k, record in self.own.touched
            ],
            "contacts": self.contacts,
            "same_homotopy_class": self.same_class,
            "found_by_default_fails_here": self.fails,
            "causes": self.causes(),
        }


@cache
def planned(name: str, iterations: int = ITERATIONS) -> tuple[Environment, Design]:
    """The best design found in a shipped environment in this many iterations, reproducible on one machine.

    Raises:
        CannotRun: No design was found.
    """
    params = VineParams()
    environment = load_environment(name, params.radius)
    run = Run.prepare(environment, params, seed=SEED)
    for _ in run.run(Budget(np.inf, iterations=iterations)):
        pass
    if run.best is None:
        raise CannotRun(f"{name}: no design found in {iterations} iterations")
    return environment, run.best.design


def growth(environment: Environment, design: Design, propagator: Propagator) -> Growth:
    """Grow a design, recorded at the end of every segment."""
    rollout = replay(design, propagator)
    points, lengths = trajectory(environment, design, rollout)
    lines = [joints[~np.isnan(joints[:, 0])] for joints in points]
    ends = bool(lines) and np.hypot(*(lines[-1][-1] - environment.goal[:2])) <= environment.goal[2]
    status, enters = Status(rollout.status[0]), bool(rollout.enters(environment.goal)[0])
    met = touched(lines, environment, design.params.radius)
    return Growth(lengths, lines, met, status, enters, bool(ends and status == Status.GROWN))


def columns(names: Sequence[str]) -> list[str]:
    """Names of the growths of a design: the default, the default at half its step, and the other propagators with contact."""
    default = propagators()[0]
    return [default, f"{default}, {HALVED}", *(name for name in able(names) if name != default)]


def _model(name: str) -> PropagatorFactory:
    """Factory of the propagator for one of `columns`."""
    made: PropagatorFactory = _registered(name)
    return made if not name.endswith(HALVED) else lambda environment, params: made(environment, params).refined()


def _slower(make: PropagatorFactory) -> PropagatorFactory:
    """The same propagator with a tube that grows at `SLOWER` of its growth rate."""

    def slower(environment: Environment, params: VineParams) -> Propagator:
        inertia = replace(params.inertia, growth_rate=SLOWER * params.inertia.growth_rate)
        return make(environment, replace(params, inertia=inertia))

    return slower


def _registered(name: str) -> type[Propagator]:
    """Class of the propagator for one of `columns`."""
    return load_propagator(name.removesuffix(f", {HALVED}"))


def _forced(make: PropagatorFactory, share: float) -> PropagatorFactory:
    """Factory of the same propagator with another growth force."""
    return lambda environment, params: make(environment, replace(params, growth_share=share * params.growth_share))


def changes(name: str) -> dict[str, PropagatorFactory]:
    """Factories of a named propagator with one change each, to test whether a design then reaches or misses the goal."""
    make = _model(name)
    found = {change: _forced(make, share) for change, share in CHANGES.items()}
    found["at half its step"] = lambda environment, params: make(environment, params).refined()
    if _registered(name).capabilities.inertia:
        found[f"at {SLOWER:g} of the growth rate"] = _slower(make)
    if name == "geometric":
        from dynamics.geometric.propagator import Geometric

        found["without friction"] = partial(Geometric, friction=0.0)
    return found


def check(environment: Environment, design: Design, names: Sequence[str]) -> Iterator[Check]:
    """Grow a design with each of `columns`, and again with each of `changes` if it misses the goal."""

    def grown(make: PropagatorFactory) -> Growth:
        return growth(environment, design, make(environment, design.params))

    default, *others = columns(names)
    first = grown(_model(default))
    yield Check(environment, design, default, first, first)
    shaken = tuple(change for change, make in changes(default).items() if not grown(make).reached)
    for name in others:
        own = grown(_model(name))
        cures: tuple[str, ...] = ()
        if first.reached and not own.reached:
            cures = tuple(change for change, make in changes(name).items() if grown(make).reached)
        yield Check(environment, design, name, own, first, cures, shaken)


def study(names: Sequence[str], environments: Sequence[str] = ENVIRONMENTS) -> Iterator[Check]:
    """Plan in each environment and check the design; yields `len(environments) * len(columns(names))` checks."""
    for name in environments:
        yield from check(*planned(name), names)


def report(checks: Sequence[Check]) -> list[str]:
    """A table as lines of Markdown, and possible causes for each design that misses the goal."""
    lines = [
        f"The best design of {ITERATIONS} iterations of the search (seed {SEED}) in each environment, found by",
        f"`{propagators()[0]}`, is grown by the others. *Tips apart*: distance from the tip of the default, at the last",
        "length that both reach, and at most. *Contacts*: number of obstacles touched during growth (centreline within",
        f"the radius + {1e3 * TOUCH:g} mm at a record), and whether they are those of the default, in the same order of",
        "first contact, up to that length. *Same way*: whether the centrelines are homotopic at the last length that both",
        "reach (a dash if an obstacle lies between the tips).",
        "",
        *table(COLUMNS, map(_row, checks)),
    ]
    failing = [one for one in checks if one.fails]
    if failing:
        lines += ["", "Designs that miss the goal here:", ""]
        lines += [f"- {one.environment.name}, `{one.propagator}`: {'; '.join(one.causes())}." for one in failing]
    return lines


def _row(one: Check) -> list[str]:
    known = one.common > 0
    return [
        one.environment.name,
        str(one.design.actuators),
        one.propagator,
        one.own.status.name.lower().replace("_", " "),
        f"{1e3 * one.own.length:.0f}",
        "yes" if one.own.reached else "passes" if one.own.enters else "no",
        f"{1e3 * one.apart[-1]:.2f}" if known else "-",
        f"{1e3 * one.apart.max():.2f}" if known else "-",
        f"{len(one.own.touched)}, {one.contacts}",
        {True: "yes", False: "no", None: "-"}[one.same_class],
    ]

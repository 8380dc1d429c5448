"""Plumbing at the base: which regulator and which valve feeds each line, and what reaches the lines when they are set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from planner.fabrication.assembly.build import ActuatorBuild, Build
from planner.fabrication.assembly.pressures import pressure_lines, regulator_range
from planner.fabrication.plumbing.operation import Operation, operation_of

BODY = "body"
"""Name of the line that inflates the body."""
SUPPLY_SHUT_OFF, BODY_SHUT_OFF = "C1", "C2"
"""Names of the shut-off valves: behind the supply, and before the vessel."""


@dataclass(frozen=True, slots=True)
class Branch:
    """An outlet of a regulator, with the lines that it feeds."""

    valve: str
    """Name of its 3/2-way valve, which vents the lines when it is closed; empty without one."""
    lines: tuple[str, ...]
    """Names of its lines, which have the same pressure at every length; tees join them."""


@dataclass(frozen=True, slots=True)
class Regulator:
    """A pressure regulator with its relief valve, and its branches."""

    name: str
    """Label, e.g. `P2`."""
    pressure: float
    """Set point, or the highest one of a proportional regulator [Pa]."""
    limit: float
    """Lowest limit of its lines [Pa]: its relief valve opens at or below it."""
    proportional: bool
    """Whether a controller sets it while the tube grows; it then vents its lines itself."""
    branches: tuple[Branch, ...]
    """Outlets."""

    @property
    def relief(self) -> str:
        """Name of its relief valve."""
        return f"RV{self.name[1:]}"

    @property
    def range(self) -> float:
        """Range that it needs [Pa]."""
        return regulator_range(self.pressure)

    @property
    def lines(self) -> tuple[str, ...]:
        """Names of all its lines."""
        return tuple(line for branch in self.branches for line in branch.lines)


@dataclass(frozen=True, slots=True)
class Setting:
    """State of the plumbing: what is open, and the set points of proportional regulators."""

    open: frozenset[str]
    """Names of the open valves."""
    set_points: Mapping[str, float]
    """Set point of each proportional regulator, by name [Pa]."""


@dataclass(frozen=True, slots=True)
class Plumbing:
    """From the supply over a shut-off valve to the regulators, and from each to its lines."""

    regulators: tuple[Regulator, ...]
    """The regulator of the body first, then those of constant pressure, ascending, then proportional ones."""

    @property
    def valves(self) -> list[tuple[Regulator, Branch]]:
        """All 3/2-way valves with their regulators, by number."""
        found = [(one, branch) for one in self.regulators for branch in one.branches if branch.valve]
        return sorted(found, key=lambda pair: int(pair[1].valve[1:]))

    def feeding(self, line: str) -> tuple[Regulator, Branch]:
        """Return the regulator and the branch of a line."""
        return next((one, branch) for one in self.regulators for branch in one.branches if line in branch.lines)

    def setting(self, pressures: Mapping[str, float]) -> Setting:
        """Return how to set the plumbing so that the actuators have given pressures, by name [Pa].

        Raises:
            ValueError: Lines of one branch want different pressures, or a pressure is not that of its regulator.
        """
        opened, set_points = set[str](), dict[str, float]()
        for regulator in self.regulators[1:]:
            for branch in regulator.branches:
                wanted = {pressures[line] for line in branch.lines}
                if len(wanted) > 1:
                    raise ValueError(f"{' and '.join(branch.lines)} share a valve and cannot have different pressures")
                (pressure,) = wanted
                if regulator.proportional:
                    set_points[regulator.name] = pressure
                elif pressure == regulator.pressure:
                    opened.add(branch.valve)
                elif pressure:
                    raise ValueError(f"{regulator.name} is set to {regulator.pressure:g} Pa, not {pressure:g} Pa")
        return Setting(frozenset(opened), set_points)

    def deliver(self, setting: Setting, shut: Set[str] = frozenset()) -> dict[str, float]:
        """Return the gauge pressure that reaches each line [Pa], by name: the plumbing followed from the supply.

        Args:
            shut: Names of the shut-off valves that are shut.
        """
        reached = dict[str, float]()
        for regulator in self.regulators:
            pressure = setting.set_points.get(regulator.name, 0.0) if regulator.proportional else regulator.pressure
            behind = 0.0 if SUPPLY_SHUT_OFF in shut else min(pressure, regulator.range, regulator.limit)
            for branch in regulator.branches:
                passes = branch.valve in setting.open or not branch.valve
                if BODY in branch.lines and BODY_SHUT_OFF in shut:
                    passes = False
                reached |= dict.fromkeys(branch.lines, behind if passes else 0.0)
        return reached


def plumbing_of(build: Build, operation: Operation | None = None) -> Plumbing:
    """Return the plumbing with the fewest valves that can follow the schedule of a build.

    Lines with the same pressure at every length share a valve; valves of the same pressure share a regulator. A line that has more than
    one pressure, or whose pressure changes gradually, has a proportional regulator. A line that is never used here has a valve of its
    own, for another environment.

    Args:
        operation: Operation of the build, if it is known already.
    """
    operation = operation or operation_of(build)
    limits = {line["line"]: 1e3 * line["limit_kpa"] for line in pressure_lines(build)}
    constant: dict[float, list[tuple[str, ...]]] = {}
    changing: list[tuple[float, tuple[str, ...]]] = []
    for lines, pressure, changes in _groups(build.actuators, operation):
        if changes:
            changing.append((pressure, lines))
        else:
            constant.setdefault(pressure, []).append(lines)
    switched = sorted((lines for group in constant.values() for lines in group), key=_first_number)
    numbers = {lines: k for k, lines in enumerate(switched, start=1)}
    growth = float(round(build.design.params.growth_pressure))
    made = [(growth, False, [Branch("", (BODY,))])]
    made += [(p, False, [Branch(f"V{numbers[one]}", one) for one in group]) for p, group in sorted(constant.items())]
    made += [(pressure, True, [Branch("", lines)]) for pressure, lines in changing]

    def regulator(number: int, pressure: float, proportional: bool, branches: list[Branch]) -> Regulator:
        least = min(limits[line] for branch in branches for line in branch.lines)
        return Regulator(f"P{number}", pressure, max(least, pressure), proportional, tuple(branches))

    return Plumbing(tuple(regulator(k, *one) for k, one in enumerate(made, start=1)))


def _groups(actuators: Sequence[ActuatorBuild], operation: Operation) -> Iterator[tuple[tuple[str, ...], float, bool]]:
    """Return the names of lines that can share a valve, their highest pressure [Pa], and whether it changes while they are in use."""
    groups: dict[object, list[int]] = {}
    for k, one in enumerate(actuators):
        course = tuple((event.pressures[k], event.ramps[k]) for event in operation.events)
        groups.setdefault(course if any(pressure for pressure, _ in course) else one.name, []).append(k)
    for members in groups.values():
        levels = {event.pressures[members[0]] for event in operation.events} - {0.0}
        ramps = any(event.ramps[members[0]] for event in operation.events)
        highest = max(levels, default=float(round(actuators[members[0]].section.pressure)))
        yield tuple(actuators[k].name for k in members), highest, ramps or len(levels) > 1


def _first_number(lines: Sequence[str]) -> int:
    """Return the number of the first of some actuators, by their names."""
    return int(lines[0][1:])

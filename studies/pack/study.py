"""The measurement of the study: a pack is written, read by a builder who has its files only, grown again and tried."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from environments import Environment
from planner.design.design import Design, Section
from planner.design.estimate import Estimate
from planner.design.replay import grow_designs
from planner.fabrication.assembly.success import BLOCK, SEED
from planner.fabrication.guide.template import write_template
from planner.fabrication.pack import Pack
from planner.uncertainty.errors import named_errors
from planner.uncertainty.trials import EVALUATING, Worlds, grow_trials
from studies.pack.builder import Built, CannotBuild, build_from
from studies.pack.designs import EXAMPLES, Example, design_of, place_of

TESTED = 20
"""Number of tubes from which the ranges of a pack's acceptance test are found, which are not compared."""
CLOSE, TIP = 1e-4, 1e-3
"""Largest difference of a length of the built design, and of its grown tip, with which it is the same [m]."""


@dataclass(frozen=True, slots=True)
class PackCase:
    """A pack to make and to build from."""

    name: str
    """Name of one of `EXAMPLES`."""
    trials: int
    """Number of trials of its design."""


@dataclass(frozen=True)
class Made:
    """A pack, and what a builder found in its files."""

    pack: Pack
    built: Built
    drawing: Path


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between a design and the one that was built from its files."""

    alike: bool
    """Whether sections, sides, types and numbers of cells are the same, and which of them are off or preformed."""
    cell: float
    """Largest difference of a cell length [m]."""
    seam: float
    """Largest difference of a seam's width [m]."""
    place: float
    """Largest difference of the start or the end of a section [m]."""
    pressure: float
    """Largest difference of a pressure [Pa]."""
    curvature: float
    """Largest difference of a curvature, over that curvature [-]."""
    tip: float
    """Distance of the grown tips [m]."""
    turn: float
    """Difference of their headings [rad]."""
    in_goal: bool
    """Whether the built design ends in the goal."""

    @property
    def same(self) -> bool:
        """Whether the built design is the design."""
        lengths = max(self.cell, self.seam, self.place)
        return self.alike and self.in_goal and lengths < CLOSE and self.tip < TIP


@dataclass(frozen=True, slots=True)
class PackRecord:
    """Outcome of one pack."""

    case: PackCase
    types: tuple[str, ...]
    """Types of its actuators, and `preformed` if it has a preformed section."""
    actuators: int
    failure: str = ""
    """Why a builder could not find a design in the files; empty if one did."""
    comparison: Comparison | None = None
    promised: tuple[float, float, float] | None = None
    """Success rate that the cover states, and the ends of its interval [-]."""
    reached: int = 0
    """Number of the pack's trials in which the built design reaches the goal."""
    reached_elsewhere: int = 0
    """Number of as many other trials in which it does."""

    @property
    def inside(self) -> bool:
        """Whether the built design succeeds as often as the cover says: within its interval in the trials of the pack."""
        return self.promised is not None and self.promised[1] <= self.estimate.rate <= self.promised[2]

    @property
    def meets(self) -> bool:
        """Whether the interval of the built design in other trials meets that of the cover."""
        least, most = self.elsewhere.interval
        return self.promised is not None and least <= self.promised[2] and self.promised[1] <= most

    @property
    def estimate(self) -> Estimate:
        """Success of the built design in the trials of the pack."""
        return Estimate(self.reached, self.case.trials)

    @property
    def elsewhere(self) -> Estimate:
        """Success of the built design in other trials."""
        return Estimate(self.reached_elsewhere, self.case.trials)

    @property
    def holds(self) -> bool:
        """Whether the built design is the design, and succeeds as the cover says."""
        return self.comparison is not None and self.comparison.same and self.inside and self.meets

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return asdict(self) | {"holds": self.holds}

    def __str__(self) -> str:
        return f"{self.case.name}: {'as the pack says' if self.holds else self.failure or 'not as the pack says'}"


def make_cases(trials: int) -> list[PackCase]:
    """Return a case for each example."""
    return [PackCase(name, trials) for name in EXAMPLES]


def make_pack(example: Example, trials: int | None = None) -> Pack:
    """Make the pack of an example, with the success of its design in trials if they are asked for."""
    planned = design_of(example)
    place = place_of(planned, example.touches)
    planned = replace(planned, sha256=place.sha256)
    propagator = QuasiStatic(place, planned.params)
    pack = Pack.of(planned, place, propagator, allow_limit=True, trials=trials or TESTED, seam=example.seam)
    return replace(pack.with_trials(), trials=TESTED) if trials else pack


def build(pack: Pack, folder: Path) -> Made:
    """Write the drawing and the guide of a pack, and build from them.

    Raises:
        CannotBuild: They do not say what is to be built.
    """
    drawing, guide = folder / "pattern.dxf", folder / "template-letter.pdf"
    pack.write("dxf", folder)
    write_template(guide, pack.template("letter"), pack.guide)
    return Made(pack, build_from(drawing, guide, pack.environment.name), drawing)


def compare(made: Made) -> Comparison:
    """Compare the design from the files with that of the pack, as lists and as grown."""
    pack, built = made.pack, made.built
    expected, found = pack.grown.design, built.design
    seams = {one.name: one.actuator.seam for one in pack.build.actuators}
    kinds = [[one.kind for one in each.params.actuators] for each in (expected, found)]
    alike = [_kind(one) for one in expected.sections] == [_kind(one) for one in found.sections]
    alike &= built.cells == {one.name: one.cells for one in pack.build.actuators}
    alike &= kinds[0] == kinds[1] and built.seams.keys() == seams.keys()
    pairs = list(zip(expected.sections, found.sections, strict=False))
    place = pack.environment
    (grown,) = grow_designs([found], place, QuasiStatic(place, found.params).refined())
    differences = {
        "cell": [one.l_0 - other.l_0 for one, other in pairs],
        "seam": [seams[name] - built.seams[name] for name in seams.keys() & built.seams.keys()],
        "place": [one.start - other.start for one, other in pairs] + [one.end - other.end for one, other in pairs],
        "pressure": [one.pressure - other.pressure for one, other in pairs],
        "curvature": [(one.curvature - other.curvature) / (abs(one.curvature) or 1.0) for one, other in pairs],
    }
    apart = grown.tip - pack.grown.tip
    return Comparison(
        alike=alike,
        in_goal=grown.ends_in_goal,
        tip=float(np.hypot(*apart[:2])),
        turn=abs(float(apart[2])),
        **{name: float(np.abs(each).max(initial=0.0)) for name, each in differences.items()},
    )


def _kind(section: Section) -> tuple[object, ...]:
    return section.side, section.on, section.preformed, section.kind


def try_built(design: Design, place: Environment, errors: str, trials: int, after: int = 0) -> Estimate:
    """Grow a design in trials.

    Args:
        errors: Name of the errors.
        after: Number of the first trial, from those of a pack's own trials on: 0 for the same trials.
    """
    uncertainty, reached = named_errors(place, design.params, errors)[1], 0
    numbers = range(EVALUATING + after, EVALUATING + after + trials)
    for first in range(0, trials, BLOCK):
        worlds = Worlds.draw(place, design.params, uncertainty, numbers[first : first + BLOCK], SEED)
        reached += int(grow_trials(design, worlds).reached.sum())
    return Estimate(reached, trials)


def run_case(case: PackCase) -> PackRecord:
    """Make a pack, build from its files, compare and try the design that was built."""
    pack = make_pack(EXAMPLES[case.name], case.trials)
    kinds = [one.actuator.kind for one in pack.build.actuators] + ["preformed"] * bool(pack.build.bends)
    record = PackRecord(case, tuple(dict.fromkeys(kinds)), len(pack.build.actuators))
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = build(pack, Path(folder))
    except CannotBuild as error:
        return replace(record, failure=str(error))
    promised, built = made.built.promised, made.built.design
    if promised is None or promised.trials != case.trials:
        return replace(record, failure="the cover does not state the success in the trials", comparison=compare(made))
    reached, elsewhere = (
        try_built(built, pack.environment, promised.errors, case.trials, after).reached for after in (0, case.trials)
    )
    return replace(
        record,
        comparison=compare(made),
        promised=(promised.rate, *promised.interval),
        reached=reached,
        reached_elsewhere=elsewhere,
    )


def missed(records: Sequence[PackRecord]) -> str:
    """Return which designs were not built, or do not succeed as the cover says; empty if there are none."""
    names = [record.case.name for record in records if not record.holds]
    return f"not the designs of their packs, or not as promised: {', '.join(names)}" if names else ""

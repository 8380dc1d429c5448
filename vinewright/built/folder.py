"""The folder of a design that was built: what was measured of it is read, added and removed, and put into words."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.recording import Recording, load_recording
from environments.environment import Environment
from environments.lengths import format_position
from planner.built.trial import BendTest, Growth, MeasuredPoint, Trials, design_digest, place_centerline
from planner.built.trials_check import bend_at, check_trials
from planner.built.trials_file import load_trials, save_trials
from planner.design.design import Design
from planner.design.design_file import SOLUTIONS, load_design
from planner.design.solutions_file import load_solutions_with_jumps
from planner.output.claim import Locked, claim_to_resume
from planner.output.contents import MEASUREMENTS
from planner.output.text import plural
from surrogate.kernels.compiled import Floats
from vinewright.console.errors import BadInput
from vinewright.console.options import environment_of

WAIT = 10.0
"""Time for which a command waits for another one that writes the same folder [s]."""


@dataclass(frozen=True, slots=True)
class BuiltDesign:
    """A design that was built, and what was measured of it."""

    folder: Path
    design: Design
    environment: Environment
    trials: Trials
    notes: list[str]
    """Notes on what is unlikely, see `check_trials`."""

    @classmethod
    def read(cls, folder: Path) -> BuiltDesign:
        """Read the trials in a folder, and the design of which they are.

        Raises:
            BadInput: The folder is not one of a run or a pack, or its environment is not known.
            InvalidTrials: There are none, or they cannot be used.
        """
        check_folder(folder)
        trials = load_trials(folder / MEASUREMENTS)
        design = find_design(folder, trials.design)
        environment = environment_in(folder, design)
        return cls(folder, design, environment, trials, check_trials(trials, design, environment))

    def recordings(self) -> list[Recording | None]:
        """Read the recordings of the growths; None for a growth without one."""
        names = [growth.recording for growth in self.trials.growths]
        return [load_recording(self.folder / name) if name else None for name in names]

    def path_of(self, name: str) -> Floats:
        """Return the way of the tip in a recording of the folder, in the environment [m], shape (frames, 3): x, y, length.

        Frames in which the tube is not longer than before are left out, but for the last.
        """
        recording = load_recording(self.folder / name)
        lines = [place_centerline(line, recording.base, self.environment.start) for line in recording.centerlines]
        lengths = np.array([np.linalg.norm(np.diff(line, axis=0), axis=1).sum() for line in lines])
        longest = np.maximum.accumulate(lengths)
        grown = np.append(np.diff(longest, prepend=0.0)[:-1] > 0, True)
        return np.array([(*line[-1], length) for line, length in zip(lines, longest, strict=True)])[grown]


def check_folder(folder: Path) -> None:
    """Check that a path is a folder.

    Raises:
        BadInput: It is not.
    """
    if not folder.is_dir():
        state = "is a file" if folder.exists() else "does not exist"
        raise BadInput(f"{folder} {state}; give the folder of the run or the pack whose design was built")


def environment_in(folder: Path, design: Design) -> Environment:
    """Return the environment of a design in a folder.

    Raises:
        BadInput: It is not known.
    """
    if (found := environment_of(folder, design)) is None:
        raise BadInput(
            f"{folder} has no environment.toml, and its environment ({design.environment}) is not known here"
        )
    return found


def find_design(folder: Path, digest: str) -> Design:
    """Return the design of a folder with a digest: that of its file, or one of its solutions; without one, that of its file."""
    design = load_design(folder)
    if design_digest(design) != digest and (folder / SOLUTIONS).is_file():
        for one, _ in load_solutions_with_jumps(folder / SOLUTIONS):
            if design_digest(one) == digest:
                return one
    return design


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, after a while if another command holds it: so that of two that add at once, none is lost.

    Raises:
        UnwritableFolder: Another one holds it for long, or the folder cannot be written.
    """
    check_folder(folder)
    last = time.monotonic() + WAIT
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(claim_to_resume(folder))
                break
            except Locked:
                if time.monotonic() > last:
                    raise
                time.sleep(0.02)
        yield


def final_line(recording: Recording, environment: Environment) -> Floats:
    """Return the last centreline of a recording in the coordinates of the environment [m], shape (n, 2)."""
    return place_centerline(recording.centerlines[-1], recording.base, environment.start)


# ---- adding and removing ----


Item = Growth | BendTest | MeasuredPoint


def begin_trials(folder: Path, solution: int | None) -> tuple[Trials, Design, Environment]:
    """Return the trials in a folder, or new ones, with the design that was built and its environment.

    Args:
        solution: Number of the solution that was built; None for the design of the trials, or of the folder if there are none.
    """
    file = folder / MEASUREMENTS
    if not file.exists():
        design = load_design(folder, solution)
        return Trials(design_digest(design)), design, environment_in(folder, design)
    trials = load_trials(file)
    design = find_design(folder, trials.design) if solution is None else load_design(folder, solution)
    return trials, design, environment_in(folder, design)


def extend_trials(
    trials: Trials, items: Sequence[Item], design: Design, environment: Environment
) -> tuple[Trials, list[str]]:
    """Return trials with more measurements, and notes on the new growths.

    Raises:
        InvalidTrials: They cannot have been measured, or are of another design.
    """
    more = replace(
        trials,
        growths=(*trials.growths, *(one for one in items if isinstance(one, Growth))),
        bends=(*trials.bends, *(one for one in items if isinstance(one, BendTest))),
        points=(*trials.points, *(one for one in items if isinstance(one, MeasuredPoint))),
    )
    added = [f"growths[{number}]" for number in range(len(trials.growths), len(more.growths))]
    notes = check_trials(more, design, environment)
    return more, [note for note in notes if any(one in note for one in added)]


def remove_measurement(folder: Path, number: int, expected: str | None = None) -> tuple[Item, Trials]:
    """Remove a measurement from the file, by its number from 1; return it, and the trials that are left.

    Args:
        expected: What is to be removed, in the words of `describe`; None for whatever has the number.
    Raises:
        BadInput: There is no such measurement.
    """
    with hold(folder):
        trials = load_trials(folder / MEASUREMENTS)
        items = items_of(trials)
        if number > len(items):
            raise BadInput(f"{number} is not there: {folder / MEASUREMENTS} has {len(items) or 'no'} measurements")
        removed = items[number - 1]
        if expected is not None and ": ".join(describe(removed, find_design(folder, trials.design))) != expected:
            raise BadInput(f"measurement {number} is another one now: look at the list again")
        left = without(trials, number)
        save_trials(folder / MEASUREMENTS, left)
    return removed, left


# ---- words ----


def items_of(trials: Trials) -> list[Item]:
    """Return all that was measured, in the order of the numbers that people see, from 1."""
    return [*trials.growths, *trials.bends, *trials.points]


def without(trials: Trials, number: int) -> Trials:
    """Return the trials without one, by its number from 1."""
    index = number - 1
    for name in ("growths", "bends", "points"):
        part = getattr(trials, name)
        if 0 <= index < len(part):
            left: dict[str, Any] = {name: (*part[:index], *part[index + 1 :])}
            return replace(trials, **left)
        index -= len(part)
    return trials


def describe(item: Item, design: Design) -> tuple[str, str]:
    """Return what kind of measurement one is, and what was measured, in words."""
    match item:
        case Growth():
            return "growth", ", ".join(_growth_words(item, design))
        case BendTest():
            words = f"actuator {item.section} at {1e-3 * item.pressure:.4g} kPa: {math.degrees(item.bend):.1f} deg"
            if item.section <= design.actuators:
                section = design.actuated[item.section - 1]
                words += f", model {math.degrees(bend_at(item.pressure, section, design)):.1f} deg"
            return "bend", words
    x, y = (1e3 * (one - other) for one, other in zip(item.measured, item.planned, strict=True))
    return "point", f"{item.obstacle}: {format_position(item.planned)} is off by ({x:+.1f}, {y:+.1f}) mm"


def _growth_words(growth: Growth, design: Design) -> Iterator[str]:
    """Yield what is known of a growth."""
    if growth.reached is not None:
        yield "reached" if growth.reached else "missed"
    if growth.tip is not None:
        away = (
            f", {1e3 * math.dist(growth.tip, design.tip[:2]):.0f} mm from the prediction"
            if growth.pressures is None
            else ""
        )
        yield f"tip {format_position(growth.tip)}{away}"
    if growth.length is not None:
        yield f"{1e3 * growth.length:.0f} mm grown"
    if growth.pressures is not None:
        yield f"at {', '.join(f'{1e-3 * one:.4g}' for one in growth.pressures)} kPa"
    if growth.recording is not None:
        yield growth.recording


def summary(trials: Trials, design: Design) -> str:
    """Return the trials of a built design in one line."""
    known = [growth.reached for growth in trials.growths if growth.reached is not None]
    away = [
        math.dist(one.tip, design.tip[:2]) for one in trials.growths if one.tip is not None and one.pressures is None
    ]
    parts = []
    if trials.growths:
        parts.append(plural(len(trials.growths), "growth"))
    if known:
        parts.append(f"{sum(known)} of {len(known)} reached the goal")
    if away:
        low, middle, high = (1e3 * float(np.percentile(away, part)) for part in (0, 50, 100))
        spread = f"{low:.0f} to {high:.0f} mm (median {middle:.0f} mm)" if len(away) > 1 else f"{high:.0f} mm"
        parts.append(f"{'tips' if len(away) > 1 else 'tip'} {spread} from the prediction")
    if trials.bends:
        parts.append(plural(len(trials.bends), "bend"))
    if trials.points:
        parts.append(plural(len(trials.points), "measured point"))
    return f"built and tried: {', '.join(parts) or 'nothing measured yet'}"


def trials_lines(folder: Path) -> list[str]:
    """Return lines about the trials in a folder for a summary of it; none without a file of trials."""
    if not (folder / MEASUREMENTS).is_file():
        return []
    try:
        built = BuiltDesign.read(folder)
    except (BadInput, ValueError) as error:
        return [f"built and tried, but its trials cannot be used: {error}"]
    return [summary(built.trials, built.design), *(f"note: {note}" for note in built.notes)]

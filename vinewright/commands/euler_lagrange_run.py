"""Parts of both motions of `vinewright euler-lagrange`: options, progress, and the folder that is written."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from vinewright.console.errors import BadInput, NothingKept

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.euler_lagrange.control import Tracking
    from dynamics.euler_lagrange.motion import RobotMotion, Watch
    from dynamics.euler_lagrange.robot_file import ControlledRobot
    from surrogate.kernels.compiled import Floats

Moved = TypeVar("Moved", "RobotMotion", "Tracking")
SHORTEST = 1e-3
"""Shortest motion [s]."""
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for trajectory, picture and description. Default: the first free one of runs/euler-lagrange-NAME, "
        "runs/euler-lagrange-NAME-2 and so on.",
    ),
]


def parse_three(option: str, text: str, unit: str) -> tuple[float, float, float]:
    """Parse three finite numbers that are separated by commas.

    Raises:
        BadInput: They are not.
    """
    try:
        first, second, third = (float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"{option} {text} must be three numbers separated by commas, in {unit}") from None
    if not all(map(math.isfinite, (first, second, third))):
        raise BadInput(f"{option} {text} must be three finite numbers, in {unit}")
    return first, second, third


def parse_start(text: str) -> Floats:
    """Parse an initial s [m], theta and phi [rad], shape (3,).

    Raises:
        BadInput: It is none.
    """
    from dynamics.euler_lagrange.model import check_start

    given = parse_three("--start", text, "metres and radians")
    try:
        return check_start(given)
    except ValueError as error:
        raise BadInput(f"--start {text}: {error}") from None


@dataclass(frozen=True, slots=True)
class Job:
    """A motion to compute and write."""

    console: Console
    made: ControlledRobot
    folder: Path
    seconds: float
    """Duration [s]."""

    def compute(self, run: Callable[[Watch], Moved]) -> Moved:
        """Compute the motion with a progress bar; Ctrl-C keeps what was computed.

        Raises:
            NothingKept: Ctrl-C came before there was anything to keep.
        """
        with self._watching() as watch:
            found = run(watch)
        if found.stopped:
            reached = float(found.times[-1]) if len(found.times) else 0.0
            if reached <= 0:
                raise NothingKept("interrupted before anything was computed; nothing was written")
            self.console.print(f"interrupted after {reached:.4g} of {self.seconds:g} s of motion; this is kept")
        return found

    @contextmanager
    def _watching(self) -> Iterator[Watch]:
        from rich.progress import Progress

        from surrogate.kernels.interruption import Interruption

        request = Interruption()
        shown = time.monotonic()
        with (
            request.handling_signals(),
            Progress(console=self.console, transient=True, disable=not self.console.is_terminal) as bar,
        ):
            task = bar.add_task("seconds of motion", total=self.seconds)

            def watch(reached: float) -> bool:
                nonlocal shown
                if (now := time.monotonic()) > shown + 0.1:
                    bar.update(task, completed=reached)
                    shown = now
                return request.requested

            yield watch

    def write(self, name: str, content: Mapping[str, Any], table: str, draw: Callable[[Path], None]) -> list[str]:
        """Write the folder, whole or not at all, and return the names of its files.

        Args:
            name: Name of description and picture, without suffix.
        """
        from dynamics.euler_lagrange.robot_file import robot_text
        from planner.output.folder import write_folder, write_json

        def fill(fresh: Path) -> None:
            write_json(fresh / f"{name}.json", dict(content))
            (fresh / "trajectory.csv").write_text(table, encoding="utf-8")
            (fresh / "robot.toml").write_text(robot_text(self.made), encoding="utf-8")
            draw(fresh / f"{name}.png")

        write_folder(self.folder, fill)
        return [f"{name}.json", "trajectory.csv", f"{name}.png", "robot.toml"]


def shown_path(path: str | Path) -> str:
    """Return a path as it is written into results: as given, or only its name if it is absolute."""
    return Path(path).name if Path(path).is_absolute() else str(path)


@contextmanager
def result_folder(out: Path | None, robot: str, force: bool) -> Iterator[Path]:
    """Hold the folder of a result, `OutOption`.

    Raises:
        UnwritableFolder: It contains something else, or cannot be written.
    """
    from planner.output.claim import claim
    from planner.output.folder import stem_of

    with claim(out, Path("runs") / f"euler-lagrange-{stem_of(Path(robot).stem)}", force) as folder:
        yield folder


def check_seconds(seconds: float) -> float:
    """Check the duration of a motion [s].

    Raises:
        BadInput: It is out of range.
    """
    from dynamics.euler_lagrange.time_table import LONGEST

    if not SHORTEST <= seconds <= LONGEST:
        raise BadInput(f"--seconds {seconds:g} must be from {SHORTEST:g} to {LONGEST:g} s")
    return seconds


def pose_content(polar: Floats, tip: Floats) -> dict[str, Any]:
    """Return a configuration s [m], theta [rad], phi [rad], and its tip [m], for a file."""
    s, theta, phi = (round(float(one), 9) + 0.0 for one in polar)
    return {"s_m": s, "theta_rad": theta, "phi_rad": phi, "tip_m": [round(float(one), 9) + 0.0 for one in tip]}

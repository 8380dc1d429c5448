"""Parts of both motions of `vinewright euler-lagrange`: options, progress, and the folder that is written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from vinewright.console.answer import Answer
from vinewright.console.errors import BadInput, NothingKept, apart

if TYPE_CHECKING:
    from dynamics.euler_lagrange.control import Tracking
    from dynamics.euler_lagrange.motion import RobotMotion, Watch
    from dynamics.euler_lagrange.robot_file import ControlledRobot

Moved = TypeVar("Moved", "RobotMotion", "Tracking")
SHORTEST = 1e-3
"""Shortest motion [s]."""
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for table, picture and description. Default: the first free one of runs/euler-lagrange-NAME, "
        "runs/euler-lagrange-NAME-2 and so on.",
    ),
]


class Told(NamedTuple):
    """A motion in words."""

    lines: list[str]
    missed: str
    """Expectation that was not met, as text; empty if all were."""


@dataclass(frozen=True, slots=True)
class Job:
    """A motion to compute, to describe and to write."""

    answer: Answer
    begun: float
    """Time at which the command began (`time.perf_counter`) [s]."""
    made: ControlledRobot
    name: str
    """Name of description and picture, without suffix."""
    title: str
    """Title of the picture."""
    command: str
    head: Mapping[str, Any]
    """The first keys of the description."""
    seconds: float
    """Duration [s]."""

    def run(
        self,
        folders: AbstractContextManager[Path],
        compute: Callable[[Watch], Moved],
        tell: Callable[[Moved, dict[str, Any]], Told],
    ) -> tuple[dict[str, Any], list[Path], str]:
        """Compute a motion, print what there is to tell, write the folder, and return the arguments of `Answer.end`.

        Raises:
            NothingKept: Ctrl-C came before there was anything to keep.
            BadInput: The tube bends into a full circle in its first step.
        """
        from planner.output.provenance import Provenance
        from vinewright.euler_lagrange.description import describe_motion

        with folders as folder:
            found = self._compute(compute)
            content = {**self.head, **describe_motion(found, self.seconds)}
            told = tell(found, content)
            for line in told.lines:
                self.answer.console.print(line)
            provenance = Provenance.here(self.command, time.perf_counter() - self.begun).content()
            files = self._write(folder, provenance | content, found)
        self.answer.console.print(f"wrote {folder}/: {', '.join(files)}")
        return content, [folder], told.missed

    def _compute(self, compute: Callable[[Watch], Moved]) -> Moved:
        """Compute the motion with a progress bar; Ctrl-C keeps what was computed."""
        with self._watching() as watch:
            found = compute(watch)
        reached = float(found.times[-1]) if len(found.times) else 0.0
        if found.stopped and reached <= 0:
            raise NothingKept("interrupted before anything was computed; nothing was written")
        if not len(found.times):
            raise BadInput("the tube bends into a full circle in its first step; start it with less bend")
        if found.stopped:
            self.answer.console.print(f"interrupted after {reached:.4g} of {self.seconds:g} s of motion; this is kept")
        return found

    @contextmanager
    def _watching(self) -> Iterator[Watch]:
        from rich.progress import Progress

        from surrogate.kernels.interruption import Interruption

        request, console = Interruption(), self.answer.console
        shown = time.monotonic()
        with (
            request.handling_signals(),
            Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
        ):
            task = bar.add_task("seconds of motion", total=self.seconds)

            def watch(reached: float) -> bool:
                nonlocal shown
                if (now := time.monotonic()) > shown + 0.1:
                    bar.update(task, completed=reached)
                    shown = now
                return request.requested

            yield watch

    def _write(self, folder: Path, content: Mapping[str, Any], found: RobotMotion | Tracking) -> list[str]:
        """Write the folder, whole or not at all, and return the names of its files."""
        from dynamics.euler_lagrange.robot_file import robot_text
        from planner.output.folder import write_folder, write_json
        from vinewright.euler_lagrange.pictures import save_motion
        from vinewright.euler_lagrange.trajectory import trajectory_table

        def fill(fresh: Path) -> None:
            write_json(fresh / f"{self.name}.json", dict(content))
            (fresh / "trajectory.csv").write_text(trajectory_table(found), encoding="utf-8")
            (fresh / "robot.toml").write_text(robot_text(self.made), encoding="utf-8")
            save_motion(fresh / f"{self.name}.png", self.made.robot, found, self.title)

        write_folder(folder, fill)
        return [f"{self.name}.json", "trajectory.csv", f"{self.name}.png", "robot.toml"]


@contextmanager
def result_folder(
    out: Path | None, robot: str, force: bool, read: Path | None = None, what: str = ""
) -> Iterator[Path]:
    """Hold the folder of a result, `OutOption`, which must not be that of the robot or of another file that is read.

    Args:
        what: What the file is, for the message.
    Raises:
        BadInput: It is the folder of such a file.
        UnwritableFolder: It contains something else, or cannot be written.
    """
    from planner.output.claim import claim
    from planner.output.folder import stem_of

    apart(out, Path(robot), "robot")
    if read is not None:
        apart(out, read, what)
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

"""`vinewright show`: the kinds of results that it recognises."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BaseModel, Field
from pydantic_core import PydanticCustomError
from rich.table import Table

from planner.design.design import InvalidDesign
from planner.design.design_file import DESIGN, SOLUTIONS
from planner.design.estimate import Estimate
from planner.mapping.session_file import PICTURE, SESSION
from planner.output.contents import CHECKPOINT, SAME
from planner.output.text import plural
from vinewright.commands.map_session import session_lines
from vinewright.commands.show_designs import (
    PackFile,
    Part,
    RobustnessFile,
    RunFile,
    Shown,
    SimulationFile,
    Text,
    show_checkpoint,
    show_design,
    show_pack,
    show_robustness,
    show_run,
    show_simulation,
    show_solutions,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of result."""

    name: str
    file: str
    """Its file in a folder."""
    keys: Set[str]
    """Top-level keys, or arrays, by which the content of a file is recognised."""
    read: Callable[[Path, Any], Shown]
    """Summarises a file, given its path and its validated content: an instance of `model`, or None."""
    model: type[BaseModel] | None = None
    """Model of the content of files that no other command reads."""
    pictures: Sequence[str] = ()
    """Patterns of the names of its pictures in the same folder."""

    @property
    def in_folder(self) -> bool:
        """Whether other files of its folder are read as well, so that the file must have its own name."""
        return self.file in (SAME, SESSION, "run.json", "pack.json", CHECKPOINT)


def _recording(file: Path, _: None) -> Shown:
    """Frames, duration and lengths of a recorded motion."""
    from dynamics.recording import load_recording

    made = load_recording(file)
    lengths = 1e3 * np.array([np.hypot(*np.diff(line, axis=0).T).sum() for line in made.centerlines])
    points = sorted({len(line) for line in made.centerlines})
    counted = f"{points[0]}" if len(points) == 1 else f"{points[0]} to {points[-1]}"
    mass = "unknown" if made.mass_per_length is None else f"{1e3 * made.mass_per_length:g} g/m"
    lines: list[str | Table] = [
        f"recording {made.name}: {len(made.times)} frames in {made.times[-1] - made.times[0]:.3g} s",
        f"length {lengths[0]:.0f} mm in the first frame, {lengths[-1]:.0f} mm in the last, {lengths.max():.0f} mm at most; "
        f"{counted} points in a frame",
        f"tube radius {1e3 * made.tube_radius:g} mm, mass per length {mass}; {len(made.walls)} walls, {len(made.contacts)} contacts",
    ]

    def draw(path: Path) -> None:
        from planner.drawing.recording import save_recording

        save_recording(path, made)

    return Shown(lines, draw)


class _FittedParameter(Part):
    name: Text
    value: float
    unit: Text
    interval_95: Annotated[list[float | None], Field(min_length=2, max_length=2)]
    identified: bool


class _Fit(Part):
    recording: Text
    converged: bool
    parameters: list[_FittedParameter]
    sentences: list[Text]


def _fit(_: Path, fit: _Fit) -> Shown:
    """Fitted parameters with their intervals."""
    table = Table("parameter", "value", "95 %", "identified")
    table.columns[1].justify = "right"
    for one in fit.parameters:
        low, high = ("-" if side is None else f"{side:.4g}" for side in one.interval_95)
        table.add_row(
            f"{one.name} [{one.unit}]", f"{one.value:.4g}", f"{low} ... {high}", "yes" if one.identified else "no"
        )
    ending = "" if fit.converged else "; it did NOT converge"
    return Shown([f"fit of {fit.recording}{ending}", table, *fit.sentences])


def _check_rows(rows: list[str]) -> list[str]:
    if not 0 < len(rows[0]) <= 1000 or {len(row) for row in rows} != {len(rows[0])}:
        raise PydanticCustomError("rows", "must be rows of equal length")
    return rows


class _MapDeployment(Part):
    status: Text
    score: float


class _MappedEnvironment(Part):
    name: Text
    sha256: str


class _Map(Part):
    environment: _MappedEnvironment
    policy: Text
    seed: int
    deployments: Annotated[list[_MapDeployment], Field(min_length=1)]
    marks: Annotated[list[str], Field(alias="map", min_length=1, max_length=1000), AfterValidator(_check_rows)]


def _map(_: Path, mapped: _Map) -> Shown:
    """How much of an environment is known, and the score."""
    marks = "".join(mapped.marks)
    hit, free, unseen = (100 * marks.count(mark) / len(marks) for mark in "#.?")
    count = len(mapped.deployments)
    title = f"map of {mapped.environment.name} after {count} deployment{'s' * (count != 1)}, policy {mapped.policy}, seed {mapped.seed}"
    lines: list[str | Table] = [
        title,
        f"score {mapped.deployments[-1].score:.1f} of 100; cells: {hit:.0f} % obstacle, {free:.0f} % free, {unseen:.0f} % not seen",
    ]

    def draw(path: Path) -> None:
        from environments import known_environments, load_environment
        from planner.mapping.plots import save_marks

        named = [load_environment(name) for name in known_environments() if name == mapped.environment.name]
        bounds = [one.bounds for one in named if one.sha256 == mapped.environment.sha256]
        save_marks(path, title, mapped.marks, bounds[0] if bounds else None)

    return Shown(lines, draw)


class _CommonEnvironment(Part):
    environment: Text
    off: list[int]
    reached: Annotated[int, Field(ge=0)]
    trials: Annotated[int, Field(ge=0)]


class _CommonTube(Part):
    actuators: Annotated[int, Field(ge=0)]
    environments: Annotated[list[_CommonEnvironment], Field(min_length=2, max_length=1000)]


class _Common(Part):
    errors: list[Text] | None
    chosen: Annotated[int, Field(ge=0)]
    front: Annotated[list[_CommonTube], Field(min_length=1, max_length=1000)]


def _same_design(file: Path, same: _Common) -> Shown:
    """One tube for several environments, its success in each, and the sections of the chosen one."""
    if same.chosen >= len(same.front):
        raise InvalidDesign(f"{file.name}: chosen = {same.chosen} must be below {len(same.front)}")
    table = Table("actuators", "environment", "off", "success (95 % interval)", "")
    for k, tube in enumerate(same.front):
        for one in tube.environments:
            success = str(Estimate(one.reached, one.trials)) if one.trials else "not tried"
            off = ", ".join(map(str, one.off)) or "-"
            table.add_row(f"{tube.actuators}", one.environment, off, success, "chosen" if k == same.chosen else "")
    names = ", ".join(one.environment for one in same.front[same.chosen].environments)
    folders = sorted(one.name for one in file.parent.iterdir() if (one / DESIGN).is_file())
    lines: list[str | Table] = [f"one design for {names}; a run for each in {', '.join(folders)}", table]
    for folder in folders:
        lines += show_design(file.parent / folder / DESIGN, None).lines[:2]
    return Shown(lines)


def _session(file: Path, _: None) -> Shown:
    """What the deployments of a mapping session have found."""
    from planner.mapping.plots import save_marks
    from planner.mapping.session_file import read_session

    now, name = read_session(file.parent), file.parent.resolve().name
    title = f"{name}: after {plural(len(now.added), 'deployment')}"
    return Shown(
        [f"mapping session {name}", *session_lines(now)], lambda path: save_marks(path, title, now.rows(), now.bounds)
    )


KINDS = (
    Kind("run", "run.json", {"inputs", "history"}, show_run, RunFile, ["plan.png", "solutions.png"]),
    Kind("pack", "pack.json", {"reaches_goal", "made_mm"}, show_pack, PackFile),
    Kind("session", SESSION, {"bases", "prior", "deployments", "map"}, _session, None, [PICTURE]),
    Kind("map", "map.json", {"map", "deployments"}, _map, _Map, ["map.png"]),
    Kind("fit", "fit.json", {"recording", "parameters"}, _fit, _Fit, ["fit.png"]),
    Kind(
        "simulation", "simulation.json", {"reached", "from_predicted_mm"}, show_simulation, SimulationFile, ["plan.png"]
    ),
    Kind(
        "robustness survey", "data.json", {"counts", "spreads"}, show_robustness, RobustnessFile, ["robustness-*.png"]
    ),
    Kind("recording", "recording.json", {"frames", "tube_radius_m"}, _recording),
    Kind("solutions", SOLUTIONS, {"solutions"}, show_solutions, None, ["solutions.png"]),
    Kind("design", DESIGN, {"sections", "predicted"}, show_design, None, ["plan.png"]),
    Kind("checkpoint", CHECKPOINT, {"facts", "slots"}, show_checkpoint),
    Kind("same design", SAME, {"front", "chosen"}, _same_design, _Common),
)
"""In the order in which a folder is searched for their files."""

"""`vinewright show`: the kinds of results that the command recognises."""

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
from planner.output.contents import ADAPTED, CHECKPOINT, SAME
from planner.output.text import plural
from vinewright.commands.map_session import session_lines
from vinewright.commands.show_designs import (
    ContentTable,
    PackFile,
    RobustnessFile,
    RunFile,
    SimulationFile,
    Summary,
    Text,
    show_checkpoint,
    show_design,
    show_pack,
    show_robustness,
    show_run,
    show_simulation,
    show_solutions,
)
from vinewright.commands.show_motions import (
    MotionFile,
    MotionsFile,
    TrackingFile,
    show_motion,
    show_motions,
    show_tracking,
)


@dataclass(frozen=True, slots=True)
class ResultKind:
    """A kind of result."""

    name: str
    file: str
    """Name of the result's file in its folder."""
    keys: Set[str]
    """Top-level keys, or arrays, by which the content of a file is recognised."""
    read: Callable[[Path, Any], Summary]
    """Summarises a file, given its path and its validated content: an instance of `model`, or None."""
    model: type[BaseModel] | None = None
    """Model of the content of files that no other command reads."""
    pictures: Sequence[str] = ()
    """Patterns of the names of the result's pictures in the same folder."""

    @property
    def in_folder(self) -> bool:
        """Whether other files of the folder are read as well, so that the file must have its usual name."""
        return self.file in (SAME, SESSION, ADAPTED, "run.json", "pack.json", CHECKPOINT)


def _show_recording(file: Path, _: None) -> Summary:
    """Summarise a recording: its frames, duration and lengths."""
    from dynamics.recording import load_recording

    recording = load_recording(file)
    lengths = 1e3 * np.array([np.hypot(*np.diff(line, axis=0).T).sum() for line in recording.centerlines])
    points = sorted({len(line) for line in recording.centerlines})
    count = f"{points[0]}" if len(points) == 1 else f"{points[0]} to {points[-1]}"
    mass = "unknown" if recording.mass_per_length is None else f"{1e3 * recording.mass_per_length:g} g/m"
    lines: list[str | Table] = [
        f"recording {recording.name}: {len(recording.times)} frames in {recording.times[-1] - recording.times[0]:.3g} s",
        f"length {lengths[0]:.0f} mm in the first frame, {lengths[-1]:.0f} mm in the last, {lengths.max():.0f} mm at most; "
        f"{count} points in a frame",
        f"tube radius {1e3 * recording.tube_radius:g} mm, mass per length {mass}; "
        f"{len(recording.walls)} walls, {len(recording.contacts)} contacts",
    ]

    def draw(path: Path) -> None:
        from planner.drawing.recording import save_recording

        save_recording(path, recording)

    return Summary(lines, draw)


class _FittedParameter(ContentTable):
    name: Text
    value: float
    unit: Text
    interval_95: Annotated[list[float | None], Field(min_length=2, max_length=2)]
    identified: bool


class _Fit(ContentTable):
    recording: Text
    converged: bool
    parameters: list[_FittedParameter]
    sentences: list[Text]


def _show_fit(_: Path, fit: _Fit) -> Summary:
    """Summarise a fit: its parameters with their intervals."""
    table = Table("parameter", "value", "95 %", "identified")
    table.columns[1].justify = "right"
    for parameter in fit.parameters:
        low, high = ("-" if side is None else f"{side:.4g}" for side in parameter.interval_95)
        table.add_row(
            f"{parameter.name} [{parameter.unit}]",
            f"{parameter.value:.4g}",
            f"{low} ... {high}",
            "yes" if parameter.identified else "no",
        )
    ending = "" if fit.converged else "; it did NOT converge"
    return Summary([f"fit of {fit.recording}{ending}", table, *fit.sentences])


def _check_rows(rows: list[str]) -> list[str]:
    if not 0 < len(rows[0]) <= 1000 or {len(row) for row in rows} != {len(rows[0])}:
        raise PydanticCustomError("rows", "must be rows of equal length")
    return rows


class _MapDeployment(ContentTable):
    status: Text
    score: float


class _MappedEnvironment(ContentTable):
    name: Text
    sha256: str


class _Map(ContentTable):
    environment: _MappedEnvironment
    policy: Text
    seed: int
    deployments: Annotated[list[_MapDeployment], Field(min_length=1)]
    marks: Annotated[list[str], Field(alias="map", min_length=1, max_length=1000), AfterValidator(_check_rows)]


def _show_map(_: Path, mapped: _Map) -> Summary:
    """Summarise a map: the shares of cells that are known, and the score."""
    marks = "".join(mapped.marks)
    hit, free, unseen = (100 * marks.count(mark) / len(marks) for mark in "#.?")
    count = plural(len(mapped.deployments), "deployment")
    title = f"map of {mapped.environment.name} after {count}, policy {mapped.policy}, seed {mapped.seed}"
    lines: list[str | Table] = [
        title,
        f"score {mapped.deployments[-1].score:.1f} of 100; cells: {hit:.0f} % obstacle, {free:.0f} % free, {unseen:.0f} % not seen",
    ]

    def draw(path: Path) -> None:
        from environments import known_environments, load_environment
        from planner.mapping.plots import save_marks

        named = [load_environment(name) for name in known_environments() if name == mapped.environment.name]
        bounds = [environment.bounds for environment in named if environment.sha256 == mapped.environment.sha256]
        save_marks(path, title, mapped.marks, bounds[0] if bounds else None)

    return Summary(lines, draw)


class _SharedEnvironment(ContentTable):
    environment: Text
    off: list[int]
    reached: Annotated[int, Field(ge=0)]
    trials: Annotated[int, Field(ge=0)]


class _SharedTube(ContentTable):
    actuators: Annotated[int, Field(ge=0)]
    environments: Annotated[list[_SharedEnvironment], Field(min_length=2, max_length=1000)]


class _SharedDesign(ContentTable):
    errors: list[Text] | None
    chosen: Annotated[int, Field(ge=0)]
    front: Annotated[list[_SharedTube], Field(min_length=1, max_length=1000)]


def _show_same_design(file: Path, same: _SharedDesign) -> Summary:
    """Summarise a shared design: the success of each tube in each environment, and the sections of the chosen tube."""
    if same.chosen >= len(same.front):
        raise InvalidDesign(f"{file.name}: chosen = {same.chosen} must be below {len(same.front)}")
    table = Table("actuators", "environment", "off", "success (95 % interval)", "")
    for k, tube in enumerate(same.front):
        for growth in tube.environments:
            success = str(Estimate(growth.reached, growth.trials)) if growth.trials else "not tried"
            off = ", ".join(map(str, growth.off)) or "-"
            table.add_row(f"{tube.actuators}", growth.environment, off, success, "chosen" if k == same.chosen else "")
    names = ", ".join(growth.environment for growth in same.front[same.chosen].environments)
    folders = sorted(path.name for path in file.parent.iterdir() if (path / DESIGN).is_file())
    lines: list[str | Table] = [f"one design for {names}; a run for each in {', '.join(folders)}", table]
    for folder in folders:
        lines += show_design(file.parent / folder / DESIGN, None).lines[:2]
    return Summary(lines)


def _show_session(file: Path, _: None) -> Summary:
    """Summarise a mapping session: its deployments and its map."""
    from planner.mapping.plots import save_marks
    from planner.mapping.session_file import read_session

    now, name = read_session(file.parent), file.parent.resolve().name
    title = f"{name}: after {plural(len(now.added), 'deployment')}"
    return Summary(
        [f"mapping session {name}", *session_lines(now)], lambda path: save_marks(path, title, now.rows(), now.bounds)
    )


class _Proposal(ContentTable):
    change: Text
    what_to_do: list[Text]
    success: Annotated[float, Field(ge=0, le=1)]
    interval_90: Annotated[list[float], Field(min_length=2, max_length=2)]


class _AdaptedDesign(ContentTable):
    best: Annotated[int, Field(ge=0)]
    wanted: Annotated[float, Field(ge=0)]
    proposals: Annotated[list[_Proposal], Field(min_length=1, max_length=1000)]


def _show_adapted(file: Path, adapted: _AdaptedDesign) -> Summary:
    """Summarise an adapted design: what was to be changed, the success that is predicted, and its sections."""
    if adapted.best >= len(adapted.proposals):
        raise InvalidDesign(f"{file.name}: best = {adapted.best} must be below {len(adapted.proposals)}")
    one = adapted.proposals[adapted.best]
    low, high = (f"{100 * end:.0f}" for end in one.interval_90)
    lines: list[str | Table] = [
        f"adapted design, {one.change}: {'; '.join(one.what_to_do)}",
        f"predicted success {100 * one.success:.0f} % ({low} ... {high}, 90 % interval), {100 * adapted.wanted:g} % wanted",
    ]
    design = show_design(file.parent / DESIGN, None)
    return Summary([*lines, *design.lines], design.draw)


KINDS = (
    ResultKind("run", "run.json", {"inputs", "history"}, show_run, RunFile, ["plan.png", "solutions.png"]),
    ResultKind("pack", "pack.json", {"reaches_goal", "made_mm"}, show_pack, PackFile),
    ResultKind("session", SESSION, {"bases", "prior", "deployments", "map"}, _show_session, None, [PICTURE]),
    ResultKind("map", "map.json", {"map", "deployments"}, _show_map, _Map, ["map.png"]),
    ResultKind("fit", "fit.json", {"recording", "parameters"}, _show_fit, _Fit, ["fit.png"]),
    ResultKind(
        "simulation", "simulation.json", {"reached", "from_predicted_mm"}, show_simulation, SimulationFile, ["plan.png"]
    ),
    ResultKind(
        "robustness survey", "data.json", {"counts", "spreads"}, show_robustness, RobustnessFile, ["robustness-*.png"]
    ),
    ResultKind("recording", "recording.json", {"frames", "tube_radius_m"}, _show_recording),
    ResultKind("solutions", SOLUTIONS, {"solutions"}, show_solutions, None, ["solutions.png"]),
    ResultKind("adapted design", ADAPTED, {"proposals", "best"}, _show_adapted, _AdaptedDesign, ["adapted.png"]),
    ResultKind("design", DESIGN, {"sections", "predicted"}, show_design, None, ["plan.png"]),
    ResultKind("checkpoint", CHECKPOINT, {"facts", "slots"}, show_checkpoint),
    ResultKind("same design", SAME, {"front", "chosen"}, _show_same_design, _SharedDesign),
    ResultKind("motion", "motion.json", {"asked_s", "growth_stood_still_s"}, show_motion, MotionFile, ["motion.png"]),
    ResultKind("tracking", "tracking.json", {"asked_s", "limits_met"}, show_tracking, TrackingFile, ["tracking.png"]),
    ResultKind("motions", "motions.json", {"vary", "motions"}, show_motions, MotionsFile, ["motions.png"]),
)
"""All kinds, in the order in which a folder is searched for their files."""

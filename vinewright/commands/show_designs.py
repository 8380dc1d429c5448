"""`vinewright show`: summaries of runs, designs and what was tried with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from rich.table import Table

from environments.environment import Environment
from environments.file_model import check_text
from planner.design.design import Design
from planner.design.design_file import DESIGN, SOLUTIONS, TrialsPart, load_design, parse_trials
from planner.design.drive_margin import drive_text, force_at_tip
from planner.design.estimate import Estimate
from planner.design.solutions_file import find_solution, load_solutions_with_jumps
from planner.fabrication.success import PackSuccess
from vinewright.commands.simulate import sentence
from vinewright.console.errors import BadInput
from vinewright.console.options import environment_of, solution_note
from vinewright.console.terminal import CROSSING, actuators_of, rejections, section_table, trials_line


class Part(BaseModel):
    """A table of a file of which only these keys are read."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


Text = Annotated[str, Field(max_length=5000), AfterValidator(check_text)]


@dataclass(frozen=True, slots=True)
class Shown:
    """The summary of a result."""

    lines: list[str | Table]
    draw: Callable[[Path], None] | None = None
    """Writes a picture of it; None if the picture cannot be drawn from the file."""


class _Inputs(Part):
    environment: Text
    propagator: Text
    actuator: Text
    stopped: Text


class _Timings(Part):
    search_s: float


class _Champion(Part):
    actuators: Annotated[int, Field(ge=0)]
    reached: Annotated[int, Field(ge=0)]
    trials: Annotated[int, Field(gt=0)]


class _Trials(Part):
    errors: Text
    threshold: float
    front: Annotated[list[_Champion], Field(min_length=1, max_length=1000)]


class _Grown(Part):
    reached: bool


class _Verification(Part):
    propagator: Text
    verified: bool
    solutions: list[_Grown]


class _Drive(Part):
    margin: float
    length_mm: float
    tip_mm: Annotated[list[float], Field(min_length=2, max_length=2)]
    available_n: float
    needed_n: float
    growth_force_n: float
    growth_pressure_kpa: float
    needed_pressure_kpa: float | None


class RunFile(Part):
    inputs: _Inputs
    seed: int
    timings: _Timings
    time_to_first_s: float
    iterations: int
    replayed: int
    rejected: int
    ambiguous: int = 0
    trials: _Trials | None = None
    verification: _Verification | None = None
    drive: _Drive | None = None


def show_run(file: Path, run: RunFile) -> Shown:
    """The design that a run wrote, how it was found, and the other solutions."""
    folder, inputs = file.parent, run.inputs
    shown = show_design(folder / DESIGN, None)
    lines: list[str | Table] = [
        f"run: {inputs.environment}, {inputs.actuator}, {inputs.propagator}, seed {run.seed}",
        *shown.lines[1:],
    ]
    lines.append(
        f"found in {run.timings.search_s:.1f} s and {run.iterations} iterations, first solution after "
        f"{run.time_to_first_s:.2f} s; {inputs.stopped}; {run.replayed} candidates replayed, of which "
        f"{rejections(run.rejected, run.ambiguous)}"
    )
    if trials := run.trials:
        front = [f"{one.actuators}: {Estimate(one.reached, one.trials)}" for one in trials.front]
        lines.append(
            f"success by number of actuators under {trials.errors} errors: {', '.join(front)}; {100 * trials.threshold:g} % wanted"
        )
    lines += [drive_text(run.drive.model_dump())] if run.drive else []
    if second := run.verification:
        passed = sum(one.reached for one in second.solutions)
        lines.append(
            f"{'verified' if second.verified else 'NOT verified'} by {second.propagator}: {passed} of {len(second.solutions)} "
            "designs reach the goal"
        )
    if (folder / SOLUTIONS).is_file():
        lines += show_solutions(folder / SOLUTIONS, None).lines[1:]
        note = solution_note(folder)
        lines += [f"note: {note}"] * bool(note)

    def draw(path: Path) -> None:
        from planner.drawing.plan import save_plan
        from planner.uncertainty.shown_trials import TRIALS, ShownTrials

        design, stored = load_design(folder / DESIGN), folder / TRIALS
        save_plan(
            path,
            _environment(folder / DESIGN, design),
            design,
            tried=ShownTrials.read(stored) if stored.is_file() else None,
        )

    return Shown(lines, draw)


def show_design(file: Path, _: None) -> Shown:
    """The sections of a design and its predicted shape."""
    design = load_design(file)
    lines: list[str | Table] = [f"design for {design.environment}", section_table(design), _prediction(design)]
    lines += [tried] if (tried := trials_line(design)) else []
    lines += [CROSSING] * design.crosses_itself

    def draw(path: Path) -> None:
        from planner.drawing.plan import save_plan

        save_plan(path, _environment(file, design), design)

    return Shown(lines, draw)


def _prediction(design: Design) -> str:
    params, (x, y) = design.params, 1e3 * design.tip[:2]
    friction = "" if params.friction is None else f", friction {params.friction:g}"
    friction += "" if params.static_friction is None else f", static {params.static_friction:g}"
    return (
        f"{actuators_of(design)}, tube {1e3 * design.length:.0f} mm; predicted tip ({x:.0f}, {y:.0f}) mm, heading "
        f"{np.degrees(design.tip[2]):.1f} deg; radius {1e3 * params.radius:g} mm, {1e-3 * params.growth_pressure:.4g} kPa{friction}; "
        f"{force_at_tip(design):.1f} N of {params.growth_force:.1f} N of growth force left at the tip"
    )


def _environment(file: Path, design: Design) -> Environment:
    found = environment_of(file, design)
    if found is None:
        raise BadInput(
            f"--picture: the environment of this design ({design.environment}) is not known here; put it beside {file.name} as "
            "environment.toml"
        )
    return found


def show_solutions(file: Path, _: None) -> Shown:
    """All designs that a run kept."""
    every = load_solutions_with_jumps(file)
    if not every:
        raise BadInput(f"{file} has no solutions")
    designs = [design for design, _ in every]
    number, _count = find_solution(file.parent)
    table = Table("solution", "actuators", "tube mm", "tip mm", "jump mm", "")
    for column in table.columns[:5]:
        column.justify = "right"
    for k, (design, jump) in enumerate(every, start=1):
        x, y = 1e3 * design.tip[:2]
        cells = [f"{k}", f"{design.actuators}", f"{1e3 * design.length:.0f}", f"({x:.0f}, {y:.0f})"]
        cells.append(f"{1e3 * jump.motion:.0f} at {1e3 * jump.length:.0f}" if jump else "")
        table.add_row(*cells, DESIGN if k == number else "")

    def draw(path: Path) -> None:
        from planner.drawing.solutions import save_solutions

        written = designs[number - 1] if number else None
        briefs = {id(design): [jump.brief] for design, jump in every if jump}
        save_solutions(
            path, _environment(file, designs[0]), designs, written, lambda design: briefs.get(id(design), ())
        )

    counted = f"{len(designs)} solution{'s' * (len(designs) != 1)}"
    return Shown([f"{counted} for {designs[0].environment}, lowest cost first; --solution K chooses one", table], draw)


def show_checkpoint(file: Path, _: None) -> Shown:
    """The state of a plan, which can be resumed; the folder of an unfinished one has nothing else."""
    from planner.output.contents import FRICTION, REFINEMENT
    from planner.plan.run.checkpoint import read_checkpoint
    from planner.plan.run.stages import read_known

    checkpoint = read_checkpoint(file.parent)
    inputs, environment = checkpoint.inputs, checkpoint.environment
    written = (file.parent / DESIGN).exists()
    lines: list[str | Table] = [
        f"checkpoint: {environment.name}, {inputs.actuator}, {inputs.propagator}, seed {inputs.seed}"
        + "; no design is written yet" * (not written),
        f"resume with: vinewright plan --resume {file.parent}",
    ]
    searches, refinement = sum((file.parent / name).exists() for name in FRICTION), file.parent / REFINEMENT
    if searches or refinement.exists():
        known = read_known(refinement)[1].count if refinement.exists() else 0
        lines.append(f"searches with friction: {searches}; results of refinement and trials: {known}")

    def draw(path: Path) -> None:
        from planner.drawing.environment import save_environment

        save_environment(path, environment)

    return Shown(lines, draw)


class PackFile(Part):
    reaches_goal: bool
    roundings_tried: int
    tip_moved_mm: float
    trials: TrialsPart | None = None
    rounded: bool = True
    warnings: list[Text]


def show_pack(file: Path, pack: PackFile) -> Shown:
    """The whole-cell design of a pack, and whether it reaches the goal."""
    shown = show_design(file.parent / DESIGN, None)
    others = sorted(one.name for one in file.parent.iterdir() if one.suffix in (".csv", ".dxf", ".svg", ".pdf", ".stl"))
    result = (
        "reaches the goal"
        if pack.reaches_goal
        else f"MISSES the goal ({pack.roundings_tried} ways of rounding were tried)"
    )
    lines: list[str | Table] = [f"pack: {shown.lines[0]}", *shown.lines[1:]]
    lines.append(
        f"rounded to whole cells it {result}; its tip ends {pack.tip_moved_mm:.0f} mm from the planned position"
    )
    success = PackSuccess(parse_trials(pack.trials, file.name) if pack.trials else None, pack.rounded)
    lines.append(success.text)
    lines += [f"warning: {warning}" for warning in pack.warnings]
    lines += [f"to print and cut: {', '.join(others)}"] * bool(others)
    return Shown(lines, shown.draw)


class SimulationFile(Part):
    environment: dict[str, Text]
    reached: bool
    advice: Text
    length_mm: float
    tip_mm: Annotated[list[float], Field(min_length=2, max_length=2)]
    from_predicted_mm: float
    greatest_contact_force_n: float
    deepest_dent_mm: float | None = None
    drive: _Drive | None = None


def show_simulation(_: Path, result: SimulationFile) -> Shown:
    """Where a simulated design ended."""
    lines: list[str | Table] = [f"simulation in {result.environment.get('name', '?')}", sentence(result.model_dump())]
    lines += [drive_text(result.drive.model_dump())] if result.drive else []
    return Shown(lines)


class RobustnessFile(Part):
    command: Text
    counts: dict[Text, dict[Text, Annotated[int, Field(ge=0)]]]


def show_robustness(_: Path, data: RobustnessFile) -> Shown:
    """Success rates of a survey."""

    table = Table("errors (all, one source, or obstacles / bending)", "success (95 % interval)")
    for name, counts in data.counts.items():
        if trials := sum(counts.values()):
            table.add_row(name, str(Estimate(counts.get("reached", 0), trials)))
    return Shown([f"robustness: {data.command}", table])

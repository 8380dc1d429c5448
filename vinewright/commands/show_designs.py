"""`vinewright show`: summaries of runs, designs, packs, simulations and surveys."""

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
from planner.fabrication.assembly.success import PackSuccess
from planner.output.text import plural
from planner.plan.enough import shortfall
from vinewright.built.folder import trials_lines
from vinewright.commands.simulate import result_sentence
from vinewright.console.errors import BadInput
from vinewright.console.options import environment_of, solution_note
from vinewright.console.terminal import CROSSING, actuators_text, rejection_text, section_table, trials_line


class ContentTable(BaseModel):
    """A table of a file; keys without a field are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


Text = Annotated[str, Field(max_length=5000), AfterValidator(check_text)]


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a result."""

    lines: list[str | Table]
    draw: Callable[[Path], None] | None = None
    """Draws the result to a file; None if the file of the result does not suffice for a picture."""


class _Inputs(ContentTable):
    environment: Text
    propagator: Text
    actuator: Text
    stopped: Text


class _Timings(ContentTable):
    search_s: float


class _Champion(ContentTable):
    actuators: Annotated[int, Field(ge=0)]
    reached: Annotated[int, Field(ge=0)]
    trials: Annotated[int, Field(gt=0)]
    outside_goal_mm: Annotated[float, Field(ge=0)] = 0.0


class _Trials(ContentTable):
    errors: Text
    threshold: float
    chosen: _Champion | None = None
    front: Annotated[list[_Champion], Field(min_length=1, max_length=1000)]


class _VerifiedSolution(ContentTable):
    reached: bool


class _Verification(ContentTable):
    propagator: Text
    verified: bool
    solutions: list[_VerifiedSolution]


class _Drive(ContentTable):
    margin: float
    length_mm: float
    tip_mm: Annotated[list[float], Field(min_length=2, max_length=2)]
    available_n: float
    needed_n: float
    growth_force_n: float
    growth_pressure_kpa: float
    needed_pressure_kpa: float | None


class RunFile(ContentTable):
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


def show_run(file: Path, run: RunFile) -> Summary:
    """Summarise a run: its design, the search, and its solutions."""
    folder, inputs = file.parent, run.inputs
    summary = show_design(folder / DESIGN, None)
    lines: list[str | Table] = [
        f"run: {inputs.environment}, {inputs.actuator}, {inputs.propagator}, seed {run.seed}",
        *summary.lines[1:],
    ]
    lines.append(
        f"found in {run.timings.search_s:.1f} s and {run.iterations} iterations, first solution after "
        f"{run.time_to_first_s:.2f} s; {inputs.stopped}; {run.replayed} candidates replayed, of which "
        f"{rejection_text(run.rejected, run.ambiguous)}"
    )
    if trials := run.trials:
        front = [f"{best.actuators}: {Estimate(best.reached, best.trials)}" for best in trials.front]
        lines.append(
            f"success by number of actuators under {trials.errors} errors: {', '.join(front)}; {100 * trials.threshold:g} % wanted"
        )
        if one := trials.chosen:
            short = shortfall(trials.threshold, 1e-3 * one.outside_goal_mm, Estimate(one.reached, one.trials))
            lines += [f"not enough: {short}"] * bool(short)
    lines += [drive_text(run.drive.model_dump())] if run.drive else []
    lines += trials_lines(folder)
    if second := run.verification:
        passed = sum(growth.reached for growth in second.solutions)
        lines.append(
            f"{'verified' if second.verified else 'NOT verified'} by {second.propagator}: {passed} of {len(second.solutions)} "
            "designs reach the goal"
        )
    if (folder / SOLUTIONS).is_file():
        lines += show_solutions(folder / SOLUTIONS, None).lines[1:]
        if note := solution_note(folder):
            lines.append(f"note: {note}")

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

    return Summary(lines, draw)


def show_design(file: Path, _: None) -> Summary:
    """Summarise a design: its sections and its predicted shape."""
    design = load_design(file)
    lines: list[str | Table] = [f"design for {design.environment}", section_table(design), _prediction(design)]
    lines += [tried] if (tried := trials_line(design)) else []
    if design.crosses_itself:
        lines.append(CROSSING)

    def draw(path: Path) -> None:
        from planner.drawing.plan import save_plan

        save_plan(path, _environment(file, design), design)

    return Summary(lines, draw)


def _prediction(design: Design) -> str:
    params, (x, y) = design.params, 1e3 * design.tip[:2]
    friction = "" if params.friction is None else f", friction {params.friction:g}"
    friction += "" if params.static_friction is None else f", static {params.static_friction:g}"
    return (
        f"{actuators_text(design)}, tube {1e3 * design.length:.0f} mm; predicted tip ({x:.0f}, {y:.0f}) mm, heading "
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


def show_solutions(file: Path, _: None) -> Summary:
    """Summarise the solutions of a run."""
    solutions = load_solutions_with_jumps(file)
    if not solutions:
        raise BadInput(f"{file} has no solutions")
    designs = [design for design, _ in solutions]
    number, _count = find_solution(file.parent)
    table = Table("solution", "actuators", "tube mm", "tip mm", "jump mm", "")
    for column in table.columns[:5]:
        column.justify = "right"
    for k, (design, jump) in enumerate(solutions, start=1):
        x, y = 1e3 * design.tip[:2]
        cells = [f"{k}", f"{design.actuators}", f"{1e3 * design.length:.0f}", f"({x:.0f}, {y:.0f})"]
        cells.append(f"{1e3 * jump.motion:.0f} at {1e3 * jump.length:.0f}" if jump else "")
        table.add_row(*cells, DESIGN if k == number else "")

    def draw(path: Path) -> None:
        from planner.drawing.solutions import save_solutions

        written = designs[number - 1] if number else None
        briefs = {id(design): [jump.brief] for design, jump in solutions if jump}
        save_solutions(
            path, _environment(file, designs[0]), designs, written, lambda design: briefs.get(id(design), ())
        )

    count = plural(len(designs), "solution")
    return Summary([f"{count} for {designs[0].environment}, lowest cost first; --solution K chooses one", table], draw)


def show_checkpoint(file: Path, _: None) -> Summary:
    """Summarise the checkpoint of a plan, the only file in the folder of an unfinished plan."""
    from planner.output.contents import FRICTION, REFINEMENT
    from planner.plan.run.checkpoint import read_checkpoint
    from planner.plan.run.stages import read_known

    checkpoint = read_checkpoint(file.parent)
    inputs, environment = checkpoint.inputs, checkpoint.environment
    written = (file.parent / DESIGN).exists()
    lines: list[str | Table] = [
        f"checkpoint: {environment.name}, {inputs.actuator}, {inputs.propagator}, seed {inputs.seed}"
        + ("" if written else "; no design is written yet"),
        f"resume with: vinewright plan --resume {file.parent}",
    ]
    searches, refinement = sum((file.parent / name).exists() for name in FRICTION), file.parent / REFINEMENT
    if searches or refinement.exists():
        known = read_known(refinement)[1].count if refinement.exists() else 0
        lines.append(f"searches with friction: {searches}; results of refinement and trials: {known}")

    def draw(path: Path) -> None:
        from planner.drawing.environment import save_environment

        save_environment(path, environment)

    return Summary(lines, draw)


class PackFile(ContentTable):
    reaches_goal: bool
    roundings_tried: int
    tip_moved_mm: float
    trials: TrialsPart | None = None
    rounded: bool = True
    trials_as_made: TrialsPart | None = None
    warnings: list[Text]


def show_pack(file: Path, pack: PackFile) -> Summary:
    """Summarise a pack: its design with whole cells, and whether it reaches the goal."""
    summary = show_design(file.parent / DESIGN, None)
    patterns = sorted(
        path.name for path in file.parent.iterdir() if path.suffix in (".csv", ".dxf", ".svg", ".pdf", ".stl")
    )
    result = (
        "reaches the goal"
        if pack.reaches_goal
        else f"MISSES the goal ({pack.roundings_tried} ways of rounding were tried)"
    )
    lines: list[str | Table] = [f"pack: {summary.lines[0]}", *summary.lines[1:]]
    lines.append(
        f"rounded to whole cells it {result}; its tip ends {pack.tip_moved_mm:.0f} mm from the planned position"
    )
    planned, made = (parse_trials(one, file.name) if one else None for one in (pack.trials, pack.trials_as_made))
    success = PackSuccess(planned, pack.rounded, made)
    lines.append(success.text)
    lines += trials_lines(file.parent)
    lines += [f"warning: {warning}" for warning in pack.warnings]
    if patterns:
        lines.append(f"to print and cut: {', '.join(patterns)}")
    return Summary(lines, summary.draw)


class SimulationFile(ContentTable):
    environment: dict[str, Text]
    reached: bool
    advice: Text
    length_mm: float
    tip_mm: Annotated[list[float], Field(min_length=2, max_length=2)]
    from_predicted_mm: float
    greatest_contact_force_n: float
    deepest_dent_mm: float | None = None
    drive: _Drive | None = None


def show_simulation(_: Path, result: SimulationFile) -> Summary:
    """Summarise a simulation: where the design ends."""
    lines: list[str | Table] = [
        f"simulation in {result.environment.get('name', '?')}",
        result_sentence(result.model_dump()),
    ]
    lines += [drive_text(result.drive.model_dump())] if result.drive else []
    return Summary(lines)


class RobustnessFile(ContentTable):
    command: Text
    counts: dict[Text, dict[Text, Annotated[int, Field(ge=0)]]]


def show_robustness(_: Path, data: RobustnessFile) -> Summary:
    """Summarise a survey: its success rates."""
    table = Table("errors (all, one source, or obstacles / bending)", "success (95 % interval)")
    for name, counts in data.counts.items():
        if trials := sum(counts.values()):
            table.add_row(name, str(Estimate(counts.get("reached", 0), trials)))
    return Summary([f"robustness: {data.command}", table])

"""`vinewright simulate`: grow a design again, in its own environment or another."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.commands.simulate_snaps import print_snaps
from vinewright.commands.simulate_why import Miss
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.device import DeviceOption
from vinewright.console.errors import BadInput, apart, readable_errors
from vinewright.console.options import (
    DesignArgument,
    EnvironmentArgument,
    FrictionOption,
    InputsOption,
    PhysicsOption,
    PropagatorOption,
    QpOption,
    SolutionOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
    chosen_design,
    print_hints,
    print_ignored,
    replace_tube,
)
from vinewright.console.schedules import ScheduleOption, apply_schedule

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import PropagatorFactory
    from dynamics.vine import Rollout
    from environments import Environment
    from planner.design.design import Design
    from planner.design.replay import Simulation
    from surrogate.kernels.compiled import Floats


OutOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder for the trajectory, tables of poses and a picture.")
]
ReplaceOption = Annotated[
    bool, typer.Option("--force", help="Replace earlier results in the folder of --out, and the file of --animate.")
]
AnimateOption = Annotated[Path | None, typer.Option(metavar="FILE.gif|.mp4", help="Write an animation of the growth.")]


def simulate(
    env: EnvironmentArgument,
    design: DesignArgument,
    solution: SolutionOption = None,
    out: OutOption = None,
    animate: AnimateOption = None,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    qp: QpOption = None,
    inputs: InputsOption = None,
    friction: FrictionOption = None,
    schedule: ScheduleOption = None,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
    force: ReplaceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Grow one vine of a design and say where it ends. Exit code 3 if it misses the goal."""
    console = (answer := Answer(as_json)).console
    with readable_errors(), ExitStack() as held:
        from dynamics.impulse.inputs_file import read_inputs
        from dynamics.registry import PropagatorSettings
        from environments import load_environment
        from planner.design.replay import make_simulation, replay, resolve_growth
        from planner.uncertainty.errors import errors_of
        from vinewright.console.compiling import compiling
        from vinewright.console.terminal import section_table

        planned = apply_schedule(chosen_design(console, design, solution), schedule)
        made = replace(planned, params=replace_tube(console, planned.params, tube, physics))
        environment = load_environment(env, made.params.radius)
        print_hints(console, environment, made.params.radius, errors_of(environment, made.params))
        settings = PropagatorSettings(device=device, solver=solver, surrogate=surrogate, qp=qp)
        settings["inputs"] = read_inputs(inputs) if inputs else None
        made, make = resolve_growth(made, environment, propagator, friction, **settings)
        print_ignored(console, made.params, propagator, environment)
        _claim(held, out, animate, force, {"design": design, "environment": Path(env)})
        if elsewhere := made.sha256 != environment.sha256:
            console.print(f"note: this design was made for another environment ({made.environment})")
        model = make(environment, made.params)
        console.print(section_table(made))
        with console.status("solving every step with OSQP") if qp == "osqp" else compiling(console, propagator):
            rollout = replay(made, model)
        simulation = make_simulation(made, environment, rollout)
        result = _result_content(environment, made, simulation)
        console.print(result_sentence(result))
        result["drive"] = None if inputs else _print_drive(console, environment, made, make, rollout)
        result["snaps"] = print_snaps(console, made, model)
        if made.uniform and len(simulation.joints) and not inputs:
            result["curvature"] = _print_curvature(console, made, rollout, simulation.centerline)
        if not simulation.reached and not elsewhere:
            result["why"] = Miss(environment, planned, made, propagator, make, rollout).explain(console)
        _print_notes(console, made, environment, simulation, propagator)
        if out:
            _write(console, out, environment, made, simulation, result)
        animation = animate and _animate(console, animate, environment, made, simulation.joints)
    return answer.end(result, [out, animation], _miss_text(propagator, environment, simulation))


def _print_notes(
    console: Console, made: Design, environment: Environment, simulation: Simulation, propagator: str
) -> None:
    """Print notes on the room that the actuators need, and one if the tube crosses itself: as designed, or with a propagator that ignores
    the tube's own body."""
    from dynamics.registry import load_propagator
    from vinewright.console.terminal import CROSSING, print_thickness

    blind = not load_propagator(propagator).capabilities.own_body
    if made.crosses_itself or (blind and simulation.design.crosses_itself):
        console.print(CROSSING)
    print_thickness(console, simulation.design, environment, propagator)


def _claim(held: ExitStack, out: Path | None, animate: Path | None, force: bool, read: dict[str, Path]) -> None:
    """Lock and check the folder and the file to write, which is apart from what is read."""
    from planner.output.claim import claim, claim_file

    for what, path in read.items():
        apart(out, path, what)
    if animate:
        _check_animation(animate)
    if out and animate and animate.absolute().parent == out.absolute():
        raise BadInput(f"--animate {animate} must not be in the folder of --out, which is written as a whole")
    if out:
        held.enter_context(claim(out, out, force))
    if animate:
        held.enter_context(claim_file(animate, force, "--animate"))


def _check_animation(animate: Path) -> None:
    """Check that the format of an animation is known and its library is installed, before any computation."""
    from planner.drawing.animation import FORMATS
    from vinewright.console.errors import needs

    if animate.suffix.lower() not in FORMATS:
        raise BadInput(f"--animate {animate} must end in {' or '.join(FORMATS)}")
    if animate.suffix.lower() == ".mp4":
        with needs("video"):
            import imageio_ffmpeg  # noqa: F401


def _result_content(environment: Environment, planned: Design, simulation: Simulation) -> dict[str, Any]:
    """Return the result, in the units of files."""
    import numpy as np

    from dynamics.dent_depth import dent_depths

    tip, lengths = simulation.tip, simulation.lengths
    depths = dent_depths(simulation.joints, environment, planned.params.radius)
    return {
        "schema": 1,
        "environment": {"name": environment.name, "sha256": environment.sha256},
        "status": simulation.status.name.lower(),
        "advice": simulation.ending,
        "reached": simulation.reached,
        "length_mm": round(float(lengths[-1]) * 1e3, 3) if len(lengths) else 0.0,
        "tip_mm": [round(float(part) * 1e3, 3) for part in tip[:2]],
        "heading_deg": round(float(np.degrees(tip[2])), 4),
        "from_predicted_mm": round(float(np.hypot(*(tip[:2] - planned.tip[:2]))) * 1e3, 3),
        "greatest_contact_force_n": round(float(simulation.contact_force.max(initial=0.0)), 3),
        "deepest_dent_mm": round(1e3 * float(depths.max(initial=0.0)), 3),
    }


def _print_curvature(console: Console, design: Design, rollout: Rollout, joints: Floats) -> dict[str, float]:
    """Print the mean curvature of a tube with one section, grown and at rest in free space; return both for a file.

    Args:
        joints: Centreline at the end [m], shape (n, 2).
    """
    import numpy as np

    from dynamics.moment import centerline_curvature, free_curvature, joint_moments
    from dynamics.vine import to_host

    last = int(rollout.records[0]) - 1
    only = design.sections[0]
    film = free_curvature(joint_moments(design.params), only.signed_pressure, only.l_0, only.kind)
    length = float(np.hypot(*np.diff(joints, axis=0).T).sum())
    grown = float(to_host(rollout.angles)[0, last].sum()) / length
    at_rest = float(centerline_curvature(film + only.rest(design.params), design.params))
    console.print(f"curvature {grown:.4f} /m; quasi-static, at rest in free space, {at_rest:.4f} /m")
    return {"grown_per_m": round(grown, 6), "at_rest_per_m": round(at_rest, 6)}


def _print_drive(
    console: Console, environment: Environment, design: Design, make: PropagatorFactory, rollout: Rollout
) -> dict[str, Any] | None:
    """Print the smallest margin of the growth force and the growth pressure needed; return the content for a file.

    Returns:
        The content; None if the vine has no record, or the propagator does not compute the force that growth needs.
    """
    from planner.design.drive_margin import design_drive_margin, drive_text

    found = design_drive_margin(design, environment, make, rollout)
    if found is None:
        return None
    content = found.content()
    console.print(drive_text(content))
    return content


def _miss_text(propagator: str, environment: Environment, simulation: Simulation) -> str:
    """Return the text about a design that misses the goal; empty if it reaches the goal."""
    import numpy as np

    if simulation.reached:
        return ""
    outside = 1e3 * float(np.hypot(*(simulation.tip[:2] - environment.goal[:2])) - environment.goal[2])
    return f"with {propagator} the design ends {outside:.0f} mm outside the goal"


def result_sentence(result: dict[str, Any]) -> str:
    """Return where a design ends as a sentence, from the content of `simulation.json`."""
    (x, y), depth = result["tip_mm"], result.get("deepest_dent_mm")
    dent = "" if depth is None else f", deepest dent {depth:.1f} mm"
    return (
        f"{'reaches' if result['reached'] else 'misses'} the goal: {result['advice']}; {result['length_mm']:.0f} mm grown, "
        f"tip at ({x:.0f}, {y:.0f}) mm, {result['from_predicted_mm']:.1f} mm from the design's prediction; "
        f"greatest contact force {result['greatest_contact_force_n']:.1f} N{dent}"
    )


def _write(
    console: Console,
    out: Path,
    environment: Environment,
    design: Design,
    simulation: Simulation,
    result: dict[str, Any],
) -> None:
    """Write the folder, and print the names of its files."""
    import numpy as np

    from planner.drawing.plan import save_plan
    from planner.output.folder import write_folder, write_json
    from vinewright.commands.simulate_tables import centreline_table, growth_table

    start, files = environment.start, ["simulation.json", "trajectory.npz", "growth.csv"]
    if len(simulation.joints):
        files += ["centreline.csv", "plan.png"]

    def fill(folder: Path) -> None:
        write_json(folder / "simulation.json", result)
        np.savez_compressed(folder / "trajectory.npz", points=simulation.joints, length=simulation.lengths)
        (folder / "growth.csv").write_text(growth_table(simulation, start), encoding="utf-8")
        if len(simulation.joints):
            table = centreline_table(design, simulation.centerline, float(start[2]))
            (folder / "centreline.csv").write_text(table, encoding="utf-8")
            save_plan(folder / "plan.png", environment, simulation.design)

    write_folder(out, fill)
    console.print(f"wrote {out}/: {', '.join(files)}")


def _animate(console: Console, path: Path, environment: Environment, design: Design, points: Floats) -> Path | None:
    """Write the animation, and return its path; None if there is nothing to draw."""
    from rich.progress import Progress

    from planner.drawing.animation import save_animation
    from planner.drawing.mp4 import NoEncoder
    from planner.output.claim import writing

    if not len(points):
        console.print("the vine did not grow: there is nothing to animate")
        return None
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("drawing", total=None)

        def show(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        with writing(path):
            try:
                save_animation(path, environment, design, points, show)
            except NoEncoder as error:
                raise BadInput(f"--animate {path}: {error}") from None
    console.print(f"wrote {path}")
    return path

"""`vinewright simulate`: grow a design again, in its own environment or another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.console.errors import BadInput, readable_errors
from planner.console.options import (
    DesignArgument,
    DeviceOption,
    EnvironmentArgument,
    FrictionOption,
    PropagatorOption,
    QpOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
    chosen_model,
    note_friction,
    print_hints,
    replaced_tube,
    with_friction,
)
from planner.console.terminal import new_console

if TYPE_CHECKING:
    from dynamics.vine import Rollout
    from environments import Environment
    from planner.design import Design
    from planner.replay import Simulation
    from surrogate.compiled import Floats


def simulate(
    env: EnvironmentArgument,
    design: DesignArgument,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the trajectory and a picture.")] = None,
    animate: Annotated[Path | None, typer.Option(metavar="FILE.gif", help="Write an animation of the growth.")] = None,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    qp: QpOption = None,
    friction: FrictionOption = None,
    tube: TubeOption = None,
) -> int:
    """Grow one vine of a design and say where it ends. Exit code 3 if it misses the goal."""
    console = new_console()
    with readable_errors():
        from dataclasses import replace

        from environments import load_environment
        from planner.console.compiling import compiling
        from planner.console.terminal import CROSSING, section_table
        from planner.design_file import load_design
        from planner.replay import replay, simulated
        from planner.runs.folder import check_folder

        made = load_design(design)
        made = replace(made, params=replaced_tube(console, made.params, tube))
        environment = load_environment(env, made.params.radius)
        print_hints(console, environment, made.params.radius)
        several = not made.uniform
        make = chosen_model(made.params, propagator, device, solver, surrogate, qp, several)
        made = replace(made, params=with_friction(made.params, friction, propagator))
        note_friction(console, made.params, propagator)
        if out:
            check_folder(out)
        if animate:
            _check_animation(animate)
        if made.sha256 != environment.sha256:
            console.print(f"note: this design was made for another environment ({made.environment})")
        model = make(environment, made.params)
        console.print(section_table(made))
        slow = qp == "osqp"
        with console.status("solving every step with OSQP") if slow else compiling(console, propagator):
            rollout = replay(made, model)
        simulation = simulated(made, environment, rollout)
        result = _outcome(environment, made, simulation)
        console.print(_sentence(result))
        if not several and len(simulation.joints):
            grown, at_rest = _curvature(made, rollout, float(simulation.lengths[-1]))
            result["curvature"] = {"grown_per_m": round(grown, 6), "at_rest_per_m": round(at_rest, 6)}
            console.print(f"curvature {grown:.4f} /m; quasi-static, at rest in free space, {at_rest:.4f} /m")
        if made.crosses_itself:
            console.print(CROSSING)
        if out:
            _write(out, environment, simulation, result)
            console.print(f"wrote {out}/: simulation.json, trajectory.npz, plan.png")
        if animate:
            _animate(console, animate, environment, made, simulation.joints)
    return 0 if result["reached"] else 3


def _check_animation(path: Path) -> None:
    if path.suffix.lower() != ".gif":
        raise BadInput(f"--animate {path} must end in .gif")
    if not path.absolute().parent.is_dir():
        raise BadInput(f"--animate {path}: the folder {path.parent} does not exist")


def _outcome(environment: Environment, planned: Design, simulation: Simulation) -> dict[str, Any]:
    """The result, in the units of files."""
    import numpy as np

    tip, lengths = simulation.tip, simulation.lengths
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
    }


def _curvature(design: Design, rollout: Rollout, length: float) -> tuple[float, float]:
    """Mean curvature at the end of a tube with one section, and its curvature at rest in free space [1/m]."""
    from dynamics.moment import free_curvature, joint_moments
    from dynamics.vine import host

    last = int(rollout.records[0]) - 1
    only = design.sections[0]
    rest = free_curvature(joint_moments(design.params), only.signed_pressure, only.l_0)
    return float(host(rollout.angles)[0, last].sum()) / length, float(rest)


def _sentence(result: dict[str, Any]) -> str:
    x, y = result["tip_mm"]
    return (
        f"{'reaches' if result['reached'] else 'misses'} the goal: {result['advice']}; {result['length_mm']:.0f} mm grown, "
        f"tip at ({x:.0f}, {y:.0f}) mm, {result['from_predicted_mm']:.1f} mm from the design's prediction; "
        f"greatest contact force {result['greatest_contact_force_n']:.1f} N"
    )


def _write(out: Path, environment: Environment, simulation: Simulation, result: dict[str, Any]) -> None:
    import numpy as np

    from planner.drawing.plan import save_plan
    from planner.runs.folder import write_folder, write_json

    def fill(folder: Path) -> None:
        write_json(folder / "simulation.json", result)
        np.savez_compressed(folder / "trajectory.npz", points=simulation.joints, length=simulation.lengths)
        if len(simulation.joints):
            save_plan(folder / "plan.png", environment, simulation.design)

    write_folder(out, fill)


def _animate(console: Any, path: Path, environment: Environment, design: Design, points: Floats) -> None:
    from rich.progress import Progress

    from planner.drawing.animation import save_animation

    if not len(points):
        console.print("the vine did not grow: there is nothing to animate")
        return
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("drawing", total=None)

        def show(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        try:
            save_animation(path, environment, design, points, show)
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    console.print(f"wrote {path}")

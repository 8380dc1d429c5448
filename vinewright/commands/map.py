"""`vinewright map`: map an unknown environment by successive deployments."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, NothingKept, readable_errors
from vinewright.console.options import EnvironmentArgument, ForceOption, TubeOption, print_hints

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from environments import Environment
    from planner.mapping.policies import DeploymentStep, MappingTask

REPEATS = 100
"""Number of random sequences of deployments for comparison (paper 003, section 4.2)."""

OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for the map and a figure. Default: the first free one of maps/ENV, maps/ENV-2 and so on.",
    ),
]


def map_environment(
    env: EnvironmentArgument,
    actions: Annotated[
        str, typer.Option(help="Possible deployments: straight (tubes only), or turning (also tubes with one turn).")
    ] = "straight",
    deployments: Annotated[int, typer.Option(min=1, help="Maximum number of tubes to deploy.")] = 20,
    policy: Annotated[
        str, typer.Option(help="How the next deployment is chosen: monte-carlo, ideal, random or information-gain.")
    ] = "monte-carlo",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random generator.")] = 0,
    radius: Annotated[
        float | None, typer.Option(metavar="MM", help="Radius of the tube in mm, instead of that of --tube.")
    ] = None,
    length: Annotated[
        float | None,
        typer.Option(metavar="MM", help="Length of the tube in mm. Default: 1.2 times the longer side of the bounds."),
    ] = None,
    out: OutOption = None,
    tube: TubeOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Map an unknown environment with simulated vines, the most informative first. Ctrl-C keeps the map so far.

    With a real vine, use `vinewright map --session DIR`; see `vinewright map --session DIR --help`.
    """
    answer = Answer(as_json)
    console = answer.console
    for name, value in (("--radius", radius), ("--length", length)):
        if value is not None and not 0 < value < 1e7:
            raise BadInput(f"{name} {value:g} must be greater than 0 and finite, in mm")
    with readable_errors():
        from dynamics.tube_choice import choose_tube
        from environments import load_environment
        from planner.mapping.actions import ANGLES
        from planner.mapping.policies import POLICIES
        from planner.output.claim import claim
        from planner.output.folder import stem_of
        from surrogate.kernels.interruption import Interruption

        for name, given, known in (("--actions", actions, ANGLES), ("--policy", policy, POLICIES)):
            if given not in known:
                raise BadInput(f"{name} {given} must be one of {', '.join(known)}")
        thick = 1e-3 * radius if radius else choose_tube(tube, load_environment(env, 0.0)).radius
        environment = load_environment(env, thick)
        print_hints(console, environment, thick)
        command = f"vinewright map {Path(env).name} --actions {actions} --deployments {deployments}"
        command += f" --policy {policy} --seed {seed}"
        command += "".join(f" {name} {size:g}" for name, size in (("--radius", radius), ("--length", length)) if size)
        command += "" if tube is None else f" --tube {tube}"
        with claim(out, Path("maps") / stem_of(environment.name), force) as folder:
            task = _make_task(console, environment, actions, deployments, thick, length)
            _print_notes(console, task)
            steps, interrupted = _explore(console, task, policy, deployments, seed)
            console.print(_table(task, steps))
            with Interruption().handling_signals():  # a first Ctrl-C does not lose the map
                command += ", interrupted," if interrupted else ""
                content = _write(folder, task, policy, steps, seed, command)
            console.print(f"wrote {folder}/: map.json, map.png")
    return answer.end(content, [folder])


def _make_task(
    console: Console, environment: Environment, actions: str, deployments: int, radius: float, length_mm: float | None
) -> MappingTask:
    """Simulate all possible deployments in an environment.

    Args:
        radius: Radius of the tube [m].
        length_mm: Length of the tube [mm], by default 1.2 times the longer side of the bounds.
    """
    from planner.mapping.actions import Actions
    from planner.mapping.policies import MappingTask

    if length_mm is not None and length_mm < 1e3 * radius:
        raise BadInput(f"--length {length_mm:g} must be at least the tube's radius, {1e3 * radius:g} mm")
    sides = environment.bounds[2:] - environment.bounds[:2]
    length = 1e-3 * length_mm if length_mm else 1.2 * float(sides.max())
    choices = Actions.of(environment, actions, radius, length)
    count = len(choices.launches)
    if deployments > count:
        raise BadInput(f"--deployments {deployments}: only {count} different deployments are possible")
    with console.status("compiling kernels if necessary, and simulating all deployments"):
        return MappingTask.of(environment, choices, radius)


def _print_notes(console: Console, task: MappingTask) -> None:
    """Print differences from the environment file: blocked launch points, and shapes replaced by polygons."""
    from dynamics.geometric.walls import POLYGON_TOLERANCE

    for x, y in 1e3 * task.actions.blocked:
        console.print(f"note: no tube is launched at ({x:.0f}, {y:.0f}) mm: an obstacle is in the way")
    solids = task.environment.obstacles
    if rounded := len(solids.circles) + len(solids.walls):
        words = (
            "circle or wall is replaced by a circumscribed polygon"
            if rounded == 1
            else "circles and walls are replaced by circumscribed polygons"
        )
        console.print(f"note: {rounded} {words}, at most {1e3 * POLYGON_TOLERANCE:g} mm larger")


def _explore(
    console: Console, task: MappingTask, policy: str, deployments: int, seed: int
) -> tuple[list[DeploymentStep], bool]:
    """Deploy tubes with a progress bar; return the steps and whether Ctrl-C interrupted."""
    import numpy as np

    from planner.mapping.policies import explore
    from surrogate.kernels.compiled import thread_count
    from vinewright.console.progress import gather

    exploring = explore(task, policy, deployments, np.random.default_rng(seed), thread_count())
    steps, interrupted = gather(console, exploring, deployments, "deployments", transient=True)
    if not steps:
        raise NothingKept("interrupted before the first deployment; nothing was written")
    if len(steps) < deployments and not interrupted:
        console.print(f"note: after {len(steps)} deployments, no other would give new information")
    return steps, interrupted


def _table(task: MappingTask, steps: list[DeploymentStep]) -> Table:
    from rich.table import Table

    table = Table("", "launch mm", "angle deg", "turn at mm", "turn deg", "ends", "score")
    for column in table.columns:
        column.justify = "right"
    for number, row in enumerate(_rows(task, steps), start=1):
        x, y = row["launch_mm"]
        turn = [f"{row['turn_at_mm']:.4g}", f"{row['turn_deg']:.0f}"] if row["turn_deg"] else ["-", "-"]
        cells = [f"({x:.4g}, {y:.4g})", f"{row['angle_deg']:.1f}", *turn, row["status"], f"{row['score']:.1f}"]
        table.add_row(f"{number}", *cells)
    return table


def _rows(task: MappingTask, steps: list[DeploymentStep]) -> list[dict[str, Any]]:
    """Return the deployments in the units of the map file."""
    from dynamics.vine import Status

    rows = []
    for step in steps:
        x, y, heading, _, turn_at, turn = task.actions.launches[step.action]
        rows.append({
            "launch_mm": [round(1e3 * float(x), 3), round(1e3 * float(y), 3)],
            "angle_deg": round(math.degrees(heading), 3),
            "turn_at_mm": round(1e3 * float(turn_at), 3),
            "turn_deg": round(math.degrees(turn), 3),
            "status": Status(task.found.status[step.action]).name.lower().replace("_", " "),
            "score": round(step.score, 3),
        })  # fmt: skip
    return rows


def _write(
    out: Path, task: MappingTask, policy: str, steps: list[DeploymentStep], seed: int, command: str
) -> dict[str, Any]:
    """Write the map and its figure, with the scores of the ideal and the random policy; return the content of the map file."""
    import numpy as np

    from planner.drawing.style import save_figure
    from planner.mapping.plots import DPI, map_figure
    from planner.mapping.policies import explore, random_scores
    from planner.output.folder import write_folder, write_json
    from planner.output.provenance import versions

    ideal = np.array([step.score for step in explore(task, "ideal", len(steps), np.random.default_rng(seed))])
    random = random_scores(task, len(steps), REPEATS, np.random.default_rng(seed))
    belief = steps[-1].belief
    marks = np.where(belief.hits, "#", np.where(belief.misses, ".", "?"))
    content = {
        "schema": 1,
        "command": command,
        "seed": seed,
        "versions": versions(),
        "environment": {"name": task.environment.name, "sha256": task.environment.sha256},
        "tube": {"radius_mm": 1e3 * task.tube.radius, "length_mm": 1e3 * float(task.actions.launches[0, 3])},
        "policy": policy,
        "prior": belief.prior,
        "deployments": _rows(task, steps),
        "ideal": ideal.round(3).tolist(),
        "random": {"mean": random.mean(axis=0).round(3).tolist(), "std": random.std(axis=0).round(3).tolist()},
        "map": ["".join(row) for row in marks[::-1]],
    }

    def fill(folder: Path) -> None:
        write_json(folder / "map.json", content)
        save_figure(folder / "map.png", map_figure(task, policy, steps, ideal, random), DPI)

    write_folder(out, fill)
    return content

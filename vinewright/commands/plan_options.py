"""The options of `vinewright plan` that no other command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.completion import environment_names, propagator_names

Envs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ENV",
        help="A shipped environment, or the path of a TOML file; with --same-design two or more.",
        show_default=False,
        autocompletion=environment_names,
    ),
]
SameDesign = Annotated[
    bool,
    typer.Option(
        "--same-design",
        help="Find one tube that reaches the goal of every ENV; some may leave actuators without pressure.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Folder for the results. Default: the first free one of runs/ENV, runs/ENV-2 and so on."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the random generator.")]
Batch = Annotated[
    int,
    typer.Option(
        min=1, max=2000, help="Number of vines grown in each iteration, at most 30 of them until the first solution."
    ),
]
TimeBudget = Annotated[
    float,
    typer.Option(
        metavar="S",
        help="Time in seconds for search, refinement and trials, excluding compilation. With --fast: for the search.",
    ),
]
Iterations = Annotated[
    int | None,
    typer.Option(min=1, help="Maximum number of iterations of each search; refinement then takes as long as it needs."),
]
First = Annotated[bool, typer.Option("--first", help="Stop at the first solution.")]
TargetActuators = Annotated[
    int | None, typer.Option(min=0, help="Stop at a solution with at most this many actuators.")
]
Solutions = Annotated[int, typer.Option(min=1, max=1000, metavar="K", help="Number of distinct solutions to keep.")]
Heuristic = Annotated[
    bool,
    typer.Option(
        help="Guide the search by contact-free paths to the goal (OMPL's RRT*): for large environments with dead ends."
    ),
]
PlannerOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="What searches: sst-star, or one of OMPL's planners, which grow one vine at a time.",
    ),
]
Fast = Annotated[
    bool,
    typer.Option(
        "--fast",
        help="Stop at the design of lowest cost in a world as planned: no errors, no refinement, no trials.",
    ),
]
SteerOption = Annotated[
    int,
    typer.Option(
        min=0,
        max=100,
        metavar="N",
        help="Number of actuators whose pressure may change while the tube grows, at most. What is found is tried under errors, but "
        "not refined.",
    ),
]
ParticlesOption = Annotated[
    int,
    typer.Option(
        min=1,
        max=64,
        metavar="K",
        help="Number of worlds in which every vine of the search is grown: the first as planned, the others with errors.",
    ),
]
Success = Annotated[
    float | None,
    typer.Option(
        metavar="PERCENT",
        help="Share of trials with errors in which the design must reach the goal; exit code 3 if none does. "
        "Default: 90, without that.",
    ),
]
Preformed = Annotated[
    bool,
    typer.Option(
        "--preformed",
        help="Allow bends that are made when the tube is built, by folds: no actuator, no pressure, the same in every environment.",
    ),
]
PreformedCost = Annotated[
    float,
    typer.Option(
        metavar="W",
        help="Share of the cost of an actuator that a preformed bend costs, from 0 (free) to 1; with --preformed.",
    ),
]
Verify = Annotated[
    str | None,
    typer.Option(
        metavar="PROPAGATOR",
        autocompletion=propagator_names,
        help="Accept only designs that also reach the goal with this second propagator; exit code 3 if none does.",
    ),
]
FullTree = Annotated[bool, typer.Option("--full-tree", help="Draw every branch of the search tree in plan.png.")]
ActuatorKind = Annotated[
    str | None,
    typer.Option(
        help="Actuator that bends the tube: spam, pouch, fpam or cpam, or several that are mixed along it, as spam,pouch. Default: that "
        "of the tube, normally spam."
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Resume the run in this folder (without ENV); --time-budget and --iterations count from its beginning.",
    ),
]

"""The options of a plan, in one list: the command line, the keywords of `vinewright.plan`, sweeps, the studio and the documentation
are made from it.

The list needs no library, so that the command line can print its help at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from planner.search.planners import SST_STAR

Group = Literal["Search", "Success under errors", "Tube and model", "Advanced"]
"""Heading under which the help of the command shows an option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOption:
    """An option of a plan."""

    name: str
    """Keyword of `vinewright.plan`, key in run.json and in sweeps."""
    label: str
    """Name of its field on a page."""
    type: type
    """Type of its value: bool, int, float or str."""
    default: Any
    """Default value; None means that the option is not given."""
    help: str
    """Meaning, for the help of the command and the documentation."""
    group: Group
    least: float | None = None
    """Smallest value allowed."""
    most: float | None = None
    """Largest value allowed."""
    above: float | None = None
    """Value that it must exceed."""
    below: float | None = None
    """Value that it must stay below."""
    unit: str = ""
    """Unit of a number with a fraction; "-" if it has no dimension."""
    implied: str = ""
    """Word for what holds if it is not given, where the default is None."""
    choices: tuple[str, ...] = ()
    """Values that are allowed, where they do not depend on what is installed."""
    metavar: str | None = None
    """Word for its value in the help; None for its type."""
    flag: str | None = None
    """Name on the command line; None for `--name` with hyphens, and the negative form of a truth value."""
    is_path: bool = False
    """Whether its value is always a path of this machine, which a page cannot name."""


OPTIONS = (
    PlanOption(
        name="time_budget_s", label="Time", type=float, default=120.0,
        group="Search", above=0, below=1e7, unit="s", metavar="S", flag="--time-budget",
        help="Maximum time in seconds for search, refinement and trials, excluding compilation. A plan ends sooner if its design is good "
        "enough and the last half of the time brought no fewer actuators.",
    ),
    PlanOption(
        name="iterations", label="Iterations", type=int, default=None, implied="no limit", group="Search", least=1,
        help="Maximum number of iterations of each search; refinement and trials are then limited by their work, in proportion to it.",
    ),
    PlanOption(
        name="seed", label="Seed", type=int, default=0, group="Search", least=0, help="Seed of the random generator.",
    ),
    PlanOption(
        name="start_from", label="Begin with", type=str, default=None, implied="nothing", group="Search", metavar="DESIGN", flag="--from",
        is_path=True,
        help="Known design with which search and refinement begin, also in another environment or with another tube: a run, a design or a "
        "solutions file.",
    ),
    PlanOption(
        name="first", label="Stop at the first solution", type=bool, default=False,
        group="Search", flag="--first", help="Stop at the first solution.",
    ),
    PlanOption(
        name="target_actuators", label="Stop at so many actuators", type=int, default=None, implied="no limit", group="Search", least=0,
        help="Stop at a solution with at most this number of actuators.",
    ),
    PlanOption(
        name="solutions", label="Solutions to keep", type=int, default=10, group="Search", least=1, most=1000, metavar="K",
        help="Number of distinct solutions to keep.",
    ),
    PlanOption(
        name="success", label="Wanted success", type=float, default=None, implied="90",
        group="Success under errors", above=0, most=100, unit="%", metavar="PERCENT",
        help="Share of trials with errors in which the design must reach the goal; exit code 3 if none does. Default: 90.",
    ),
    PlanOption(
        name="uncertainty", label="Errors", type=str, default=None, implied="as in the files", group="Success under errors", metavar="NAME",
        help="Errors with which tube and environment are built: workshop, handmade, lasercut, field, paper or none, or a TOML file with "
        "a table [uncertainty]. Default: those of the environment and the tube, or workshop.",
    ),
    PlanOption(
        name="fast", label="Search only, without trials", type=bool, default=False, group="Success under errors", flag="--fast",
        help="Stop at the design of lowest cost in a world as planned: no errors, no refinement, no trials.",
    ),
    PlanOption(
        name="verify", label="Verify with", type=str, default=None, implied="no second model",
        group="Success under errors", metavar="PROPAGATOR",
        help="Accept only designs that also reach the goal with this second propagator; exit code 3 if none does.",
    ),
    PlanOption(
        name="actuator", label="Actuators", type=str, default="spam", implied="as the tube", group="Tube and model",
        help="Actuator that bends the tube: spam, pouch, fpam or cpam, or several that are mixed along it, as spam,pouch. Default: that "
        "of the tube, normally spam.",
    ),
    PlanOption(
        name="supply", label="Pressure at hand", type=str, default=None, implied="as the tube", group="Tube and model", metavar="PRESSURE",
        help="Pressure at hand, in kPa or with a unit (kPa, Pa, bar, psi), up to which regulators can be set: set points stay below it "
        "and below what films hold. Default: most_pressure_kpa of the tube's actuators.",
    ),
    PlanOption(
        name="friction", label="Friction", type=float, default=None, implied="as the tube", group="Tube and model", unit="-", metavar="MU",
        help="Friction coefficient in quasistatic (tip and body, static and kinetic) and geometric (tip), instead of those of tube and "
        "environment. Default: the tube's, or else the environment's; if it has none, 0 in quasistatic and 0.3 in geometric.",
    ),
    PlanOption(
        name="propagator", label="Model", type=str, default="quasistatic", group="Tube and model",
        help="Model of the growing vine: quasistatic, penalty, impulse, geometric or euler-lagrange.",
    ),
    PlanOption(
        name="device", label="Device", type=str, default="auto", choices=("auto", "cpu", "cuda"), group="Tube and model",
        help="Device of the computation: cpu, cuda, or auto (whichever grows a batch faster; penalty: cuda if available).",
    ),
    PlanOption(
        name="batch", label="Vines per iteration", type=int, default=100, group="Advanced", least=1, most=2000,
        help="Number of vines grown in each iteration, at most 30 of them until the first solution.",
    ),
    PlanOption(
        name="heuristic", label="Guide the search by ways to the goal", type=bool, default=False, group="Advanced",
        help="Guide the search by contact-free paths to the goal (OMPL's RRT*): for large environments with dead ends.",
    ),
    PlanOption(
        name="planner", label="Planner", type=str, default=SST_STAR, group="Advanced", metavar="NAME",
        help="What searches: sst-star, one of OMPL's planners, which grow one vine at a time, or your own: FILE.py:CLASS.",
    ),
    PlanOption(
        name="steer", label="Steered actuators", type=int, default=0, group="Advanced", least=0, most=100, metavar="N",
        help="Number of actuators whose pressure may change while the tube grows, at most. What is found is tried under errors, but "
        "not refined.",
    ),
    PlanOption(
        name="particles", label="Worlds in the search", type=int, default=1, group="Advanced", least=1, most=64, metavar="K",
        help="Number of worlds in which every vine of the search is grown: the first as planned, the others with errors.",
    ),
    PlanOption(
        name="preformed", label="Preformed bends", type=bool, default=False, group="Advanced", flag="--preformed",
        help="Allow bends that are made when the tube is built, by folds: no actuator, no pressure, the same in every environment.",
    ),
    PlanOption(
        name="preformed_cost", label="Cost of such a bend", type=float, default=0.1,
        group="Advanced", least=0, most=1, unit="-", metavar="W",
        help="Share of the cost of an actuator that a preformed bend costs, from 0 (free) to 1; with --preformed.",
    ),
    PlanOption(
        name="solver", label="Solver of penalty", type=str, default=None, implied="newton", choices=("newton", "gradient"),
        group="Advanced",
        help="Solver of penalty: newton or gradient. Default: newton.",
    ),
    PlanOption(
        name="surrogate", label="Force in penalty", type=str, default=None, implied="table", choices=("table", "network"), group="Advanced",
        help="Source of the actuator's force in penalty: table or network. Default: table.",
    ),
)  # fmt: skip
"""The options of a plan, in the order of the help. New options need a default, because older runs do not have them."""
BY_NAME = {option.name: option for option in OPTIONS}


def contradiction(asked: Mapping[str, Any]) -> str | None:
    """Return why options that can each be used contradict each other, as a message; None if they do not.

    Args:
        asked: Values by the names of options; options may be missing.
    """
    particles, propagator = asked.get("particles", 1), asked.get("propagator", "quasistatic")
    if asked.get("fast") and (
        asked.get("success") is not None or asked.get("uncertainty") is not None or particles > 1
    ):
        return "--success, --uncertainty and --particles are for designs under errors; --fast plans without errors"
    if particles > 1 and propagator != "quasistatic":
        return f"--particles {particles} needs --propagator quasistatic; {propagator} grows vines as planned only"
    return None


class PlanOptions(TypedDict, total=False):
    """Options of `vinewright.plan` besides time and seed: those of `OPTIONS`, with their meanings, limits and defaults."""

    iterations: int
    start_from: str
    first: bool
    target_actuators: int
    solutions: int
    success: float
    uncertainty: str
    fast: bool
    verify: str
    supply: str
    friction: float
    propagator: str
    device: str
    batch: int
    heuristic: bool
    planner: str
    steer: int
    particles: int
    preformed: bool
    preformed_cost: float
    solver: str
    surrogate: str

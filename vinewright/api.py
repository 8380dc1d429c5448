"""The public functions: plan, resume, simulate, robustness, plot and export. Each imports what it needs when it is called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dynamics.propagator import Propagator
    from dynamics.registry import PropagatorSettings
    from dynamics.tube import VineParams
    from environments import (
        Environment,
    )
    from environments.uncertainty import Uncertainty
    from planner.design.design import Design
    from planner.design.estimate import Estimate
    from planner.design.replay import Simulation
    from planner.fabrication.pack import Pack
    from planner.plan.options import PlanOptions
    from planner.plan.plan import Result
    from planner.plan.run.checkpoint import Checkpoint


class ExportOptions(TypedDict, total=False):
    """Options of `export`: the means of the workshop, and the number of trials."""

    supply: str | None
    """Pressure at hand, such as "100kPa", up to which regulators can be set; None for that of the design's tube."""
    seam: str | None
    """Width that the workshop's bar seals between two cells, such as "5mm"; None for that of the design."""
    stock: str | None
    """Lay-flat widths in stock, such as "50,75,100mm", of which the nearest replace the planned tubes; None for the planned tubes."""
    bed: tuple[float, float] | None
    """Sides of the bed of a cutter or plotter [m], such as (0.6, 0.4), for which the pattern as "dxf" and "svg" is written in tiles too,
    into the folder `bed`; None for no tiles."""
    trials: int
    """Number of tubes grown with errors to try the design with whole cells, and for the acceptance test, from 20 to 100000; 400 if it is
    not given."""


def plan(
    environment: Environment,
    tube: VineParams | None = None,
    *,
    seconds: float = 120.0,
    seed: int = 0,
    progress: bool = False,
    **options: Unpack[PlanOptions],
) -> Result:
    """Find a design with few actuators that reaches the goal although nothing is built exactly.

    The search's designs are refined under errors, tried in fresh trials, and one is chosen by its success (`Result.choice`); with
    `fast=True` the result is the design of lowest cost in a world exactly as planned. Ctrl-C ends it early and keeps the best
    design. The first call compiles kernels, which takes about 15 seconds.

    Args:
        tube: The tube and its actuator (see `load_tube`); None takes that of the environment, or else the prototype.
        seconds: Maximum time for search, refinement and trials, excluding compilation [s]; a plan ends sooner if its design is good
            enough and the last half of the time brought no fewer actuators.
        seed: Seed of the random generator.
        progress: Whether to show a progress line.
        options: See `PlanOptions`.
    Returns:
        A result whose `best` is the design, or None if none was found. `reason` says why the search ended.
    Raises:
        InvalidEnvironment: The environment is invalid, or the tube does not fit at its start.
        InvalidDesign: The design with which the plan begins, `start_from`, cannot be read or used.
        WalledIn: No passage as wide as the tube leads to the goal.
        ValueError: An option is unknown or out of range.

    >>> import vinewright as vw
    >>> result = vw.plan(vw.load_environment("divider"), seed=1, iterations=10, fast=True)
    >>> result.reason, result.best.actuators
    ('iterations done', 1)
    """
    from dynamics.tube_choice import choose_tube
    from vinewright.console.errors import plain_errors

    tube = choose_tube(None, environment) if tube is None else tube
    with plain_errors():
        asked = {"actuator": tube.kinds, "time_budget_s": seconds, "seed": seed, **options}
        return _plan(environment, tube, asked, None, progress)


def resume(
    folder: str | Path, *, seconds: float | None = None, iterations: int | None = None, progress: bool = False
) -> Result:
    """Continue a search from the folder of a run, as if it had not been interrupted.

    Args:
        folder: Written by `Result.save` or by `vinewright plan`.
        seconds: Search time [s], counted from the beginning of the run; None means no limit (then give `iterations`).
        iterations: Maximum number of iterations, counted in the same way.
        progress: Whether to show a progress line.
    Raises:
        InvalidCheckpoint: There is no checkpoint in the folder, or it is damaged.
        ValueError: Neither `seconds` nor `iterations` is given.

    >>> import tempfile
    >>> import vinewright as vw
    >>> result = vw.plan(vw.load_environment("divider"), seed=1, iterations=6, fast=True)
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     result.save(f"{parent}/run")
    ...     vw.resume(f"{parent}/run", iterations=8).iterations
    8
    """
    from planner.plan.run.checkpoint import read_checkpoint
    from vinewright.console.errors import plain_errors

    if seconds is None and iterations is None:
        raise ValueError("give seconds or iterations: one of them has to end the search")
    checkpoint = read_checkpoint(Path(folder))
    ends = {"time_budget_s": 1e6 if seconds is None else seconds, "iterations": iterations}
    asked = checkpoint.inputs.model_dump() | ends | {"first": False, "target_actuators": None}
    with plain_errors():
        return _plan(checkpoint.environment, checkpoint.tube, asked, checkpoint, progress)


def simulate(
    design: Design | None,
    environment: Environment,
    propagator: str | type[Propagator] = "quasistatic",
    *,
    friction: float | None = None,
    **settings: Unpack[PropagatorSettings],
) -> Simulation:
    """Grow one vine of a design.

    Args:
        propagator: The model of the growing vine: one of `propagators()`, or a class that is a `dynamics.propagator.Propagator`.
        friction: Coulomb friction coefficient, static and kinetic [-]; None takes those of the design's tube or environment.
        settings: Settings of the propagator: `device`, `solver`, `surrogate`, `qp` and `inputs`, see
            `dynamics.registry.PropagatorSettings`.
    Returns:
        Whether it reached the goal, its tip, and its joints [m] at every record, shape (T, N + 1, 2).
    Raises:
        ValueError: `design` is None, or the propagator does not have a setting.
        InvalidEnvironment: The environment is invalid, or the tube does not fit at its start.

    >>> import vinewright as vw
    >>> env = vw.load_environment("divider")
    >>> result = vw.plan(env, seed=1, iterations=10, fast=True)
    >>> simulation = vw.simulate(result.best, env, propagator="impulse")
    >>> simulation.joints.shape[0] == simulation.lengths.shape[0], simulation.tip.shape
    (True, (3,))
    """
    from planner.design.replay import make_simulation, replay, resolve_growth
    from vinewright.console.errors import plain_errors

    design = _check_design(design, environment)
    with plain_errors():
        design, make = resolve_growth(design, environment, propagator, friction, **settings)
    return make_simulation(design, environment, replay(design, make(environment, design.params)))


def robustness(
    design: Design | None,
    environment: Environment,
    *,
    trials: int = 1000,
    uncertainty: str | Uncertainty | None = None,
    seed: int = 0,
) -> Estimate:
    """Estimate how likely a design is to reach the goal under random errors of what is built.

    Args:
        trials: Number of times that the design is grown.
        uncertainty: Standard deviations of the errors: "workshop", "handmade", "lasercut", "field", "paper", "none", the path of a
            file, or your own; None takes those of the environment and the tube, or "workshop".
            `Uncertainty.of_levels(obstacles, bending)` has those of paper 002.
        seed: Seed of all trials.
    Returns:
        The share of trials that reached the goal, `rate`, its 95 % confidence `interval`, and the errors on which success depends,
        `influences`, of which `weakest` is the first in words.
    Raises:
        ValueError: `design` is None, `trials` is less than 1, or the uncertainty is unknown.
        InvalidEnvironment: The environment is invalid, or the tube does not fit at its start.

    >>> import vinewright as vw
    >>> env = vw.load_environment("divider")
    >>> result = vw.plan(env, seed=1, iterations=10, fast=True)
    >>> estimate = vw.robustness(result.best, env, trials=20)
    >>> estimate.trials, 0 <= estimate.rate <= 1
    (20, True)
    """
    from environments.uncertainty import Uncertainty
    from planner.uncertainty.errors import named_errors
    from planner.uncertainty.survey import Survey

    design = _check_design(design, environment)
    if trials < 1:
        raise ValueError(f"trials = {trials} must be at least 1")
    if not isinstance(uncertainty, Uncertainty):
        uncertainty = named_errors(environment, design.params, uncertainty)[1]
    survey = Survey.of(design, environment, uncertainty, trials, seed, alone=False)
    list(survey.run())  # yields progress; the survey keeps the counts
    return survey.estimate_all()


def plot(environment: Environment, design: Design | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw an environment and a design into axes, in metres; returns the axes.

    Args:
        ax: Where to draw; None takes the current axes of pyplot. The rest of the figure is not changed.

    >>> from matplotlib.figure import Figure
    >>> import vinewright as vw
    >>> ax = vw.plot(vw.load_environment("divider"), ax=Figure().subplots())
    >>> ax.get_xlabel()
    'x [m]'
    """
    from planner.drawing.plan import draw_in_axes

    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.gca()
    draw_in_axes(ax, environment, design)
    return ax


def export(
    design: Design | None,
    environment: Environment,
    folder: str | Path,
    formats: Sequence[str] = ("json", "csv", "svg", "pdf"),
    force: bool = False,
    allow_limit: bool = False,
    **options: Unpack[ExportOptions],
) -> Pack:
    """Write the files for fabrication: builder's guide, parts, patterns at true size, pressures.

    The sections are rounded to whole cells first, in such a way that the design still reaches the goal, if possible.

    Args:
        formats: Some of "json", "csv", "dxf", "svg", "pdf", "stl", "sofa" and "bench"; "dxf", "stl" and "sofa" need the extra `fab`.
        force: Whether to replace earlier results in the folder. Other files are never replaced.
        allow_limit: Whether to accept pressures at their limit, which leave no head room for the regulator.
        options: Supply, bar, stock and bed of the workshop, and the number of trials, see
            `vinewright.api.ExportOptions`.
    Returns:
        The rounded design: `grown` says whether it reaches the goal, `success` how often under errors; `warnings` lists fabrication
        warnings.
    Raises:
        ValueError: `design` is None, or a format, the supply, the seam, the stock, the bed or the number of trials cannot be used; the
            pattern does not fit on the bed.
        InvalidDesign: A section is shorter than one cell, a pressure is at its limit, the seams are not those that are sealed, or no
            stock fits.
        UnwritableFolder: It contains results or other files, another process is writing it, or it cannot be written.

    >>> import os, tempfile
    >>> import vinewright as vw
    >>> env = vw.load_environment("divider")
    >>> result = vw.plan(env, seed=1, iterations=10, fast=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pack = vw.export(result.best, env, folder, formats=["csv"])
    ...     sorted(os.listdir(folder))
    ['cut-list.csv', 'parts.csv', 'schedule.csv', 'sections.csv']
    """
    from planner.fabrication import KNOWN
    from planner.output.claim import claim
    from planner.output.folder import write_folder

    design = _check_design(design, environment)
    if unknown := [form for form in formats if form not in KNOWN]:
        raise ValueError(f"unknown format {unknown[0]!r}; known: {', '.join(KNOWN)}")
    with claim(Path(folder), Path(folder), force) as out:
        pack = _make_pack(design, environment, allow_limit, **options)
        write_folder(out, lambda fresh: _write_all(pack, formats, fresh))
    return pack


def _write_all(pack: Pack, formats: Sequence[str], folder: Path) -> None:
    """Write the formats of a pack; one that cannot be written is an error."""
    from planner.fabrication.formats import guide_last

    files: list[str] = []
    for form in guide_last(formats):
        files += pack.write(form, folder, files)


def _make_pack(
    design: Design,
    environment: Environment,
    allow_limit: bool,
    supply: str | None = None,
    seam: str | None = None,
    stock: str | None = None,
    bed: tuple[float, float] | None = None,
    trials: int = 400,
) -> Pack:
    """Make and try the pack of a design for `export`, with the fields of `ExportOptions`."""
    from dataclasses import replace

    from dynamics.quasistatic.propagator import QuasiStatic
    from planner.design.supply import with_supply
    from planner.fabrication.assembly.seams import parse_seam
    from planner.fabrication.assembly.stock import parse_widths, with_stock
    from planner.fabrication.pack import Pack
    from planner.fabrication.pattern.bed import Bed

    if not 20 <= trials <= 100_000:
        raise ValueError(f"trials = {trials} must be from 20 to 100000")
    tiles = None if bed is None else Bed.of(*(1e3 * side for side in bed))
    bar = None if seam is None else parse_seam(seam)
    design, chosen = replace(design, params=with_supply(design.params, supply)), None
    if stock is not None:
        design, chosen = with_stock(design, parse_widths(stock))
        design = _check_design(design, environment)
    model = QuasiStatic(environment, design.params)
    pack = Pack.of(design, environment, model, chosen, allow_limit, trials, bar)
    return replace(pack, bed=tiles).with_trials()


def _plan(
    environment: Environment, tube: VineParams, asked: dict[str, Any], checkpoint: Checkpoint | None, progress: bool
) -> Result:
    """Plan for `plan` and `resume`, with the options of both as one dictionary."""
    from environments import check_environment
    from planner.plan.inputs import Inputs
    from planner.plan.plan import plan as search_and_choose
    from planner.plan.problem import Problem
    from planner.plan.watcher import QUIET, Watcher

    check_environment(environment, tube.radius)
    watcher: Watcher = QUIET
    if progress:
        from vinewright.console.plan_progress import ConsoleWatcher
        from vinewright.console.terminal import make_console

        watcher = ConsoleWatcher(make_console(), checkpoint)
    problem = Problem.of(environment, tube, Inputs(**asked), checkpoint.known if checkpoint else None)
    return search_and_choose(problem, checkpoint, watcher=watcher)


def _check_design(design: Design | None, environment: Environment) -> Design:
    """The design, checked: it exists and fits at the start of the environment."""
    from environments import check_environment

    if design is None:
        raise ValueError("there is no design; `reason` of the plan's result says why none was found")
    check_environment(environment, design.params.radius)
    return design

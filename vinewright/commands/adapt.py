"""`vinewright adapt`: what to change at a tube that was built so that it reaches the goal."""

from __future__ import annotations

import shlex
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.plan.inputs import SUCCESS
from vinewright.commands.trials_options import RunArgument
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import NothingKept, apart, readable_errors
from vinewright.console.options import ForceOption, SolutionOption, UncertaintyOption

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from environments.uncertainty_in_files import StatedUncertainty
    from planner.adapting.adapting import Adapted
    from planner.built.posterior import Posterior
    from vinewright.built.adapting import Asked
    from vinewright.built.folder import BuiltDesign

ShiftOption = Annotated[
    float,
    typer.Option(min=0, max=1000, metavar="MM", help="How far the base can be shifted in x and in y, in mm."),
]
TurnOption = Annotated[
    float, typer.Option(min=0, max=90, metavar="DEG", help="How far the base can be turned, in degrees.")
]
MoveOption = Annotated[
    float,
    typer.Option(min=0, max=10_000, metavar="MM", help="How far one obstacle may be moved in x and in y, in mm."),
]
BudgetOption = Annotated[
    float, typer.Option(min=0.1, max=86_400, metavar="S", help="Time for the search of all changes, in seconds.")
]
SuccessOption = Annotated[
    float,
    typer.Option(
        min=1,
        max=100,
        metavar="PERCENT",
        help="Share of growths that must reach the goal; exit code 3 if nothing is enough.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder for the adapted design. Default: the first free one of RUN-adapted, RUN-adapted-2 and so on, beside RUN.",
    ),
]


def adapt(
    run: RunArgument,
    solution: SolutionOption = None,
    mount_shift: ShiftOption = 10.0,
    mount_turn: TurnOption = 3.0,
    move_obstacles: MoveOption = 0.0,
    time_budget: BudgetOption = 30.0,
    success: SuccessOption = 100 * SUCCESS,
    uncertainty: UncertaintyOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of samples and searches.")] = 0,
    out: OutOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Find what to change at a built tube so that it reaches the goal, cheapest first. Exit code 3 if nothing is enough."""
    answer = Answer(as_json)
    console, wanted = answer.console, success / 100
    with readable_errors():
        from planner.adapting.adapting import recommended
        from planner.adapting.changes import Mount
        from planner.adapting.folder import adapted_content
        from planner.built.learning_report import mostly_explained
        from planner.output.claim import claim
        from planner.uncertainty.errors import read_errors
        from vinewright.built.adapting import Asked

        apart(out, run, "built design")
        built, stated = _read(console, run, solution), read_errors(uncertainty)
        folder = run if run.name not in ("", "..") else run.resolve()
        with claim(out, folder.with_name(f"{folder.name}-adapted"), force) as place:
            named, posterior = _infer(console, built, stated, seed)
            mount = Mount(1e-3 * mount_shift, radians(mount_turn))
            asked = Asked(mount, 1e-3 * move_obstacles, time_budget, wanted, seed)
            found, interrupted = _search(console, posterior, asked)
            console.print(_table(found, built))
            enough = recommended(found, wanted)
            content = adapted_content(found, wanted, built.design, built.environment)
            wrote = _write(console, built, found, (named, stated, wanted), place)
        if explained := mostly_explained(posterior):
            console.print(_advice(run, found, enough, wanted, interrupted))
        if wrote:
            console.print(f"wrote {place}/")
    missed = "" if enough else _missed(wanted, explained)
    return answer.end(content, [place] if wrote else [], missed)


def _read(console: Console, run: Path, solution: int | None) -> BuiltDesign:
    """Read a design and what was measured of it; without measurements, say so."""
    from planner.output.contents import MEASUREMENTS
    from vinewright.built.adapting import read_built
    from vinewright.built.folder import summary

    built = read_built(run, solution)
    if (run / MEASUREMENTS).is_file():
        console.print(summary(built.trials, built.design))
    if built.trials.empty:
        console.print(
            "nothing was measured of this design: success and changes are for tubes with the errors that are stated; "
            f"`vinewright trials add {shlex.quote(str(run))}` adds a measurement"
        )
    return built


def _infer(console: Console, built: BuiltDesign, stated: StatedUncertainty, seed: int) -> tuple[str, Posterior]:
    """Infer the errors from the trials, with a progress bar; return their name, too.

    Raises:
        NothingKept: Ctrl-C came.
    """
    from vinewright.built.adapting import infer_errors, inference_notes
    from vinewright.commands.trials_infer import inference_bar
    from vinewright.console.progress import handle_stop_signals

    try:
        with handle_stop_signals(), inference_bar(console) as watch:
            named, posterior = infer_errors(built, stated, seed, watch)
    except KeyboardInterrupt:
        raise NothingKept("interrupted; nothing was written") from None
    for note in inference_notes(posterior, built.trials):
        console.print(note, style="bold" if note.startswith("warning") else None)
    return named, posterior


def _search(console: Console, posterior: Posterior, asked: Asked) -> tuple[list[Adapted], bool]:
    """Search the changes, cheapest first, until one is enough; return them, and whether Ctrl-C ended the search.

    Raises:
        NothingKept: Ctrl-C came before anything was found.
    """
    from planner.adapting.adapting import list_kinds
    from vinewright.built.adapting import search_until_enough
    from vinewright.console.progress import gather

    total = len(list_kinds(posterior, asked.mount, asked.move)) + 1
    found, interrupted = gather(console, search_until_enough(posterior, asked), total, "changes", transient=True)
    if not found:
        raise NothingKept("interrupted before anything was found; nothing was written")
    return found, interrupted


def _table(found: list[Adapted], built: BuiltDesign) -> Table:
    """Return a table of the proposals."""
    from rich.table import Table

    from planner.adapting.words import what_to_do

    table = Table("change", "what to do", "success", "90 %")
    for column in table.columns[2:]:
        column.justify = "right"
    for k, one in enumerate(found):
        low, high = one.success.interval
        to_do = "; ".join(what_to_do(built.design, one.setting, built.environment)) if k else ""
        rate = f"{100 * one.success.mean:.0f} %{'' if one.better else ', no better'}"
        table.add_row(one.name, to_do, rate, f"{100 * low:.0f} ... {100 * high:.0f}")
    return table


def _missed(wanted: float, explained: bool) -> str:
    """Return why nothing is recommended.

    Args:
        explained: Whether errors explain most growths.
    """
    if not explained:
        return (
            "nothing is recommended, since errors of this size explain too few of the growths, and every success above is that of "
            "others: check what was measured, or state larger errors with --uncertainty"
        )
    return f"no change reaches the goal in {100 * wanted:g} % of the growths that are predicted"


def _advice(run: Path, found: list[Adapted], enough: Adapted | None, wanted: float, interrupted: bool) -> str:
    """Return what is recommended.

    Args:
        interrupted: Whether costlier changes were not tried.
    """
    from planner.adapting.adapting import best_of
    from planner.output.contents import MEASUREMENTS

    if enough is found[0]:
        return "recommended: leave the tube as it is; it reaches the goal often enough"
    if enough:
        return f"recommended: {enough.name}, the cheapest change that is enough; costlier ones were not tried"
    best, folder = best_of(found), shlex.quote(str(run))
    so_far = "no change is better than the tube as it is" if best is found[0] else f"the best change is {best.name}"
    result = f"{so_far}, {100 * best.success.mean:.0f} % of {100 * wanted:g} % wanted"
    if interrupted:
        return f"{result}; costlier changes were not tried"
    learn = f"`vinewright trials learn {folder}`, then " if (run / MEASUREMENTS).is_file() else ""
    errors = f" --uncertainty {folder}/uncertainty.toml" if learn else ""
    place = f"{folder}/environment.toml" if (run / "environment.toml").is_file() else "ENV"
    return (
        f"{result}. If more time does not help (--time-budget), build another tube: {learn}"
        f"`vinewright plan {place} --from {folder}{errors}`"
    )


def _write(
    console: Console,
    built: BuiltDesign,
    found: list[Adapted],
    errors: tuple[str, StatedUncertainty, float],
    place: Path,
) -> bool:
    """Write the best proposal; return whether there is one that is better than the tube as it is.

    Args:
        errors: Their name, the errors that were asked for, and the success that is wanted.
    """
    from planner.adapting.adapting import best_of
    from planner.design.drive_margin import drive_text
    from surrogate.kernels.interruption import Interruption
    from vinewright.built.adapting import write_adapted

    best, (named, stated, wanted) = best_of(found), errors
    if best is found[0]:
        return False
    with Interruption().handling_signals(), console.status("drawing"):
        made = write_adapted(place, built, found, best, wanted, (named, stated))
    if made.margin:
        console.print(drive_text(made.margin.content()))
    return True

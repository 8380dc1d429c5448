"""`vinewright adapt`: what to change at a tube that was built so that it reaches the goal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planner.plan.inputs import SUCCESS
from vinewright.commands.trials_options import RunArgument
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, NothingKept, apart, readable_errors
from vinewright.console.options import ForceOption, SolutionOption, UncertaintyOption

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from planner.adapting.adapting import Adapted
    from planner.built.posterior import Posterior
    from planner.drawing.trials import PredictedTips
    from vinewright.commands.trials_folder import BuiltDesign

DRAWN = 200
"""Number of growths in the picture, as built and adapted."""

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
        from planner.built.learning_report import mostly_explained, unexplained_growths
        from planner.output.claim import claim

        apart(out, run, "built design")
        built = _read(console, run, solution)
        folder = run if run.name not in ("", "..") else run.resolve()
        with claim(out, folder.with_name(f"{folder.name}-adapted"), force) as place:
            named, posterior = _infer(console, built, uncertainty, seed)
            mount = Mount(1e-3 * mount_shift, radians(mount_turn))
            found, interrupted = _search(console, posterior, wanted, (mount, 1e-3 * move_obstacles, time_budget, seed))
            console.print(_table(found, built))
            growths, strange = len(built.trials.growths), len(unexplained_growths(posterior))
            if strange:
                console.print(_unlike(growths, strange), style="bold")
            # What is predicted for another tube than the one that was tried is nothing to recommend.
            explained = mostly_explained(posterior)
            enough = recommended(found, wanted) if explained else None
            content = adapted_content(found, enough, wanted, built.design, built.environment)
            wrote = _write(console, found, content, (named, uncertainty), place)
        if explained:
            console.print(_advice(run, found, enough, wanted, interrupted))
        if wrote:
            console.print(f"wrote {place}/")
    missed = "" if enough else _missed(wanted, explained)
    return answer.end(content, [place] if wrote else [], missed)


def _read(console: Console, run: Path, solution: int | None) -> BuiltDesign:
    """Read a design and what was measured of it; without measurements, say so."""
    from planner.built.trial import Trials, design_digest
    from planner.design.design_file import load_design
    from planner.output.contents import MEASUREMENTS
    from vinewright.commands.trials_folder import BuiltDesign, check_folder, environment_in, summary

    check_folder(run)
    if (run / MEASUREMENTS).is_file():
        built = BuiltDesign.read(run)
        console.print(summary(built.trials, built.design))
    else:
        design = load_design(run, solution)
        built = BuiltDesign(run, design, environment_in(run, design), Trials(design_digest(design)), [])
        if design.sha256 != built.environment.sha256:
            raise BadInput(f"{run}: its environment is not the one of its design, or was changed since")
    if built.trials.empty:
        console.print(
            "nothing was measured of this design: success and changes are for tubes with the errors that are stated; "
            f"`vinewright trials add {shlex.quote(str(run))}` adds a measurement"
        )
    return built


def _infer(console: Console, built: BuiltDesign, uncertainty: str | None, seed: int) -> tuple[str, Posterior]:
    """Infer the errors from the trials; return their name, too.

    Raises:
        NothingKept: Ctrl-C came.
    """
    from planner.built.posterior import FEW
    from planner.built.predicting import BuiltTube
    from planner.uncertainty.errors import named_errors
    from vinewright.commands.trials_infer import infer_with_bar
    from vinewright.console.progress import handle_stop_signals

    named, errors = named_errors(built.environment, built.design.params, uncertainty)
    try:
        with handle_stop_signals():
            posterior = infer_with_bar(console, built, BuiltTube(built.design, built.environment, errors), seed)
    except KeyboardInterrupt:
        raise NothingKept("interrupted; nothing was written") from None
    if posterior.different < FEW:
        console.print(
            f"note: only {posterior.different} samples of the errors differ, so that others of the stated errors take part; trials of "
            "another kind help, such as bends in free space"
        )
    doubted = posterior.doubted()
    for name in doubted:
        console.print(f"note: no error of this size explains {name}; check it")
    if len(doubted) > len(posterior.strange) / 2:
        console.print(
            "warning: most measurements have no explanation, so that the changes below are for another tube than yours: check what was "
            "measured, or state larger errors with --uncertainty",
            style="bold",
        )
    return named if built.trials.empty else f"{named} and learnt", posterior


def _search(
    console: Console, posterior: Posterior, wanted: float, asked: tuple[Any, float, float, int]
) -> tuple[list[Adapted], bool]:
    """Search the changes, cheapest first, until one is enough; return them, and whether Ctrl-C ended the search.

    Args:
        asked: Mount, shift of obstacles [m], time [s] and seed.
    Raises:
        NothingKept: Ctrl-C came before anything was found.
    """
    from planner.adapting.adapting import adapt as search
    from planner.adapting.adapting import list_kinds, recommended
    from planner.adapting.searching import Limit
    from vinewright.console.progress import gather

    mount, move, seconds, seed = asked

    def until_enough() -> Iterator[Adapted]:
        known = list["Adapted"]()
        for one in search(posterior, mount, move, Limit(seconds), seed):
            known.append(one)
            yield one
            if recommended(known, wanted):
                return

    total = len(list_kinds(posterior, mount, move)) + 1
    found, interrupted = gather(console, until_enough(), total, "changes", transient=True)
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


def _unlike(growths: int, strange: int) -> str:
    """Return a warning where some growths have no explanation."""
    from planner.output.text import plural

    other = f"growths like the other {growths - strange}" if strange < growths else "growths that it has not had"
    return (
        f"warning: {strange} of {plural(growths, 'growth')} went as no errors explain; every success above is that of {other}: count "
        "on less until the cause is found"
    )


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
        interrupted: Whether dearer changes were not tried.
    """
    from planner.adapting.adapting import best_of
    from planner.output.contents import MEASUREMENTS

    if enough is found[0]:
        return "recommended: leave the tube as it is; it reaches the goal often enough"
    if enough:
        return f"recommended: {enough.name}, the cheapest change that is enough; dearer ones were not tried"
    best, folder = best_of(found), shlex.quote(str(run))
    so_far = "no change is better than the tube as it is" if best is found[0] else f"the best change is {best.name}"
    result = f"{so_far}, {100 * best.success.mean:.0f} % of {100 * wanted:g} % wanted"
    if interrupted:
        return f"{result}; dearer changes were not tried"
    learn = f"`vinewright trials learn {folder}`, then " if (run / MEASUREMENTS).is_file() else ""
    errors = f" --uncertainty {folder}/uncertainty.toml" if learn else ""
    place = f"{folder}/environment.toml" if (run / "environment.toml").is_file() else "ENV"
    return (
        f"{result}. If more time does not help (--time-budget), build another tube: {learn}"
        f"`vinewright plan {place} --from {folder}{errors}`"
    )


def _write(
    console: Console, found: list[Adapted], content: dict[str, Any], errors: tuple[str, str | None], place: Path
) -> bool:
    """Write the best proposal; return whether there is one that is better than the tube as it is.

    Args:
        content: That of `adapted.json`.
        errors: Their name, and the value of `--uncertainty`.
    """
    from planner.adapting.adapting import best_of
    from planner.adapting.folder import AdaptedDesign
    from planner.design.drive_margin import drive_text
    from planner.drawing.adapted import save_adapted_picture
    from surrogate.kernels.interruption import Interruption

    best = best_of(found)
    if best is found[0]:
        return False
    made, environment = AdaptedDesign.of(best, *errors), best.posterior.tube.environment
    before, after = _tips(found[0], errors[0]), _tips(best, errors[0])

    def draw(path: Path) -> None:
        save_adapted_picture(path, environment, made.environment, made.design, before, after, best.name)

    with Interruption().handling_signals(), console.status("drawing"):
        made.write(place, content, draw)
    if made.margin:
        console.print(drive_text(made.margin.content()))
    return True


def _tips(one: Adapted, named: str) -> PredictedTips:
    """Return where growths of a proposal end."""
    import numpy as np

    from planner.drawing.trials import PredictedTips

    normal = one.posterior.normal[:DRAWN]
    passing = np.random.default_rng(0).standard_normal(normal.shape)
    grown = one.posterior.tube.grow(one.posterior.tube.pair(normal, passing), one.setting)
    return PredictedTips(grown.tip, grown.nearest <= 0.0, named)

"""`vinewright export`: the files for the fabrication of a design."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.fabrication import FORMATS, KNOWN, ON_REQUEST
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, apart, readable_errors, same_environment, without_extra
from vinewright.console.options import DesignArgument, SolutionOption, chosen_design, environment_of

if TYPE_CHECKING:
    from rich.console import Console

    from environments import Environment
    from planner.design.design import Design
    from planner.fabrication.assembly.stock import Stock
    from planner.fabrication.pack import Pack
    from planner.fabrication.pattern.bed import Bed


EVERY_FORMAT = ",".join(FORMATS)
EnvironmentOption = Annotated[
    str | None,
    typer.Option(
        metavar="ENV",
        help="The environment, if it is neither in the folder of the design nor a shipped one.",
    ),
]
StockOption = Annotated[
    str | None,
    typer.Option(
        metavar="WIDTHS",
        help="Lay-flat widths in stock, e.g. 50,75,100mm (units mm, cm, m, in): the nearest ones replace the planned tubes. The "
        "lay-flat width is half the circumference, pi times the inflated radius.",
    ),
]
BedOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Sides of the bed of a cutter or plotter in mm, e.g. 600x400: the pattern as DXF and SVG is written in tiles for it too, "
        "into the folder bed.",
    ),
]
SupplyOption = Annotated[
    str | None,
    typer.Option(
        metavar="PRESSURE",
        help="Pressure at hand, in kPa or with a unit (kPa, Pa, bar, psi), up to which regulators can be set, instead of "
        "most_pressure_kpa of the design; films still limit set points.",
    ),
]
SeamOption = Annotated[
    str | None,
    typer.Option(
        metavar="WIDTH",
        help="Width that the bar seals between two cells of pouch or cpam actuators, in mm or with a unit; seams that were not planned are "
        "refused. Default: that of the design, which must not be 0.",
    ),
]
LimitOption = Annotated[
    bool,
    typer.Option("--allow-limit", help="Accept pressures at their limit, without head room for the regulator."),
]
TrialsOption = Annotated[
    int,
    typer.Option(
        min=20,
        max=100_000,
        help="Number of tubes grown with errors to try the design with whole cells, and for the acceptance test.",
    ),
]
FormatsOption = Annotated[
    str,
    typer.Option(
        metavar="LIST", help=f"Formats to write, separated by commas; on request also {', '.join(ON_REQUEST)}."
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Replace earlier results in the folder of --out; continue with a design that was made for another environment.",
    ),
]


def export(
    design: DesignArgument,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pack.")],
    solution: SolutionOption = None,
    formats: FormatsOption = EVERY_FORMAT,
    env: EnvironmentOption = None,
    stock: StockOption = None,
    bed: BedOption = None,
    supply: SupplyOption = None,
    seam: SeamOption = None,
    allow_limit: LimitOption = False,
    trials: TrialsOption = 400,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Write builder's guide, parts and cut lists, patterns at true size, prints and pressures. Exit code 3 if the rounded design misses
    the goal."""
    answer = Answer(as_json)
    console = answer.console
    wanted = _parse_formats(formats)
    with readable_errors():
        from dataclasses import replace

        from dynamics.quasistatic.propagator import QuasiStatic
        from planner.design.design_file import design_content
        from planner.design.supply import with_supply
        from planner.fabrication.assembly.seams import parse_seam
        from planner.fabrication.pack import Pack
        from planner.output.claim import claim
        from vinewright.console.compiling import compiling
        from vinewright.console.terminal import section_table

        widths, tiles, bar = _parse_stock(stock), _parse_bed(bed), None if seam is None else parse_seam(seam)
        made = chosen_design(console, design, solution)
        made = replace(made, params=with_supply(made.params, supply))
        apart(out, design, "design")
        environment = _load_environment(design, made, env)
        same_environment(console, made, environment, force)
        made, chosen = _use_stock(made, environment, widths)
        with claim(out, out, force):
            with compiling(console), console.status("growing the design again, with whole cells"):
                model = QuasiStatic(environment, made.params)
                pack = Pack.of(made, environment, model, chosen, allow_limit, trials, bar)
                pack = replace(pack, bed=tiles)
            pack = _with_trials(console, pack)
            if {"json", "pdf"} & {*wanted}:
                pack = _test_ranges(console, pack)
            files, faults = _write(console, pack, wanted, out)
    console.print(section_table(pack.grown.design))
    _report(console, pack, out, files)
    if formats == EVERY_FORMAT and "stl" in faults:
        # Nobody asked for this bracket by name, and the pack is complete without it.
        reason = faults.pop("stl")
        console.print(f"warning: there is no bracket.stl: {reason}; constrict the cells by other means")
    if faults:
        raise BadInput("; ".join(f"{form}: {fault}" for form, fault in faults.items()))
    missed = "" if pack.grown.reached else "the design with whole cells misses the goal"
    content = {**pack.content(), "files": files, "design": design_content(pack.grown.design)}
    return answer.end(content, [out] if files else [], missed)


def _parse_formats(formats: str) -> list[str]:
    wanted = list(dict.fromkeys(part.strip() for part in formats.split(",")))
    for form in wanted:
        if form not in KNOWN:
            raise BadInput(f"--formats: unknown format {form!r}; known: {', '.join(KNOWN)}")
    return wanted


def _parse_stock(stock: str | None) -> list[float]:
    """Parse the lay-flat widths in stock [m]; return an empty list without the option."""
    from planner.fabrication.assembly.stock import parse_widths

    try:
        return parse_widths(stock) if stock is not None else []
    except ValueError as error:
        raise BadInput(f"--stock: {error}") from None


def _parse_bed(bed: str | None) -> Bed | None:
    """Parse the sides of the bed; None without the option."""
    from planner.fabrication.pattern.bed import Bed

    try:
        return Bed.parse(bed) if bed is not None else None
    except ValueError as error:
        raise BadInput(f"--bed: {error}") from None


def _use_stock(design: Design, environment: Environment, widths: list[float]) -> tuple[Design, Stock | None]:
    """Replace the design's tubes by the nearest lay-flat widths in stock [m], if there are any, and check the room at the start."""
    if not widths:
        return design, None
    from environments import check_environment
    from planner.fabrication.assembly.stock import with_stock

    made, stock = with_stock(design, widths)
    check_environment(environment, made.params.radius)
    return made, stock


def _load_environment(path: Path, design: Design, env: str | None) -> Environment:
    """Load the environment of the option, or else that of the design."""
    from environments import load_environment

    environment = load_environment(env, design.params.radius) if env is not None else environment_of(path, design)
    if environment is None:
        raise BadInput(
            f"the environment of this design ({design.environment}) is not known here; give it with --env FILE.toml"
        )
    return environment


def _with_trials(console: Console, pack: Pack) -> Pack:
    """Return the pack with the success of its design with whole cells, which takes some seconds."""
    from rich.progress import Progress

    from vinewright.console.progress import make_columns

    with Progress(*make_columns(), console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("trials of the design with whole cells", total=None)
        return pack.with_trials(lambda done, total: bar.update(task, completed=done, total=total))


def _test_ranges(console: Console, pack: Pack) -> Pack:
    """Return the pack with the ranges of its acceptance test, which take some seconds."""
    from dataclasses import replace

    from rich.progress import Progress

    from vinewright.console.progress import make_columns

    with Progress(*make_columns(), console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("acceptance test", total=None)
        return replace(pack, tested=pack.find_ranges(lambda done, total: bar.update(task, completed=done, total=total)))


def _write(console: Console, pack: Pack, wanted: list[str], out: Path) -> tuple[list[str], dict[str, str]]:
    """Write all formats that can be written; return the file names, and the reason for each missing format."""
    from rich.progress import Progress

    from planner.fabrication.formats import WrittenFormats, write_formats
    from planner.output.folder import write_folder
    from vinewright.console.progress import make_columns

    written = WrittenFormats()

    def fill(fresh: Path) -> None:
        nonlocal written
        with Progress(*make_columns(), console=console, transient=True) as bar:
            written = write_formats(pack, bar.track(wanted, description="writing"), fresh)

    write_folder(out, fill)
    faults = dict(written.faults)
    if written.missing:
        faults[", ".join(written.missing)] = without_extra("fab")
    return written.files, faults


def _report(console: Console, pack: Pack, out: Path, files: list[str]) -> None:
    from vinewright.console.terminal import print_thickness

    content = pack.content()
    moved = [
        max(abs(before - after) for before, after in zip(planned, made, strict=True))
        for planned, made in zip(content["planned_mm"], content["made_mm"], strict=True)
    ]
    cells = (
        f"sections rounded to whole cells: no end moved by more than {max(moved):.0f} mm" if moved else "no actuators"
    )
    if pack.stock:
        console.print(pack.stock.text)
    if pack.grown.reached:
        console.print(
            f"{cells}; the rounded design reaches the goal; its tip ends {content['tip_moved_mm']:.0f} mm from the planned position"
        )
    else:
        console.print(
            f"{cells}. The rounded design MISSES the goal ({pack.tried} ways of rounding were tried): {pack.grown.ending}. "
            f"{_advice(pack, out, files)}",
            style="bold",
        )
    if pack.success.planned is None or pack.success.rounded:
        console.print(pack.success.text)
    for warning in content["warnings"]:
        console.print(f"warning: {warning}")
    print_thickness(console, pack.grown.design, pack.environment, "quasistatic")
    if files:
        console.print(f"wrote {out}/: {', '.join(files)}")


def _advice(pack: Pack, out: Path, files: list[str]) -> str:
    """Return advice about a design that misses its goal."""
    from planner.fabrication.pack import TUBE_FILE

    if pack.stock is None:
        return "Plan again with another --seed or a longer --time-budget, or edit its sections to whole cells yourself"
    tube = f" --tube {out / TUBE_FILE}" if TUBE_FILE in files else ""
    return f"Plan again with the stock's tube: vinewright plan ENV{tube or ' --tube FILE'}"

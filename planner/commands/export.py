"""`vinewright export`: the files for the fabrication of a design."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.answer import Answer, JsonOption
from planner.console.errors import EXTRAS, BadInput, apart, readable_errors, remedy, same_environment
from planner.console.options import DesignArgument, SolutionOption, chosen_design, environment_of
from planner.fabrication import FORMATS

if TYPE_CHECKING:
    from rich.console import Console

    from environments import Environment
    from planner.design import Design
    from planner.fabrication.pack import Pack


EVERY_FORMAT = ",".join(FORMATS)


def export(
    design: DesignArgument,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pack.")],
    solution: SolutionOption = None,
    formats: Annotated[str, typer.Option(metavar="LIST", help="Formats to write, separated by commas.")] = EVERY_FORMAT,
    env: Annotated[
        str | None,
        typer.Option(
            metavar="ENV",
            help="The environment, if it is neither in the folder of the design nor a shipped one.",
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace earlier results in the folder of --out; continue with a design that was made for another environment.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Write cut list, patterns at true size, brackets and pressures. Exit code 3 if the rounded design misses the goal."""
    answer = Answer(as_json)
    console = answer.console
    wanted = _parsed(formats)
    with readable_errors():
        from dynamics.quasistatic.propagator import QuasiStatic
        from planner.console.compiling import compiling
        from planner.console.terminal import section_table
        from planner.design_file import design_content
        from planner.fabrication.pack import Pack
        from planner.runs.claim import claimed

        made = chosen_design(console, design, solution)
        apart(out, design, "design")
        environment = _environment_of(design, made, env)
        same_environment(console, made, environment, force)
        with claimed(out, out, force):
            with compiling(console), console.status("growing the design again, with whole cells"):
                pack = Pack.of(made, environment, QuasiStatic(environment, made.params))
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
    return answer.end(content, [out], missed)


def _parsed(formats: str) -> list[str]:
    wanted = list(dict.fromkeys(part.strip() for part in formats.split(",")))
    for form in wanted:
        if form not in FORMATS:
            raise BadInput(f"--formats: unknown format {form!r}; known: {', '.join(FORMATS)}")
    return wanted


def _environment_of(path: Path, design: Design, env: str | None) -> Environment:
    """The given environment, or that of the design."""
    from environments import load_environment

    environment = load_environment(env, design.params.radius) if env is not None else environment_of(path, design)
    if environment is None:
        raise BadInput(
            f"the environment of this design ({design.environment}) is not known here; give it with --env FILE.toml"
        )
    return environment


def _write(console: Console, pack: Pack, wanted: list[str], out: Path) -> tuple[list[str], dict[str, str]]:
    """Write all formats that can be written; returns the file names, and why the other formats are missing."""
    from rich.progress import Progress

    from planner.console.progress import columns
    from planner.fabrication.bracket import NoBracket
    from planner.runs.folder import write_folder

    files: list[str] = []
    missing: list[str] = []
    faults: dict[str, str] = {}

    def fill(fresh: Path) -> None:
        with Progress(*columns(), console=console, transient=True) as bar:
            for form in bar.track(wanted, description="writing"):
                try:
                    files.extend(pack.write(form, fresh))
                except ModuleNotFoundError as error:
                    if (error.name or "").split(".")[0] not in EXTRAS["fab"][1]:
                        raise
                    missing.append(form)
                except NoBracket as error:
                    faults[form] = str(error)

    write_folder(out, fill)
    if missing:
        faults[", ".join(missing)] = f"not written, because an extra is not installed: {remedy('fab')}"
    return files, faults


def _report(console: Console, pack: Pack, out: Path, files: list[str]) -> None:
    content = pack.content()
    moved = [
        max(abs(one - other) for one, other in zip(planned, made, strict=True))
        for planned, made in zip(content["planned_mm"], content["made_mm"], strict=True)
    ]
    cells = (
        f"sections rounded to whole cells: no end moved by more than {max(moved):.0f} mm" if moved else "no actuators"
    )
    if pack.grown.reached:
        console.print(
            f"{cells}; the rounded design reaches the goal; its tip ends {content['tip_moved_mm']:.0f} mm from the planned position"
        )
    else:
        console.print(
            f"{cells}. The rounded design MISSES the goal ({pack.tried} ways of rounding were tried): {pack.grown.ending}. "
            "Plan again with another --seed or with --robust, or edit its sections to whole cells yourself",
            style="bold",
        )
    for warning in pack.warnings:
        console.print(f"warning: {warning}")
    if files:
        console.print(f"wrote {out}/: {', '.join(files)}")

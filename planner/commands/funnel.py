"""`vinewright funnel`: whether contact brings vines together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.errors import BadInput, writable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from planner.studies.funneling.report import Findings
    from planner.studies.funneling.study import Fan


def funnel(
    vines: Annotated[int, typer.Option(min=20, max=1000, help="Vines in each fan.")] = 50,
    fields: Annotated[int, typer.Option(min=1, max=1000, help="Random fields of each density.")] = 20,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of fields and actuators.")] = 0,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the tables, their data and the pictures.")
    ] = Path("results"),
) -> None:
    """Grow fans of vines into random obstacles and measure how their ends concentrate. Ctrl-C keeps the fields done."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with writable(out):
        from dynamics.tube import VineParams
        from planner.runs.folder import write_json
        from planner.studies.funneling.plots import save_fans, save_ratio
        from planner.studies.funneling.report import Findings, report, verdict

        sets = _grown(console, vines, fields, seed)
        if not sets:
            raise BadInput("interrupted before one field of each density was done; nothing was written")
        findings = Findings(sets, seed)
        command = f"vinewright funnel --vines {vines} --fields {fields} --seed {seed}"
        command += ", interrupted," if len(sets) < fields else ""
        text, content = report(findings, command, VineParams())
        (out / "funneling.md").write_text(text, encoding="utf-8")
        write_json(out / "funneling.json", content)
        save_fans(out / "funneling.png", sets[0])
        save_ratio(out / "funneling-ratio.png", findings)
    console.print(_table(findings))
    for paragraph in verdict(findings):
        console.print(paragraph)
    console.print(f"wrote {out}/funneling.md, funneling.json, funneling.png and funneling-ratio.png")


def _grown(console: Console, vines: int, fields: int, seed: int) -> list[tuple[Fan, ...]]:
    """Grow all fans, with progress on the console; those of the fields that were done, if Ctrl-C comes first."""
    from rich.progress import Progress

    from dynamics.tube import VineParams
    from planner.console.compiling import compiling
    from planner.console.progress import columns, stoppable
    from planner.studies.funneling.study import study

    sets: list[tuple[Fan, ...]] = []
    try:
        with stoppable():
            with compiling(console):
                next(study(2, 1, seed, VineParams()))
            with Progress(*columns(), console=console) as bar:
                task = bar.add_task("fields of each density", total=fields)
                for fans in study(vines, fields, seed, VineParams()):
                    sets.append(fans)
                    bar.advance(task)
                    if not console.is_terminal and len(sets) % 5 == 0:
                        console.print(f"{len(sets)} of {fields} fields of each density")
    except KeyboardInterrupt:
        console.print(f"interrupted after {len(sets)} of {fields} fields of each density")
    return sets


def _table(findings: Findings) -> Table:
    """The mean ratio by density and k."""
    from rich.table import Table

    from planner.studies.funneling.report import USUAL
    from planner.studies.funneling.study import NEIGHBOURS, SHARES

    table = Table("mean ratio", *(f"k = {k}" for k in NEIGHBOURS))
    for column in table.columns[1:]:
        column.justify = "right"
    rows = {"scattered at random": findings.scattered}
    rows |= {name: findings.ratio[name][:, USUAL].mean(axis=0) for name in SHARES}
    for name, values in rows.items():
        table.add_row(name, *(f"{value:.2f}" for value in values))
    return table

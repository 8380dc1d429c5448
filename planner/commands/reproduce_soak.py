"""`vinewright reproduce soak`: how reliable planning is, over many random places."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from planner.commands.reproduce import BudgetOption, FolderOption, write_tables
from planner.console.errors import BadInput, readable_errors, writable

app = typer.Typer()


@app.command()
def soak(
    count: Annotated[int, typer.Option(min=1, max=100_000, help="Random places.")] = 1000,
    time_budget: BudgetOption = 2.0,
    out: FolderOption = Path("results"),
) -> int:
    """Plan in many random places; judge every state by shapely and watch memory. Exit code 3 if anything broke.

    Ctrl-C keeps what was planned.
    """
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), writable(out):
        from planner.console.compiling import compiling
        from planner.console.progress import gathered
        from planner.studies.reliability.plots import save_reliability
        from planner.studies.reliability.report import InvalidCounts, fuzz_lines, report
        from planner.studies.reliability.study import cases, run_case, run_cases

        try:
            fuzz = fuzz_lines(out / "fuzz.json")
        except InvalidCounts as error:
            raise BadInput(str(error)) from None
        every = cases(count, time_budget)
        with compiling(console):
            run_case(replace(every[0], time_budget=1e-3))
        start = time.perf_counter()
        records = gathered(console, run_cases(every), count, "places")
        if not records:
            raise BadInput("interrupted before a place was planned; nothing was written")
        command = f"vinewright reproduce soak --count {count} --time-budget {time_budget:g}"
        command += ", interrupted," * (len(records) < count)
        took = time.perf_counter() - start
        write_tables(console, out / "reliability", *report(records, command, took, fuzz))
        save_reliability(out / "reliability.png", records)
    console.print(f"wrote {out}/reliability.png")
    return 3 if any(record.faults for record in records) else 0

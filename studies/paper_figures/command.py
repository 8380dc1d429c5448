"""`vinewright reproduce paper-figures`."""

from __future__ import annotations

from typing import Annotated

import typer

from studies.chosen_environments import compile_kernels, load_environments
from vinewright.console.errors import readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import (
    FolderOption,
    command_line,
    measure_study,
    study_command,
)


@study_command
def paper_figures(
    iterations: Annotated[
        int, typer.Option(min=1, max=10_000, help="Number of iterations of each search, at most.")
    ] = 100,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of each search.")] = 0,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Make Figs. 2c, 4 and 8 of paper 002: bend over pressure, a search tree, shapes in free space. Ctrl-C keeps the parts done."""
    with readable_errors():
        from studies.paper_figures.plots import save_bending, save_trees
        from studies.paper_figures.report import BENDING_FIGURE, SOLUTIONS_FIGURE, TREE_FIGURE, report
        from studies.paper_figures.solved_plot import save_solutions
        from studies.paper_figures.study import CASES, run_cases, tell

        study = Study(
            "paper-figures",
            CASES,
            lambda cases: run_cases(cases, iterations, seed),
            lambda results: report(results, iterations, seed),
            {BENDING_FIGURE: save_bending, TREE_FIGURE: save_trees, SOLUTIONS_FIGURE: save_solutions},
            "parts of figures",
            prepare=lambda: compile_kernels(load_environments(["tube"])[0]),
            tell=tell,
            module=__name__,
        )
        command = command_line("reproduce paper-figures", iterations=iterations, seed=seed)
        return measure_study(study, command, out, force)

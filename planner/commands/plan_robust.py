"""`vinewright plan --robust`: which of the designs that were found is likely enough to work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from planner.robustness.selection import Choice
    from planner.search.run import Run


def choose(console: Console, run: Run, level: float | None, threshold: float | None) -> Choice | None:
    """Judge the solutions of a run, with progress on the console.

    Args:
        level: Standard deviation of obstacles and of bending, in percent; None is the usual one.
        threshold: Rate of success that is asked for, in percent; None is the usual one.
    Returns:
        The choice among those judged before Ctrl-C, if any were.
    """
    from rich.progress import Progress, TextColumn

    from planner.console.progress import stoppable
    from planner.robustness.selection import FINAL, LEVEL, THRESHOLD, Champion, Choice, Selection
    from planner.robustness.trials import Spread

    designs = [solution.design for solution in run.solutions.best]
    share, asked = LEVEL if level is None else level / 100, THRESHOLD if threshold is None else threshold / 100
    spread, choice = Spread.of_levels(share, share), None
    with Progress(
        *Progress.get_default_columns()[:2], TextColumn("{task.completed:.0f} trials"), console=console
    ) as bar:
        task = bar.add_task("judging", total=None)

        def count(trials: int) -> None:
            bar.advance(task, trials)

        catalogue, replayer = run.search.catalogue, run.solutions.replayer
        selection = Selection(run.environment, spread, catalogue, run.seed, FINAL, count, replayer)
        try:
            with stoppable():
                choice = Choice(share, asked, Champion(designs[0], selection.judge(designs[0]), 1))
                champions = selection.champions(designs)
                while not choice.met and (champion := next(champions, None)):
                    choice.champions.append(champion)
        except KeyboardInterrupt:
            console.print(
                "interrupted; the choice is among those judged so far"
                if choice
                else "interrupted before any design was judged: this is the cheapest"
            )
    return choice


def choice_table(choice: Choice) -> Table:
    """What was judged, for a terminal."""
    from rich.table import Table

    table = Table("design", "actuators", "tube mm", "success % (95 % interval)", "")
    for column in table.columns[1:4]:
        column.justify = "right"
    rows = [("cheapest", choice.cheapest), *(("likeliest", champion) for champion in choice.champions)]
    for name, champion in rows:
        marks = ["chosen"] if champion is choice.chosen else []
        if champion is choice.chosen and not choice.met:
            marks.append(f"(none reaches {100 * choice.threshold:g} %)")
        cells = [f"{champion.design.actuators}", f"{1e3 * champion.design.length:.0f}", str(champion.estimate)]
        table.add_row(name, *cells, " ".join(marks))
    table.title = f"success with errors of {100 * choice.level:g} %, {choice.cheapest.estimate.trials} trials each"
    return table

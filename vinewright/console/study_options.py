"""Options that studies share, and the command line that a report states."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from vinewright.console.answer import end_command
from vinewright.console.completion import environment_names
from vinewright.console.errors import needs
from vinewright.console.study import Study, run_study
from vinewright.console.terminal import make_console

RunsOption = Annotated[int, typer.Option(min=1, max=1000, help="Number of runs of each kind in each environment.")]
BudgetOption = Annotated[
    float, typer.Option("--time-budget", min=0.1, max=1e5, metavar="S", help="Search time of each run, in seconds.")
]
EnvironmentsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env", metavar="ENV", help="Use only this environment; may be repeated.", autocompletion=environment_names
    ),
]
PlannersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--planner", metavar="NAME", help="Use only this planner, sst-star or one of OMPL's; may be repeated."
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write report, data and pictures to DIR/STUDY. Default: the first free one of runs/STUDY, runs/STUDY-2 and so on.",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Use the workers of this Dask scheduler, for example tcp://10.0.0.5:8786."),
]
_scheduler: ContextVar[str | None] = ContextVar("scheduler", default=None)


def study_command(function: Callable[..., int]) -> Callable[..., int]:
    """Add the option --scheduler to the command of a study; `chosen_scheduler` returns its value."""

    @wraps(function)
    def command(scheduler: str | None = None, **options: Any) -> int:
        before = _scheduler.set(scheduler)
        try:
            return function(**options)
        finally:
            _scheduler.reset(before)

    own, types = signature(function), get_type_hints(function, include_extras=True)
    options = [parameter.replace(annotation=types[name]) for name, parameter in own.parameters.items()]
    options.append(Parameter("scheduler", Parameter.KEYWORD_ONLY, default=None, annotation=SchedulerOption))
    command.__signature__ = own.replace(parameters=options)  # type: ignore[attr-defined]
    command.__annotations__ = {**types, "scheduler": SchedulerOption}
    return command


def chosen_scheduler() -> str | None:
    """Return address of the scheduler that the command under way was given."""
    return _scheduler.get()


def command_line(words: str, **options: Any) -> str:
    """Return a command line: options without a value are left out, an option with a list is repeated."""
    typed = [f"vinewright {words}"]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        typed += [f"--{name.replace('_', '-')} {f'{item:g}' if isinstance(item, float) else item}" for item in values]
    return " ".join(typed)


def measure_study(
    study: Study[Any, Any],
    command: str,
    out: Path | None,
    force: bool,
    missed: Callable[[list[Any]], str] = lambda _: "",
) -> int:
    """Run a study on the console, and return the exit code. `missed` returns what the results do not meet as text, empty if they do."""
    console, scheduler = make_console(), chosen_scheduler()
    if scheduler:
        command += f" --scheduler {scheduler}"
    with needs("cluster"):
        found = run_study(study, command, out, console, force, scheduler=scheduler)
    return end_command(console, missed(found.results), found.code)

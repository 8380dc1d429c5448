"""Running a study for a command: on its console, with its exit code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from planner.console.answer import ended
from planner.console.errors import needs
from planner.console.studies import chosen_scheduler
from planner.console.terminal import new_console
from planner.studies.study import Study, run_study


def measured(
    study: Study[Any, Any],
    command: str,
    out: Path | None,
    force: bool,
    missed: Callable[[list[Any]], str] = lambda _: "",
) -> int:
    """Run a study on the console; returns the exit code. `missed` says what its results do not meet, empty if nothing."""
    console, scheduler = new_console(), chosen_scheduler()
    if scheduler:
        command += f" --scheduler {scheduler}"
    with needs("cluster"):
        found = run_study(study, command, out, console, force, scheduler=scheduler)
    return ended(console, missed(found.results), found.code)

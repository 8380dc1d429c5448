"""`vinewright reproduce --status` and `--stale`: what is stored, and measuring it again."""

from __future__ import annotations

import time
from pathlib import Path

from planner.output.text import duration_text
from studies.remaking import choose, make_again
from studies.stored import RESULTS, State, StoredResult, find_quotes, read_results
from vinewright.console.answer import end_command
from vinewright.console.terminal import make_console


def print_status(results: Path = RESULTS) -> int:
    """Print a few lines about each stored result; returns exit code 3 if a page quotes one that is not current."""
    console, stored, quotes = make_console(), read_results(results), find_quotes(results.parent)
    width = max(len(one.name) for one in stored)
    for one in stored:
        made = f"{one.date or 'no date':10}  {one.version or '-':6}  {_time_text(one.seconds):>7}"
        console.print(f"{one.state:7}  {one.name:{width}}  {made}  {one.command}")
        if one.state is not State.CURRENT:
            pages = ", ".join(quotes.get(one.name, []))
            console.print(f"         {one.reason}{'; quoted by ' * bool(pages)}{pages}")
    counts = [f"{sum(one.state is state for one in stored)} {state}" for state in State]
    console.print(", ".join(counts))
    quoted = [one.name for one in stored if one.state is not State.CURRENT and one.name in quotes]
    return end_command(console, f"pages quote results that are not current: {', '.join(quoted)}" if quoted else "")


def measure_stale(hours: float, inputs: dict[str, Path], results: Path = RESULTS) -> int:
    """Measure stale results again, and print a line for each; returns exit code 3 if one failed or was left out.

    Args:
        hours: Time for all of them [h].
        inputs: Files and folders of the user, by the option that takes them.
    """
    console = make_console()
    choices = choose(read_results(results), hours, inputs, results.parent)
    for one in choices:
        if one.skipped:
            console.print(f"{one.result.name}: left out: {one.skipped}")
    chosen = [one for one in choices if not one.skipped]
    failures, begun = 0, time.monotonic()
    for number, one in enumerate(chosen, 1):
        console.print(
            f"{number} of {len(chosen)}: {one.result.name}, took {_time_text(one.result.seconds)}: {one.command}"
        )
        failure = make_again(one, results)
        failures += bool(failure)
        now = StoredResult.of(results / one.result.name, one.result.command, results.parent)
        console.print(
            f"{one.result.name}: {f'failed: {failure}' if failure else f'{now.state} after {_time_text(now.seconds)}'}"
        )
    console.print(f"{len(chosen) - failures} measured again in {duration_text(time.monotonic() - begun)}")
    left = len(choices) - len(chosen) + failures
    return end_command(console, f"{left} of {len(choices)} stale results are as they were" if left else "")


def _time_text(seconds: float | None) -> str:
    return "-" if seconds is None else duration_text(seconds)

"""A sweep on the console: a live table while it runs, and its state."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.output.text import duration_text
from vinewright.console.progress import handle_stop_signals

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from vinewright.cluster.cluster import Cluster
    from vinewright.sweeps.execution import SweepProgress
    from vinewright.sweeps.folder import SweepFolder

PLAIN_EVERY = 10.0
"""Seconds between lines where there is no terminal."""
SHOWN_FAILURES = 20
"""Maximum number of set-aside shards that are listed."""


def run_with_table(folder: SweepFolder, cluster: Cluster, console: Console, options: str = "") -> bool:
    """Run a sweep with a live table; return whether Ctrl-C interrupted. All results so far are kept in any case.

    Args:
        options: Options of the command, for the line that says how to resume.
    """
    from rich.live import Live

    from vinewright.sweeps.execution import run_sweep

    latest: list[SweepProgress] = []
    shown = time.monotonic()
    console.print(f"Dask's page: {cluster.dashboard}")

    def view() -> Table | str:
        return _table(latest[-1], cluster) if latest and console.is_terminal else ""

    try:
        with (
            handle_stop_signals(),
            closing(run_sweep(folder, cluster)) as steps,
            Live(console=console, get_renderable=view, refresh_per_second=2, transient=True),
        ):
            for progress in steps:
                latest[:] = [progress]
                if not console.is_terminal and time.monotonic() >= shown + PLAIN_EVERY:
                    shown = time.monotonic()
                    console.print(_line(progress, cluster))
    except KeyboardInterrupt:
        done = f"{latest[-1].done} of {latest[-1].total} shards are done and kept" if latest else "nothing was done"
        console.print(f"interrupted: {done}; to go on: vinewright sweep run {folder.path}{options}")
        return True
    return False


def array_command(folder: Path, shards: int) -> str:
    """Return the command that computes all shards as a job array of Slurm."""
    return f'sbatch --array=0-{shards - 1} --wrap "vinewright sweep work {folder}"'


def _cells(progress: SweepProgress, cluster: Cluster) -> dict[str, str]:
    left = progress.seconds_left(cluster.threads)
    waiting = "no worker has come yet" if not cluster.threads else "-"
    return {
        "done": f"{progress.done} of {progress.total}",
        "running": str(min(cluster.running, progress.left)),
        "set aside": str(progress.failed),
        "core hours": f"{progress.seconds / 3600:.3g}",
        "time left": waiting if left is None else duration_text(left),
    }


def _table(progress: SweepProgress, cluster: Cluster) -> Table:
    from rich.table import Table

    cells = _cells(progress, cluster)
    table = Table(*cells)
    table.add_row(*cells.values())
    return table


def _line(progress: SweepProgress, cluster: Cluster) -> str:
    return ", ".join(f"{name}: {value}" for name, value in _cells(progress, cluster).items())


def status_lines(folder: Path, content: dict[str, Any]) -> list[str]:
    """Return the state of a sweep as lines of text, from the content of the state."""
    failed = content["set_aside"]
    lines = [
        f"{content['name']}: {content['cases']} cases in {content['shards']} shards",
        f"done {content['done']}, missing {content['missing']}, set aside {len(failed)}",
        f"core hours {content['core_hours']:.3g}, left about {content['core_hours_left']:.3g}",
    ]
    lines += [f"shard {failure['shard']} was set aside: {failure['message']}" for failure in failed[:SHOWN_FAILURES]]
    if len(failed) > SHOWN_FAILURES:
        lines.append(f"and {len(failed) - SHOWN_FAILURES} more")
    if content["cancelled"]:
        lines.append(f"cancelled; to lift that: vinewright sweep retry {folder}")
    elif failed:
        lines.append(f"to compute them again: vinewright sweep retry {folder}")
    elif content["missing"]:
        lines.append(f"next: vinewright sweep run {folder}")
    else:
        lines.append(f"next: vinewright sweep collect {folder} table.csv")
    return lines

"""`vinewright sweep`: many plans or trials, split into shards that run on any number of machines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vinewright.cluster.worker import use_one_thread
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study_options import FolderOption, SchedulerOption
from vinewright.console.terminal import make_console

if TYPE_CHECKING:
    from vinewright.sweeps.folder import SweepFolder, SweepState

app = typer.Typer(help="Compute many plans or trials on any number of machines.")

SweepArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a sweep.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="Number of processes on this machine. Default: one for each core."),
]
ARRAYS = "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"
"""Environment variables in which Slurm and Kubernetes give the number of a job in an array."""


@app.command()
def make(
    study: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="What to compute; see docs/howto/sweeps.md.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to write: manifest, inputs, and later the results.")],
    shard_seconds: Annotated[
        float, typer.Option(min=0.0, max=1e5, metavar="S", help="Least time of a shard, in seconds.")
    ] = 5.0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Check a study, time a sample of its cases, and split them into shards. Nothing else is computed yet."""
    use_one_thread()
    answer = Answer(as_json)
    with readable_errors():
        import numpy as np

        from planner.output.claim import claim
        from planner.output.folder import write_folder
        from vinewright.commands.sweep_progress import array_command
        from vinewright.console.compiling import compiling
        from vinewright.console.progress import gather
        from vinewright.sweeps.make import load_grid, make_manifest, sample_size, time_sample

        with answer.console.status("loading environments and tubes"):
            name, checked, grid = load_grid(study)
        count = len(grid.cases)
        with claim(out, out, force):
            with compiling(answer.console):
                seconds, interrupted = gather(
                    answer.console, time_sample(grid), sample_size(count), "timed cases", True
                )
            if interrupted and not seconds:
                raise KeyboardInterrupt
            manifest = make_manifest(name, checked, grid, float(np.mean(seconds)), shard_seconds)
            write_folder(out, manifest.write)
        lines = [
            f"{count} cases in {len(manifest.shards)} shards of {manifest.case_seconds * len(manifest.shards[0]):.1f} s",
            f"about {manifest.core_hours:.2g} core hours, from {len(seconds)} timed cases",
            *["note: plans are limited by time, so their results depend on the machine"] * grid.timed,
            f"wrote {out}/; next: vinewright sweep run {out}",
            *[f"or as a job array (docs/howto/sweeps.md): {array_command(out, len(manifest.shards))}"]
            * (len(manifest.shards) > 1),
        ]
    answer.console.print("\n".join(lines))
    content = {"cases": count, "shards": len(manifest.shards), "core_hours": round(manifest.core_hours, 4)}
    return answer.end(content | {"timed_cases": len(seconds), "limited_by_time": grid.timed}, [out])


@app.command()
def run(folder: SweepArgument, workers: WorkersOption = None, scheduler: SchedulerOption = None) -> int:
    """Compute the shards that are missing, on this machine or on a Dask cluster. Ctrl-C keeps those done; run it again to go on."""
    if workers and scheduler:
        raise BadInput("--workers is for this machine; a cluster's workers are started with its --scheduler")
    with readable_errors():
        from planner.output.claim import lock
        from surrogate.kernels.compiled import thread_count
        from vinewright.cluster.cluster import connect
        from vinewright.commands.sweep_progress import run_with_table

        opened, console = _open(folder), make_console()
        with lock(folder):
            _check_not_cancelled(opened)
            if not (state := opened.state()).missing:
                return _end_run(opened, state)
            with connect(workers or thread_count(), scheduler) as cluster:
                again = f" --workers {workers}" if workers else ""
                again += f" --scheduler {scheduler}" if scheduler else ""
                interrupted = run_with_table(opened, cluster, console, again)
        if interrupted:
            raise KeyboardInterrupt
        return _end_run(opened, opened.state())


@app.command()
def work(
    folder: SweepArgument,
    shard: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=10**9,
            help="Number of the shard, from 0. Default: that of the job in an array of Slurm or Kubernetes.",
        ),
    ] = None,
) -> int:
    """Compute one shard in this process, without a cluster: for job arrays."""
    use_one_thread()
    number = _array_number() if shard is None else shard
    with readable_errors():
        from vinewright.sweeps.shard import failure_message, run_shard

        opened = _open(folder)
        if number >= len(opened.manifest.shards):
            raise BadInput(f"--shard {number} must be from 0 to {len(opened.manifest.shards) - 1}")
        _check_not_cancelled(opened)
        if opened.result(number):
            print(f"shard {number} is done already")
            return 0
        try:
            done = run_shard(opened.manifest.shard(number))
        except Exception as error:
            opened.set_aside(number, failure_message(error))
            raise
        opened.keep(number, done)
    print(f"shard {number}: {len(done.rows)} cases in {done.seconds:.1f} s")
    return 0


def _array_number() -> int:
    for name in ARRAYS:
        if text := os.environ.get(name):
            if not text.isdecimal():
                raise BadInput(f"{name} = {text!r} must be the number of a shard, from 0")
            return int(text)
    raise BadInput(f"give --shard, or start this as a job of an array, which sets {' or '.join(ARRAYS)}")


@app.command()
def status(folder: SweepArgument, as_json: JsonOption = False) -> int:
    """Show how many shards are done, missing and set aside, and why."""
    answer = Answer(as_json)
    with readable_errors():
        from vinewright.commands.sweep_progress import status_lines

        content = _open(folder, same_program=False).state().content()
    answer.console.print("\n".join(status_lines(folder, content)))
    return answer.end(content)


@app.command()
def cancel(folder: SweepArgument) -> None:
    """Let no more shards be begun; a `run` that is going on ends within a second and keeps those done."""
    with readable_errors():
        _open(folder, same_program=False).cancel()
    print(f"cancelled; `vinewright sweep retry {folder}` lifts that")


@app.command()
def retry(
    folder: SweepArgument,
    shard: Annotated[
        list[int] | None,
        typer.Option(min=0, help="Number of a shard that was set aside; may be repeated. Default: all."),
    ] = None,
) -> None:
    """Let shards that were set aside be computed again, and lift `cancel`."""
    with readable_errors():
        opened = _open(folder, same_program=False)
        failed = opened.state().failures
        if unknown := [number for number in shard or [] if number not in failed]:
            raise BadInput(
                f"--shard {unknown[0]} was not set aside; `vinewright sweep status {folder}` lists those that were"
            )
        numbers = shard or list(failed)
        opened.retry(numbers)
    print(f"{len(numbers)} shards will be computed again; next: vinewright sweep run {folder}")


@app.command()
def collect(
    folder: SweepArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The table to write: a .csv or .parquet file.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Write one table with a row for each case, the same whatever computed it. Exit code 3 if shards are missing."""
    answer = Answer(as_json)
    with readable_errors():
        from planner.output.claim import claim_file, writing
        from vinewright.sweeps.case import BELOW, DESIGN
        from vinewright.sweeps.table import FORMATS, write_table

        if file.suffix not in FORMATS:
            raise BadInput(f"{file} must end in {' or '.join(FORMATS)}")
        opened = _open(folder, same_program=False)
        with claim_file(file, force), writing(file):
            rows, state = opened.table()
            write_table(rows, file)
    planned = [row["outcome"] in (DESIGN, BELOW) for row in rows if "outcome" in row]
    count = f", {sum(planned)} with a design" if planned else ""
    answer.console.print(f"wrote {file}: {len(rows)} rows{count}")
    return answer.end({"rows": len(rows)}, [file], state.unmet)


@app.command()
def report(
    folder: SweepArgument,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Write tables and pictures: success and actuators over everything that varies. Exit code 3 if shards are missing."""
    with readable_errors():
        from vinewright.console.study_options import measure_study
        from vinewright.sweeps.report.study import make_report_study

        opened = _open(folder, same_program=False)
        rows, state = opened.table()
        if not rows:
            raise BadInput(f"{folder} has no results yet; next: vinewright sweep run {folder}")
        command = f"vinewright sweep report {folder.name if folder.is_absolute() else folder}"
        return measure_study(make_report_study(state, rows), command, out, force, lambda _: state.unmet)


def _open(folder: Path, same_program: bool = True) -> SweepFolder:
    from vinewright.sweeps.folder import SweepFolder
    from vinewright.sweeps.manifest import read_manifest

    return SweepFolder(folder, read_manifest(folder, same_program))


def _check_not_cancelled(opened: SweepFolder) -> None:
    if opened.cancelled:
        raise BadInput(f"{opened.path} was cancelled; `vinewright sweep retry {opened.path}` lifts that")


def _end_run(opened: SweepFolder, state: SweepState) -> int:
    """Print the last lines of `run`, and return its exit code."""
    from vinewright.console.answer import end_command

    console, total = make_console(), len(opened.manifest.shards)
    for number, message in list(state.failures.items())[:5]:
        console.print(f"shard {number} was set aside: {message}")
    if state.failures:
        console.print(f"to compute them again: vinewright sweep retry {opened.path}")
    if not state.unmet:
        console.print(f"{total} of {total} shards are done; next: vinewright sweep collect {opened.path} table.csv")
    return end_command(console, state.unmet)

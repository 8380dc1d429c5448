"""The definition of a study, and its run: progress, Ctrl-C, provenance, and the folder of results."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from bisect import bisect
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from vinewright.console.errors import MachineFault, NothingKept

if TYPE_CHECKING:
    from rich.console import Console

    from planner.output.provenance import Provenance

Case = TypeVar("Case")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a study: Markdown text, and its data for a JSON file."""

    title: str
    """Heading of the report."""
    lines: list[str]
    """Markdown, after the title and the provenance line."""
    content: dict[str, Any]
    """Content of the JSON file, after the provenance."""

    @property
    def text(self) -> str:
        """The lines, joined."""
        return "\n".join(self.lines) + "\n"

    def document(self, made: Provenance) -> str:
        """Return the content of the Markdown file."""
        return f"# {self.title}\n\n{made.line()}\n\n{self.text}"


@dataclass(frozen=True)
class Study(Generic[Case, Result]):
    """Cases to run, and the report and figures of the results."""

    name: str
    """Name of the folder of results and of the command."""
    cases: Sequence[Case]
    """The cases to compute."""
    module: str = field(kw_only=True)
    """Name of the module that defines the study: the result depends on it and on what it imports. Empty if its dependencies are unknown."""
    inputs: Mapping[str, Path] = field(default_factory=dict, kw_only=True)
    """Files and folders of the user, by their placeholder in the command."""
    run: Callable[[Sequence[Case]], Iterable[Result]]
    """Yields the results of cases, in any order."""
    report: Callable[[list[Result]], Report]
    """Makes the report of the results."""
    draw: Mapping[str, Callable[[Path, list[Result]], object]] = field(default_factory=dict)
    """Functions that draw the figures, by file name."""
    unit: str = "runs"
    """Name of the cases, plural."""
    parallel: bool = False
    """Whether cases run in parallel on this machine, each on one thread, unless there is a scheduler, which runs the cases of any study."""
    chained: bool = False
    """Whether a case depends on earlier cases, so that one worker must run them all."""
    died: Callable[[Case], Result] | None = None
    """Returns the result of a case that kills every worker; without this function, the study ends with the results of the other cases."""
    prepare: Callable[[], object] | None = None
    """Called before time is measured, for example to compile."""
    tell: Callable[[Result], str] | None = None
    """Function that returns a line for the console about a result."""
    enough: Callable[[list[Result]], bool] = bool
    """Whether results of an interrupted study can be reported."""
    least: str = "any result was complete"
    """Minimum for a report, as text for the error message: interrupted before ..."""
    kept: tuple[str, ...] = ()
    """Files of other commands in the folder, which are kept when the folder is replaced."""


@dataclass
class StudyResults(Generic[Result]):
    """Results of a study, possibly incomplete."""

    results: list[Result] = field(default_factory=list)
    """In the order of their cases."""
    seconds: float = 0.0
    stopped: str = ""
    """Reason why the study stopped early; empty if all cases are done."""
    code: int = 0
    """Exit code: 0, that of the error of a case, or that of `MachineFault` if a worker process was killed or memory ran out."""
    content: dict[str, Any] = field(default_factory=dict)
    """Content of the JSON file of the report."""
    folder: Path = Path()
    """Folder of the report."""


def run_study(
    study: Study[Case, Result],
    command: str,
    out: Path | None,
    console: Console,
    force: bool = False,
    default: Path | None = None,
    scheduler: str | None = None,
) -> StudyResults[Result]:
    """Run all cases, then write report, data and figures to a folder with the study's name.

    After Ctrl-C, or if a case fails, a worker process is killed or memory runs out, the other results are reported.

    Args:
        command: The command line without --out, for the report.
        out: Folder of all results, for example `results`; None takes the first free folder of the name `default`.
        force: Whether an earlier report in `out` may be replaced.
        default: Folder to write without `out`; None means `runs` and the name of the study.
        scheduler: Address of a Dask scheduler, on whose workers the cases run; None for this machine.
    Raises:
        NoScheduler: No scheduler answers at that address.
        UnwritableFolder: The folder cannot be written, or contains other results.
        NothingKept: The study was interrupted before there were enough results for a report.
        MachineFault: A worker process was killed, or memory ran out, before there were enough results for a report.
        CannotRun: A case failed, and there were not enough other results for a report.
    """
    from planner.output.claim import claim
    from planner.output.dependencies import find_dependencies
    from planner.output.provenance import Provenance
    from surrogate.kernels.interruption import Interruption

    if out:
        command += f" --out {shlex.quote(out.name if out.is_absolute() else str(out))}"
    with claim(out and out / study.name, default or Path("runs") / study.name, force) as folder:
        dependencies = find_dependencies(
            study.module, command, study.inputs
        )  # before hours in which the source may change
        found = _measure(study, console, scheduler)
        if found.stopped and not study.enough(found.results):
            error = MachineFault if found.code else NothingKept
            raise error(f"{found.stopped} before {study.least}; nothing was written")
        found.folder = folder
        with Interruption().handling_signals():  # a first Ctrl-C does not lose the results
            report = study.report(found.results)
            made = Provenance.here(f"{command}, {found.stopped}," if found.stopped else command, found.seconds)
            console.print(report.document(made))
            found.content = made.content() | {"depends_on": dependencies.content()} | report.content
            files = _write(study, report, made, found, console)
        console.print(f"wrote {folder}/: {', '.join(files)}")
    return found


def _measure(study: Study[Case, Result], console: Console, scheduler: str | None) -> StudyResults[Result]:
    """Run the cases with progress on the console."""
    from rich.progress import Progress

    from dynamics.propagator import CannotRun
    from vinewright.cluster.cluster import SchedulerLost, WorkerKilled
    from vinewright.console.progress import handle_stop_signals, make_columns

    found, total, numbers = StudyResults[Result](), len(study.cases), list[int]()
    begun = time.perf_counter()
    try:
        with handle_stop_signals():
            with console.status("compiling if necessary, and warming up"):
                if study.prepare:
                    study.prepare()
            begun = time.perf_counter()
            with closing(run_cases(study, scheduler)) as results, Progress(*make_columns(), console=console) as bar:
                task = bar.add_task(study.unit, total=total)
                for number, result in results:
                    place = bisect(numbers, number)
                    numbers.insert(place, number)
                    found.results.insert(place, result)
                    bar.advance(task)
                    count = len(found.results)
                    if study.tell:
                        console.print(study.tell(result))
                    elif not console.is_terminal and count % max(total // 10, 1) == 0:
                        console.print(f"{count} of {total} {study.unit}")
    except KeyboardInterrupt:
        found.stopped = "interrupted"
    except CannotRun as error:
        if not study.enough(found.results):
            raise
        console.print(f"error: {error}")
        found.stopped, found.code = "a case failed", error.exit_code
    except (WorkerKilled, SchedulerLost) as error:
        found.stopped, found.code = str(error), MachineFault.exit_code
    except MemoryError:
        found.stopped, found.code = "out of memory", MachineFault.exit_code
    if found.stopped:
        console.print(f"{found.stopped} after {len(found.results)} of {total} {study.unit}")
    found.seconds = time.perf_counter() - begun
    return found


def run_cases(study: Study[Case, Result], scheduler: str | None) -> Generator[tuple[int, Result]]:
    """Yield results in the order in which they come, from this process or from workers, with numbers in the order of their cases.

    Raises:
        WorkerKilled: A case killed every worker that ran it; the results of all other cases have been yielded.
        CannotRun: A case failed on a worker; likewise.
    """
    if scheduler is None and not study.parallel:
        yield from enumerate(study.run(study.cases))
        return
    from dynamics.propagator import CannotRun
    from surrogate.kernels.compiled import thread_count
    from vinewright.cluster.cluster import WorkerKilled, connect

    groups = [study.cases] if study.chained else [[case] for case in study.cases]
    with (
        connect(min(thread_count(), len(groups)), scheduler) as cluster,
        closing(cluster.outcomes(partial(_run_group, study.run), groups)) as outcomes,
    ):
        failed = None
        for outcome in outcomes:
            if outcome.result is not None:
                yield from ((outcome.number, result) for result in outcome.result)
            elif study.died and isinstance(outcome.failure, WorkerKilled):
                yield from ((outcome.number, study.died(case)) for case in groups[outcome.number])
            elif isinstance(outcome.failure, WorkerKilled | CannotRun):
                failed = outcome.failure  # results of other cases follow
            else:
                raise outcome.failure or AssertionError("an outcome has a result or a failure")
        if failed:
            raise failed


def _run_group(run: Callable[[Sequence[Case]], Iterable[Result]], cases: Sequence[Case]) -> list[Result]:
    return list(run(cases))


def format_data(content: dict[str, Any]) -> str:
    """Return JSON with a line for each key, and for each item of a list of results."""

    def text(value: Any) -> str:
        if not isinstance(value, list) or not any(isinstance(item, list | dict) for item in value):
            return json.dumps(value, allow_nan=False)
        return "[\n  " + ",\n  ".join(json.dumps(item, allow_nan=False) for item in value) + "\n ]"

    return "{\n " + ",\n ".join(f"{json.dumps(key)}: {text(value)}" for key, value in content.items()) + "\n}\n"


def _write(
    study: Study[Case, Result], report: Report, made: Provenance, found: StudyResults[Result], console: Console
) -> list[str]:
    """Write the folder, and return the names of its files."""
    from planner.output.folder import write_folder

    def fill(fresh: Path) -> None:
        (fresh / "data.json").write_text(format_data(found.content), encoding="utf-8")
        text = report.document(made)
        for file in _draw(study, fresh, found.results, console):
            text = re.sub(rf"!\[([^]]*)\]\({re.escape(file)}\)", r"*\1: not drawn, because it was interrupted*", text)
        (fresh / "README.md").write_text(text, encoding="utf-8")
        for name in study.kept:
            with suppress(FileNotFoundError):
                shutil.copy2(found.folder / name, fresh / name)

    write_folder(found.folder, fill)
    return sorted(file.name for file in found.folder.iterdir())


def _draw(study: Study[Case, Result], folder: Path, results: list[Result], console: Console) -> list[str]:
    """Draw the figures, each whole or not at all; returns the files of those that Ctrl-C has prevented."""
    from vinewright.console.progress import handle_stop_signals

    waiting = list(study.draw)
    try:
        with handle_stop_signals(), console.status("drawing"):
            while waiting:
                study.draw[waiting[0]](folder / waiting[0], results)
                del waiting[0]
    except KeyboardInterrupt:
        console.print("interrupted; pictures are missing")
        for file in waiting:
            (folder / file).unlink(missing_ok=True)
    return waiting

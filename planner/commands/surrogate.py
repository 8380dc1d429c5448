"""`vinewright surrogate`: the neural network that approximates the actuator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.commands.measured import measured
from planner.console.errors import BadInput, needs, readable_errors
from planner.console.options import ForceOption
from planner.console.studies import FolderOption, command_line
from planner.console.terminal import new_console
from planner.studies.study import Study

if TYPE_CHECKING:
    from surrogate.training import Report

app = typer.Typer(help="Train and evaluate the neural network that approximates the actuator.")


@app.command()
def train(
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of samples and initial weights.")] = 2,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for spam.json and, for comparison, spam-paper.json. Default: weights, or the first free one of "
            "weights-2 and so on.",
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Maximum number of epochs. Default: until it converges.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Train the network, and for comparison the form of paper 002, on the CPU. Takes less than two minutes."""
    from rich.progress import Progress, TaskID

    console = new_console()
    with readable_errors(), needs("torch"):
        from planner.runs.claim import claimed
        from planner.runs.folder import write_folder
        from surrogate.training import train as train_network
        from surrogate.weights_file import NAMES, write_weights

        reports = []
        with claimed(out, Path("weights"), force) as folder:
            with Progress(console=console) as progress:
                for form in NAMES:
                    task = progress.add_task(f"training, {form}", total=None)

                    def show(done: int, total: int, task: TaskID = task) -> None:
                        progress.update(task, completed=done, total=total)

                    reports.append(train_network(seed, form, show, epochs)[1])
                    progress.update(task, total=reports[-1].epochs)

            def fill(fresh: Path) -> None:
                for report in reports:
                    write_weights(fresh / NAMES[report.weights.form], report.weights)

            write_folder(folder, fill)
    for report in reports:
        console.print(_trained(report))
    console.print(f"wrote {folder / NAMES['log-force']} and {folder / NAMES['paper']}")


def _trained(report: Report) -> str:
    errors = report.weights.errors
    return (
        f"{report.weights.form}: {report.epochs} epochs in {report.seconds:.0f} s; normalised MSE {errors.normalised_mse:.1e}; "
        f"error of the force {100 * errors.median:.2g} % (median), {100 * errors.p90:.2g} % (90th percentile)"
    )


@app.command()
def evaluate(
    weights: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Weights to evaluate. Default: the shipped ones.")
    ] = None,
    out: FolderOption = None,
    force: ForceOption = False,
    largest_batch: Annotated[
        int, typer.Option(min=1, max=100_000, help="Maximum number of forces per call.")
    ] = 100_000,
) -> int:
    """Measure error and speed of the network, the force table and the analytic solver."""
    with readable_errors(), needs("torch"):
        from planner.studies.surrogate.plots import save_evaluation
        from planner.studies.surrogate.report import BATCHES, report
        from planner.studies.surrogate.report import evaluate as evaluated
        from surrogate.weights_file import NAMES, SHIPPED, read_weights

        network, paper = read_weights(weights or SHIPPED / NAMES["log-force"]), read_weights(SHIPPED / NAMES["paper"])
        if network.form != "log-force":
            raise BadInput(f"{weights} has the paper's form, which is always included; expected the form log-force")
        batches = [batch for batch in BATCHES if batch <= largest_batch]
        study = Study(
            "surrogate",
            [network],
            lambda cases: (evaluated(one, paper, batches) for one in cases),
            lambda found: report(found[0]),
            {"surrogate.png": lambda path, found: save_evaluation(path, found[0])},
            "networks",
        )
        limit = largest_batch if largest_batch < BATCHES[-1] else None
        command = command_line("surrogate evaluate", weights=weights, largest_batch=limit)
        return measured(study, command, out, force)

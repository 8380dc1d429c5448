"""`vinewright surrogate`: the neural network that approximates the actuator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.errors import BadInput, needs, readable_errors, writable

if TYPE_CHECKING:
    from surrogate.training import Report

app = typer.Typer(help="Train and evaluate the neural network that approximates the actuator.", no_args_is_help=True)


@app.command()
def train(
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of samples and initial weights.")] = 2,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for spam.json and, for comparison, spam-paper.json.")
    ] = Path("weights"),
    epochs: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Maximum number of epochs.  [default: until it converges]")
    ] = None,
) -> None:
    """Train the network, and the paper's form of it, on the CPU. Takes less than two minutes."""
    from rich.console import Console
    from rich.progress import Progress, TaskID

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), needs("torch"):
        from surrogate.training import train as train_network
        from surrogate.weights_file import NAMES, write_weights

        reports = []
        with writable(out):
            with Progress(console=console) as progress:
                for form in NAMES:
                    task = progress.add_task(f"training, {form}", total=None)

                    def show(done: int, total: int, task: TaskID = task) -> None:
                        progress.update(task, completed=done, total=total)

                    reports.append(train_network(seed, form, show, epochs)[1])
                    progress.update(task, total=reports[-1].epochs)
            for report in reports:
                write_weights(out / NAMES[report.weights.form], report.weights)
    for report in reports:
        console.print(_trained(report))
    console.print(f"wrote {out / NAMES['log-force']} and {out / NAMES['paper']}")


def _trained(report: Report) -> str:
    errors = report.weights.errors
    return (
        f"{report.weights.form}: {report.epochs} epochs in {report.seconds:.0f} s; normalised MSE {errors.normalised_mse:.1e}; "
        f"error of the force {100 * errors.median:.2g} % (median), {100 * errors.p90:.2g} % (90th percentile)"
    )


@app.command()
def evaluate(
    weights: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Weights to evaluate.  [default: the shipped ones]")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the report, its data and the figure.")] = Path(
        "results"
    ),
    largest_batch: Annotated[
        int, typer.Option(min=1, max=100_000, help="Maximum number of forces per call.")
    ] = 100_000,
) -> None:
    """Measure error and speed of the network, the force table and the analytic solver."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), needs("torch"):
        from planner.runs.folder import write_json
        from planner.studies.surrogate.plots import save_evaluation
        from planner.studies.surrogate.report import BATCHES, evaluation_report, measurements
        from planner.studies.surrogate.report import evaluate as judge
        from surrogate.weights_file import NAMES, SHIPPED, read_weights

        judged = read_weights(weights or SHIPPED / NAMES["log-force"])
        if judged.form != "log-force":
            raise BadInput(f"{weights} has the paper's form, which is always included; expected the form log-force")
        batches = [batch for batch in BATCHES if batch <= largest_batch]
        with writable(out):
            with Progress(console=console) as progress:
                task = progress.add_task("measuring", total=measurements(batches))
                paper = read_weights(SHIPPED / NAMES["paper"])
                evaluation = judge(judged, paper, batches, lambda: progress.advance(task))
            command = "vinewright surrogate evaluate" + (f" --weights {weights}" if weights else "")
            command += f" --largest-batch {largest_batch}" if largest_batch < BATCHES[-1] else ""
            table, content = evaluation_report(evaluation, command)
            (out / "surrogate.md").write_text(table, encoding="utf-8")
            write_json(out / "surrogate.json", content)
            save_evaluation(out / "surrogate.png", evaluation)
    console.print(table)
    console.print(f"wrote {out}/surrogate.md, surrogate.json and surrogate.png")

"""`vinewright surrogate`: the neural network that approximates an actuator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import ForceOption
from vinewright.console.study import Study
from vinewright.console.study_options import FolderOption, command_line, measure_study
from vinewright.console.terminal import make_console

if TYPE_CHECKING:
    from surrogate.weights_file import ModelErrors

Trained = dict[str, tuple[Callable[[Path], None], str]]
"""For each file to write, by name: what writes it, and the line to print."""

app = typer.Typer(help="Train and evaluate the neural network that approximates an actuator.")


@app.command()
def train(
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Seed of samples and initial weights.")] = 2,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for spam.json and, for comparison, spam-paper.json, or for a file named after the other actuator. Default: "
            "weights, or the first free one of weights-2 and so on.",
        ),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Maximum number of epochs. Default: until it converges.")
    ] = None,
    actuator: Annotated[
        str, typer.Option(metavar="KIND", help="Type of actuator, with its default dimensions.")
    ] = "spam",
    force: ForceOption = False,
) -> None:
    """Train the network of an actuator on the CPU; of the sPAM, for comparison also the form of paper 002. Takes less than two minutes."""
    console = make_console()
    with readable_errors():
        from planner.output.claim import claim
        from planner.output.folder import write_folder
        from surrogate.registry import parse_actuators

        (kind,) = parse_actuators(actuator)
        trained: Callable[..., Trained] = _train_spam if kind == "spam" else partial(_train_other, actuator)
        with claim(out, Path("weights"), force) as folder:
            with Progress(console=console) as progress:
                written = trained(seed, epochs, progress)

            def fill(fresh: Path) -> None:
                for name, (write, _) in written.items():
                    write(fresh / name)

            write_folder(folder, fill)
    for _, text in written.values():
        console.print(text)
    console.print(f"wrote {' and '.join(str(folder / name) for name in written)}")


def _train_spam(seed: int, epochs: int | None, progress: Progress) -> Trained:
    """Train both forms of the network of the sPAM."""
    from surrogate.training import train as train_network
    from surrogate.weights_file import NAMES, write_weights

    written: Trained = {}
    for form, name in NAMES.items():
        with _show_epochs(progress, form) as show:
            report = train_network(seed, form, show, epochs)[1]
        errors = report.weights.errors
        text = _train_model(
            form, report.epochs, report.seconds, errors, f"; normalised MSE {errors.normalised_mse:.1e}"
        )
        written[name] = partial(write_weights, weights=report.weights), text
    return written


def _train_other(kind: str, seed: int, epochs: int | None, progress: Progress) -> Trained:
    """Train the network of another actuator."""
    from surrogate.force_training import train_force
    from surrogate.registry import actuators
    from surrogate.weights_file import write_weights

    with _show_epochs(progress, kind) as show:
        report = train_force(actuators()[kind](), seed, show, epochs)[1]
    text = _train_model(kind, len(report.losses), report.seconds, report.weights.errors)
    return {f"{kind}.json": (partial(write_weights, weights=report.weights), text)}


@contextmanager
def _show_epochs(progress: Progress, name: str) -> Iterator[Callable[[int, int], None]]:
    """A callback that shows the epochs of one training."""
    task, last = progress.add_task(f"training, {name}", total=None), 0

    def show(done: int, total: int) -> None:
        nonlocal last
        last = done
        progress.update(task, completed=done, total=total)

    yield show
    progress.update(task, total=last)


def _train_model(name: str, epochs: int, seconds: float, errors: ModelErrors, mse: str = "") -> str:
    return (
        f"{name}: {epochs} epochs in {seconds:.0f} s{mse}; error of the force {100 * errors.median:.2g} % (median), "
        f"{100 * errors.p90:.2g} % (90th percentile)"
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
    with readable_errors():
        from studies.surrogate.plots import save_evaluation
        from studies.surrogate.report import report
        from studies.surrogate.study import BATCHES
        from studies.surrogate.study import evaluate as evaluated
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
            module=__name__,
        )
        limit = largest_batch if largest_batch < BATCHES[-1] else None
        command = command_line("surrogate evaluate", weights=weights, largest_batch=limit)
        return measure_study(study, command, out, force)

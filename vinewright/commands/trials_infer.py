"""Errors of a built tube inferred from its trials, with a progress bar, for `vinewright trials learn` and `adapt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from planner.built.posterior import Posterior
    from planner.built.predicting import BuiltTube
    from vinewright.commands.trials_folder import BuiltDesign

SLOWLY = 0.25
"""Exponent that makes the progress of the inference rise evenly [-]: the power of the likelihood rises slowly at first."""


def infer_with_bar(
    console: Console, built: BuiltDesign, tube: BuiltTube, seed: int, samples: int | None = None
) -> Posterior:
    """Infer the errors of a tube from its trials; Ctrl-C raises KeyboardInterrupt where signals are handled.

    Args:
        samples: Number of samples; None for the usual one.
    """
    from rich.progress import Progress

    from planner.built.posterior import infer
    from vinewright.console.compiling import compiling

    with (
        compiling(console),
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task("weighing errors by the trials", total=1.0)
        return infer(
            tube,
            built.trials,
            built.path_of,
            seed=seed,
            watch=lambda power: bar.update(task, completed=power**SLOWLY),
            **({} if samples is None else {"samples": samples}),
        )

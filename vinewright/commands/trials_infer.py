"""The progress bar of `vinewright trials learn` and `adapt` while errors are inferred from trials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def inference_bar(console: Console) -> Iterator[Callable[[float], None]]:
    """Show a progress bar; yields a function that takes the share of the work that is done [-]."""
    from rich.progress import Progress

    from vinewright.console.compiling import compiling

    with compiling(console), Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("weighing errors by the trials", total=1.0)
        yield lambda share: bar.update(task, completed=share)

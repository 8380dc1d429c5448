"""The message that commands show while kernels are compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def compiling(console: Console, propagator: str = "quasistatic", heuristic: bool = False) -> Iterator[None]:
    """Say why the first start takes longer, with an animated status on a terminal."""
    from dynamics.cuda import default_device
    from dynamics.registry import kernels_are_cached

    if kernels_are_cached(propagator, heuristic, default_device()):
        yield
        return
    console.print("compiling the kernels, only this once (about 15 seconds) ...")
    with console.status("compiling"):
        yield

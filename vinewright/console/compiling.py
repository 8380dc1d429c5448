"""The message that commands show while kernels are compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

LAST_KERNEL = {
    "quasistatic": "quasistatic/*grow_one",
    "penalty": "_free_curvatures",
    "impulse": "impulse/*grow_one",
    "geometric": "grow_turns",
    "euler-lagrange": "grow_arc",
}
"""The kernel of each propagator that is compiled last, as a pattern of its file name."""


@contextmanager
def compiling(console: Console, propagator: str = "quasistatic", heuristic: bool = False) -> Iterator[None]:
    """Say why the first start takes longer, with an animated status on a terminal."""
    if compiled(propagator, heuristic):
        yield
        return
    console.print("compiling the kernels, only this once (about 15 seconds) ...")
    with console.status("compiling"):
        yield


def compiled(propagator: str = "quasistatic", heuristic: bool = False) -> bool:
    """Whether the kernels of a propagator are in the cache."""
    from dynamics.cuda import default_device, may_use
    from surrogate.kernels.compiled import cache_folder

    on_device = propagator == "quasistatic" and may_use(default_device())
    last = [LAST_KERNEL[propagator], *(["_biarcs"] if heuristic else []), *(["grow_lanes"] if on_device else [])]
    return all(any(cache_folder().rglob(f"*{kernel}*.nbi")) for kernel in last)

"""Compiled kernels: their arrays, their decorator, where machine code is kept, and on how many threads it runs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@cache
def cache_folder() -> Path:
    """Folder in which machine code is kept between starts.

    Numba renews a cached kernel only when the file that holds it changes, not when a function it calls in another
    file does. So the folder's name carries a hash of all the kernels' sources: any change starts a new one.
    """
    packages = Path(__file__).parent.parent
    sources = sorted(
        [*packages.glob("surrogate/*.py"), *packages.glob("dynamics/**/*.py"), *packages.glob("planner/*.py")]
    )
    digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "vinewright" / digest


def thread_count() -> int:
    """Threads that rollouts use: the cores this process may run on, or NUMBA_NUM_THREADS."""
    config: Any = numba.config
    return int(config.NUMBA_NUM_THREADS)


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function of numbers and arrays on first use, cached on disk; options are those of `numba.njit`."""

    def decorate(function: Callable[..., Any]) -> Any:
        config: Any = numba.config
        before, config.CACHE_DIR = config.CACHE_DIR, str(cache_folder())
        try:
            return numba.njit(cache=True, error_model="numpy", **options)(function)
        finally:
            config.CACHE_DIR = before

    return decorate

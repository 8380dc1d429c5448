"""Compiled kernels: array type, decorator, cache of machine code, and number of threads."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


PACKAGES = "environments", "surrogate", "dynamics", "planner"
"""Packages that may contain kernels."""


@cache
def cache_folder() -> Path:
    """Cache folder of the compiled machine code.

    Numba compiles a cached kernel again only when its own file changes, not when a function that it calls in another
    file does. So the folder's name carries a hash of the sources of all kernels: a change to any of them starts a new one.
    """
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "vinewright" / kernels_digest(Path(__file__).parent.parent)


def kernels_digest(root: Path) -> str:
    """Hash of the paths and texts of all files below `root` that hold a function decorated with `@compiled`."""
    digest = hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        source = path.read_bytes()
        if re.search(rb"^@compiled\b", source, re.MULTILINE):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + source + b"\0")
    return digest.hexdigest()[:12]


def thread_count() -> int:
    """Number of threads for rollouts: the cores available to this process, or NUMBA_NUM_THREADS."""
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

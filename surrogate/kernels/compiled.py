"""Compiled kernels: array type, decorator, cache of machine code, and number of threads."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from surrogate.kernels.kernel import Kernel, KernelPart

Floats = NDArray[np.float64]


config: Any = numba.config
ROOT = Path(__file__).parents[2]
PACKAGES = "environments", "surrogate", "dynamics", "planner", "studies"
"""Packages that may contain kernels."""
HASHED = rb"^@compiled\b|^class \w+\(NamedTuple\):"
"""A file with this holds kernels, or named tuples that they may take: where their parts are is in the machine code too."""


@cache
def cache_folder() -> Path:
    """Cache folder of the compiled machine code.

    Numba compiles a cached kernel again only when its own file changes, not when a function that it calls in another
    file does. So the folder's name carries a hash of the sources of all kernels: a change to any of them starts a new one.
    """
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or _home() / ".cache"
    return Path(root) / "vinewright" / kernels_digest(ROOT)


def _home() -> Path:
    """Home of the user, or a path where nothing can be written if there is none, as in containers with a user of any number.

    In a shared folder such as `/tmp`, others could put machine code that would then be run.
    """
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def kernels_digest(root: Path) -> str:
    """Hash of the paths and texts of all files below `root` that hold what `HASHED` describes."""
    digest = hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        source = path.read_bytes()
        if re.search(HASHED, source, re.MULTILINE):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + source + b"\0")
    return digest.hexdigest()[:12]


def thread_count() -> int:
    """Number of threads for rollouts: the cores available to this process, or NUMBA_NUM_THREADS."""
    return int(config.NUMBA_NUM_THREADS)


def compiled(*, counted: bool = False, borrowed: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function of numbers and arrays on first use, cached on disk; options are those of `numba.njit`.

    Kernels of a CUDA device call it too: Numba then compiles it for the device, without the options. For that it must allocate nothing,
    and take functions of single numbers from `math`, not from NumPy.

    Args:
        counted: Whether references to arrays are counted. A function that allocates arrays, returns some, or calls one that returns some,
            needs that. All others borrow the arrays of their caller, and run faster: counting takes a third of a rollout.
        borrowed: Whether the arrays that it returns are parts of those of its caller, and not counted. Other such kernels may call it;
            Python runs it as it is.
    Raises:
        TypeError: A function that is not counted returns arrays, or calls one that does: it would lose or leak them.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        names = function.__globals__
        if not _only_numbers(function.__annotations__.get("return", ""), names):
            _returning[f"{function.__module__}.{function.__name__}"] = counted
            if not counted and not borrowed:
                raise TypeError(f"{function.__name__} may return arrays: compile it with counted=True")
        called = [_name(names.get(name)) for name in function.__code__.co_names]
        if wrong := [name.rsplit(".")[-1] for name in called if _returning.get(name, counted) != counted]:
            raise TypeError(
                f"{function.__name__} calls {wrong[0]}, which returns arrays: compile "
                + (f"{wrong[0]} with counted=True, not borrowed" if counted else "it with counted=True")
            )
        if config.DISABLE_JIT:
            return function
        # numba has no public option to leave out the counts.
        chosen = {"_nrt": counted, "nopython": True, "error_model": "numpy", **options}
        if borrowed:
            return KernelPart(function, {}, chosen)
        kernel = Kernel(function, chosen)
        file = Path(function.__code__.co_filename)
        if file.is_relative_to(ROOT) and file.relative_to(ROOT).parts[0] in PACKAGES:
            kernel.cache_in(cache_folder() / file.relative_to(ROOT).parent)
        else:
            with in_cache_folder():
                kernel.enable_caching()
        return kernel

    return decorate


@contextmanager
def in_cache_folder() -> Iterator[None]:
    """Let kernels that are decorated meanwhile be cached in `cache_folder`: on a CUDA device too, whose settings are others."""
    of_cuda = sys.modules.get("numba.cuda.core.config")
    configs: list[Any] = [config, *([of_cuda] if of_cuda else [])]
    before = [one.CACHE_DIR for one in configs]
    try:
        for one in configs:
            one.CACHE_DIR = str(cache_folder())
        yield
    finally:
        for one, folder in zip(configs, before, strict=True):
            one.CACHE_DIR = folder


_returning: dict[str, bool] = {}
"""Full names of the compiled functions that may return arrays, and whether these are counted."""


def _name(value: Any) -> str:
    """Full name of a function; empty for other values."""
    return f"{value.__module__}.{value.__name__}" if callable(value) and hasattr(value, "__name__") else ""


def _only_numbers(annotation: str, names: dict[str, Any]) -> bool:
    """Return whether a type holds nothing but numbers.

    Args:
        annotation: The type as written.
        names: Those of its module, to look up named tuples.
    """
    words = re.findall(r"[\w.]+", str(getattr(annotation, "__forward_arg__", annotation)))
    for word in words:
        if word not in ("None", "float", "int", "bool", "tuple"):
            fields = getattr(names.get(word), "__annotations__", {})
            others = vars(sys.modules[names[word].__module__]) if fields else {}
            if not fields or not all(_only_numbers(field, others) for field in fields.values()):
                return False
    return bool(words)

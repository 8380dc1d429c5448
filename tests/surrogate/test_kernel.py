"""A kernel with all that it calls is one module of machine code: what that relies on in Numba."""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surrogate.compiled import ROOT, Floats, compiled

PACKAGE = """
from surrogate.compiled import compiled
@compiled(counted=True)
def square(x, times) -> "float":
    if x < 0:
        raise ValueError("negative", x)
    return times * x * x
@compiled(counted=True)
def total(xs) -> "float":
    s = 0.0
    for i in range(len(xs)):
        s += square(xs[i], 2) + square(xs[i], i)
    return s
"""
"""A package with two kernels, of which one calls the other."""

RUN = """
import numpy as np
from dynamics import sums
x = np.arange(5.0)
assert sums.total(x) == sum((2 + i) * i * i for i in range(5))
for bad in range(2):
    try:
        sums.total(x - 3)
    except ValueError as error:
        assert error.args == ("negative", -3.0), error.args
    else:
        raise AssertionError("no error")
if ALONE:
    assert sums.square(3.0, 2) == 18.0
print(sum(sums.total.stats.cache_misses.values()), len(sums.square.overloads), len(sums.square.part.overloads))
"""


def run_copy(tree: Path, cache: Path, alone: bool = False) -> list[int]:
    """Run both kernels from a new copy of the package; returns the numbers of misses, and of overloads of the inner kernel."""
    (tree / "dynamics").mkdir(parents=True)
    (tree / "dynamics/__init__.py").write_text("")
    (tree / "dynamics/sums.py").write_text(PACKAGE)
    shutil.copytree(ROOT / "surrogate", tree / "surrogate", ignore=shutil.ignore_patterns("__pycache__", "weights"))
    done = subprocess.run(
        [sys.executable, "-c", RUN.replace("ALONE", str(alone))],
        cwd=tree,
        env={"PYTHONPATH": str(tree), "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [int(word) for word in done.stdout.split()]


def test_only_what_python_calls_becomes_machine_code_which_another_copy_finds(tmp_path: Path) -> None:
    """A part has one signature however it is called, and raises its own errors, compiled or loaded; copies share the cache."""
    cache = tmp_path / "cache"
    assert run_copy(tmp_path / "a", cache) == [1, 0, 1]
    assert [path.name.split("-")[0] for path in cache.rglob("*.nbi")] == ["sums.total"]
    assert run_copy(tmp_path / "elsewhere/b", cache) == [0, 0, 0]
    assert run_copy(tmp_path / "c", cache, alone=True) == [0, 1, 0]
    assert {path.name.split("-")[0] for path in cache.rglob("*.nbi")} == {"sums.total", "sums.square"}


def chain_of(depth: int) -> Any:
    """A kernel that calls one that calls one ..., each twice."""

    @compiled()
    def innermost(x: Floats, i: int) -> float:
        return float(x[i] + 1.0)

    kernel = innermost
    for _ in range(depth):
        kernel = above(kernel)
    return kernel


def above(inner: Any) -> Any:
    """A kernel that calls another one twice."""

    @compiled()
    def outer(x: Floats, i: int) -> float:
        return float(inner(x, i) + inner(x, 0))

    return outer


def test_a_part_that_is_called_on_many_ways_is_linked_once() -> None:
    """The cost must not double with each level of the call tree, and the sums must be right."""
    assert chain_of(30)(np.array([0.0, 1.0]), 1) == 2**30 + 1


def test_the_collector_of_garbage_is_as_before() -> None:
    """Also after a kernel that cannot be compiled."""
    before = gc.get_threshold()
    gc.set_threshold(701, 11, 12)

    @compiled()
    def wrong(x: Floats) -> float:
        return float(x.no_such_thing)

    with pytest.raises(Exception, match="no_such_thing"):
        wrong(np.zeros(1))
    now = gc.get_threshold()
    gc.set_threshold(*before)
    assert now == (701, 11, 12)

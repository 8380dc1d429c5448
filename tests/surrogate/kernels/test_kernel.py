"""A kernel with all that it calls is one module of machine code: what that relies on in Numba."""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from surrogate.kernels.compiled import ROOT, Floats, compiled

PACKAGE = """
from surrogate.kernels.compiled import compiled
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


class Pair(NamedTuple):
    """Numbers of one type, and of two."""

    first: float
    second: float


class Group(NamedTuple):
    """Named tuples and an array in a named tuple."""

    count: int
    near: Pair
    far: Pair
    seen: Floats


@compiled()
def added(group: Group, pair: Pair, times: int = 2) -> Pair:
    """Reads named tuples and a part of one, and makes another."""
    near = group.near
    group.seen[0] += pair.first
    return Pair(near.first + times * pair.first, group.far.second - pair.second + group.seen[0] + group.count)


@compiled()
def swapping(group: Group, pair: Pair) -> tuple[float, float, Pair]:
    """Variables that are set again, in a loop and where not every way sets them, while others still hold what they were."""
    kept = last = pair
    local = group
    for i in range(5):
        held, part = local, local.near
        local = Group(i, local.far, Pair(part.second, i + 0.5), group.seen)
        before, pair = pair, added(group, pair)
        if i % 2:
            kept = before
            group_far = group.far
        last = Pair(pair.second, kept.first + group_far.first) if i > 2 else last
        pair = added(group=Group(i, pair, last, group.seen), pair=group.near, times=i)
    kept = Pair(kept.first + part.first, held.far.second)
    return kept.first + kept.second, before.second, last if last.first > pair.first else pair


@compiled(counted=True)
def counting(group: Group, pair: Pair) -> float:
    """Counts references, and calls a kernel that does not."""
    own = np.array([1.0, 2.0]) * group.seen[0]
    mine = Group(group.count, pair, group.near, own)
    first, second, _ = swapping(mine, pair)
    return float(added(mine, mine.far).second + own.sum() + sum([k * first + second for k in range(2)]))


@pytest.mark.parametrize("kernel", [added, swapping, counting])
def test_named_tuples_are_values(kernel: Any) -> None:
    """A kernel that reads them where they are computes what Python does; nothing that it is given changes but the arrays."""
    group, pair = Group(3, Pair(0.5, 0.25), Pair(-1.5, 4.0), np.array([0.125])), Pair(1.25, -0.75)
    copy = group._replace(seen=group.seen.copy())
    assert kernel(group, pair) == interpreted(kernel)(copy, pair)
    assert group[:3] == copy[:3]
    assert group.seen[0] == copy.seen[0]


def interpreted(kernel: Any) -> Any:
    """The function of a kernel, as Python runs it with those that it calls."""
    names = {name: one.py_func for name, one in globals().items() if one in (added, swapping, counting)}
    return type(kernel.py_func)(kernel.py_func.__code__, {**globals(), **names}, None, kernel.py_func.__defaults__)


def test_kernels_and_functions_of_numba_alone_do_not_pass_named_tuples_to_each_other() -> None:
    """Both would read the arguments otherwise than they are passed."""
    alone = numba.njit(lambda pair: pair.first)

    @compiled()
    def calls_it(pair: Pair) -> float:
        return float(alone(pair))

    with pytest.raises(TypeError, match="decorate it with `compiled`"):
        calls_it(Pair(1.0, 2.0))
    with pytest.raises(TypeError, match="can call swapping"):
        numba.njit(lambda group, pair: swapping(group, pair))(
            Group(1, Pair(1.0, 2.0), Pair(1.0, 2.0), np.ones(1)), Pair(1.0, 2.0)
        )


def test_llvm_knows_that_named_tuples_do_not_change() -> None:
    """Else a kernel would load them again after each call and each write to an array: growth would take longer."""
    swapping(Group(3, Pair(0.5, 0.25), Pair(-1.5, 4.0), np.array([0.125])), Pair(1.25, -0.75))
    for part in added.part.overloads.values():
        head = next(line for line in part.library.get_llvm_str().splitlines() if line.startswith("define"))
        assert all(
            "noalias" in one and "readonly" in one
            for one in head.split(",")
            if "%arg.group" in one or "%arg.pair" in one
        )
        assert head.count("readonly") == 2

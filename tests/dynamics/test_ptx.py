"""The kernels as they were compiled for a CUDA device, run on the processor: they grow the vines of the CPU."""

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import cuda

from dynamics.cuda import LANES, Arena
from dynamics.lanes import _lane_of, lane_of
from dynamics.propagator import Propagator
from dynamics.quasistatic import device, propagator
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments import Environment
from studies.gpu.usage import compile_ptx, make_arguments
from studies.rollouts.study import make_random_actuation
from tests.dynamics.device_cases import CASES, COMPARED, FULL, as_arrays
from tests.dynamics.ptx import Translated

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("numba_cuda") is None, reason="numba-cuda is not installed: the extra cuda"),
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler"),
]


@pytest.fixture(scope="module", autouse=True)
def translated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The kernels for a capability of 9.0, in place of those that a device would run."""
    made = {}
    for kernel in device.KERNELS:
        ptx = compile_ptx(kernel, make_arguments(), (9, 0))
        assert ".target sm_90" in ptx
        made[kernel] = Translated(ptx, tmp_path_factory.mktemp(kernel.__name__))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "_compile_kernel", made.__getitem__)
        patch.setattr(propagator, "check_device", lambda _: None)
        yield


class Marked(NamedTuple):
    numbers: Any
    table: Any
    flags: Any


def mark(tree: Marked) -> None:
    """Kernel: each thread writes its own number wherever it may."""
    t = cuda.grid(1)
    mine = lane_of(tree, t // LANES, t % LANES)
    for i in range(len(mine.numbers)):
        mine.numbers[i] = t
        mine.flags[i] = t % 2 == 1
        for j in range(3):
            mine.table[i, j] = 10 * t + j


def test_lanes_do_not_overlap(tmp_path: Path) -> None:
    """The values that a thread writes remain after later ones write, and are where Python finds them."""
    arena = Arena(Marked(np.zeros(5), np.zeros((5, 3), np.int64), np.zeros(5, np.bool_)), 2)
    Translated(compile_ptx(mark, (arena.views,), (9, 0)), tmp_path)[1, 2 * LANES](arena.views)
    for t in range(2 * LANES):
        mine = _lane_of(arena.views, t // LANES, t % LANES)
        assert (mine.numbers == t).all()
        assert (mine.table == 10 * t + np.arange(3)).all()
        assert (mine.flags == (t % 2 == 1)).all()


@pytest.mark.parametrize("name", CASES)
def test_compiled_code_grows_the_same_vines(name: str) -> None:
    """To rounding, which a relaxation amplifies: its multiplications and additions are fused."""
    compiled, found = as_arrays(CASES[name]("cpu")), as_arrays(CASES[name]("cuda"))
    for part in COMPARED:
        np.testing.assert_allclose(found[part], compiled[part], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["maze", "long", "building"])
def test_random_vines_end_at_the_same_places(name: str, shipped: dict[str, Environment], params: VineParams) -> None:
    """All of 300 vines but those few that rounding sends another way end alike, within a micrometre."""
    carried = make_random_actuation(params, 300, 1.0, seed=3)
    make: Callable[..., Propagator] = partial(QuasiStatic, shipped[name], params)
    on_cpu, on_device = (
        one.grow(one.start(*carried.pressure.shape), carried, 1.0, FULL)
        for one in (make(device="cpu"), make(device="cuda"))
    )
    last = np.arange(300), np.minimum(on_cpu.records, on_device.records) - 1
    apart = np.hypot(*(on_cpu.tips[last] - on_device.tips[last])[:, :2].T)
    same = (on_cpu.status == on_device.status) & (on_cpu.records == on_device.records) & (apart < 1e-6)
    print(f"{name}: {300 - same.sum()} of 300 differ, median {np.median(apart):.1e} m")
    assert same.mean() >= 0.99

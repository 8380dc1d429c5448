"""Exact contact on a CUDA device: the same as on the CPU, and one line where there is none, it is full, or it fails."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dynamics import crossover, cuda
from dynamics.cuda import Arena, DeviceLost, bytes_per_vine, readable_faults, why_not
from dynamics.lanes import _lane_of
from dynamics.propagator import CannotRun, OutOfMemory
from dynamics.quasistatic import device
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment
from tests.dynamics.device_cases import CASES, COMPARED, as_arrays

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """All cases on Numba's simulated device and on the CPU, both in Python."""
    file = tmp_path_factory.mktemp("simulated") / "cases.npz"
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, ROOT / "tests/dynamics/device_cases.py", file], check=True, env=environ, cwd=ROOT)
    return dict(np.load(file))


@pytest.mark.parametrize("name", CASES)
def test_a_simulated_device_grows_the_same_vines(simulated: dict[str, np.ndarray], name: str) -> None:
    """In every bit, where both run in Python; against the compiled kernels, within rounding that a relaxation amplifies.

    The compiler orders the sums of the Cholesky factor as it likes, and Python's hypot rounds correctly.
    """
    compiled = as_arrays(CASES[name]("cpu"))
    for part in COMPARED:
        on_cpu, on_device = (simulated[f"{one} {name} {part}"] for one in ("cpu", "cuda"))
        assert on_device.tobytes() == on_cpu.tobytes()
        assert on_device.dtype == compiled[part].dtype
        np.testing.assert_allclose(on_device, compiled[part], rtol=1e-8, atol=1e-8)


def test_the_cases_do_what_they_say(simulated: dict[str, np.ndarray]) -> None:
    """Vines touch walls, their own body and rub; they relax and snap; a broken state ends alone."""
    for name in ("in_maze", "coiled", "in_worlds", "published", "rubbing"):
        assert simulated[f"cuda {name} contact_force"].max() > 0.01
    assert simulated["cuda in_worlds relaxations"].max() > 10
    assert np.isfinite(simulated["cuda in_worlds snaps"]).any()
    # States stay on the device.
    assert not any(simulated[f"cuda {name} in host memory"] for name in CASES)
    wrong = int(Status.NOT_FINITE)
    assert simulated["cuda broken status"].tolist() == [0, wrong, wrong, 0]
    assert simulated["cuda broken broken"].tolist() == [-1, 2, 1, -1]


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_a_device_grows_the_same_vines(name: str) -> None:
    """On a real device, whose multiplications and additions are fused, within what steps and relaxations make of rounding."""
    if reason := why_not():
        pytest.skip(reason)
    compiled, found = as_arrays(CASES[name]("cpu")), as_arrays(CASES[name]("cuda"))
    assert found["status"].tolist() == compiled["status"].tolist()
    np.testing.assert_allclose(found["tips"], compiled["tips"], atol=1e-5)


def test_an_arena_gives_each_vine_its_own_numbers() -> None:
    """A value that one lane writes is read by no other, for all types and shapes; all begin with the example's values."""
    example = device.example_of(3)
    arena = Arena(example, 2)
    arena.fill()
    for warp in range(2):
        for lane in range(cuda.LANES):
            mine = _lane_of(arena.views, warp, lane)
            for own, one in zip(cuda._leaves(mine), cuda._leaves(example), strict=True):
                assert own.shape == one.shape
                assert own.dtype == one.dtype
                assert own.tobytes() == one.tobytes() or one.dtype == float  # those that are empty hold anything
                own[...] = (cuda.LANES * warp + lane) % 2 if own.dtype == bool else cuda.LANES * warp + lane
    for warp in range(2):
        for lane in range(cuda.LANES):
            for own in cuda._leaves(_lane_of(arena.views, warp, lane)):
                assert (
                    own == ((cuda.LANES * warp + lane) % 2 if own.dtype == bool else cuda.LANES * warp + lane)
                ).all()
    used = sum(part.nbytes for part in cuda._leaves(arena.views))
    assert used <= 2 * cuda.LANES * bytes_per_vine(example) < 1.02 * used


def test_neighbouring_vines_are_neighbours_in_memory() -> None:
    """Equal entries of the vines of a warp are one contiguous piece, so that a warp reads it at once."""
    views = Arena(device.example_of(5), 2).views
    for part in cuda._leaves(views):
        assert part.strides[-1] == part.itemsize
        assert part.strides[-2] == cuda.LANES * part.itemsize


@pytest.mark.parametrize(
    ("driver", "hidden", "reason"),
    [
        (None, (), "there is no CUDA driver here"),
        ((11, 8), (), "the driver supports CUDA 11.8, but 12.1 is needed: update the driver"),
        ((12, 1), ("torch",), "PyTorch is not installed: install the extra cuda"),
        ((12, 4), ("numba_cuda",), "numba-cuda is not installed: install the extra cuda"),
    ],
)
def test_why_cuda_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch,
    free: Environment,
    driver: tuple[int, int] | None,
    hidden: tuple[str, ...],
    reason: str,
) -> None:
    """One line each, also from a model; the other choices still work."""
    monkeypatch.setattr(cuda, "driver_version", lambda: driver)
    monkeypatch.setattr(cuda, "find_spec", lambda name: None if name in hidden else name)
    why_not.cache_clear()
    try:
        assert why_not() == reason
        with pytest.raises(CannotRun, match=f"^device cuda: {reason}; or use --device cpu or auto$"):
            QuasiStatic(free, VineParams(), device="cuda")
        for other in ("cpu", "auto"):
            assert QuasiStatic(free, VineParams(), device=other).device_name.startswith("cpu")
    finally:
        why_not.cache_clear()


def test_numba_cuda_that_cannot_be_imported_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU is used, and one line says why, as with a NumPy that is too new for it."""

    def refuse(name: str) -> None:
        raise AttributeError(f"module 'numpy' has no attribute 'row_stack', needed by {name}")

    monkeypatch.setattr(cuda, "driver_version", lambda: (13, 0))
    monkeypatch.setattr(cuda, "find_spec", lambda name: name)
    monkeypatch.setattr(cuda, "import_module", refuse)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    why_not.cache_clear()
    try:
        assert why_not() == (
            "numba-cuda cannot be imported (module 'numpy' has no attribute 'row_stack', needed by numba.cuda.np.arrayobj): "
            "install the extra cuda, which has versions that fit"
        )
        monkeypatch.setattr(cuda, "import_module", lambda name: name)
        why_not.cache_clear()
        assert why_not() is None
    finally:
        why_not.cache_clear()


def test_the_driver_says_what_it_supports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of a library with the driver's interface is read; without one there is none."""
    source, library = tmp_path / "driver.c", tmp_path / "libcuda.so.1"
    source.write_text("int cuDriverGetVersion(int *version) { *version = 12040; return 0; }\n")
    if subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=False).returncode:
        pytest.skip("there is no C compiler")
    load = cuda.ctypes.CDLL
    monkeypatch.setattr(cuda.ctypes, "CDLL", lambda name: load(str(tmp_path / name)))
    assert cuda.driver_version() == (12, 4)
    monkeypatch.setattr(cuda.ctypes, "CDLL", lambda name: load(str(tmp_path / "nowhere" / name)))
    assert cuda.driver_version() is None


def test_an_unknown_device_is_named(free: Environment) -> None:
    """With those that are known."""
    with pytest.raises(CannotRun, match=r"^unknown device 'tpu'; known: auto, cpu, cuda$"):
        QuasiStatic(free, VineParams(), device="tpu")


@pytest.mark.parametrize("vines", [1000, 10**7])
def test_a_batch_larger_than_memory_is_refused_before_it_is_allocated(
    vines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says how many fit; that many do."""
    monkeypatch.setattr(cuda, "HOST_MEMORY", 30_000 * vines // 10)
    monkeypatch.setattr(device, "to_device", lambda *_: pytest.fail("something is copied to the device"))
    with pytest.raises(
        OutOfMemory, match=f"records of {vines} vines of up to 40 segments take .* at most [0-9]+ at once"
    ) as found:
        device._records(np.full(vines, 1.0), 25e-3, 40)
    fitting = int(str(found.value).split()[-3])
    assert 0 < fitting < vines
    monkeypatch.setattr(device, "to_device", cuda.to_device)
    monkeypatch.setattr(device, "Records", lambda *parts: parts)
    if fitting < 1000:
        parts = device._records(np.full(fitting, 1.0), 25e-3, 40)
        assert sum(part.nbytes for part in parts) <= cuda.SHARE * cuda.HOST_MEMORY
        with pytest.raises(OutOfMemory):
            device._records(np.full(fitting + 1, 1.0), 25e-3, 40)


def test_faults_of_a_device_are_one_line() -> None:
    """Full memory gives the batch that may fit; a lost device says how to go on; other errors remain."""
    with pytest.raises(OutOfMemory, match="growing 9 vines at once; try --batch 4"), readable_faults(9):
        raise torch.OutOfMemoryError("CUDA out of memory")
    lost = "CUDA error: unspecified launch failure\nCompile with ..."
    with (
        pytest.raises(DeviceLost, match=r"failed \(CUDA error: unspecified launch failure\); run again, or with"),
        readable_faults(9),
    ):
        raise RuntimeError(lost)
    with pytest.raises(RuntimeError, match=r"^a bug$"), readable_faults(9):
        raise RuntimeError("a bug")


@pytest.mark.parametrize("each", [1e-6, 2e-5, 4e-5])
def test_crossover_is_where_both_take_the_same_time(each: float) -> None:
    """A device with a time per batch and per vine, against threads with a time per vine only."""
    per_batch, of_cpu = 0.05, 3e-5
    on_cuda = (per_batch + each * crossover.ON_CUDA[0], per_batch + each * crossover.ON_CUDA[1])
    found = crossover.crossover(of_cpu * crossover.ON_CPU, on_cuda)
    if each > of_cpu:
        assert found == math.inf
    else:
        assert of_cpu * found == pytest.approx(per_batch + each * found)


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], tuple[float, int]]]:
    """The crossover of a machine in an empty cache folder, and how often it was measured, each time as in a new process."""
    times: list[Any] = []

    def measure(make: Any) -> tuple[float, tuple[float, float]]:
        times.append(make)
        return 256e-3, (1.0, 2.0)

    monkeypatch.setattr(crossover, "_measure", measure)
    monkeypatch.setattr(crossover, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(crossover, "device_name", lambda: "a device")

    def ask() -> tuple[float, int]:
        crossover._read_known.cache_clear()
        return crossover.least_on_cuda(lambda name: pytest.fail(name), 2), len(times)

    yield ask
    crossover._read_known.cache_clear()


def test_crossover_is_measured_once(measured: Callable[[], tuple[float, int]], tmp_path: Path) -> None:
    """It is kept in the cache folder, beside that of other machines; a damaged file is measured again."""
    first = measured()
    assert first[0] == pytest.approx((1.0 - 1024 / 7168) / (1e-3 - 1 / 7168))
    assert measured() == first == (first[0], 1)
    file = tmp_path / "cache" / crossover.FILE
    file.write_text(json.dumps({"another device, 2 threads": 3.0}))
    assert measured() == (first[0], 2)
    assert len(json.loads(file.read_text())) == 2
    file.write_text("[")
    assert measured() == (first[0], 3)


def test_never_faster_is_kept_too(measured: Callable[[], tuple[float, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Infinity survives the file."""
    monkeypatch.setattr(crossover, "crossover", lambda *_: math.inf)
    assert measured() == (math.inf, 1)
    assert measured() == (math.inf, 1)


def test_the_default_device_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch, free: Environment) -> None:
    """Worker processes inherit it; a device that is named takes precedence."""
    monkeypatch.setenv(cuda.CHOICE, "")
    assert QuasiStatic(free, VineParams()).device == "auto"
    monkeypatch.setenv(cuda.CHOICE, "cpu")
    assert QuasiStatic(free, VineParams()).device == "cpu"
    assert QuasiStatic(free, VineParams(), device="auto").refined().device == "auto"


@pytest.fixture(scope="module")
def free(environment: Callable[..., Environment]) -> Environment:
    return environment()

"""Least number of vines that a CUDA device grows faster than the threads of the CPU: measured once on each machine."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from dynamics.cuda import device_name
from dynamics.moment import joint_moments
from dynamics.propagator import Propagator
from dynamics.vine import Actuation
from surrogate.kernels.compiled import cache_folder

FILE = "devices.json"
"""Its name in the folder of the compiled kernels: other kernels are measured again."""
ON_CPU, ON_CUDA = 256, (1024, 8192)
"""Numbers of vines whose growth is timed."""
SEGMENTS = 20
"""Number of segments to which the vines grow."""


def least_on_cuda(make: Callable[[str], Propagator], threads: int) -> float:
    """Number of vines from which on a CUDA device is faster, infinite if it never is; takes some seconds on the first call.

    Args:
        make: The propagator on "cpu" and on "cuda".
        threads: Number of threads of the CPU.
    """
    found = known_crossover(threads)
    if found is None:
        found = _read_known()[_key(threads)] = crossover(*_measure(make))
        _write_known(_read_known())
    return found


def known_crossover(threads: int) -> float | None:
    """Return the number of `least_on_cuda` if it was measured before, else None."""
    return _read_known().get(_key(threads))


def _key(threads: int) -> str:
    return f"{device_name()}, {threads} threads"


def crossover(on_cpu: float, on_cuda: tuple[float, float]) -> float:
    """Number of vines for which both take the same time: the threads take a time per vine, a device that and a time per batch.

    Args:
        on_cpu: Time of the CPU for `ON_CPU` vines [s].
        on_cuda: Times of the device for the two numbers of `ON_CUDA` [s].
    Returns:
        The number; infinite if the device needs no less for each vine than the CPU.
    """
    few, many = ON_CUDA
    each, of_cpu = max(on_cuda[1] - on_cuda[0], 0.0) / (many - few), on_cpu / ON_CPU
    batch = max(on_cuda[0] - few * each, 0.0)
    return batch / (of_cpu - each) if of_cpu > each else math.inf


def _measure(make: Callable[[str], Propagator]) -> tuple[float, tuple[float, float]]:
    cpu, cuda = make("cpu"), make("cuda")
    for one in (cpu, cuda):
        _seconds(one, 1)  # compiles
    return _seconds(cpu, ON_CPU), (_seconds(cuda, ON_CUDA[0]), _seconds(cuda, ON_CUDA[1]))


def _seconds(propagator: Propagator, vines: int) -> float:
    """Time to grow vines with actuators on one side or the other [s]."""
    full = propagator.params.segment_length
    side = np.random.default_rng(0).choice([-1.0, 0.0, 1.0], (vines, 1))
    pressure = np.broadcast_to(side * propagator.params.growth_pressure, (vines, SEGMENTS)).copy()
    cells = np.full(pressure.shape, joint_moments(propagator.params).tables.shortest[0])
    start = propagator.start(vines, SEGMENTS)
    before = time.perf_counter()
    propagator.grow(start, Actuation(pressure, cells), SEGMENTS * full, full)
    return time.perf_counter() - before


@cache
def _read_known() -> dict[str, float]:
    """Read the measured numbers, by device and number of threads."""
    try:
        return {str(key): float(value) for key, value in json.loads(_file().read_text(encoding="utf-8")).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write_known(known: dict[str, float]) -> None:
    """Write the measured numbers atomically; if the folder cannot be written, each process measures for itself."""
    part = _file().with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(known, indent=1), encoding="utf-8")
        part.replace(_file())


def _file() -> Path:
    return cache_folder() / FILE

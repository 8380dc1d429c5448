"""Memory that the kernel reads and writes for each step of a vine, counted access by access; run as a module in a process of its own.

From the same counts, warps in lockstep: all lanes begin each step together, and wait for the one with the most accesses in it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np

BATCH = 64
"""Vines whose accesses are counted."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Accesses to the work space in one environment; tables, obstacles and records are not counted."""

    environment: str
    segments: int
    vine_steps: int
    """Growing and at constant length."""
    read_bytes: float
    """For each of them."""
    written_bytes: float
    touched_bytes: float
    """Different bytes that a vine touches while it grows."""
    reserved_bytes: int
    """For each vine."""
    share_of_lanes: float
    """Share of the accesses that lanes would have made, had each made as many in each step as the busiest of its warp [-]."""
    accessed: dict[str, float]
    """Share of the bytes read and written that are of each array [-], by `paths_of`."""


@dataclass(slots=True)
class Tally:
    """Accesses of one vine."""

    read: int = 0
    """[bytes]"""
    written: int = 0
    began: list[int] = field(default_factory=list)
    """Bytes when each step began."""
    by_array: Counter[str] = field(default_factory=Counter)
    """Bytes read and written, by the path of the array."""


class Counted:
    """An array that counts accesses to its numbers."""

    def __init__(self, array: np.ndarray, touched: np.ndarray, tally: Tally, path: str = "") -> None:
        """Count accesses to an array; `touched` is set where there was one, same shape."""
        self._array, self._touched, self.tally, self._path = array, touched, tally, path
        self.shape, self.size = array.shape, array.size

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, at: Any) -> Any:
        found = self._array[at]
        if isinstance(found, np.ndarray):
            return Counted(found, self._touched[at], self.tally, self._path)
        self.tally.read += self._array.itemsize
        self.tally.by_array[self._path] += self._array.itemsize
        self._touched[at] = True
        return found

    def __setitem__(self, at: Any, value: Any) -> None:
        self.tally.written += self._array[at].nbytes
        self.tally.by_array[self._path] += self._array[at].nbytes
        self._touched[at] = True
        self._array[at] = value


def paths_of(tree: Any, path: str = "") -> list[str]:
    """Names of the arrays of nested named tuples, in order: those of the tuples around them and their own, with dots between."""
    if not isinstance(tree, tuple):
        return [path]
    names = type(tree)._fields  # type: ignore[attr-defined]
    return [one for name, part in zip(names, tree, strict=True) for one in paths_of(part, f"{path}.{name}".lstrip("."))]


def measure_traffic(environment: str, length: float) -> Traffic:
    """Grow vines on a simulated device in a process without compiled kernels, and count.

    Args:
        length: Length to which they grow [m].
    """
    environ = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", __name__, environment, str(length)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    return Traffic(**json.loads(told.stdout))


def lockstep_share(steps: list[list[int]]) -> float:
    """`Traffic.share_of_lanes` of warps of `LANES` vines, from the accesses of each vine in each of its steps."""
    from dynamics.cuda import LANES

    longest = 0
    for first in range(0, len(steps), LANES):
        longest += sum(max(together) for together in zip_longest(*steps[first : first + LANES], fillvalue=0))
    return sum(map(sum, steps)) / (LANES * longest)


def _count(name: str, length: float) -> Traffic:
    from dynamics.cuda import LANES, bytes_per_vine, map_leaves
    from dynamics.growth import outcome_of_leaving
    from dynamics.lanes import lane_of
    from dynamics.quasistatic import device, rollout
    from dynamics.quasistatic.propagator import QuasiStatic
    from dynamics.tube import VineParams
    from environments import load_environment
    from studies.rollouts.study import make_random_actuation

    params, masks = VineParams(), []
    model, carried = (
        QuasiStatic(load_environment(name), params, device="cuda"),
        make_random_actuation(params, BATCH, length, 0),
    )
    tallies: dict[int, Tally] = {}
    example = device.example_of(carried.pressure.shape[1])
    paths = paths_of(example)

    def counting(tree: Any, warp: int, lane: int) -> Any:
        tally = tallies[LANES * warp + lane] = Tally()
        path = iter(paths)

        def counted(array: np.ndarray) -> Counted:
            touched = np.zeros(array.shape, bool)
            masks.append((touched, array.itemsize))
            return Counted(array, touched, tally, next(path))

        return map_leaves(counted, lane_of(tree, warp, lane))

    def noting(scene: Any, chain: Any, *more: Any) -> int:
        tally = chain.x.tally
        tally.began.append(tally.read + tally.written)
        return outcome_of_leaving(scene, chain, *more)  # each step calls it once

    device.__dict__["lane_of"], rollout.__dict__["outcome_of_leaving"] = counting, noting
    grown = model.grow(model.start(*carried.pressure.shape), carried, length, params.segment_length)
    every = [tallies[vine] for vine in range(BATCH)]
    steps = int(grown.steps.sum() + (0 if grown.relaxations is None else grown.relaxations.sum()))
    segments, by_array = carried.pressure.shape[1], sum((one.by_array for one in every), Counter[str]())
    return Traffic(
        name,
        segments,
        steps,
        sum(one.read for one in every) / steps,
        sum(one.written for one in every) / steps,
        sum(int(mask.sum()) * size for mask, size in masks) / BATCH,
        bytes_per_vine(example),
        lockstep_share([np.diff([*one.began, one.read + one.written]).tolist() for one in every]),
        {path: round(by_array[path] / by_array.total(), 4) for path in paths},
    )


if __name__ == "__main__":
    print(json.dumps(asdict(_count(sys.argv[1], float(sys.argv[2])))))

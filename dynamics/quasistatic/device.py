"""Growth of a batch on a CUDA device by the kernels of the CPU, one vine in each thread.

The work space of the vines is one `Arena`. A thread copies the bends and pressures of its vine there, grows it exactly as a thread of
the CPU does, and writes its records. All threads of a warp wait for the longest, so vines of similar length share one.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from dynamics.cuda import (
    LANES,
    LEAST_WARPS,
    SHARE,
    Arena,
    argument,
    arguments,
    bytes_per_vine,
    free_memory,
    memory,
    readable_faults,
    to_device,
)
from dynamics.growth import NOT_FINITE, SLACK
from dynamics.lanes import lane_of
from dynamics.moment import JointMoments, Vine, look_up_cells, new_vine
from dynamics.propagator import OutOfMemory
from dynamics.quasistatic.models import WorldModels, model_of
from dynamics.quasistatic.rollout import grow_vine, hold_vine
from dynamics.quasistatic.step import QuasiStaticWork, new_work
from dynamics.records import Batch, Records, new_records, of_vine, rollout_of, task_of
from dynamics.vine import Integers, Rollout, pivots_of
from surrogate.kernels.compiled import Floats, compiled, in_cache_folder
from surrogate.kernels.interruption import CUT, check_cut

warnings.filterwarnings("ignore", ".*Grid size .* under-utilization")  # a small batch is as good a batch
BLOCK = 64
"""Threads of a block."""
KEPT = "angles", "contact_force"
"""Records that stay on the device."""
POLL = 1e-3
"""Interval at which the host looks whether a device has finished, and whether growth is to be cut short [s]."""


class Lanes(NamedTuple):
    """Work space and vine of each thread; in an `Arena` with two more axes."""

    work: QuasiStaticWork
    vine: Vine


@compiled()
def first_broken(angles: Floats, segments: int, last_length: float) -> int:
    """`VineState.broken` of one vine."""
    for j in range(len(angles)):
        if not math.isfinite(angles[j]):
            return j
    return -1 if math.isfinite(last_length) else segments - 1


@compiled()
def begin(joint: JointMoments, vine: Vine, batch: Batch, records: Records, outcome: Integers, b: int) -> bool:
    """Copy vine b into the work space of its lane; whether its state is finite, else how it ended is recorded."""
    angles, pressure = batch.angles[b], batch.pressure[b]
    broken = first_broken(angles, batch.segments[b], batch.last_length[b])
    if broken >= 0:
        records.broken[b, 0], outcome[b, 1] = broken, NOT_FINITE
        return False
    for j in range(len(angles)):
        vine.angles[j], vine.pressure[j] = angles[j], pressure[j]
    look_up_cells(joint, vine, batch.l_0[b], batch.rest[b], batch.kind[b])
    return True


def grow_lanes(
    models: WorldModels,
    lanes: Lanes,
    batch: Batch,
    records: Records,
    outcome: Integers,
    world: Integers,
    order: Integers,
    first: int,
) -> None:
    """Kernel: grow vine order[first + t] in thread t; see `dynamics.quasistatic.rollout.grow_one`."""
    t = cuda.grid(1)
    if first + t >= len(order) or t >= LANES * len(lanes.vine.angles):
        return  # the last block may have more threads than there are vines, or lanes
    b = order[first + t]
    mine, model = lane_of(lanes, t // LANES, t % LANES), model_of(models, world[b])
    if begin(model.joint, mine.vine, batch, records, outcome, b):
        done = grow_vine(model, mine.work, task_of(batch, b), mine.vine, of_vine(records, b), batch.cut)
        outcome[b, 0], outcome[b, 1], outcome[b, 2], outcome[b, 3] = done


def hold_lanes(
    models: WorldModels,
    lanes: Lanes,
    batch: Batch,
    records: Records,
    outcome: Integers,
    world: Integers,
    order: Integers,
    first: int,
) -> None:
    """Kernel: hold vines; the same as `grow_lanes`, which spills half as many registers without this."""
    t = cuda.grid(1)
    if first + t >= len(order) or t >= LANES * len(lanes.vine.angles):
        return
    b = order[first + t]
    mine, model = lane_of(lanes, t // LANES, t % LANES), model_of(models, world[b])
    if begin(model.joint, mine.vine, batch, records, outcome, b):
        done = hold_vine(model, mine.work, task_of(batch, b), mine.vine, of_vine(records, b), batch.cut)
        outcome[b, 0], outcome[b, 1], outcome[b, 2], outcome[b, 3] = done


KERNELS = grow_lanes, hold_lanes


class Device:
    """A CUDA device: grows batches, and keeps the models and the work space of the last one."""

    def __init__(self) -> None:
        """Prepare without copies: they are made when a batch grows."""
        self.arena: Arena | None = None
        self._copied: tuple[WorldModels, WorldModels] | None = None

    def grow(self, models: WorldModels, world: Integers, batch: Batch, pivot: float) -> Rollout:
        """Grow each vine of a batch in a world of its own, as `dynamics.records.grow_batch` does on threads.

        Bends and contact forces of the result are tensors on the device.

        Args:
            world: World of each vine, shape (batch,).
            batch: In host memory, but for bends that are on the device.
            pivot: Distance of a pivot from the centreline where an actuator or a preformed bend is [m].
        Raises:
            OutOfMemory: The batch does not fit into the memory of the device.
            DeviceLost: The device failed.
            Interrupted: The growth was cut short.
        """
        vines = len(batch.length)
        with readable_faults(vines):
            cut = CUT if memory() == "cpu" else cuda.mapped_array(1, np.bool_)
            cut[0] = CUT[0]
            launch = self.prepare(models, world, batch._replace(cut=cut))
            lanes = LANES * launch.arena.warps
            for kernel, order in zip(KERNELS, launch.orders, strict=True):
                for first in range(0, len(order), lanes):
                    launch.arena.fill()
                    blocks = -(-min(lanes, len(order) - first) // BLOCK)
                    _compile_kernel(kernel)[blocks, BLOCK](*launch.given, argument(order), first)
                    _wait(cut)
                    check_cut()
            made, ends = launch.records, launch.outcome.numpy(force=True)
            on_host = {name: part.numpy(force=True) for name, part in made._asdict().items() if name not in KEPT}
        sides = np.where(batch.pressure != 0, batch.pressure, batch.rest)
        return rollout_of(made._replace(**on_host), ends, pivots_of(sides, pivot))

    def prepare(self, models: WorldModels, world: Integers, batch: Batch) -> KernelLaunch:
        """Copy a batch to the device, all but `cut`, and allocate what the kernel writes; see `grow`."""
        vines, room = batch.angles.shape
        records, outcome = _records(batch.length, batch.record_every, room), to_device(np.zeros((vines, 4), np.int64))
        order, growing = np.argsort(-batch.length, kind="stable"), int((batch.length > SLACK).sum())
        arena, copied = self._arena_for(vines, room), to_device(batch)._replace(cut=batch.cut)
        given = arguments((self._copy_of(models), arena.views, copied, records, outcome, to_device(world)))
        return KernelLaunch(arena, records, outcome, given, to_device((order[:growing], order[growing:])))

    def _copy_of(self, models: WorldModels) -> WorldModels:
        if self._copied is None or self._copied[0] is not models:
            self._copied = None  # its memory is free again
            self._copied = models, to_device(models)
        return self._copied[1]

    def _arena_for(self, vines: int, max_segments: int) -> Arena:
        """Work space of vines of up to `max_segments` segments: for all of them, or for as many as fit into free memory.

        Raises:
            OutOfMemory: Not even `LEAST_WARPS` warps fit.
        """
        example = example_of(max_segments)
        warps = max(-(-vines // LANES), LEAST_WARPS)
        if self.arena and self.arena.warps >= warps and len(self.arena.example.vine.angles) == len(example.vine.angles):
            return self.arena
        self.arena = None  # its memory is free again
        if (fitting := int(SHARE * free_memory()) // (LANES * bytes_per_vine(example))) < LEAST_WARPS:
            raise OutOfMemory(f"the CUDA device has no memory for {LEAST_WARPS * LANES} vines: end other programs")
        self.arena = Arena(example, min(warps, fitting))
        return self.arena


def example_of(max_segments: int) -> Lanes:
    """Work space of one vine."""
    room = max(max_segments, 2)  # arrays of one entry would have another type
    return Lanes(new_work(room), new_vine(np.zeros(room), np.zeros(room)))


class KernelLaunch(NamedTuple):
    """Arguments of the kernels, as tensors and as the kernels take them, for all vines of a batch."""

    arena: Arena
    records: Records
    outcome: Any
    given: tuple[Any, ...]
    """All arguments but the last two."""
    orders: tuple[Any, Any]
    """Vines for each of `KERNELS`, the longest first."""


def _wait(cut: Any) -> None:
    """Wait for a device; growth that is to be cut short ends at its next step."""
    if cut is CUT:  # what is simulated has run when the launch returns
        return
    done = cuda.event()
    done.record()
    while not done.query():
        cut[0] = CUT[0]
        time.sleep(POLL)
    cuda.synchronize()  # raises what went wrong in the kernel


def _records(lengths: Floats, record_every: float, max_segments: int) -> Records:
    """Records of a batch on the device, see `dynamics.records.new_records`.

    Raises:
        OutOfMemory: They would take more memory than the device has.
    """
    batch = len(lengths)
    one = new_records(lengths.max(initial=0.0, keepdims=True), record_every, max_segments)
    each, free = sum(part.nbytes for part in one), SHARE * free_memory()
    if batch * each > free:
        raise OutOfMemory(
            f"the records of {batch} vines of up to {max_segments} segments take {batch * each / 1e9:.1f} GB on the CUDA device, of "
            f"whose memory {free / 1e9:.1f} GB can be used: grow at most {int(free // each)} at once"
        )
    return Records(*(part.repeat(batch, *[1] * (part.ndim - 1)) for part in to_device(one)))


@cache
def _compile_kernel(kernel: Callable[..., None]) -> Any:
    """Compile one of `KERNELS` on its first launch, which takes one to two minutes, or read it from the cache."""
    with in_cache_folder():
        return cuda.jit(cache=True)(kernel)

"""Vines that grow on a CUDA device and on the CPU; run as a module, it grows them on Numba's simulated device, all in Python."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

if __name__ == "__main__":
    # Before Numba is imported: compiled for the simulated device, the same kernels would take minutes.
    os.environ.update(NUMBA_ENABLE_CUDASIM="1", NUMBA_DISABLE_JIT="1")

import numpy as np

from dynamics import cuda
from dynamics.moved_scene import ObjectMotions, build_moved_scenes
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, VineState, to_host
from dynamics.world import BuiltWorlds
from environments import Environment, load_environment
from environments.objects import objects_of
from environments.obstacles import Obstacles

FULL = 25e-3
"""Length of a segment of the default tube [m]."""
COMPARED = tuple(name for name in Rollout.__slots__ if name not in ("pivots", "held"))


def sections(batch: int, segments: int, seed: int) -> Actuation:
    """Sections of four segments with random actuators on either side, or none."""
    rng = np.random.default_rng(seed)
    pressure = np.repeat(rng.choice([-18e3, 0.0, 18e3], (batch, -(-segments // 4))), 4, axis=1)[:, :segments]
    return Actuation(pressure.copy(), np.full((batch, segments), 0.04))


def last(rollout: Rollout) -> VineState:
    """The last states of vines that have one each."""
    return rollout.state(np.arange(len(rollout.records)), rollout.records - 1)


def in_maze(device: str, seed: int = 1, params: VineParams | None = None, friction: float | None = None) -> Rollout:
    """Vines of several lengths, some of which touch walls."""
    model = QuasiStatic(load_environment("maze"), params or VineParams(), friction=friction, device=device)
    batch, segments = 3, 14
    lengths = FULL * np.array([14.0, 7.3, 11.0])
    return model.grow(model.start(batch, segments), sections(batch, segments, seed), lengths, FULL)


def held(device: str) -> Rollout:
    """Vines that were grown and are held with their actuators on the other side: their states come from the device."""
    model, carried = QuasiStatic(load_environment("maze"), VineParams(), device=device), sections(2, 8, 4)
    grown = model.grow(model.start(2, 8), carried, 8 * FULL, FULL)
    return model.grow(last(grown), Actuation(-carried.pressure, carried.l_0), 0.0, FULL)


def coiled(device: str) -> Rollout:
    """A vine that bends until it meets its own body."""
    bounds, nothing = np.array([-2.0, -2.0, 2.0, 2.0]), Obstacles()
    free = Environment("free", "", bounds, np.zeros(3), np.array([1.0, 1.0, 0.1]), nothing)
    model = QuasiStatic(free, VineParams(), device=device)
    carried = Actuation(np.full((1, 90), 30e3), np.full((1, 90), 0.03))
    return model.grow(model.start(1, 90), carried, 90 * FULL, 10 * FULL)


def in_worlds(device: str) -> Rollout:
    """Five vines in three worlds of other obstacles, bases, tubes and friction."""
    environment, params = load_environment("divider"), VineParams()
    objects, rng = objects_of(environment).max() + 1, np.random.default_rng(2)
    motions = ObjectMotions(
        rng.normal(0, 5e-3, (3, objects, 2)),
        rng.normal(0, 0.03, (3, objects)),
        np.zeros((3, objects)),
        np.zeros((3, objects)),
        environment.start + rng.normal(0, 2e-3, (3, 3)),
    )
    scenes, _ = build_moved_scenes(environment, params, motions)
    planned = QuasiStatic(environment, params, device=device)
    factors = np.array([(1.1, 0.8, 1.5, 0.2), (0.9, 1.3, 0.5, np.nan), (1.0, 1.0, 1.0, 0.4)])
    models = planned.in_worlds(BuiltWorlds(scenes, motions.start, *factors.T.copy()))
    # A device that has the model as planned must then copy that of the worlds.
    planned.grow(planned.start(1, 16), sections(1, 16, 9), FULL, FULL)
    world = np.array([2, 0, 1, 0, 2])
    return planned.grow_in(models, world, planned.start(5, 16), sections(5, 16, 9), 16 * FULL, FULL)


def broken(device: str) -> Rollout:
    """Vines whose states are not finite, between others."""
    model = QuasiStatic(load_environment("maze"), VineParams(), device=device)
    angles = np.zeros((4, 5))
    angles[1, 2] = np.nan
    state = VineState(angles, np.array([2, 2, 2, 2]), np.array([0.01, 0.01, np.inf, 0.02]))
    return model.grow(state, sections(4, 5, 0), FULL, FULL)


def in_turns(device: str) -> Rollout:
    """More vines than there are lanes for: the device bends them in two launches."""
    with_memory = cuda.HOST_MEMORY
    cuda.HOST_MEMORY = 18_500_000  # for 96 lanes: the last block of a launch has threads without a lane
    try:
        model = QuasiStatic(load_environment("maze"), VineParams(), device=device)
        straight = VineState(np.zeros((150, 3)), np.full(150, 3), np.full(150, FULL))
        return model.grow(straight, sections(150, 3, 7), 0.0, FULL)
    finally:
        cuda.HOST_MEMORY = with_memory


def single(device: str) -> Rollout:
    """One vine of one segment."""
    model = QuasiStatic(load_environment("maze"), VineParams(), device=device)
    return model.grow(model.start(1, 1), sections(1, 1, 0), 0.02, FULL)


def published(device: str) -> Rollout:
    """The equations as published: one step per growth."""
    return in_maze(device, 3, VineParams(physics="published"), 0.3)


def rubbing(device: str) -> Rollout:
    """A tube with static friction, of tip and body, and a tail that drags."""
    params = replace(
        VineParams(), friction=0.2, static_friction=0.4, tail_tension=0.5, tail_drag=0.3, tail_friction=0.2
    )
    return in_maze(device, 5, params)


def preformed(device: str) -> Rollout:
    """Vines with preformed bends beside and instead of their actuators."""
    model, carried = QuasiStatic(load_environment("maze"), VineParams(), device=device), sections(3, 12, 6)
    rest = np.random.default_rng(7).choice([-2.0, 0.0, 2.0], (3, 12))
    return model.grow(model.start(3, 12), replace(carried, rest=rest), 12 * FULL, FULL)


CASES: dict[str, Callable[[str], Rollout]] = {
    one.__name__: one
    for one in (in_maze, held, coiled, in_worlds, broken, in_turns, single, published, rubbing, preformed)
}


def as_arrays(rollout: Rollout) -> dict[str, np.ndarray]:
    """Return the arrays of a rollout that are compared, in host memory."""
    return {name: np.asarray(to_host(getattr(rollout, name))) for name in COMPARED}


if __name__ == "__main__":
    found = {}
    for device in ("cpu", "cuda"):
        for name, case in CASES.items():
            grown = case(device)
            found |= {f"{device} {name} {part}": array for part, array in as_arrays(grown).items()}
            found[f"{device} {name} in host memory"] = np.array(isinstance(grown.angles, np.ndarray))
    np.savez(Path(sys.argv[1]), **found)

"""Measurements of exact contact on a CUDA device, and what can be measured of it without one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dynamics.cuda import LANES, why_not
from dynamics.propagator import PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers
from environments import load_environment
from environments.uncertainty import WORKSHOP
from planner.output.provenance import machine
from planner.uncertainty.trials import Worlds, grow_rows
from studies.gpu.precision import GROUPS, Precision, measure_precision
from studies.gpu.traffic import Traffic, measure_traffic
from studies.gpu.usage import Usage, measure_usage
from studies.rollouts.study import RolloutSpeed, make_random_actuation, measure_rollouts

ENVIRONMENTS = "maze", "long", "building"
KERNELS = "grow_lanes", "hold_lanes"
CAPABILITIES = (8, 0), (9, 0)
"""Compute capabilities for which the kernels are compiled: of the A100, and of the H100 and H200."""
LENGTH = 1.0
"""Length to which vines grow [m]."""
ON_CPU, ON_CUDA = (100, 1000, 10_000), (100, 1000, 10_000, 100_000)
"""Batch sizes."""
LOCKSTEP = 4096
"""Vines whose steps are put into warps."""
PUBLISHED = 100
"""Batch size of Algorithm 1."""
TRIALS = 10_000, 100_000
"""Worlds of `divider` in which one vine each grows: on the CPU, and on a device."""


@dataclass(frozen=True, slots=True)
class GpuCase:
    """One measurement."""

    kind: str
    """ "usage", "lockstep", "traffic", "precision", "speed", "algorithm 1" or "trials"."""
    environment: str = ""
    device: str = "cpu"
    batch: int = 0
    kernel: str = ""
    arrays: str = ""
    capability: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Lockstep:
    """Steps of vines in one environment, and what warps would make of them."""

    environment: str
    vines: int
    steps: float
    """Mean number of steps of a vine, growing and at constant length."""
    shares: dict[str, float]
    """Share of the time of a warp's lanes in which they step, by how vines are ordered [-]."""


@dataclass(frozen=True, slots=True)
class TrialSpeed:
    """Time of trials: drawing worlds, moving obstacles, growing."""

    machine: str
    device: str
    trials: int
    prepare_s: float
    grow_s: float


Found = Usage | Lockstep | Traffic | Precision | RolloutSpeed | TrialSpeed
NAMES: dict[type[Found], str] = {
    Usage: "usage",
    Lockstep: "lockstep",
    Traffic: "traffic",
    Precision: "precision",
    RolloutSpeed: "speeds",
    TrialSpeed: "trials",
}
"""Keys of the lists of measurements in the JSON file of a report."""


def cases() -> list[GpuCase]:
    """Return the measurements of this machine: with a device, those that need one first; without, what can be known of one."""
    on_cpu = [
        *(GpuCase("speed", one, "cpu", batch) for batch in ON_CPU for one in ENVIRONMENTS),
        GpuCase("trials", "divider", "cpu", TRIALS[0]),
        *(GpuCase("algorithm 1", one, "cpu", PUBLISHED) for one in ENVIRONMENTS),
    ]
    if why_not() is None:
        return [
            *(GpuCase("speed", one, "cuda", batch) for batch in ON_CUDA for one in ENVIRONMENTS),
            GpuCase("trials", "divider", "cuda", TRIALS[1]),
            *(GpuCase("algorithm 1", one, "cuda", PUBLISHED) for one in ENVIRONMENTS),
            *on_cpu,
        ]
    found = [*on_cpu, *(GpuCase("usage", kernel=kernel, capability=one) for kernel in KERNELS for one in CAPABILITIES)]
    found += [GpuCase("lockstep", one, batch=LOCKSTEP) for one in ENVIRONMENTS]
    found += [GpuCase("precision", one, arrays=arrays) for arrays in GROUPS for one in ENVIRONMENTS]
    return [*found, *(GpuCase("traffic", one) for one in ENVIRONMENTS)]


class EarlierMeasurements(NamedTuple):
    """Measurements of an earlier report, perhaps of another machine."""

    found: Sequence[Found]
    known_on: str
    """Machine on which was measured what can be known without a device."""
    depends_on: Any = None
    """Dependencies of the report; None if they were not recorded."""

    @classmethod
    def of(cls, content: dict[str, Any]) -> EarlierMeasurements:
        """Read the content of the JSON file of a report.

        Raises:
            KeyError, TypeError: It has another form.
        """
        found = [kind(**row) for kind, name in NAMES.items() for row in content[name]]
        return cls(found, content.get("known_on", content["machine"]), content.get("depends_on"))


def merge_earlier(earlier: Sequence[Found], found: Sequence[Found]) -> list[Found]:
    """Measurements of an earlier report that have no like among those found now."""

    def like(one: Found) -> tuple[type, bool] | None:
        """None for what is known without a device, which is of one run."""
        return (type(one), one.device.startswith("cpu")) if isinstance(one, RolloutSpeed | TrialSpeed) else None

    known = {like(one) for one in found}
    return [one for one in earlier if like(one) not in known]


def measure(several: Sequence[GpuCase]) -> Iterator[Found]:
    """Make measurements in sequence."""
    params = VineParams()
    for case in several:
        match case.kind:
            case "usage":
                yield measure_usage(case.kernel, case.capability)
            case "lockstep":
                yield measure_lockstep(case.environment, case.batch)
            case "traffic":
                yield measure_traffic(case.environment, LENGTH)
            case "precision":
                yield measure_precision(case.arrays, case.environment, LENGTH)
            case "trials":
                yield _trials(case.environment, case.device, case.batch)
            case "algorithm 1":
                from dynamics.penalty.propagator import Penalty

                make: PropagatorFactory = partial(Penalty, device=case.device, solver="gradient")
                yield measure_rollouts(case.environment, params, make, "Algorithm 1", case.batch, LENGTH)
            case _:
                make = partial(QuasiStatic, device=case.device)
                yield measure_rollouts(case.environment, params, make, "exact contact", case.batch, LENGTH)


def measure_lockstep(environment: str, vines: int) -> Lockstep:
    """Steps of random vines, and how long the lanes of warps wait for the longest among them."""
    params = VineParams()
    model, carried = (
        QuasiStatic(load_environment(environment), params, device="cpu"),
        make_random_actuation(params, vines, LENGTH, 0),
    )
    rollout = model.grow(model.start(*carried.pressure.shape), carried, LENGTH, params.segment_length)
    steps = rollout.steps + (0 if rollout.relaxations is None else rollout.relaxations)
    shares = {"as they come": share_of_lanes(steps), "by their steps": share_of_lanes(np.sort(steps))}
    return Lockstep(environment, vines, float(steps.mean()), shares)


def share_of_lanes(steps: Integers) -> float:
    """Share of the time of warps in which their lanes work, if a step takes the same time in all [-].

    Args:
        steps: Of each vine, in the order in which warps take them, shape (vines,).
    """
    padded = np.concatenate([steps, np.zeros(-len(steps) % LANES, steps.dtype)]).reshape(-1, LANES)
    return float(steps.sum() / (LANES * padded.max(axis=1).sum()))


def _trials(environment: str, device: str, trials: int) -> TrialSpeed:
    """Grow one straight vine in each of many worlds with the errors of a workshop."""
    params, planned = VineParams(), load_environment(environment)
    segments = int(LENGTH / params.segment_length)
    first = Worlds.draw(planned, params, WORKSHOP, range(1), 0, device)
    grow_rows(first, np.zeros(1, np.int64), _straight(1, segments), LENGTH)
    begun = time.perf_counter()
    worlds = Worlds.draw(planned, params, WORKSHOP, range(trials), 0, device)
    made = time.perf_counter()
    for rows in np.array_split(np.arange(trials), -(-trials // worlds.batch_size(segments))):
        grow_rows(worlds, rows, _straight(len(rows), segments), LENGTH)
    ended = time.perf_counter()
    return TrialSpeed(machine(), worlds.planned.device_name, trials, made - begun, ended - made)


def _straight(vines: int, segments: int) -> Actuation:
    return Actuation(np.zeros((vines, segments)), np.zeros((vines, segments)))

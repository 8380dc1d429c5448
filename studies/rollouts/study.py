"""Measurements of all propagators: their speed, and the agreement of their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.ops import substring

from dynamics.propagator import CannotRun, Propagator, PropagatorFactory
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Integers, Rollout, Status, centerlines
from environments import Environment, load_environment
from planner.design.catalogue import Catalogue
from planner.design.comparison.growths import PARTED
from planner.output.provenance import machine
from planner.search.controls import actuation
from planner.search.run import warm_up
from surrogate.kernels.compiled import Floats

SENSITIVE, UNSOLVED, UNEXPLAINED = REASONS = ("sensitive", "unsolved", "unexplained")
"""Why the tip of a vine diverges: it also diverges between quasi-static simulations if the step is halved or pressures are raised
by 0.5 %; or it no longer diverges if the steps are solved more accurately; or neither."""
LONG = 20.0
"""A rollout that takes longer than this [s] is timed once instead of three times."""
COMPARED = 40
"""Number of random vines of which the ends are compared."""


Models = dict[str, tuple[PropagatorFactory, PropagatorFactory]]
"""Factories of each propagator, and of the same one with more accurately solved steps, by name."""


@dataclass(frozen=True, slots=True)
class RolloutCase:
    """One measurement of a model: its speed with a batch size, or its agreement with the default model."""

    model: str
    batch: int | None = None
    """None for the agreement."""


@dataclass(frozen=True, slots=True)
class RolloutSpeed:
    """Time that a batch of random vines takes to grow."""

    environment: str
    model: str
    machine: str
    device: str
    batch: int
    length_m: float
    vine_steps: int
    seconds: float
    """Minimum of three measurements; a single one if it exceeds `LONG` [s]."""
    first_call_seconds: float
    """Time to compile the kernels, or to load them from disk [s]."""

    @property
    def rate(self) -> float:
        """Vine-steps per second."""
        return self.vine_steps / self.seconds


@dataclass(frozen=True, slots=True)
class PropagatorAgreement:
    """Comparison of the ends of random vines between a propagator and the quasi-static one."""

    environment: str
    model: str
    vines: int
    length_m: float
    same_end: float
    """Share of vines that grow to full length with both propagators or with neither [-]."""
    median_mm: float
    """Median distance between the two tips at the last length recorded by both [mm]."""
    p90_mm: float
    p99_mm: float
    largest_mm: float
    parted: dict[int, str]
    """Reason, one of `REASONS`, for each vine whose tips are farther apart than PARTED, by index."""
    deepest_mm: float
    """Maximum penetration of an obstacle by a recorded vine [mm]."""

    def count(self, reason: str) -> int:
        """Number of vines that diverged for a reason."""
        return list(self.parted.values()).count(reason)


@dataclass(frozen=True, slots=True)
class SpeedScene:
    """Environment, tube and length for the measurements of speed."""

    environment: str
    params: VineParams
    length: float
    """Length of the tube [m]; at most 1.5 m is used for the comparison of ends."""


def cases(models: Models, batches: Sequence[int]) -> list[RolloutCase]:
    """Return the speed of every model with every batch size, then the agreement of all but the first model."""
    return [*(RolloutCase(model, batch) for batch in batches for model in models), *map(RolloutCase, list(models)[1:])]


def run_cases(
    several: Sequence[RolloutCase], models: Models, grown: SpeedScene, tell: Callable[[str], object]
) -> Iterator[RolloutSpeed | PropagatorAgreement]:
    """Measure cases in sequence.

    Args:
        tell: Called with a line about each batch that is skipped.
    Raises:
        CannotRun: A model cannot grow the smallest batch.
    """
    smallest = min((case.batch for case in several if case.batch), default=0)
    for case in several:
        make, closer = models[case.model]
        if case.batch is None:
            length = min(grown.length, 1.5)
            yield measure_agreement(grown.environment, grown.params, make, closer, case.model, COMPARED, length)
        else:
            try:
                yield measure_rollouts(grown.environment, grown.params, make, case.model, case.batch, grown.length)
            except CannotRun as error:
                if case.batch == smallest:
                    raise
                tell(f"left out: {error}")


def split_results(
    found: Sequence[RolloutSpeed | PropagatorAgreement],
) -> tuple[list[RolloutSpeed], list[PropagatorAgreement]]:
    """Separate speeds from comparisons."""
    speeds = [one for one in found if isinstance(one, RolloutSpeed)]
    return speeds, [one for one in found if isinstance(one, PropagatorAgreement)]


def measure_rollouts(
    env: str, params: VineParams, make: PropagatorFactory, model: str, batch: int, length: float
) -> RolloutSpeed:
    """Grow vines with random sections from the start of an environment, three times."""
    environment = load_environment(env, params.radius)
    start = time.perf_counter()
    propagator = make(environment, params)
    warm_up(propagator)
    first_call = time.perf_counter() - start
    carried = make_random_actuation(params, batch, length, seed=0)
    best, steps = np.inf, 0
    for _ in range(3):
        if not steps or best < LONG:
            seconds, rollout = _time_growth(propagator, carried, length, params)
            best, steps = min(best, seconds), int(rollout.steps.sum())
    device = propagator.device_name
    return RolloutSpeed(environment.name, model, machine(), device, batch, length, steps, best, first_call)


def _time_growth(
    propagator: Propagator, carried: Actuation, length: float, params: VineParams
) -> tuple[float, Rollout]:
    start = time.perf_counter()
    state = propagator.start(*carried.pressure.shape)
    rollout = propagator.grow(state, carried, length, params.segment_length)
    return time.perf_counter() - start, rollout


def make_random_actuation(params: VineParams, batch: int, length: float, seed: int) -> Actuation:
    """Sections of 0.1 to 0.75 m, a third of them without actuator, a third on either side."""
    catalogue, rng = Catalogue.of(params), np.random.default_rng(seed)
    controls = np.zeros((batch, int(np.ceil(length / params.segment_length - 1e-9))), np.int32)
    for row in controls:
        begin = 0
        while begin < len(row):
            end = begin + int(rng.integers(4, 31))
            row[begin:end] = rng.integers(-1, 2) * rng.integers(1, len(catalogue.l_0) + 1)
            begin = end
    return actuation(controls, catalogue)


def measure_agreement(
    env: str,
    params: VineParams,
    make: PropagatorFactory,
    closer: PropagatorFactory,
    model: str,
    vines: int,
    length: float,
    seed: int = 1,
) -> PropagatorAgreement:
    """Grow the same random vines under a propagator and under the quasi-static one, by the same physics.

    Under both a tube may lie on itself if the propagator does not know the tube's own body (`Capabilities.own_body`).

    Args:
        closer: Factory of the same propagator with more accurately solved steps, to find why tips diverge.
    """
    environment = load_environment(env, params.radius)
    carried = make_random_actuation(params, vines, length, seed)
    tested = make(environment, params)
    if not tested.capabilities.own_body:
        environment = replace(environment, stacked=True)
    exact = QuasiStatic(environment, params)
    reference, rollout = (_time_growth(model, carried, length, params)[1] for model in (exact, tested))
    apart = tip_distance(rollout, reference)
    parted = np.flatnonzero(apart > PARTED)
    some = carried.of(parted)
    sensitive = _is_sensitive(exact, some, length)
    solved = (_time_growth(model, some, length, params)[1] for model in (exact, closer(environment, params)))
    reasons = np.where(sensitive, SENSITIVE, np.where(tip_distance(*solved) <= PARTED, UNSOLVED, UNEXPLAINED))
    median, p90, p99, largest = (round(float(1e3 * np.quantile(apart, share)), 3) for share in (0.5, 0.9, 0.99, 1.0))
    return PropagatorAgreement(
        environment=environment.name,
        model=model,
        vines=vines,
        length_m=length,
        same_end=float(np.mean((rollout.status == Status.GROWN) == (reference.status == Status.GROWN))),
        median_mm=median,
        p90_mm=p90,
        p99_mm=p99,
        largest_mm=largest,
        parted=dict(zip(parted.tolist(), reasons.tolist(), strict=True)),
        deepest_mm=round(1e3 * _deepest(rollout, environment, params), 3),
    )


def _is_sensitive(exact: QuasiStatic, carried: Actuation, length: float) -> NDArray[np.bool_]:
    """Return for each vine whether it ends elsewhere when the quasi-static step is halved or pressures rise by 0.5 %."""
    stronger = replace(carried, pressure=1.005 * carried.pressure)
    as_it_is, refined, raised = (
        _time_growth(model, actuated, length, exact.params)[1]
        for model, actuated in ((exact, carried), (exact.refined(), carried), (exact, stronger))
    )
    return (tip_distance(refined, as_it_is) > PARTED) | (tip_distance(raised, as_it_is) > PARTED)


def _deepest(rollout: Rollout, environment: Environment, params: VineParams) -> float:
    """Maximum penetration of an obstacle by the recorded vines [m], of the mount by what is beyond their first diameter."""
    mounted = environment.mounted
    solid, mount = (shapely.union_all(environment.solids.part(part).shapes()) for part in (~mounted, mounted))
    shapely.prepare(solid)
    vine, record = np.nonzero(np.arange(rollout.segments.shape[1]) < rollout.records[:, None])
    joints = centerlines(rollout.state(vine, record), environment.start, params)
    lines = [shapely.LineString(line[~np.isnan(line[:, 0])]) for line in joints]
    gaps = [line.distance(solid) for line in lines]
    if mounted.any():
        gaps += [substring(line, 2 * params.radius, line.length).distance(mount) for line in lines]
    return max(params.radius - float(np.nan_to_num(gaps, nan=np.inf).min(initial=np.inf)), 0.0)


def tip_distance(one: Rollout, other: Rollout) -> Floats:
    """Distance of the tips of each vine at the last record in both rollouts [m]; infinite if only one has records."""
    last: Integers = np.minimum(one.records, other.records) - 1
    vines: NDArray[np.int64] = np.arange(len(last))
    apart = np.hypot(*(one.tips[vines, last, :2] - other.tips[vines, last, :2]).T)
    return np.where(last >= 0, apart, np.where(one.records == other.records, 0.0, np.inf))


class EarlierSpeeds(NamedTuple):
    """Speeds of an earlier report."""

    elsewhere: list[RolloutSpeed]
    """Those on other machines."""
    depends_on: Any
    """Dependencies of the report; None if they were not recorded."""


def speeds_elsewhere(content: dict[str, Any]) -> EarlierSpeeds:
    """Return the speeds of an earlier report that this machine cannot measure."""
    names = [field.name for field in fields(RolloutSpeed)]
    rows = (RolloutSpeed(**{name: row[name] for name in names}) for row in content["speeds"] if "machine" in row)
    return EarlierSpeeds([speed for speed in rows if speed.machine != machine()], content.get("depends_on"))

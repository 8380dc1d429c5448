"""Adaptation of a tube that is built: what can still be changed so that it reaches the goal in spite of its errors, cheapest first.

The tube is glued: sections, sides and cells stay. Each kind of change is searched by CMA-ES (Hansen, 2016; the library `cma`) on the
smooth loss of refinement, over tubes with errors that fit the trials; all candidates meet the same ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from planner.built.posterior import Posterior, SuccessRange, predict_success
from planner.built.predicting import BuiltTube, Setting
from planner.design.catalogue import Catalogue
from planner.design.design import Design, Side
from planner.design.schedule import Schedule
from planner.plan.choice.refinement import Candidate, fits, replace_curvature
from surrogate.kernels.compiled import Floats

WORLDS = 32
"""Number of tubes with errors that fit the trials in which candidates are compared."""
POPULATION = 10
"""Number of candidates of a generation."""
PATIENCE = 5
"""Number of generations without a better candidate after which a kind of change is searched no further."""
LEAST_GAIN = 5e-3
"""A candidate whose loss is lower by less is not much better [-]."""
LEVELS = 0.3
"""Change of the logarithm of a pressure by one unit of the search [-]."""
FINEST = 100.0
"""Pressures are rounded to this [Pa]."""
PRESS = 0.3
"""Largest relative change of the growth pressure [-]."""


class Mount(NamedTuple):
    """How far the base can be moved."""

    shift: float = 10e-3
    """In x and in y [m]."""
    turn: float = np.radians(3.0)
    """[rad]"""


MOUNT = Mount()


class Kind(NamedTuple):
    """A kind of change, as a function of unknowns around 0, each of the order of 1."""

    name: str
    unknowns: int
    make: Callable[[Floats], Setting | None]
    """Returns the setting at a point; None where it cannot be made."""


@dataclass(frozen=True, slots=True, eq=False)
class Adapted:
    """The best change of a kind."""

    name: str
    setting: Setting
    success: SuccessRange
    seconds: float
    """Time of the search [s]."""


def adapt(
    posterior: Posterior, mount: Mount = MOUNT, budget: float = 30.0, seed: int = 0, movable: tuple[int, ...] = ()
) -> Iterator[Adapted]:
    """Search each kind of change, cheapest first, and yield the best of each; the first is the tube as it is.

    Each kind begins with the best pressures that were found.

    Args:
        mount: How far the base can be moved.
        budget: Time for all of them [s]; each has an equal share of what is left.
        movable: Objects of the environment that can be moved (`environments.objects`).
    """
    start = time.monotonic()
    design = posterior.tube.design
    yield Adapted("as it is", Setting(design), predict_success(posterior, seed=seed), 0.0)
    best = design
    kinds: list[Callable[[Design], tuple[Kind, Posterior]]] = [
        lambda now: (_pressures(now), posterior),
        lambda now: (_schedule(now), posterior),
        lambda now: (_base(now, mount), posterior),
        lambda now: (_growth_pressure(now), posterior),
        *(lambda now, side=side: _another(now, side, posterior) for side in ("left", "right")),
        *(lambda now, item=item: (_moved(now, item, mount), posterior) for item in movable),
    ]
    for number, kind in enumerate(kinds):
        began = time.monotonic()
        until = began + max(start + budget - began, 0.0) / (len(kinds) - number)
        change, known = kind(best)
        setting = search(change, known, until, seed)
        if setting is None:
            continue
        if number == 0:
            best = setting.design
        yield Adapted(change.name, setting, predict_success(known, setting, seed=seed), time.monotonic() - began)


def search(kind: Kind, posterior: Posterior, until: float, seed: int) -> Setting | None:
    """Search the best setting of a kind by its smooth loss; at least one generation.

    Args:
        until: When to stop, of `time.monotonic` [s].
    """
    import cma  # takes a second

    if not kind.unknowns:
        return None
    rng = np.random.default_rng([seed, 11])
    chosen = rng.permutation(len(posterior.normal))[:WORLDS]
    passing = rng.standard_normal((len(chosen), posterior.normal.shape[1]))
    normal = posterior.tube.pair(posterior.normal[chosen], passing)
    options: dict[str, Any] = {"seed": seed + 1, "verbose": -9, "popsize": POPULATION}
    evolution = cma.CMAEvolutionStrategy(np.zeros(kind.unknowns), 0.5, options)
    best, lowest, idle = kind.make(np.zeros(kind.unknowns)), np.inf, 0
    if best is not None:
        lowest = _loss(best, posterior.tube, normal)
    while idle < PATIENCE:
        asked = evolution.ask()
        made = [kind.make(np.asarray(point)) for point in asked]
        losses = [
            1e3 + float(np.linalg.norm(x)) if one is None else _loss(one, posterior.tube, normal)
            for one, x in zip(made, asked, strict=True)
        ]
        evolution.tell(asked, losses)
        first = int(np.argmin(losses))
        idle = 0 if losses[first] < lowest - LEAST_GAIN else idle + 1
        if losses[first] < lowest and made[first] is not None:
            best, lowest = made[first], losses[first]
        if time.monotonic() >= until:
            break
    return best


def _loss(setting: Setting, tube: BuiltTube, normal: Floats) -> float:
    nearest = tube.grow(normal, setting).nearest
    # Of a design that is not judged as planned: its trials count alone.
    return Candidate(setting.design, nearest, -np.inf).loss


def _levels(design: Design, x: Floats) -> list[float]:
    """Return the pressures of the actuators at a point, within their limits [Pa]."""
    found = []
    for section, change in zip(design.actuated, x.tolist(), strict=True):
        limits = design.params.actuators[section.kind].limits
        pressure = np.clip(section.pressure * np.exp(LEVELS * change), limits.least_pressure, limits.most_pressure)
        found.append(float(np.round(pressure / FINEST) * FINEST))
    return found


def _pressures(design: Design) -> Kind:
    return Kind("other pressures", design.actuators, lambda x: Setting(_with_levels(design, x)))


def _schedule(design: Design) -> Kind:
    """One change of all pressures at a mark on the tube."""
    count = design.actuators

    def make(x: Floats) -> Setting:
        share = 1 / (1 + np.exp(-2 * x[0]))
        mark = float(np.round(share * design.length, 3))
        before, after = _levels(design, x[1 : 1 + count]), _levels(design, x[1 + count :])
        return Setting(design.scheduled(Schedule([0.0, mark, mark], [before, before, after])))

    return Kind("a change of pressures at a mark", 1 + 2 * count if count else 0, make)


def _base(design: Design, mount: Mount) -> Kind:
    """Another pose of the base within its mount, and other pressures."""
    most = np.array([mount.shift, mount.shift, mount.turn])

    def make(x: Floats) -> Setting:
        x_, y, turn = (most * np.tanh(x[:3])).tolist()
        return Setting(
            _with_levels(design, x[3:]), base=(round(x_, 4), round(y, 4), float(np.radians(round(np.degrees(turn), 1))))
        )

    return Kind("another pose of the base", 3 + design.actuators if most.any() else 0, make)


def _growth_pressure(design: Design) -> Kind:
    """Another growth pressure, and other pressures."""
    whole = design.params.growth_pressure

    def make(x: Floats) -> Setting:
        change = whole * PRESS * float(np.tanh(x[0]))
        return Setting(_with_levels(design, x[1:]), growth_pressure=float(np.round(change / FINEST) * FINEST))

    return Kind("another growth pressure", 1 + design.actuators, make)


def _moved(design: Design, item: int, mount: Mount) -> Kind:
    """Another place of an object, and other pressures."""

    def make(x: Floats) -> Setting:
        shift = 3 * mount.shift * np.tanh(x[:2])
        return Setting(_with_levels(design, x[2:]), moved=((item, *np.round(shift, 3).tolist()),))

    return Kind("an obstacle that is moved", 2 + design.actuators, make)


def _another(design: Design, side: Side, posterior: Posterior) -> tuple[Kind, Posterior]:
    """One more actuator on the bare tube beyond the last, and other pressures."""
    name, last = f"one more actuator on the {side}", design.sections[-1]
    catalogue, params = Catalogue.of(design.params), design.params
    if last.side != "none":
        return Kind(name, 0, lambda _: None), posterior
    low, high = catalogue.ranges[0]

    def make(x: Floats) -> Setting | None:
        begin, share, bend = (1 / (1 + np.exp(-x[:3]))).tolist()
        whole = last.end - last.start
        start = float(np.round(last.start + begin * whole, 3))
        end = float(np.round(start + share * (last.end - start), 3))
        middle = replace_curvature(replace(last, start=start, end=end, side=side), catalogue, low + (high - low) * bend)
        parts = [replace(last, end=start), middle, replace(last, start=end)]
        if not all(fits(part, params.segment_length) for part in parts):
            return None
        more = replace(_with_levels(design, x[3:]), success=None)
        return Setting(replace(more, sections=(*more.sections[:-1], *parts)))

    example = next((one for k in range(20) if (one := make(np.full(3 + design.actuators, 0.1 * k - 1.0)))), None)
    if example is None:
        return Kind(name, 0, lambda _: None), posterior
    tube = BuiltTube(example.design, posterior.tube.environment, posterior.tube.uncertainty)
    return Kind(name, 3 + design.actuators, make), posterior.of(tube)


def _with_levels(design: Design, x: Floats) -> Design:
    """Return a design with the pressures at a point, all along its growth."""
    if not design.actuators:
        return design
    return replace(design.scheduled(Schedule([0.0], [_levels(design, x)])), schedule=None)

"""Arrays for which single precision is enough: the kernel of the CPU with parts of its work space in float32, against all in float64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dynamics.cuda import map_leaves
from dynamics.moment import new_vine
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.rollout import grow_one
from dynamics.quasistatic.step import new_work
from dynamics.records import Batch, Records, grow_batch
from dynamics.tube import VineParams
from dynamics.vine import Integers, Rollout
from dynamics.world import BuiltWorlds
from environments import load_environment
from studies.gpu.traffic import paths_of
from studies.rollouts.study import make_random_actuation

VINES = 300
HOLDS = 1e-6
"""Distance of tips up to which single precision holds [m]: a thousandth of the depth in an obstacle that a step may leave."""
_ROWS = tuple(f"contacts.{name}" for name in ("alpha", "beta", "gamma", "growth", "pressing"))
_LAST = "forces", "carried", "stiffening", "pressed", "before", "bent", "left", "seen"
GROUPS: dict[str, tuple[str, ...]] = {
    "last step": _LAST,
    "model of the step": ("step",),
    "rows of contacts": _ROWS,
    "these three": (*_LAST, "step", *_ROWS),
    "positions": ("chain",),
    "gaps": ("contacts.gap",),
    "sums of the dual": ("dual.moments", "dual.turns", "dual.loads"),
    "table of the dual": ("dual.table",),
    "forces of the dual": ("dual.force", "dual.trial"),
    "Cholesky factor": ("dual.factor", "dual.scale"),
}
"""Arrays of `dynamics.quasistatic.step.QuasiStaticWork`, by their paths or the beginnings of these."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Vines that grew with some arrays in single precision, beside those that grew with none."""

    arrays: str
    """A name of `GROUPS`."""
    environment: str
    vines: int
    alike: float
    """Share of vines that end in the same way with as many records [-]."""
    near: float
    """Share of vines that do so with their tips within `HOLDS` [-]."""
    farthest_m: float
    """Greatest distance of tips at the end of growth."""

    @property
    def holds(self) -> bool:
        """Whether single precision makes no difference that counts here."""
        return self.near == 1.0


def measure_precision(arrays: str, environment: str, length: float, vines: int = VINES) -> Precision:
    """Grow random vines with some arrays in single precision, and with none; compiles the kernel for them first.

    Args:
        arrays: A name of `GROUPS`.
        length: Length to which they grow [m].
    """
    model = QuasiStatic(load_environment(environment), VineParams(), device="cpu")
    single, double = (_grow(model, paths, length, vines) for paths in (GROUPS[arrays], ()))
    last = np.arange(vines), np.minimum(single.records, double.records) - 1
    apart = np.hypot(*(single.tips[last] - double.tips[last])[:, :2].T)
    alike = (single.status == double.status) & (single.records == double.records)
    near = alike & (apart <= HOLDS)
    return Precision(arrays, environment, vines, float(alike.mean()), float(near.mean()), float(apart.max()))


def _grow(model: QuasiStatic, single: tuple[str, ...], length: float, vines: int) -> Rollout:
    carried = make_random_actuation(model.params, vines, length, 0)
    state, full = model.start(*carried.pressure.shape), model.params.segment_length
    models = model.in_worlds(BuiltWorlds.starting(model.scene, model.pose[None]))
    room = carried.pressure.shape[1]

    def grow(b: int, batch: Batch, records: Records, outcome: Integers) -> None:
        vine, work = new_vine(batch.angles[b], batch.pressure[b]), to_single(new_work(room), single)
        grow_one(b, 0, models, batch, records, outcome, vine, work)

    lengths = np.full(vines, length)
    return grow_batch(state, carried, lengths, full, model.threads, grow, model.params.pivot)


def to_single(tree: Any, group: tuple[str, ...]) -> Any:
    """Nested named tuples with those arrays of float64 that are in a group in float32."""
    paths = iter(paths_of(tree))

    def converted(array: np.ndarray) -> np.ndarray:
        return array.astype(np.float32) if _is_in(group, next(paths)) and array.dtype == np.float64 else array

    with np.errstate(over="ignore", invalid="ignore"):  # arrays that are not filled yet hold anything
        return map_leaves(converted, tree)


def _is_in(group: tuple[str, ...], path: str) -> bool:
    return any(path == one or path.startswith(f"{one}.") for one in group)


def share_of(arrays: str, shares: dict[str, float]) -> float:
    """Sum of the shares of the arrays in a group [-].

    Args:
        arrays: A name of `GROUPS`.
        shares: Of each array of the work space, see `Traffic`.
    """
    return sum(share for path, share in shares.items() if _is_in(GROUPS[arrays], path.removeprefix("work.")))

"""Equilibria that a held vine reaches with inertia, by drag and by the viscosity of its joints, and the distances between them.

After a snap-through, a tube comes to rest at one of several equilibria. The equilibrium depends on the motion, which no quasi-static
model computes. If three different kinds of motion end at the same equilibrium, it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dynamics.impulse.propagator import Hold, Impulse
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, VineState, centerlines
from environments.environment import Environment
from surrogate.kernels.compiled import Floats
from surrogate.kernels.threads import map_on_threads

WAYS = "inertial", "drag", "viscous"
"""Kinds of relaxation, in the order of `Equilibria.joints`."""
PARTED = 10e-3
"""Equilibria of the prototype that are farther apart than this are different [m]; multiply it by `VineParams.scale`."""
STILL = 1e-3
"""The prototype no longer moves to another equilibrium if no joint has moved farther than this for a while [m]."""
LONGEST_SWING = 5.0
"""Longest time with inertia [s]."""
DRAG_STEP = 0.1
"""Time of a step with drag [s]; the drag is the mass over it."""
LONGEST_CREEP = 10.0
"""Longest time with drag [s]."""


@dataclass(frozen=True, slots=True)
class Equilibria:
    """Equilibria of a batch of vines."""

    joints: Floats
    """Joints from the base to the tip for each of `WAYS` [m], shape (3, batch, max_segments + 1, 2): NaN beyond the tip, and all NaN
    where a vine left the bounds or its contacts could not be resolved."""
    apart: Floats
    """Largest distance of a joint between two of the equilibria [m], shape (batch,); inf if an equilibrium is missing."""


class Relaxations:
    """Lets vines in one environment come to rest, at constant length, by each of `WAYS`.

    With inertia and by drag they move as the bodies of `Impulse` until they hardly move, and from there on, as they do from the
    beginning in the third relaxation, by the viscosity of their joints. So all three are equilibria of `QuasiStatic` without friction.
    """

    def __init__(
        self, environment: Environment, params: VineParams, threads: int | None = None, device: str | None = None
    ) -> None:
        """Prepare the scenes (about 0.1 s).

        Args:
            device: Where vines move by the viscosity of their joints, see `QuasiStatic`.
        """
        self.params, self.base = params, np.asarray(environment.start, float)

        def moving(still: float) -> tuple[Impulse, Impulse]:
            return (
                Impulse(environment, params, threads=threads, hold=Hold(still, LONGEST_SWING)),
                Impulse(environment, params, DRAG_STEP, threads, drag=True, hold=Hold(still, LONGEST_CREEP)),
            )

        self.quick, self.patient = moving(STILL * params.scale), moving(0.0)
        self.viscous = QuasiStatic(environment, params, threads=threads, friction=0.0, device=device)

    def relax(self, state: VineState, actuation: Actuation) -> Equilibria:
        """Relax each vine of a batch, which sets out without a velocity, to its equilibria. `state` is not changed."""
        ways = [
            *(partial(self._move, state, actuation, kind) for kind in (0, 1)),
            partial(self._creep, state, actuation),
        ]
        # The kernels release the GIL: one vine takes several threads too.
        joints = np.stack(map_on_threads(lambda way: way(), ways, self.viscous.threads))
        apart = np.max([_distance(joints[i], joints[j]) for i, j in ((0, 1), (0, 2), (1, 2))], axis=0)
        return Equilibria(joints, np.where(np.isnan(joints[:, :, 0, 0]).any(axis=0), np.inf, apart))

    def _move(self, state: VineState, actuation: Actuation, kind: int) -> Floats:
        """Move the vines with inertia, 0, or by drag, 1, until they are at rest; return their joints [m]."""
        joints, on, ended = self._settle(self.quick[kind], state, actuation)
        # A vine next to an unstable equilibrium sets out slowly: where it then went far by viscosity, it did not rest yet.
        # A vine that was held for the longest time already would only repeat its motion.
        early = np.flatnonzero((on > 0.5 * PARTED * self.params.scale) & ended)
        if len(early):
            again = VineState(state.angles[early], state.segments[early], state.last_length[early])
            joints[early] = self._settle(self.patient[kind], again, actuation.of(early))[0]
        return joints

    def _creep(self, state: VineState, actuation: Actuation) -> Floats:
        """Move the vines by viscosity until they are at rest; return their joints [m]."""
        return self._hold(self.viscous, state, actuation)[1]

    def _settle(
        self, model: Impulse, state: VineState, actuation: Actuation
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Relax by the model, then by viscosity: return the joints of the vines at rest [m], the distance that they moved by
        viscosity [m], and whether the model found them still before the longest time."""
        after, before, ended = self._hold(model, state, actuation)
        joints = self._creep(after, actuation)
        joints[np.isnan(before[:, 0, 0])] = np.nan
        return joints, _distance(before, joints), ended

    def _hold(
        self, model: Impulse | QuasiStatic, state: VineState, actuation: Actuation
    ) -> tuple[VineState, Floats, NDArray[np.bool_]]:
        """Hold the vines: return their states, their joints [m], NaN where there is no record, and whether they came to rest."""
        held = model.grow(state, actuation, 0.0, self.params.segment_length)
        vines = np.arange(len(held.records))
        after = held.state(vines, np.zeros_like(vines))
        joints = centerlines(after, self.base, self.params)
        joints[held.records == 0] = np.nan
        return after, joints, held.status == Status.GROWN


def _distance(first: Floats, second: Floats) -> Floats:
    """Largest distance of a joint of each vine between two states [m]; 0 where either has no joint."""
    return np.asarray(np.nanmax(np.linalg.norm(first - second, axis=-1), axis=1, initial=0.0))

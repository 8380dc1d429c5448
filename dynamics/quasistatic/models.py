"""The model in worlds that differ slightly from the plan: shared parts once, and differing numbers as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.cross_section import CrossSection
from dynamics.moment import Elasticity, JointMoments
from dynamics.quasistatic.friction import Friction
from dynamics.quasistatic.step import QuasiStaticModel, QuasiStaticTube
from dynamics.scene import Scene
from dynamics.world import BuiltWorlds
from surrogate.kernels.compiled import Floats, compiled

STIFFNESS, FACTOR, COMPLIANCE, PRESSURE, GROWTH_FORCE, KINETIC, STATIC = range(7)
"""Columns of `WorldModels.numbers`."""


class WorldModels(NamedTuple):
    """The model of a tube in each of W worlds."""

    planned: QuasiStaticModel
    """Model as planned, whose parts are shared except for the numbers below."""
    edges: Floats
    """See `Scene.edges`, shape (W, edges, 10)."""
    corners: Floats
    """See `Scene.corners`, shape (W, corners, 4)."""
    bounds: Floats
    """See `Scene.bounds`, shape (W, 10)."""
    base: Floats
    """See `QuasiStaticModel.base`, shape (W, 3)."""
    numbers: Floats
    """Numbers of `Elasticity`, `CrossSection`, the tube and `Friction`, by the columns from `STIFFNESS` on, shape (W, 7)."""


def models_in(worlds: BuiltWorlds, planned: QuasiStaticModel, static_friction: float) -> WorldModels:
    """Build the model in each world.

    Args:
        planned: The model of the tube as planned.
        static_friction: Static coefficient of the tube itself, below which that of a world does not fall [-].
    """
    scenes, tube, elasticity = worlds.scenes, planned.tube, planned.joint.elasticity
    press, own = worlds.growth_pressure, np.isnan(worlds.friction)
    stiff, static = press * worlds.moment, np.maximum(worlds.friction, static_friction)
    numbers = np.empty((len(press), 7))
    numbers[:, STIFFNESS], numbers[:, FACTOR] = stiff * elasticity.stiffness, stiff
    numbers[:, COMPLIANCE] = worlds.compliance * tube.section.compliance
    numbers[:, PRESSURE], numbers[:, GROWTH_FORCE] = press * tube.section.pressure, press * tube.growth_force
    numbers[:, KINETIC] = np.where(own, tube.friction.kinetic, worlds.friction)
    numbers[:, STATIC] = np.where(own, tube.friction.static, static)
    shared = planned._replace(scene=scenes.grid)
    return WorldModels(shared, scenes.edges, scenes.corners, scenes.bounds, np.ascontiguousarray(worlds.start), numbers)


@compiled(borrowed=True)
def model_of(models: WorldModels, w: int) -> QuasiStaticModel:
    """The model in world w."""
    scene, joint, tube = models.planned.scene, models.planned.joint, models.planned.tube
    numbers, elastic, section = models.numbers[w], joint.elasticity, tube.section
    return QuasiStaticModel(
        Scene(
            models.edges[w],
            models.corners[w],
            models.bounds[w],
            scene.cell_size,
            scene.grid_shape,
            scene.edge_offsets,
            scene.edge_items,
            scene.corner_offsets,
            scene.corner_items,
        ),
        JointMoments(
            Elasticity(
                elastic.transition,
                numbers[STIFFNESS],
                elastic.per_bend,
                elastic.collapse,
                elastic.pivot,
                numbers[FACTOR],
            ),
            joint.moment,
            joint.rising,
            joint.tables,
            joint.arms,
            joint.length,
            joint.segment_length,
            joint.thickness,
        ),
        QuasiStaticTube(
            CrossSection(section.radius, numbers[COMPLIANCE], section.most_dent, numbers[PRESSURE], section.cap),
            numbers[GROWTH_FORCE],
            tube.tail,
            tube.growth_viscosity,
            tube.bending_viscosity,
            Friction(numbers[KINETIC], numbers[STATIC], tube.friction.body, tube.friction.radius),
            tube.tolerance,
            tube.growth_step,
            tube.margin,
            tube.most_motion,
            tube.segments_apart,
            tube.relaxation,
            tube.pinned,
        ),
        models.base[w],
    )

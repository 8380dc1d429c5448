"""The models of a batch on a CUDA device: worlds that are not quite as planned, as arrays."""

from __future__ import annotations

from typing import NamedTuple

from dynamics.cross_section import CrossSection
from dynamics.moment import Elasticity, JointMoments
from dynamics.quasistatic.friction import Friction
from dynamics.quasistatic.step import QuasiStaticModel, QuasiStaticTube
from dynamics.scene import Scene
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled

STIFFNESS, FACTOR, COMPLIANCE, PRESSURE, GROWTH_FORCE, KINETIC, STATIC = range(7)
"""Columns of `Models.numbers`."""


class Models(NamedTuple):
    """The models of a batch: what they share once, and what differs between W worlds as arrays."""

    planned: QuasiStaticModel
    """The model of any of the worlds."""
    edges: Floats
    """See `Scene.edges`, shape (W, edges, 10)."""
    corners: Floats
    """See `Scene.corners`, shape (W, corners, 4)."""
    bounds: Floats
    """See `Scene.bounds`, shape (W, 10)."""
    base: Floats
    """See `QuasiStaticModel.base`, shape (W, 3)."""
    numbers: Floats
    """Of `Elasticity`, `CrossSection`, the tube and `Friction`, by the columns from `STIFFNESS` on, shape (W, 7)."""
    world: Integers
    """World of each vine, shape (batch,)."""


@compiled(counted=True)
def model_of(models: Models, b: int) -> QuasiStaticModel:
    """The model of vine b."""
    w, scene, joint, tube = models.world[b], models.planned.scene, models.planned.joint, models.planned.tube
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
                elastic.arm,
                elastic.taut_arm,
                elastic.strain_per_bend,
                elastic.collapse,
                elastic.pivot,
                numbers[FACTOR],
            ),
            joint.moment,
            joint.rising,
            joint.rows,
            joint.length,
            joint.segment_length,
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
        ),
        models.base[w],
    )

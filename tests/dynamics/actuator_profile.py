"""The profile of the actuators of a chain as exact shapes."""

import numpy as np
import shapely

from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from surrogate.kernels.compiled import Floats

THICK = VineParams()
R = THICK.radius
CELL, PRESSURE = 0.04, 20e3
T = abs(float(signed_thickness(THICK, PRESSURE, CELL)))


class Profile:
    """The actuators of a chain as shapes: beside each segment straight, and arcs where it bends away from them.

    The first and the last segment have none.
    """

    def __init__(self, joints: Floats, thickness: Floats) -> None:
        self.outlines: list[shapely.Geometry] = []
        self.pieces: list[shapely.Geometry] = []
        self.ends: list[shapely.Geometry] = []
        """Where sections begin and end."""
        along = np.diff(joints, axis=0)
        normals = (
            np.stack([-along[:, 1], along[:, 0]], axis=1) / np.hypot(*along.T)[:, None] * np.sign(thickness)[:, None]
        )
        for i in np.flatnonzero(thickness):
            self._add(joints[i : i + 2], normals[[i, i]], abs(thickness[i]))
            goes_on, begins = thickness[i + 1] == thickness[i], thickness[i - 1] != thickness[i]
            for joint, at_end in ((joints[i], begins), (joints[i + 1], not goes_on)):
                sides = joint + np.array([[R], [R + abs(thickness[i])]]) * normals[i]
                self.ends += [shapely.LineString(sides)] if at_end else []
            if goes_on and (along[i, 0] * along[i + 1, 1] - along[i, 1] * along[i + 1, 0]) * thickness[i] < 0:
                ways = normals[i] + np.linspace(0, 1, 33)[:, None] * (normals[i + 1] - normals[i])
                self._add(joints[i + 1], ways / np.hypot(*ways.T)[:, None], abs(thickness[i]))

    def _add(self, axis: Floats, ways: Floats, thickness: float) -> None:
        outline = axis + (R + thickness) * ways
        self.outlines.append(shapely.LineString(outline))
        self.pieces.append(shapely.Polygon([*(axis + R * ways), *outline[::-1]]))

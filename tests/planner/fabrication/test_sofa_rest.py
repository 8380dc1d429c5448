"""Where the beam of a scene for SOFA comes to rest, by the equations that SOFA documents for its beams and contacts."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import shapely
from scipy.optimize import least_squares

from dynamics.quasistatic.propagator import QuasiStatic
from environments import Environment
from planner.design.design import Design
from planner.design.replay import make_simulation, replay
from planner.fabrication.sofa import SCENE, write_scene


def relative(poses: np.ndarray) -> np.ndarray:
    """Position and turn of each node in the frame of the one before, shape (n - 1, 3)."""
    moves, turn = np.diff(poses[:, :2], axis=0), poses[:-1, 2]
    along, up = np.stack([np.cos(turn), np.sin(turn)]), np.stack([-np.sin(turn), np.cos(turn)])
    return np.column_stack([(along.T * moves).sum(axis=1), (up.T * moves).sum(axis=1), np.diff(poses[:, 2])])


def root_of_stiffness(length: float, modulus: float, outer: float, inner: float) -> np.ndarray:
    """Cholesky factor of a Bernoulli beam's stiffness in its plane, for the move and the turn of its end."""
    area, second = np.pi * (outer**2 - inner**2), np.pi / 4 * (outer**4 - inner**4)
    bend = modulus * second / length**3 * np.array([[12.0, -6 * length], [-6 * length, 4 * length**2]])
    return np.block([[np.sqrt(modulus * area / length), np.zeros(2)], [np.zeros((2, 1)), np.linalg.cholesky(bend).T]])


def test_the_beam_leans_on_its_obstacles(design: Design, room: Environment, tmp_path: Path) -> None:
    """It presses on them with the force of the simulation, within 30 %, and hardly moves; its rest shape is far away, in an obstacle."""
    grown = make_simulation(design, room, replay(design, QuasiStatic(room, design.params)))
    write_scene(tmp_path, grown.design, room)
    scene = runpy.run_path(str(tmp_path / SCENE))
    nodes, rest, radius = np.array(scene["NODES"]), np.array(scene["REST"]), scene["RADIUS"]
    section = scene["YOUNG_MODULUS"], radius, scene["RADIUS_INNER"]
    lengths, wanted = np.hypot(*np.diff(rest[:, :2], axis=0).T), relative(rest)
    roots = np.array([root_of_stiffness(length, *section) for length in lengths])
    near, stiffness = scene["CONTACT_DISTANCE"] + radius, scene["CONTACT_STIFFNESS"]
    solid = shapely.union_all(room.obstacles.shapes())

    def energy_roots(moved: np.ndarray) -> np.ndarray:
        poses = np.vstack([nodes[:1], moved.reshape(-1, 3)])
        gaps = near - shapely.distance(solid, shapely.points(poses[:, :2]))
        bent = np.einsum("kij,kj->ki", roots, relative(poses) - wanted)
        return np.concatenate([bent.ravel(), np.sqrt(stiffness) * np.maximum(gaps, 0.0)])

    beams, one = len(nodes) - 1, np.ones((3, 3))
    depends = np.vstack([  # each beam on its two nodes, each contact on its node
        np.kron(np.eye(beams) + np.eye(beams, k=-1), one),
        np.kron(np.eye(beams + 1, beams, k=-1), one[:1]),
    ])  # fmt: skip
    scale = np.tile([1e-2, 1e-2, 0.1], beams)
    found = least_squares(energy_roots, nodes[1:].ravel(), x_scale=scale, jac_sparsity=depends)
    moved = np.hypot(*(found.x.reshape(-1, 3) - nodes[1:])[:, :2].T)
    away = np.hypot(*(rest - nodes)[:, :2].T)
    force = np.sqrt(stiffness) * energy_roots(found.x)[3 * beams :]
    assert found.success
    assert force.sum() == pytest.approx(grown.contact_force[-1].sum(), rel=0.3)
    assert moved.max() < 0.1 * away.max()
    assert (shapely.distance(solid, shapely.points(rest[:, :2])) < near - 5e-3).any()

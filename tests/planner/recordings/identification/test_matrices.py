"""Stiffness and damping as matrices over the bends of the joints: their algebra, and known matrices from synthetic recordings."""

import casadi
import numpy as np
import pytest

from dynamics.recording import Recording
from planner.recordings.identification import fit_matrices
from planner.recordings.identification.matrices import (
    KINDS,
    MOST_RHO,
    Joints,
    fitted_entries,
    joint_matrix,
    matrix_bounds,
    multiply,
    parameter_count,
)
from planner.recordings.identification.result import RecordingFit
from studies.fitting.cantilever import Cantilever
from surrogate.kernels.compiled import Floats

STIFFNESS = np.array([[0.30, 0.04], [0.04, 0.20]])
DAMPING = np.array([[3e-3, 3e-4], [3e-4, 2e-3]])


def swing(matrices: tuple[Floats, Floats] | None, frames: int = 60, noise: float = 5e-4) -> Recording:
    beam = Cantilever(links=2, length=0.8, matrices=matrices)
    return beam.recording(np.arange(frames) / 80, 13, noise, np.random.default_rng(1))


def assert_contains(found: RecordingFit, name: str, truth: float) -> None:
    low, high = found.parameter(name).interval
    assert low is not None
    assert high is not None
    assert low < truth < high, (name, low, truth, high)


@pytest.mark.parametrize("joints", ["equal", "each", "coupled"])
@pytest.mark.parametrize("kind", [0, 1])
def test_moments_are_the_matrix_times_the_bends(joints: Joints, kind: int) -> None:
    """The equations of motion have the matrix that is reported: symmetric, tridiagonal, and positive definite at every bound of rho."""
    links, rng = 4, np.random.default_rng(2)
    values = np.concatenate([[-1.0, -5.0, 0.8, 0.05], rng.normal(0, 0.3, parameter_count(joints, links) - 4)])
    if joints == "coupled":
        values[-2 * (links - 1) :] = np.where(rng.random(2 * (links - 1)) < 0.5, -MOST_RHO, MOST_RHO)
    matrix, bends = joint_matrix(values, kind, joints, links), rng.normal(0, 1, links)
    moments = np.array(casadi.DM(multiply(casadi.DM(values), kind, casadi.DM(bends), joints, 2.0))).ravel()
    np.testing.assert_allclose(moments, 2.0 * matrix @ bends, rtol=1e-12)
    np.testing.assert_allclose(matrix, matrix.T)
    np.testing.assert_allclose(matrix[0, 0], np.exp(values[kind]))
    assert np.linalg.eigvalsh(matrix).min() > 0
    beyond = np.abs(np.subtract.outer(range(links), range(links)))
    assert np.all(matrix[beyond > ("equal", "each", "coupled").index(joints) // 2] == 0)
    assert len(matrix_bounds(joints, links)) == parameter_count(joints, links) - 4


def test_intervals_of_entries_follow_from_the_covariance() -> None:
    """A random sample of the parameters has entries whose standard deviations are those of the intervals, within 3 %."""
    links, rng = 3, np.random.default_rng(4)
    count = parameter_count("coupled", links)
    mixing = 0.01 * rng.normal(0, 1, (count, count))
    values, spread = rng.normal(0, 0.2, count), mixing @ mixing.T
    sample = rng.multivariate_normal(values, spread, 20_000)
    for kind, (name, _) in enumerate(KINDS):
        drawn = np.array([joint_matrix(one, kind, "coupled", links) for one in sample])
        entries = {one.name: one for one in fitted_entries(values, spread, "coupled", links)}
        for joint in range(links):
            low, high = entries[f"{name} of joint {joint + 1}"].interval
            assert low is not None
            assert high is not None
            assert np.log(high / low) / 3.92 == pytest.approx(np.log(drawn[:, joint, joint]).std(), rel=0.03)
        for joint in range(links - 1):
            low, high = entries[f"{name} between joints {joint + 1} and {joint + 2}"].interval
            assert low is not None
            assert high is not None
            assert (high - low) / 3.92 == pytest.approx(drawn[:, joint, joint + 1].std(), rel=0.03)


def test_known_matrices_are_recovered() -> None:
    """From a swing with noise: every entry of coupled matrices is identified, its interval contains the truth, and joints differ."""
    found = fit_matrices(swing((STIFFNESS, DAMPING)), "coupled", 4)
    for (name, _), matrix in zip(KINDS, (STIFFNESS, DAMPING), strict=True):
        for joint in range(2):
            assert_contains(found, f"{name} of joint {joint + 1}", matrix[joint, joint])
            assert found.parameter(f"{name} of joint {joint + 1}").value == pytest.approx(
                matrix[joint, joint], rel=0.05
            )
        assert_contains(found, f"{name} between joints 1 and 2", matrix[0, 1])
    assert all(one.identified for one in found.parameters[7:])
    assert "their differences are significant" in found.notes[-1]
    assert found.parameter("stiffness").identified


def test_equal_joints_are_told_to_be_equal() -> None:
    """A diagonal fit to a swing of equal joints: their intervals contain the same numbers, and a sentence says so."""
    found = fit_matrices(swing(None), "each", 4)
    for joint in (1, 2):
        assert_contains(found, f"stiffness of joint {joint}", 0.3)
        assert_contains(found, f"damping of joint {joint}", 3e-3)
    assert "equal joints fit as well" in found.notes[-1]


def test_what_a_recording_does_not_determine_is_not_identified() -> None:
    """A few noisy frames: what the last joint has is not known, and the fit says so."""
    found = fit_matrices(swing((STIFFNESS, DAMPING), 14, 8e-3), "coupled", 4)
    last = found.parameter("damping of joint 2")
    assert not last.identified
    assert "do not identify the damping of joint 2" in last.sentence
    assert not found.parameter("stiffness between joints 1 and 2").identified


def test_unknown_joints_are_refused() -> None:
    """The message has those that there are."""
    with pytest.raises(ValueError, match="joints = 'some' must be one of equal, each, coupled"):
        fit_matrices(swing(None), "some")

"""Sampling of curves as points, and affine maps of the plane."""

import math

import numpy as np

from environments.importing.traced import UnusableFile

SAGITTA = 1e-4
"""Largest distance between a curve and the lines that stand for it [m]."""
_WIDEST_STEP = math.pi / 4
_MOST_CHORDS = 100_000
"""Chords of one curve."""


def _steps(radius: float, sweep: float, sagitta: float) -> int:
    """Number of chords of a circular arc such that none is further from the arc than the sagitta."""
    # The sagitta of a chord over the angle 2 h is radius (1 - cos h) = 2 radius sin(h / 2)^2.
    step = 4 * math.asin(math.sqrt(min(sagitta / (2 * radius), 1.0))) if 0 < radius < math.inf else math.pi
    return _round_up_chords(abs(sweep) / min(step, _WIDEST_STEP) - 1e-9 if step > 0 else math.inf)


def _round_up_chords(count: float) -> int:
    """Round a number of chords up; return 1 for NaN, since then the points are NaN too."""
    if count > _MOST_CHORDS:
        raise UnusableFile(f"has a curve that needs more than {_MOST_CHORDS} points; check the unit of the drawing")
    return 1 if math.isnan(count) else max(math.ceil(count), 1)


def arc(
    centre: np.ndarray, major: np.ndarray, minor: np.ndarray, start: float, sweep: float, sagitta: float
) -> np.ndarray:
    """Points on an arc of an ellipse: centre + cos(t) major + sin(t) minor, for t from start to start + sweep.

    An ellipse is the image of the unit circle under the matrix with the columns major and minor, which stretches the
    distance between a chord and its arc by at most its largest singular value.

    Args:
        centre: Shape (2,).
        major: A half axis, or any half of a conjugate diameter, shape (2,); a circle has (radius, 0).
        minor: The other one, shape (2,); that of a circle is (0, radius).
        start: Parameter [rad].
        sweep: Range of the parameter [rad], negative if clockwise.
        sagitta: Largest distance between the arc and a chord, in the unit of the points.

    Returns:
        Points with both ends, shape (n, 2).

    Raises:
        UnusableFile: It needs too many points.
    """
    axes = np.stack([major, minor])
    count = _steps(largest_stretch(axes)[0], sweep, sagitta)
    turn = start + sweep * np.linspace(0, 1, count + 1)
    return centre + np.stack([np.cos(turn), np.sin(turn)], axis=1) @ axes


def circle(centre: np.ndarray, radius: float, sagitta: float) -> np.ndarray:
    """Points on a circle, anticlockwise, the last one equal to the first, shape (n, 2)."""
    points = arc(centre, np.array([radius, 0.0]), np.array([0.0, radius]), 0.0, math.tau, sagitta)
    points[-1] = points[0]
    return points


def bezier(control: np.ndarray, sagitta: float) -> np.ndarray:
    """Points on a Bezier curve.

    A chord over a step h of the parameter is within h^2/8 times the largest second derivative of its curve, which is at
    most n (n - 1) times the largest second difference of the control points (n is the degree).

    Args:
        control: Control points, shape (n + 1, 2).
        sagitta: Largest distance between the curve and a chord.

    Returns:
        Points with both ends, shape (m, 2).
    """
    degree = len(control) - 1
    bend = float(np.linalg.norm(np.diff(control, 2, axis=0), axis=1).max(initial=0.0))
    count = _round_up_chords(math.sqrt(degree * (degree - 1) * bend / (8 * sagitta)))
    at = np.linspace(0, 1, count + 1)[:, None]
    weights = [math.comb(degree, k) * at**k * (1 - at) ** (degree - k) for k in range(degree + 1)]
    return np.concatenate(weights, axis=1) @ control


def bulge_arc(start: np.ndarray, end: np.ndarray, bulge: float, sagitta: float) -> np.ndarray:
    """Points on the arc between two vertices of a DXF polyline.

    Args:
        start: Shape (2,).
        end: Shape (2,).
        bulge: Tangent of a quarter of the arc's angle, positive if anticlockwise; 0 is a straight line.
        sagitta: Largest distance between the arc and a chord.

    Returns:
        Points with both ends, shape (n, 2).
    """
    chord = end - start
    if bulge == 0 or not chord.any():
        return np.stack([start, end])
    to_left = np.array([-chord[1], chord[0]])
    centre = (start + end) / 2 + to_left * (1 - bulge**2) / (4 * bulge)
    spoke = start - centre
    points = arc(centre, spoke, np.array([-spoke[1], spoke[0]]), 0.0, 4 * math.atan(bulge), sagitta)
    points[0], points[-1] = start, end
    return points


def apply_map(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Apply an affine map, shape (2, 3), to points, shape (n, 2)."""
    return points @ matrix[:, :2].T + matrix[:, 2]


def compose(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Compose two affine maps: `inner`, then `outer`; all of shape (2, 3)."""
    joined = outer[:, :2] @ inner
    joined[:, 2] += outer[:, 2]
    return joined


def largest_stretch(matrix: np.ndarray) -> tuple[float, bool]:
    """Return the largest factor by which an affine map changes lengths, and whether it changes all of them alike."""
    (a, b), (c, d) = matrix[:, :2].tolist()
    # Singular values of [[a, b], [c, d]]: the sum and the difference of these two.
    same, mirrored = math.hypot(a + d, b - c) / 2, math.hypot(a - d, b + c) / 2
    return same + mirrored, min(same, mirrored) <= 1e-9 * max(same, mirrored)

"""The shapes of single SVG elements, and the maps that their attributes give."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from environments.importing.curves import arc, bezier, circle
from environments.importing.traced import UnusableFile

_PX = {"": 1.0, "px": 1.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96 / 72, "pc": 16.0}
"""Pixels of CSS in its units of length."""
_LONGEST = 1000
"""Characters of any attribute but path data."""
_TRANSFORM = re.compile(r"\s*(?:[A-Za-z]+\s*\([^()]*\)[\s,]*)*\Z")
_LENGTH = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*|%)\s*\Z")
_NUMBERS = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_POINTS = re.compile(r"[Ee\d+\-.,\s]*\Z")
_PATH_DATA = re.compile(r"[MmZzLlHhVvCcSsQqTtAaEe\d+\-.,\s]*\Z")
SHAPES = ("rect", "circle", "ellipse", "line", "polyline", "polygon", "path")
PHYSICAL = ("in", "cm", "mm", "q", "pt", "pc")
MM_PER_PX = 25.4 / 96


def length(text: str | None, default: float, whole: float = math.nan) -> float:
    """Return a length in user units.

    Args:
        text: The attribute; None if it is absent.
        default: The length if it is absent.
        whole: What percentages refer to; not a number if that is unknown.

    Raises:
        UnusableFile: It is not a length, or in a unit that depends on a font.
    """
    if text is None or text.strip() == "auto":
        return default
    match = _LENGTH.match(text[:_LONGEST])
    factor = None if match is None else whole / 100 if match[2] == "%" else _PX.get(match[2].lower())
    if match is None or factor is None or math.isnan(factor):
        raise UnusableFile(
            f"has the length {text[:40]!r}, which must be a number with or without a unit such as mm or px"
        )
    return float(match[1]) * factor


def unit_of(text: str | None) -> str:
    """Return the unit of a length in lower case; "%" also if it is absent."""
    match = _LENGTH.match((text or "100%")[:_LONGEST])
    return match[2].lower() if match else ""


def transform(text: str | None) -> np.ndarray:
    """Return the affine map of a transform attribute, shape (2, 3).

    Raises:
        UnusableFile: It cannot be read.
    """
    if not text:
        return np.eye(2, 3)
    from svgelements import Matrix

    try:
        if len(text) > _LONGEST or not _TRANSFORM.match(text):
            raise ValueError
        m = Matrix(text)
        return np.array([[m.a, m.c, m.e], [m.b, m.d, m.f]], float)
    except (ValueError, TypeError, IndexError, AttributeError):
        raise UnusableFile(f"has the transform {text[:60]!r}, which cannot be read") from None


def viewport(attributes: dict[str, str], x: float, y: float, width: float, height: float) -> np.ndarray:
    """Return the affine map from the viewBox of an element to the rectangle in which it is shown, shape (2, 3).

    Args:
        attributes: With viewBox and preserveAspectRatio, if the element has them.
        x: Left edge of the rectangle.
        y: Upper edge of the rectangle.
        width: Its width.
        height: Its height.

    Raises:
        UnusableFile: The viewBox cannot be read.
    """
    box = view_box(attributes)
    if box is None:
        return np.array([[1.0, 0.0, x], [0.0, 1.0, y]])
    from svgelements import Viewbox

    ratio = attributes.get("preserveAspectRatio", "xMidYMid meet").strip() or "xMidYMid meet"
    return transform(Viewbox.viewbox_transform(x, y, width, height, *box, ratio))


def view_box(attributes: dict[str, str]) -> tuple[float, float, float, float] | None:
    """x, y, width and height of a viewBox; None if there is none.

    Raises:
        UnusableFile: It cannot be read, or has no area.
    """
    text = attributes.get("viewBox")
    if text is None:
        return None
    numbers = [float(number) for number in _NUMBERS.findall(text[:_LONGEST])]
    if len(numbers) != 4 or min(numbers[2:]) <= 0 or not all(map(math.isfinite, numbers)):
        raise UnusableFile(f"has the viewBox {text[:60]!r}; it must be x, y, width and height, the last two above 0")
    return numbers[0], numbers[1], numbers[2], numbers[3]


Curve = tuple[np.ndarray, bool]
"""Points of shape (n, 2), and whether the curve is closed; then the last point repeats the first."""


def curves_of(tag: str, attributes: dict[str, str], size: tuple[float, float], sagitta: float) -> list[Curve]:
    """Return the curves of a basic shape or path, in its own coordinates.

    Args:
        tag: Name of the element.
        attributes: Its attributes.
        size: Width and height to which percentages refer.
        sagitta: Largest distance between a curve and the lines that stand for it, in the same units.

    Raises:
        UnusableFile: An attribute cannot be read.
    """

    def at(name: str, whole: float, default: float = 0.0) -> float:
        return length(attributes.get(name), default, whole)

    mean = math.hypot(*size) / math.sqrt(2)
    match tag:
        case "line":
            ends = [[at("x1", size[0]), at("y1", size[1])], [at("x2", size[0]), at("y2", size[1])]]
            return [(np.array(ends), False)]
        case "polyline" | "polygon":
            data = attributes.get("points", "")
            if not _POINTS.match(data):
                raise UnusableFile(f"has the points {data[:40]!r}, which are not all numbers")
            numbers = [float(number) for number in _NUMBERS.findall(data)]
            points = np.array(numbers[: len(numbers) // 2 * 2]).reshape(-1, 2)
            if len(points) < 2:
                return []
            return [(np.append(points, points[:1], axis=0) if tag == "polygon" else points, tag == "polygon")]
        case "circle" | "ellipse":
            rx = ry = at("r", mean)
            if tag == "ellipse":
                rx, ry = (at("rx", size[0], math.nan), at("ry", size[1], math.nan))
                rx, ry = (ry if math.isnan(rx) else rx), (rx if math.isnan(ry) else ry)
            if not (rx > 0 and ry > 0):
                return []
            centre = np.array([at("cx", size[0]), at("cy", size[1])])
            if rx == ry:
                return [(circle(centre, rx, sagitta), True)]
            return [(arc(centre, np.array([rx, 0.0]), np.array([0.0, ry]), 0.0, math.tau, sagitta), True)]
        case "rect":
            return _rectangle(at, size, sagitta)
        case "path":
            return _path(attributes.get("d", ""), sagitta)
    return []


def _rectangle(at: Any, size: tuple[float, float], sagitta: float) -> list[Curve]:
    x, y = at("x", size[0]), at("y", size[1])
    width, height = at("width", size[0]), at("height", size[1])
    if not (width > 0 and height > 0):
        return []
    rx, ry = at("rx", size[0], math.nan), at("ry", size[1], math.nan)
    rx, ry = (ry if math.isnan(rx) else rx), (rx if math.isnan(ry) else ry)
    rx, ry = (0.0, 0.0) if math.isnan(rx) else (min(rx, width / 2), min(ry, height / 2))
    if rx <= 0 or ry <= 0:
        corners = np.array([[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]])
        return [(corners, True)]
    centres = [(x + width - rx, y + height - ry), (x + rx, y + height - ry), (x + rx, y + ry), (x + width - rx, y + ry)]
    axes = np.array([rx, 0.0]), np.array([0.0, ry])
    quarter = math.pi / 2
    rounds = [arc(np.array(centre), *axes, k * quarter, quarter, sagitta) for k, centre in enumerate(centres)]
    return [(np.concatenate([*rounds, rounds[0][:1]]), True)]


def _path(data: str, sagitta: float) -> list[Curve]:
    """Return the curves of path data, one for each part that begins with a move."""
    from svgelements import Arc, Close, CubicBezier, Line, Move, Path, QuadraticBezier

    if not _PATH_DATA.match(data):
        raise UnusableFile(f"has the path data {data[:40]!r}, with more than numbers and commands in it")
    try:
        segments = list(Path(data))
    except (ValueError, TypeError, IndexError, AttributeError, ZeroDivisionError):
        raise UnusableFile(f"has the path data {data[:40]!r}, which cannot be read") from None
    curves: list[Curve] = []
    parts: list[np.ndarray] = []

    def end(closed: bool) -> None:
        if parts:
            points = np.concatenate(parts)
            curves.append((points, closed or (len(points) > 3 and bool((points[0] == points[-1]).all()))))
            parts.clear()

    for segment in segments:
        match segment:
            case Move():
                end(False)
                parts.append(np.array([[segment.end.x, segment.end.y]], float))
            case Close():
                if parts:
                    parts.append(parts[0][:1])
                    first = parts[0][:1]
                    end(True)
                    parts.append(first)
            case Arc():
                parts.append(_arc(segment, sagitta)[1:])
            case QuadraticBezier():
                parts.append(bezier(_points(segment.start, segment.control, segment.end), sagitta)[1:])
            case CubicBezier():
                control = _points(segment.start, segment.control1, segment.control2, segment.end)
                parts.append(bezier(control, sagitta)[1:])
            case Line():
                parts.append(_points(segment.end))
    end(False)
    return [(points, closed) for points, closed in curves if len(points) > 1]


def _points(*points: Any) -> np.ndarray:
    array = np.array([(point.x, point.y) for point in points], float)
    if not np.isfinite(array).all():
        raise UnusableFile("has path data with a coordinate that is not a number; correct the drawing")
    return array


def _arc(segment: Any, sagitta: float) -> np.ndarray:
    """Points on an elliptic arc, from its start to its end."""
    centre, start, end = _points(segment.center, segment.start, segment.end)
    major, minor = _points(segment.prx, segment.pry) - centre
    if not (major.any() and minor.any()):
        return np.stack([start, end])
    begin = math.atan2((start - centre) @ minor / (minor @ minor), (start - centre) @ major / (major @ major))
    points = arc(centre, major, minor, begin, float(segment.sweep), sagitta)
    points[0], points[-1] = start, end
    return points

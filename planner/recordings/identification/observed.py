"""A recording prepared for identification: nodes in time, points at fractions of the length, and contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.recording import Recording
from surrogate.kernels.compiled import Floats

LONGEST_STEP = 0.0125
"""Maximum time between nodes [s], unless this needs too many nodes."""
MOST_STEPS = 250
"""Maximum number of steps, unless there are more frames."""


@dataclass(frozen=True, slots=True, eq=False)
class WallTouch:
    """Contact of a point of the tube with a wall at one node."""

    node: int
    fraction: float
    """Position along the tube, from 0 at the base to 1 at the tip."""
    normal: Floats
    """Normal of the wall, towards the base's side, shape (2,)."""
    offset: float
    """Value of normal . point at contact [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedRecording:
    """A recording prepared for comparison with a model."""

    times: Floats
    """Times of the nodes, from 0 [s], shape (nodes,)."""
    frames: np.ndarray
    """Node of every frame, shape (frames,), int."""
    points: tuple[Floats, ...]
    """Measured points of every frame [m], each of shape (points, 2)."""
    fractions: tuple[Floats, ...]
    """Their positions along the tube, from 0 to 1, each of shape (points,)."""
    lengths: Floats
    """Length of the tube in every frame [m], shape (frames,)."""
    touches: tuple[WallTouch, ...]


def observe(recording: Recording, refine: int = 1) -> PreparedRecording:
    """Prepare a recording.

    The time between two frames is divided evenly into steps of at most `LONGEST_STEP`. If this gives more than `MOST_STEPS`
    in total, the number of steps of every span is reduced in proportion, but not below one. A point's fraction is its
    distance along the centreline from the base, divided by that of the tip. A centreline that begins more than a radius
    from the base is extended to the base by a straight line.

    Args:
        refine: Additional divisor of every step.
    """
    spans = np.diff(recording.times)
    # The tolerance makes 1/80 s one step, not two.
    counts = np.ceil(spans / LONGEST_STEP - 1e-6).astype(int)
    counts = refine * np.maximum(1, counts * min(MOST_STEPS, counts.sum()) // counts.sum())
    parts = [np.linspace(0, span, count, endpoint=False) for span, count in zip(spans, counts, strict=True)]
    starts = recording.times[:-1] - recording.times[0]
    times = np.concatenate([start + part for start, part in zip(starts, parts, strict=True)] + [[spans.sum()]])
    frames = np.concatenate([[0], np.cumsum(counts)])
    fractions, lengths = [], []
    for line in recording.centerlines:
        along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
        gap = float(np.hypot(*(line[0] - recording.base[:2])))
        along += gap if gap > recording.tube_radius else 0.0
        fractions.append(along / along[-1])
        lengths.append(along[-1])
    touches = _touches(recording, times, frames, fractions)
    return PreparedRecording(times, frames, recording.centerlines, tuple(fractions), np.array(lengths), tuple(touches))


def _touches(recording: Recording, times: Floats, frames: np.ndarray, fractions: list[Floats]) -> list[WallTouch]:
    """Return contacts at the nodes of their frames, and at nodes between two frames that both list the wall."""
    listed: list[dict[tuple[int, int], float]] = [{} for _ in frames]
    for contact in recording.contacts:
        known = listed[contact.frame]
        count = sum(wall == contact.wall for wall, _ in known)
        known[contact.wall, count] = fractions[contact.frame][contact.point]
    touches = []
    for frame, known in enumerate(listed):
        following = listed[frame + 1] if frame + 1 < len(listed) else {}
        for key, fraction in known.items():
            normal, offset = _wall_line(recording, key[0])
            last = frames[frame + 1] if key in following else frames[frame] + 1
            begin, span = times[frames[frame]], times[last] - times[frames[frame]] if key in following else 1.0
            for node in range(frames[frame], last):
                share = (times[node] - begin) / span
                now = (1 - share) * fraction + share * following.get(key, fraction)
                touches.append(WallTouch(node, float(now), normal, offset))
    return sorted(touches, key=lambda touch: touch.node)


def _wall_line(recording: Recording, wall: int) -> tuple[Floats, float]:
    """Return the line on which the axis lies at contact with a wall on the base's side: normal and offset [m]."""
    start, end = recording.walls[wall].reshape(2, 2)
    along = (end - start) / np.hypot(*(end - start))
    normal = np.array([-along[1], along[0]])
    normal *= 1.0 if normal @ (recording.base[:2] - start) >= 0 else -1.0
    return normal, float(normal @ start) + recording.tube_radius

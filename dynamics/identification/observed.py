"""What a recording asks of a model: nodes in time, measured points at fractions of the length, and who touches what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynamics.recording import Recording
from surrogate.compiled import Floats

LONGEST_STEP = 0.0125
"""Most time between nodes [s], unless there would be too many."""
MOST_STEPS = 250
"""Most steps in all, unless there are more frames."""


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """A point of the tube held against a wall at one node."""

    node: int
    fraction: float
    """Where along the tube, from 0 at the base to 1 at the tip."""
    normal: Floats
    """Of the wall, towards the base's side, shape (2,)."""
    offset: float
    """What normal . point comes to when the tube touches [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """A recording, ready to be compared with a model."""

    times: Floats
    """Of the nodes, from 0 [s], shape (nodes,)."""
    frames: np.ndarray
    """Node of every frame, shape (frames,), int."""
    points: tuple[Floats, ...]
    """Measured points of every frame [m], each of shape (points, 2)."""
    fractions: tuple[Floats, ...]
    """Where along the tube they lie, from 0 to 1, each of shape (points,)."""
    lengths: Floats
    """Of the tube in every frame [m], shape (frames,)."""
    touches: tuple[Touch, ...]


def observe(recording: Recording, refine: int = 1) -> Observed:
    """Prepare a recording.

    The time between two frames is divided evenly into steps of at most `LONGEST_STEP`. Where that makes more than `MOST_STEPS` in
    all, every span gets fewer steps in the same proportion, but at least one. A point's fraction is its distance
    along the centreline from the base over that of the tip. A centreline that begins more than a radius from the base is
    taken to come from there straight.

    Args:
        refine: Divides every step once more by this.
    """
    spans = np.diff(recording.times)
    # A hair of tolerance: 1/80 s is one step, not two.
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
    return Observed(times, frames, recording.centerlines, tuple(fractions), np.array(lengths), tuple(touches))


def _touches(recording: Recording, times: Floats, frames: np.ndarray, fractions: list[Floats]) -> list[Touch]:
    """Contacts at the nodes of their frames, and at those between two frames that both list the wall."""
    listed: list[dict[tuple[int, int], float]] = [{} for _ in frames]
    for contact in recording.contacts:
        told = listed[contact.frame]
        count = sum(wall == contact.wall for wall, _ in told)
        told[contact.wall, count] = fractions[contact.frame][contact.point]
    touches = []
    for frame, told in enumerate(listed):
        following = listed[frame + 1] if frame + 1 < len(listed) else {}
        for key, fraction in told.items():
            normal, offset = _wall_line(recording, key[0])
            last = frames[frame + 1] if key in following else frames[frame] + 1
            begin, span = times[frames[frame]], times[last] - times[frames[frame]] if key in following else 1.0
            for node in range(frames[frame], last):
                share = (times[node] - begin) / span
                now = (1 - share) * fraction + share * following.get(key, fraction)
                touches.append(Touch(node, float(now), normal, offset))
    return sorted(touches, key=lambda touch: touch.node)


def _wall_line(recording: Recording, wall: int) -> tuple[Floats, float]:
    """The line on which the axis lies while the tube touches a wall on the base's side: normal and offset [m]."""
    start, end = recording.walls[wall].reshape(2, 2)
    along = (end - start) / np.hypot(*(end - start))
    normal = np.array([-along[1], along[0]])
    normal *= 1.0 if normal @ (recording.base[:2] - start) >= 0 else -1.0
    return normal, float(normal @ start) + recording.tube_radius

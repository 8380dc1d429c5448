"""The pattern on the bed of a cutter or plotter: each piece divided into tiles that fit it, with marks to align them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import shapely

from planner.fabrication.pattern.pattern import GAP, Layer, Line, Pattern, PatternPiece, Text
from surrogate.kernels.compiled import Floats

FOLDER = "bed"
"""Name of the folder with the tiles."""
CLEARANCES = 8.0, 4.0, 2.0, 1.0, 0.5
"""Distances between a joint and what is drawn beside it [mm], in the order in which they are tried."""
LEAST_SHARE = 0.5
"""Least length of a tile, as a share of the bed, for which a larger clearance is taken [-]."""
MARKS = 0.25, 0.75
"""Places of the two marks of a joint across the piece, as shares of its width [-]."""
MARK, ARM = 10.0, 5.0
"""Length of the mark on a joint, and of its arm, which points into the tile [mm]."""
NUMBER = 3.5
"""Height of the number of a joint [mm]."""
LEAST_BED, LARGEST_BED = 50.0, 10_000.0
"""Range of the sides of a bed [mm]."""
JOINT = "joint"
"""Name of the marks of joints in DXF files."""


class UnfitBed(ValueError):
    """A bed that a pattern does not fit on; the message says what does."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Bed:
    """The bed of a cutter or plotter. Film is laid on it along its longer side, or across if it is too wide for that."""

    longer: float
    """Longer side [mm]."""
    shorter: float
    """Shorter side [mm]."""

    @classmethod
    def parse(cls, text: str) -> Bed:
        """Parse the sides of a bed in millimetres, such as "600x400".

        Raises:
            ValueError: It is malformed, or a side is out of range.
        """
        number = r"(\d+(?:\.\d*)?)"
        found = re.fullmatch(rf"\s*{number}\s*[xX×]\s*{number}\s*(?:mm)?\s*", text)
        if not found:
            raise ValueError(f"{text!r} is not the size of a bed; give its sides in millimetres, such as 600x400")
        return cls.of(*map(float, found.groups()))

    @classmethod
    def of(cls, one: float, other: float) -> Bed:
        """Return the bed with two sides [mm], in any order.

        Raises:
            ValueError: A side is out of range.
        """
        shorter, longer = sorted((one, other))
        if not LEAST_BED <= shorter <= longer <= LARGEST_BED:
            raise ValueError(
                f"the sides of a bed must be from {LEAST_BED:g} to {LARGEST_BED:g} mm, not {one:g} and {other:g} mm"
            )
        return cls(longer, shorter)

    def room_along(self, piece: PatternPiece) -> float:
        """Return the length of film of a piece that fits on the bed at a time [mm].

        Raises:
            UnfitBed: The piece is too wide.
        """
        _, low, _, high = piece.bounds
        needed = high - low + 2 * GAP
        for along, across in ((self.longer, self.shorter), (self.shorter, self.longer)):
            if needed <= across:
                return along - 2 * GAP
        raise UnfitBed(
            f"{piece.name} is {high - low:.1f} mm wide, too wide for a bed of {self.longer:g} x {self.shorter:g} mm with "
            f"{GAP:g} mm on each side; give a bed that is at least {needed:.1f} mm wide"
        )


def write_tiles(
    pattern: Pattern, bed: Bed, folder: Path, write: Callable[[Path, Pattern], None], form: str
) -> list[str]:
    """Write a file for every tile of every piece into the folder `FOLDER` in a folder, which is made.

    Args:
        write: Writes a pattern to a path.
        form: Ending of the names: "dxf" or "svg".
    Returns:
        Paths of the files in the folder, with slashes.
    Raises:
        UnfitBed: A piece does not fit.
        OSError: A file cannot be written.
    """
    divided = [divide(piece, bed) for piece in pattern.pieces]
    (folder / FOLDER).mkdir(exist_ok=True)
    names = []
    for piece, tiles in zip(pattern.pieces, divided, strict=True):
        for number, tile in enumerate(tiles, start=1):
            names.append(f"{FOLDER}/{piece.name}-{number}of{len(tiles)}.{form}")
            write(folder / names[-1], Pattern((tile,)))
    return names


def divide(piece: PatternPiece, bed: Bed) -> list[PatternPiece]:
    """Divide a piece into tiles from its left end to its right end, each with its lower left corner `GAP` from that of the bed.

    Joints go between what is drawn: they divide only the long edges. So each line and each text is on one tile, but for these edges,
    whose parts meet at the joints, and for the marks of joints, which are on both sides of each.

    Raises:
        UnfitBed: The piece is too wide, or there is no place for a joint or its number.
    """
    left, low, right, _ = piece.bounds
    joints = _joints(piece, bed.room_along(piece))
    edges = [left, *(at for at, _ in joints), right]
    tiles = []
    for k, (begin, end) in enumerate(pairwise(edges)):
        lines = list(_within(piece, begin, end))
        texts = [text for text in piece.texts if begin <= text.at[0] < end]
        tile = PatternPiece(piece.name, tuple(lines), tuple(texts))
        for number, inwards in ((k, 1.0), (k + 1, -1.0)):
            if 1 <= number <= len(joints):
                tile = _with_joint(tile, piece, number, joints[number - 1], inwards)
        tiles.append(tile.translate(GAP - begin, GAP - low))
    return tiles


def _joints(piece: PatternPiece, room: float) -> list[tuple[float, float]]:
    """Choose the joints of a piece: x and clearance of each [mm]."""
    left, _, right, _ = piece.bounds
    spans = [(float(line.points[:, 0].min()), float(line.points[:, 0].max())) for line in _whole(piece)]
    spans += [(text.bounds[0], text.bounds[2]) for text in piece.texts]
    blocked = np.array(spans)
    joints: list[tuple[float, float]] = []
    start = left
    while right - start > room:
        joints.append(_joint(blocked, start, start + room, piece.name))
        start = joints[-1][0]
    return joints


def _joint(blocked: Floats, start: float, last: float, name: str) -> tuple[float, float]:
    """Return the last place for a joint after `start`, at most at `last`, and its clearance from the blocked spans [mm]."""
    for least in (start + LEAST_SHARE * (last - start), start + GAP):
        for clearance in CLEARANCES:
            low, high = blocked[:, 0] - clearance, blocked[:, 1] + clearance
            for x in sorted({last, *low[(low > least) & (low < last)].tolist()}, reverse=True):
                if not np.any((low + 1e-9 < x) & (x < high - 1e-9)):
                    return x, clearance
    raise UnfitBed(
        f"{name} cannot be divided from {start:.0f} to {last:.0f} mm without dividing a seal, a mark or a text; give a longer bed"
    )


def _whole(piece: PatternPiece) -> Iterator[Line]:
    """Return the lines that are not divided: all but the long edges."""
    left, _, right, _ = piece.bounds
    return (line for line in piece.lines if np.ptp(line.points[:, 0]) < right - left - 1e-6)


def _within(piece: PatternPiece, begin: float, end: float) -> Iterator[Line]:
    """Return the lines of a tile: those in its span, and parts of the long edges."""
    whole = set(map(id, _whole(piece)))
    last = end >= piece.bounds[2]
    for line in piece.lines:
        x = line.points[:, 0]
        if id(line) not in whole:
            points = line.points.copy()
            points[:, 0] = np.clip(x, begin, end)
            yield replace(line, points=points)
        elif begin <= x.min() and (x.max() < end or last):
            yield line


def _with_joint(
    tile: PatternPiece, piece: PatternPiece, number: int, joint: tuple[float, float], inwards: float
) -> PatternPiece:
    """Add the marks of a joint at one end of a tile, with its number.

    Args:
        joint: x and clearance of the joint [mm].
        inwards: 1.0 at the left end of a tile, -1.0 at its right end.
    """
    x, clearance = joint
    _, low, _, high = piece.bounds
    middles, half = [low + (high - low) * share for share in MARKS], min(MARK, 0.4 * (high - low)) / 2
    lines = list(tile.lines)
    for y in middles:
        lines.append(Line(Layer.MARK, np.array([(x, y - half), (x, y + half)]), tick=(JOINT, number)))
        lines.append(Line(Layer.MARK, np.array([(x, y), (x + inwards * min(ARM, clearance), y)])))
    marked = PatternPiece(tile.name, tuple(lines), tile.texts)
    return replace(marked, texts=(*marked.texts, _joint_number(marked, (low, high), number, x, inwards)))


def _joint_number(tile: PatternPiece, span: tuple[float, float], number: int, x: float, inwards: float) -> Text:
    """Return the number of a joint at a free place beside it, as large as there is room."""
    shapes = [(shapely.polygons if line.closed else shapely.linestrings)(line.points) for line in tile.lines]
    tree = shapely.STRtree([*shapes, *(shapely.box(*text.bounds) for text in tile.texts)])
    low, high = span
    for height in (NUMBER * 0.8 ** np.arange(12)).tolist():
        for y in np.arange(low + height, high - 2 * height, 1.0).tolist():
            at = x + inwards * height / 2, y
            made = Text(at, height, f"J{number}", "left" if inwards > 0 else "right")
            if not len(tree.query(shapely.box(*made.bounds), "intersects")):
                return made
    raise UnfitBed(f"{tile.name} has no room for the number of joint {number} at {x:.0f} mm; give a longer bed")

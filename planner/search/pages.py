"""Bends and controls of vines of different lengths: each vine takes the memory of its own length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dynamics.vine import Array, Integers

PAGE = 64
"""Number of segments of a page."""


def pages_for(segments: Integers) -> Integers:
    """Return the number of pages of vines with given numbers of segments, same shape."""
    return -(-segments // PAGE)


class Pages:
    """Rows of bends and controls in pages that all rows share; page 0 is zero, and stands for all that has not been written."""

    def __init__(self, unbent: Callable[[int, int], Array]) -> None:
        """Make no rows.

        Args:
            unbent: Makes the bends of a number of straight vines, of a number of segments, in the propagator's array type.
        """
        self._unbent = unbent
        self._bends: Array = unbent(1, PAGE)
        """Bends [rad], shape (pages, PAGE)."""
        self._controls: NDArray[np.int32] = np.zeros((1, PAGE), np.int32)
        """Controls, same shape."""
        self._page: Integers = np.zeros((0, 1), np.int64)
        """Number of each page of each row, shape (rows, pages of the longest row)."""
        self._free: list[int] = []

    @property
    def bytes(self) -> int:
        """Memory of bends and controls [bytes]."""
        return (self._bends.dtype.itemsize + self._controls.dtype.itemsize) * PAGE * len(self._controls)

    def reserve(self, rows: int) -> None:
        """Make room for a number of rows."""
        self._page = np.pad(self._page, ((0, max(rows - len(self._page), 0)), (0, 0)))

    def put(self, rows: Integers, bends: Array, controls: NDArray[np.int32], segments: Integers) -> None:
        """Write rows that are not in use.

        Args:
            bends: Bends [rad], shape (n, width), zero beyond `segments`.
            controls: Same shape.
            segments: Number of segments of each, shape (n,), at most `width`.
        """
        counts = pages_for(segments)
        most, n = int(counts.max(initial=0)), len(rows)
        self._page = np.pad(self._page, ((0, 0), (0, max(most - self._page.shape[1], 0))))
        written = np.arange(most) < counts[:, None]
        needed = int(written.sum())
        if needed > len(self._free):
            self._grow(needed - len(self._free))
        pages = np.array([self._free.pop() for _ in range(needed)], np.int64)
        numbers = np.zeros((n, most), np.int64)
        numbers[written] = pages
        self._page[rows, :most] = numbers
        width = min(controls.shape[1], most * PAGE)
        wide, also = self._unbent(n, most * PAGE), np.zeros((n, most * PAGE), np.int32)
        wide[:, :width] = bends[:, :width]
        also[:, :width] = controls[:, :width]
        also[np.arange(most * PAGE) >= segments[:, None]] = 0
        kept = np.flatnonzero(written)
        self._bends[pages], self._controls[pages] = wide.reshape(-1, PAGE)[kept], also.reshape(-1, PAGE)[kept]

    def free(self, row: int) -> None:
        """Free the memory of a row."""
        self._free += self._page[row][self._page[row] > 0].tolist()
        self._page[row] = 0

    def bends(self, rows: Integers, width: int) -> Array:
        """Return the bends of rows [rad], zero beyond their segments, shape (n, width)."""
        return self._gather(self._bends, rows, width)

    def controls(self, rows: Integers, width: int) -> NDArray[np.int32]:
        """Return the controls of rows, 0 beyond their segments, shape (n, width)."""
        return np.asarray(self._gather(self._controls, rows, width))

    def control(self, rows: Integers, segment: Integers) -> NDArray[np.int32]:
        """Return the control of one segment of each row, shape (n,): 0 beyond its own segments, none beyond those of the
        longest row."""
        return np.asarray(self._controls[self._page[rows, segment // PAGE], segment % PAGE])

    def _gather(self, array: Array, rows: Integers, width: int) -> Array:
        count = int(pages_for(np.array(width)))
        page = self._page[rows, :count]
        page = np.pad(page, ((0, 0), (0, count - page.shape[1])))
        found = array[page.ravel()].reshape(len(page), count * PAGE)[:, :width]
        # compiled kernels would be compiled again for rows that are not contiguous
        return np.ascontiguousarray(found) if isinstance(found, np.ndarray) else found.contiguous()

    def _grow(self, missing: int) -> None:
        """Add free pages: at least as many as are missing, and a quarter of what there is, so that copies stay few and small."""
        before = len(self._controls)
        after = before + max(missing, before // 4, 256)
        bends, controls = self._unbent(after, PAGE), np.zeros((after, PAGE), np.int32)
        bends[:before], controls[:before] = self._bends, self._controls
        self._bends, self._controls = bends, controls
        self._free += range(after - 1, before - 1, -1)

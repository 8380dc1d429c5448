"""Memory and content of the rows of a search tree."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.vine import Array, to_host
from planner.search.pages import PAGE, Pages

ROOM = 3 * PAGE + 7


def _zeros(rows: int, segments: int) -> Array:
    return np.zeros((rows, segments))


def _tensor(rows: int, segments: int) -> Array:
    return torch.zeros(rows, segments, dtype=torch.float64)


@pytest.mark.parametrize("unbent", [_zeros, _tensor])
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_rows_are_read_as_they_were_written(unbent: Array, seed: int) -> None:
    """After any writing and freeing, each row has its bends and controls, and zeros beyond them, as in one wide array."""
    rng, pages = np.random.default_rng(seed), Pages(unbent)
    pages.reserve(41)
    pages.put(np.array([40]), unbent(1, ROOM), np.ones((1, ROOM), np.int32), np.array([ROOM]))
    bends, controls, used = np.zeros((40, ROOM)), np.zeros((40, ROOM), np.int32), np.zeros(40, bool)
    for _ in range(12):
        rows = rng.permutation(np.flatnonzero(~used))[: rng.integers(1, 8)]
        segments = rng.choice([0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, ROOM], len(rows))
        width = int(segments.max(initial=1)) + int(rng.integers(0, 3))
        grown = np.arange(width) < segments[:, None]
        new, also = rng.normal(size=grown.shape) * grown, rng.integers(-9, 9, grown.shape).astype(np.int32)
        given_bends = unbent(*grown.shape)
        given_bends[:] = new if isinstance(given_bends, np.ndarray) else torch.from_numpy(new)
        pages.put(rows, given_bends, also, segments)
        used[rows] = True
        bends[rows], controls[rows] = 0.0, 0
        bends[rows, : min(width, ROOM)] = new[:, :ROOM]
        controls[rows, : min(width, ROOM)] = (also * grown)[:, :ROOM]
        freed = rng.permutation(np.flatnonzero(used))[: rng.integers(0, 6)]
        for row in freed.tolist():
            pages.free(row)
        used[freed], bends[freed], controls[freed] = False, 0.0, 0
        every = rng.permutation(40)
        for much in (1, PAGE, PAGE + 1, ROOM):
            np.testing.assert_array_equal(to_host(pages.bends(every, much)), bends[every, :much])
            np.testing.assert_array_equal(pages.controls(every, much), controls[every, :much])
            assert pages.controls(every, much).flags.c_contiguous
        segment = rng.integers(0, ROOM, 40)
        np.testing.assert_array_equal(pages.control(every, segment), controls[every, segment])


def test_rows_take_memory_for_their_own_length() -> None:
    """One row of 50 pages among 2000 of one: 2049 pages and at most a quarter more; rows that are freed leave theirs to others."""
    pages = Pages(_zeros)
    pages.reserve(2000)
    lengths = np.full(2000, PAGE)
    lengths[7] = 50 * PAGE
    for k in range(0, 2000, 100):
        rows = np.arange(k, k + 100)
        width = int(lengths[rows].max())
        pages.put(rows, np.zeros((100, width)), np.zeros((100, width), np.int32), lengths[rows])
    assert 2049 <= pages.bytes / (12 * PAGE) <= 1.25 * 2049 + 1
    before = pages.bytes
    for _ in range(5):
        for row in range(1000):
            pages.free(row)
        pages.put(np.arange(1000), np.zeros((1000, width)), np.zeros((1000, width), np.int32), np.full(1000, PAGE))
    assert pages.bytes == before

"""Lists of near segments that stay in use while a tube moves: brute force is the reference."""

import numpy as np
import pytest
import shapely

from dynamics.chain import forward_kinematics, new_chain
from dynamics.contact_rows import new_contacts
from dynamics.nearby import RUNS, Blocks, near_segments, new_blocks
from dynamics.self_contact import CROSSED, add_self_contacts, segments_apart
from surrogate.kernels.compiled import Floats

RADIUS, MARGIN = 0.03335, 0.0192
REACH = 2 * RADIUS + MARGIN


def listed(blocks: Blocks, number: int) -> list[tuple[int, int]]:
    """Pairs of an outer and an inner segment in the lists, in their order."""
    return [
        (int(b), int(a))
        for b in blocks.near[:number]
        for first, end in blocks.runs[b, : blocks.numbers[b]]
        for a in range(first, end)
    ]


def pairs_within(line: Floats, reach: float, least: int) -> set[tuple[int, int]]:
    """Outer and inner segments, `least` or more apart, whose axes are nearer than the reach."""
    inner, outer = np.triu_indices(len(line) - 1, least)
    lines = shapely.linestrings(np.stack([line[:-1], line[1:]], axis=1))
    near = shapely.distance(lines[inner], lines[outer]) < reach
    return set(zip(outer[near].tolist(), inner[near].tolist(), strict=True))


class Wandering:
    """A tube that grows, and bends at random in every step by a little, seldom by much."""

    def __init__(self, seed: int, full: float) -> None:
        self.rng, self.full, self.segments, self.last = np.random.default_rng(seed), full, 1, 0.0
        most = int(4.0 / full)
        self.rest = self.rng.normal(3.0 if seed % 2 else 0.0, 2.0) * full + self.rng.normal(0, 0.12, most)
        self.angles, self.chain, self.most = np.zeros(most), new_chain(most), most
        self.pivots = RADIUS * np.sign(self.rest) * (self.rng.random(most) < 0.5)

    def step(self) -> bool:
        """Bend and grow; returns whether the tube is still shorter than its full length."""
        self.last += self.rng.uniform(0.0, 0.4) * self.full
        if self.last >= self.full:
            self.last, self.segments = 0.0, self.segments + 1
            self.angles[self.segments - 1] = 0.0
        joint = slice(0, self.segments)
        share = 0.05 if self.rng.random() < 0.97 else 1.0
        bend = share * (self.rest[joint] - self.angles[joint]) + self.rng.normal(0, 1e-4, self.segments)
        self.angles[joint] += bend
        start, growing = np.array([0.1, 0.2, 0.3]), self.last
        forward_kinematics(self.chain, self.angles, self.pivots, start, self.segments, growing, self.full)
        return self.segments < self.most - 1

    @property
    def line(self) -> Floats:
        return np.stack([self.chain.x, self.chain.y], axis=1)[: self.segments + 1]


@pytest.mark.parametrize(
    ("seed", "full"),
    [
        pytest.param(seed, full, marks=pytest.mark.slow if full < 10e-3 and seed != 1 else ())
        for seed in range(4)
        for full in (6e-3, 25e-3, 60e-3)
    ],
)
def test_no_near_pair_is_ever_missing_while_a_tube_grows_and_bends(seed: int, full: float) -> None:
    """Lists of earlier steps hold all pairs within the reach, each once; most steps make none."""
    tube, least, every = Wandering(seed, full), segments_apart(RADIUS, full), 7 if full > 10e-3 else 29
    blocks, kept, checks, nearby, before = new_blocks(tube.most), 0, 0, 0, (0, 0.0, 0.0)
    for step in range(100_000):
        if not tube.step():
            break
        number = near_segments(tube.chain, tube.segments, REACH, RADIUS, least, blocks)
        now = tube.segments, blocks.seen[0, 0], blocks.seen[1, 0]
        kept, before = kept + (now == before), now
        if step % every == 0 and tube.segments > least:
            pairs = listed(blocks, number)
            assert len(pairs) == len(set(pairs))
            expected = pairs_within(tube.line, REACH, least)
            assert expected <= set(pairs)
            checks, nearby = checks + 1, nearby + len(expected)
    assert checks > 20
    assert kept > 0.4 * step
    assert nearby > 0 or seed % 2 == 0


def test_rows_are_those_of_new_lists_to_the_last_bit() -> None:
    """Same rows in the same order, whether the lists are of this step or of an earlier one, and of another tube before."""
    full, found, crossed = 25e-3, 0, 0
    blocks, least = new_blocks(int(4.0 / full)), segments_apart(RADIUS, full)
    kept, new = new_contacts(4000), new_contacts(4000)
    for seed in range(1, 12, 2):
        tube = Wandering(seed, full)
        while tube.step():
            arguments = tube.chain, tube.segments, RADIUS, MARGIN, least
            count = add_self_contacts(*arguments, kept, 0, blocks)
            assert count == add_self_contacts(*arguments, new, 0, new_blocks(tube.most))
            crossed += count == CROSSED
            found += max(count, 0)
            for name in ("first", "segment", "key", "gap", "alpha", "beta", "gamma", "growth"):
                np.testing.assert_array_equal(getattr(kept, name)[: max(count, 0)], getattr(new, name)[: max(count, 0)])
    assert found > 1000
    assert crossed > 0


def test_more_runs_than_are_kept_apart_are_joined() -> None:
    """A bundle of many short turns: all near segments are among the runs, however many they are."""
    full, least = 25e-3, segments_apart(RADIUS, 25e-3)
    angles = np.tile(np.concatenate([np.zeros(9), np.full(13, np.pi / 13), np.zeros(9), np.full(13, -np.pi / 13)]), 6)
    angles[1::44] += 0.02
    chain, blocks = new_chain(len(angles)), new_blocks(len(angles))
    forward_kinematics(chain, angles, np.zeros(len(angles)), np.zeros(3), len(angles), full, full)
    pairs = listed(blocks, near_segments(chain, len(angles), 20 * RADIUS, RADIUS, least, blocks))
    expected = pairs_within(np.stack([chain.x, chain.y], axis=1), 20 * RADIUS, least)
    assert expected <= set(pairs)
    assert len(pairs) == len(set(pairs))
    assert blocks.numbers.max() <= RUNS
    assert len(pairs) > len(expected) > 1000

"""Random vines in the shipped environments: none gets into an obstacle or through one. Shapely is the reference."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import shapely

from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, centerlines, grown_length
from environments import Environment, known_environments
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]

RECORD_EVERY = 4e-3
STEP = 25e-3 / 6
"""Growth of a step: a snap begins up to so much beyond a record, and may give back as much [m]."""
SEGMENTS = {
    "building": 140, "divider": 90, "long": 140, "maze": 140, "needle": 110, "pickone": 70, "plus": 140, "spiral": 120, "tube": 100,
}  # fmt: skip


def random_actuation(batch: int, segments: int, seed: int) -> Actuation:
    """Sections of 0.1 to 0.5 m with an actuator on the left, on the right or none."""
    rng = np.random.default_rng(seed)
    pressure, l_0 = np.zeros((batch, segments)), np.full((batch, segments), 0.04)
    for vine in range(batch):
        first = 0
        while first < segments:
            end = first + int(rng.integers(4, 21))
            pressure[vine, first:end] = rng.integers(-1, 2) * rng.uniform(5e3, 35e3)
            l_0[vine, first:end] = rng.uniform(20e-3, 80e-3)
            first = end
    return Actuation(pressure, l_0)


class Checker:
    """Measures by shapely of a vine's recorded centrelines in an environment."""

    def __init__(self, environment: Environment, params: VineParams) -> None:
        # shapely makes polygons of what is round: the ends of walls as thin as the spiral's are off by a micrometre.
        assert not len(environment.obstacles.circles)
        assert not (environment.obstacles.walls[:, 4] > 0.03).any()
        self.solid = shapely.union_all(environment.obstacles.shapes())
        shapely.prepare(self.solid)
        parts = shapely.get_parts(self.solid)
        self.inner_points = shapely.get_coordinates(shapely.point_on_surface(parts))
        self.corners = shapely.get_coordinates(self.solid.buffer(1e-3, join_style="mitre"))
        self.clearance = params.radius - params.penetration_tolerance
        self.longest_harmless_move = 2 * self.clearance

    def too_deep(self, lines: list[Floats]) -> int:
        """How many centrelines come nearer to an obstacle than the radius less the tolerance."""
        coordinates = np.concatenate(lines)
        indices = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
        shapes = shapely.linestrings(coordinates, indices=indices)
        return int(shapely.dwithin(shapes, self.solid, self.clearance - 1e-9).sum())

    def crosses(self, before: Floats, after: Floats, growth: float) -> bool:
        """Whether one recorded centreline cannot be bent into the next one without crossing an obstacle.

        Move every point straight to the point of the same arc length. If none moves farther than twice the clearance,
        each is always within the clearance of where it was or will be, and both are that clear of obstacles: nothing
        was crossed. A tube that snaps over may move farther within one record. Then close the loop from the base
        along the one centreline, straight over from tip to tip, and back along the other: had an obstacle been
        crossed, the loop would wind round it.
        """
        common = len(before) - 1  # the tip of `before` lies within a segment of `after`, at most `growth` from its tip
        moves = np.hypot(*(after[:common] - before[:common]).T)
        if max(moves.max(), np.hypot(*(after[-1] - before[-1])) + growth) < self.longest_harmless_move:
            return False
        loop = np.vstack([before, *self._way_over(before[-1], after[-1]), after[::-1]])
        spokes = loop[None] - self.inner_points[:, None]
        angle = np.arctan2(spokes[..., 1], spokes[..., 0])
        turn = (np.diff(angle, axis=1, append=angle[:, :1]) + np.pi) % (2 * np.pi) - np.pi
        return bool((np.rint(turn.sum(axis=1) / (2 * np.pi)) != 0).any())

    def _way_over(self, start: Floats, end: Floats) -> list[Floats]:
        """Corners on a short clear way from tip to tip: none, or the one where the tip slid round an obstacle."""
        if not self.solid.intersects(shapely.LineString([start, end])):
            return []
        lengths = np.hypot(*(self.corners - start).T) + np.hypot(*(self.corners - end).T)
        for k in np.argsort(lengths):
            if not self.solid.intersects(shapely.LineString([start, self.corners[k], end])):
                return [self.corners[k]]
        raise AssertionError("the tip went round two corners between two records")


def recorded(rollout: Rollout, vine: int, start: Floats, params: VineParams) -> tuple[list[Floats], Floats]:
    """Centrelines of one vine's records, and their lengths."""
    records = np.arange(rollout.records[vine])
    state = rollout.state(np.full(len(records), vine), records)
    points = centerlines(state, start, params)
    return [line[: count + 1] for line, count in zip(points, state.segments, strict=True)], grown_length(state, params)


def portions(total: int, size: int = 100) -> Iterator[tuple[int, int]]:
    """Seeds and sizes of the batches that make up `total` rollouts."""
    for seed, first in enumerate(range(0, total, size)):
        yield seed, min(size, total - first)


@pytest.mark.parametrize("rollouts", [12, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", known_environments())
def test_no_vine_enters_or_crosses_an_obstacle(
    shipped: dict[str, Environment],
    quasistatic: Callable[[str], QuasiStatic],
    params: VineParams,
    name: str,
    rollouts: int,
) -> None:
    """No recorded state of random rollouts is deeper than 1 mm, and none crosses an obstacle to the next."""
    environment, propagator, checker = shipped[name], quasistatic(name), Checker(shipped[name], params)
    statuses: list[int] = []
    records = 0
    assert propagator.tube.most_motion < checker.longest_harmless_move
    for seed, batch in portions(rollouts):
        actuation = random_actuation(batch, SEGMENTS[name], seed)
        length = SEGMENTS[name] * params.segment_length
        rollout = propagator.grow(propagator.start(batch, SEGMENTS[name]), actuation, length, RECORD_EVERY)
        for vine in range(batch):
            lines, lengths = recorded(rollout, vine, environment.start, params)
            assert checker.too_deep(lines) == 0
            snaps = rollout.snaps[vine, :, 0]
            for k in range(1, len(lines)):
                if not (
                    (lengths[k - 1] - STEP < snaps) & (snaps < lengths[k] + STEP)
                ).any():  # the way of a snap is not recorded
                    assert not checker.crosses(lines[k - 1], lines[k], lengths[k] - lengths[k - 1]), (seed, vine, k)
            records += len(lines)
        statuses += [int(status) for status in rollout.status]
    assert records > 50 * rollouts  # the vines met things: they did not end at the start
    share = np.bincount(statuses, minlength=len(Status)) / len(statuses)
    assert share[Status.STALLED] > 0 or name in ("spiral", "building")  # wide enough to turn round in
    assert share[Status.OUT_OF_BOUNDS] == 0
    assert share[Status.UNRESOLVED] <= 0.02


def test_checker_finds_a_crossing(environment: MakeEnvironment, params: VineParams) -> None:
    """A centreline that was above an obstacle and is below it has crossed; one that merely swung aside has not."""
    checker = Checker(environment(boxes=[[0.4, -0.05, 0.5, 0.05]]), params)
    base, above, below = (
        np.zeros((1, 2)),
        [[0.2, 0.2], [0.45, 0.2], [0.9, 0.0]],
        [[0.2, -0.2], [0.45, -0.2], [0.9, 0.0]],
    )
    higher = [[0.2, 0.4], [0.45, 0.5], [0.9, 0.2]]
    assert checker.crosses(np.vstack([base, above]), np.vstack([base, below]), 0.0)
    assert not checker.crosses(np.vstack([base, above]), np.vstack([base, higher]), 0.0)
    assert checker.too_deep([np.vstack([base, above]), np.vstack([base, [[0.3, 0.07], [0.6, 0.07]]])]) == 1

"""Laws of soft contacts are continuous: what walls need to hold a tube does not jump as it moves past their ends and through passages."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import nnls

from dynamics.chain import forward_kinematics
from dynamics.contacts import find_contacts
from dynamics.cross_section import COMPLIANCE, LENGTH, NEAREST, RIGID, TIP, cross_section
from dynamics.quasistatic.step import QuasiStaticWork, new_work
from dynamics.scene import Scene, build_scene
from dynamics.soft_contacts import shared_compliance, shared_reach, squeezed_share
from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from surrogate.kernels.compiled import Floats

SOFT = VineParams(least_height=0.5)
SECTION = cross_section(SOFT)
R, SEGMENT = SOFT.radius, SOFT.segment_length
REACH, MARGIN = shared_reach(SECTION), 12e-3
COUNT = 8


class Sweep(NamedTuple):
    """A tube that is moved past walls."""

    walls: list[Floats]
    """Corners of polygons [m]."""
    first: tuple[float, float, float]
    """Tip x, y [m] and heading [rad]."""
    last: tuple[float, float, float]
    bend: float = 0.0
    """Bend of each joint [rad]."""
    growing: float = 0.4
    """Length of the last segment, in segments [-]."""


def _scene(walls: list[Floats]) -> Scene:
    workspace = Environment("sweep", "", (-1, -1, 1, 1), (-0.9, 0.9, 0), (0.9, 0.9, 0.1), Obstacles(walls))
    return build_scene(workspace, R + MARGIN, R + MARGIN + SEGMENT)


def _place(work: QuasiStaticWork, sweep: Sweep, share: float) -> None:
    """Lay the tube with its tip at a share of the way."""
    tip = np.array(sweep.first) + share * np.subtract(sweep.last, sweep.first)
    bends, base = np.full(COUNT, sweep.bend), np.array([0.0, 0.0, tip[2] - sweep.bend * COUNT])
    for _ in range(2):
        forward_kinematics(work.chain, bends, np.zeros(COUNT), base, COUNT, sweep.growing * SEGMENT, SEGMENT)
        base[:2] += tip[0] - work.chain.x[COUNT], tip[1] - work.chain.y[COUNT]


def _hold(scene: Scene, sweep: Sweep, work: QuasiStaticWork, share: float) -> Floats:
    """Force [N], moment about the tip in radii [N] and resistance to growth [N] of the walls on a tube whose axis is held there."""
    _place(work, sweep, share)
    rows = work.contacts
    count = find_contacts(scene, SECTION, MARGIN, work.chain, COUNT, rows)
    if count == 0:
        return np.zeros(4)
    compliance = np.diag(rows.pressing[:count, COMPLIANCE])
    for k in range(count):
        for m in range(k):
            compliance[k, m] = compliance[m, k] = shared_compliance(rows, k, m, REACH)
    # The forces f >= 0 minimise f C f / 2 + gap f: least squares in the factor of C.
    normal = np.column_stack([rows.gamma[:count], -rows.beta[:count]])
    x, y = work.chain.x[COUNT], work.chain.y[COUNT]
    moment = (rows.alpha[:count] + rows.beta[:count] * x + rows.gamma[:count] * y) / R
    factor = np.linalg.cholesky(compliance)
    force = nnls(factor.T, np.linalg.solve(factor, -rows.gap[:count]), maxiter=1000)[0]
    return np.array([*(force @ normal), force @ moment, force @ rows.growth[:count]])


def _lack(scene: Scene, sweep: Sweep, work: QuasiStaticWork, share: float) -> Floats:
    """Force that the squeezed tip lacks [N]."""
    _place(work, sweep, share)
    count = find_contacts(scene, SECTION, MARGIN, work.chain, COUNT, work.contacts)
    return np.array([SOFT.growth_force * squeezed_share(SECTION, work.contacts, count)])


Measure = Callable[[Scene, Sweep, QuasiStaticWork, float], Floats]


def _largest_jump(sweep: Sweep, measure: Measure) -> tuple[float, float]:
    """Jump that remains of the largest changes over steps of a sweep when these are halved until they are below a nanometre, and its place.

    It is a share of the largest value.
    """
    scene, work, steps = _scene(sweep.walls), new_work(COUNT), 300
    at = np.linspace(0.0, 1.0, steps + 1)
    found = [measure(scene, sweep, work, share) for share in at]
    change = np.array([np.abs(b - a).max() for a, b in pairwise(found)])
    worst = 0.0, 0.0
    for step in np.argsort(-change)[:12].tolist():
        low, high, below, above = at[step], at[step + 1], found[step], found[step + 1]
        for _ in range(20):
            middle = 0.5 * (low + high)
            between = measure(scene, sweep, work, middle)
            if np.abs(between - below).max() > np.abs(above - between).max():
                high, above = middle, between
            else:
                low, below = middle, between
        worst = max(worst, (float(np.abs(above - below).max()), float(low)))
    return worst[0] / max(float(np.abs(found).max()), 1e-12), worst[1]


FLAT = box_corners(-0.5, -0.3, 0.0, 0.0)
"""A wall below the tube that ends at x = 0."""
WEDGE = np.array([[-0.05, -0.3], [0.05, -0.3], [0.0, 0.0]])
"""A sharp corner below the tube."""
DENT = 6e-3


def _past(angle: float, dent: float = DENT, bend: float = 0.0, growing: float = 0.4) -> Sweep:
    """The tip moves past the end of a wall, at an angle to it."""
    height = R - dent
    return Sweep([FLAT], (-0.08, height, angle), (0.08, height, angle), bend, growing)


SWEEPS = {
    "past the end": _past(0.0),
    "past the end, a segment just born": _past(0.0, growing=1e-3),
    "past the end, away": _past(0.15),
    "past the end, into it": _past(-0.15),
    "past the end, bent": _past(0.1, bend=0.08),
    "past the end, deep": _past(0.0, dent=SECTION.most_dent - 1e-3),
    "over a corner, bent round it": Sweep([WEDGE], (0.06, R - DENT - 0.015, -0.32), (0.1, R - DENT - 0.015, -0.32), -0.08),
    "over a corner, slightly bent round it": Sweep(
        [WEDGE], (0.06, R - DENT - 0.006, -0.12), (0.1, R - DENT - 0.006, -0.12), -0.03
    ),
    "over a corner, bent away": Sweep([WEDGE], (0.06, R - DENT + 0.015, 0.32), (0.1, R - DENT + 0.015, 0.32), 0.08),
    "back over the end": Sweep([FLAT], (-0.08, R - DENT, 3.0), (0.12, R - DENT, 3.0)),
    "on to a wall's end": Sweep([FLAT], (0.1, -0.02, np.pi), (R - 12e-3, 0.05, np.pi)),
    "turning at the end": Sweep([FLAT], (0.02, R - DENT, -1.2), (0.02, R - DENT, 0.0)),
    "into a wall": Sweep([FLAT], (-0.2, R + 5e-3, -1.0), (-0.2, R - SECTION.most_dent - 2e-3, -1.0)),
    "onto a wall": Sweep([FLAT], (-0.1, R + 5e-3, 0.02), (-0.1, R - SECTION.most_dent - 2e-3, 0.02)),
    "pieces": Sweep([np.array([[-0.5, -0.3], [0.5, -0.3], [0.5, 0], [0.02, 0], [-0.02, 0], [-0.5, 0]])],
                    (-0.08, R - DENT, -0.1), (0.08, R - DENT, -0.1)),
    "a blunt end": Sweep([np.array([[-0.5, -0.3], [0.5, -0.3], [0.5, -0.1], [0.0, 0], [-0.5, 0]])],
                         (-0.08, R - DENT, 0.0), (0.08, R - DENT, 0.0)),
}  # fmt: skip
MOUTH = [box_corners(-0.1, -0.3, 0.6, 0.0), box_corners(-0.1, 1.7 * R, 0.6, 0.4)]
"""A passage of 0.85 diameters that begins at x = -0.1 m, and one that ends at 0.1 m."""
EXIT = [box_corners(-0.6, -0.3, 0.1, 0.0), box_corners(-0.6, 1.7 * R, 0.1, 0.4)]
WIDE = [box_corners(-0.6, -0.3, 0.6, 0.0), box_corners(-0.06, 1.92 * R, 0.6, 0.5)]
SQUEEZES = {
    "across a wide passage": Sweep(WIDE, (0.0, R - 10e-3, -0.2), (0.0, R - 16e-3, -0.2)),
    "across a passage": Sweep(EXIT, (0.0, R - 0.6 * R, 0.0), (0.0, R + 0.3 * R, 0.0)),
    "into a passage": Sweep(MOUTH, (-0.2, 0.8 * R, 0.0), (0.0, 0.8 * R, 0.0)),
    "into a passage, askew": Sweep(MOUTH, (-0.2, 0.75 * R, 0.05), (0.0, 0.75 * R, 0.05)),
    "out of a passage": Sweep(EXIT, (0.0, 0.8 * R, 0.05), (0.2, 0.9 * R, 0.05)),
    "turning in its mouth": Sweep(MOUTH, (-0.102, 0.85 * R, -0.5), (-0.098, 0.85 * R, 0.5)),
}


@pytest.mark.parametrize("name", [*SWEEPS, *SQUEEZES])
def test_what_holds_a_tube_is_continuous(name: str) -> None:
    """No force or moment of walls on a tube jumps where its tip, and joints behind it, pass their ends."""
    jump, _ = _largest_jump({**SWEEPS, **SQUEEZES}[name], _hold)
    assert jump < 2e-3, "more than the compliance of a rigid contact, which two contacts at one place halve"


@pytest.mark.parametrize("name", SQUEEZES)
def test_what_a_squeezed_tip_lacks_is_continuous(name: str) -> None:
    """The force that it lacks does not jump where a wall begins or ceases to touch it."""
    jump, _ = _largest_jump(SQUEEZES[name], _lack)
    assert jump < 2e-3


@pytest.mark.parametrize("behind", [0.0, 0.2, 0.5, 0.8])
def test_a_corner_behind_the_tip_dents_tube_and_cap(behind: float) -> None:
    """It dents as much of both as the cap is stiff, 1.5 R: the tube as far as it goes to either side, and of the rest the cap."""
    sweep, work = Sweep([WEDGE], (behind * R, R - DENT, 0.0), (0.0, 0.0, 0.0)), new_work(COUNT)
    _place(work, sweep, 0.0)
    count = find_contacts(_scene([WEDGE]), SECTION, MARGIN, work.chain, COUNT, work.contacts)
    deepest = work.contacts.pressing[int(np.argmin(work.contacts.gap[:count]))]
    on_tube = min(2 * behind, 1.5) * R
    assert deepest[LENGTH] == pytest.approx(on_tube, abs=1e-9)
    assert deepest[TIP] == pytest.approx(1.5 * R - on_tube, abs=1e-9)
    force = _hold(_scene([WEDGE]), sweep, work, 0.0)
    assert np.hypot(force[0], force[1]) == pytest.approx(2 * np.pi * SOFT.growth_pressure * R * DENT, rel=0.02)


def test_a_corner_that_is_about_to_leave_a_segment_squeezes_nothing_there() -> None:
    """Bent round a corner, the tube has it at several segments: as a contact comes or goes, nothing is left of its size."""
    scene, work, leaving = _scene([WEDGE]), new_work(COUNT), 0
    for x in np.linspace(0.03, 0.16, 400):
        _place(work, Sweep([WEDGE], (x, R - 5e-3, 0.0), (0.0, 0.0, 0.0), -0.12), 0.0)
        count = find_contacts(scene, SECTION, MARGIN, work.chain, COUNT, work.contacts)
        gap, pressing = work.contacts.gap[:count], work.contacts.pressing[:count]
        if count and gap.min() < 0:
            close = (gap > 0.095 * MARGIN) & (gap < 0.1 * MARGIN) & (pressing[:, RIGID] == 0)
            passed = close & (pressing[:, NEAREST] != np.arange(count))
            assert (pressing[passed, LENGTH] + pressing[passed, TIP] < 0.1 * SECTION.cap).all()
            leaving += int(passed.sum())
    assert leaving > 0

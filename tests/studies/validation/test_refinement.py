"""Errors over steps and segments: the orders that are promised, and how they are read."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.registry import propagators
from dynamics.tube import VineParams
from studies.validation import refinement
from studies.validation.contacts import make_actuator, with_contact
from studies.validation.refinement import (
    AFTER,
    AS_GIVEN,
    BEFORE,
    PER_LENGTH,
    SCENES,
    SEGMENTS,
    SNAP_HEADING,
    SNAP_LENGTH,
    SNAPS,
    STEP,
    Refinement,
    cases,
    chain_error,
    make_environment,
    refine_segments,
    refine_snap,
    refine_step,
    report,
    run_refinement,
    snap_ends,
)
from studies.validation.refinement_plots import save_refinement
from tests.dynamics.reference.store import stored

PNG = b"\x89PNG"


def test_a_chain_is_turned_by_half_a_segment_against_its_arc() -> None:
    """Tips of chains and half as fine ones, in closed form, are as far apart as said, but for the second order."""
    curvature, length = make_actuator()[2], BEFORE + AFTER

    def tip(segment: float) -> complex:
        heading = curvature * segment * np.arange(1, round(length / segment) + 1)
        return complex((segment - VineParams().radius * curvature * segment) * np.exp(1j * heading).sum())

    for segment in SEGMENTS:
        assert abs(tip(segment) - tip(segment / 2)) == pytest.approx(chain_error(segment), rel=segment)


@pytest.mark.parametrize(
    "name", ["quasistatic", "geometric", "euler-lagrange", pytest.param("impulse", marks=pytest.mark.slow)]
)
def test_segments_converge_at_first_order_in_free_space(name: str) -> None:
    """With a moment per length the errors are those of the chain in closed form; each is half of the one before.

    What swings, or lags behind its rest, adds less than a hundredth.
    """
    found = refine_segments(name, "free space", PER_LENGTH, SEGMENTS[:3])
    expected = [chain_error(length) for length in SEGMENTS[:2]]
    assert found.errors == pytest.approx(expected, rel=0.01)
    assert found.slope == pytest.approx(1.0, abs=0.02)


def test_a_moment_per_joint_is_another_tube_for_each_segment() -> None:
    """Eq. 2 is for the bend of a segment: the predicted curvatures differ, so the tips do not converge."""
    found = refine_segments("geometric", "free space", AS_GIVEN)
    assert found.errors[-1] > found.errors[0]
    curvature = refinement.curvatures_as_given()
    assert curvature == sorted(curvature)
    assert curvature[SEGMENTS.index(25e-3)] == pytest.approx(make_actuator()[2])


@pytest.mark.parametrize(
    ("name", "scene"), [("quasistatic", "wall"), pytest.param("euler-lagrange", "free space", marks=pytest.mark.slow)]
)
def test_steps_converge_at_first_order(name: str, scene: str) -> None:
    """Euler's method, implicit or half so, is of first order."""
    found = refine_step(name, scene)
    assert found.slope is not None
    assert 0.8 <= found.slope <= 1.25
    assert found.errors[-1] < found.errors[0] / 20


def test_closed_forms_know_no_step() -> None:
    """Geometry takes none; a quasistatic arc in free space is at rest in every step."""
    for name, scene in (("geometric", "wall"), ("geometric", "free space"), ("quasistatic", "free space")):
        found = refine_step(name, scene)
        assert found.exact
        assert found.slope is None


def test_a_snap_goes_the_same_way_with_every_step() -> None:
    """In `plus` a passive tube that buckles ends within 1 mm of where the reference solver ends, whatever the step and the physics.

    Where every state is at rest, the default step is nearer to the finest one than where it lags behind, as published.
    """
    reference = next(vine for vine in stored("plus") if vine.case.name == "passive")
    assert reference.case.heading_deg == pytest.approx(np.degrees(SNAP_HEADING))
    assert reference.lengths[-1] == pytest.approx(SNAP_LENGTH)
    found = {scene: refine_snap("quasistatic", scene, (1, 4, 16)) for scene in SNAPS}
    for scene, one in found.items():
        assert (one.sizes, len(one.errors), one.slope, one.exact) == ((1.0, 0.25, 0.0625), 2, None, False)
        assert max(one.errors) < 1e-3
        assert np.hypot(*(snap_ends("quasistatic", scene, (16,))[0] - reference.joints[-1][-1])) < 1e-3
        row = next(line for line in report([one]) if f"| {scene} | step | 2 |" in line)
        assert row.endswith("| - |")
    assert found["snap, corrected"].errors[0] < found["snap, published"].errors[0] / 10


def test_slopes_are_those_of_powers() -> None:
    """The order follows from the last errors, with any first ones; there is none where errors are rounding or missing."""
    sizes = tuple(0.5**k for k in range(8))
    errors = tuple(3e-4 * size**2 for size in sizes[:-1])
    assert Refinement("", "", STEP, sizes, errors).slope == pytest.approx(2)
    assert Refinement("", "", STEP, sizes, (1.0, 7.0, *errors[2:])).slope == pytest.approx(2)
    assert Refinement("", "", STEP, sizes, (0.0,) * 7).exact
    assert Refinement("", "", STEP, sizes, (0.0,) * 7).slope is None
    stopped = Refinement("", "", STEP, sizes, (), "it stopped")
    assert (stopped.slope, stopped.exact) == (None, False)


def test_what_does_not_grow_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vine that leaves the bounds has no errors but a complaint, in the table too."""
    environment = make_environment("free space")
    small = replace(environment, bounds=np.array([environment.start[0] - 0.2, -0.5, 1.5, 1.5]))
    monkeypatch.setattr(refinement, "make_environment", lambda _: small)
    found = [refine_step("quasistatic", "free space"), refine_segments("quasistatic", "free space", AS_GIVEN)]
    assert all("left the bounds" in one.complaint for one in found)
    assert "left the bounds" in report(found)[-4]


def test_refinements_are_written_and_drawn(tmp_path: Path) -> None:
    """A row for each case, JSON without NaN, and a picture; the wall is only for those that know contact."""
    found = list(run_refinement(["geometric"]))
    assert [(one.propagator, one.scene, one.halved) for one in found] == cases(["geometric"])
    assert {scene for _, scene, _ in cases(["euler-lagrange"])} == {"free space"}
    assert len(cases(propagators())) == 3 * (len(propagators()) + len(with_contact(propagators()))) + len(SNAPS)
    found.append(Refinement("impulse", "wall", STEP, (1.0, 0.5, 0.25), (1e-5, 5e-6)))
    found.append(Refinement("penalty", "wall", STEP, (1.0,), (), "it stopped"))
    found += [Refinement("quasistatic", scene, STEP, (1.0, 0.5, 0.25), (1e-5, 1e-6)) for scene in SNAPS]
    rows = [line for line in report(found) if any(f"| {scene} |" in line for scene in (*SCENES, *SNAPS))]
    assert len(rows) == len(found)
    json.dumps([one.content() for one in found], allow_nan=False)
    save_refinement(tmp_path / "refinement.png", found)
    assert (tmp_path / "refinement.png").read_bytes()[:4] == PNG


@pytest.mark.slow
def test_penalty_and_impulse_converge_at_first_order() -> None:
    """Penalty's steps at the wall, impulse's in free space, segments of both."""
    for name, scene in (("penalty", "wall"), ("impulse", "free space")):
        steps, segments = refine_step(name, scene), refine_segments(name, scene, PER_LENGTH)
        assert steps.slope is not None
        assert steps.slope >= 0.8
        assert segments.slope == pytest.approx(1.0, abs=0.02)

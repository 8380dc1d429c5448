"""A bent vine at a box: what contact does to its bend, and how it is read."""

import json
from pathlib import Path

import numpy as np
import pytest

from dynamics.registry import propagators
from dynamics.tube import VineParams
from dynamics.vine import Status
from studies.validation.contacts import (
    ACUTE,
    CASES,
    HEAD_ON,
    OBTUSE,
    ContactCase,
    ContactResult,
    make_actuator,
    report,
    run_contacts,
    touch,
    with_contact,
)
from studies.validation.contacts_plots import save_contacts

PNG = b"\x89PNG"


def contact(bends: list[float], case: ContactCase = ACUTE, status: Status = Status.GROWN) -> ContactResult:
    """A vine of 25 mm segments bent beyond free space by this many degrees at each joint."""
    line = np.zeros((len(bends) + 1, 2))
    line[:, 0] = 25e-3 * np.arange(len(line))
    return ContactResult("made", case, status, 25e-3 * len(bends), line, line, np.radians(bends), 25e-3, True)


@pytest.mark.parametrize("case", CASES)
def test_the_tip_meets_the_box_at_the_angle_it_is_for(case: ContactCase) -> None:
    """Along the actuator's arc from the base: its end touches the upper face above (0, 0), and nothing before it does."""
    environment, curvature, radius = case.environment, make_actuator()[2], VineParams().radius
    at = np.linspace(0, case.before, 2001)
    heading = environment.start[2] + curvature * at
    # The film turns by its curvature; the centreline is shorter by R times the bend.
    moves = np.exp(1j * (heading[1:] + heading[:-1]) / 2) * np.diff(at) * (1 - radius * curvature)
    arc = environment.start[0] + 1j * environment.start[1] + np.concatenate([[0], np.cumsum(moves)])
    assert arc[-1] == pytest.approx(1j * radius, abs=1e-6)
    assert heading[-1] == pytest.approx(-case.contact_angle)
    assert arc[:-1].imag.min() > radius


@pytest.mark.parametrize("name", ["quasistatic", "impulse", "geometric"])
@pytest.mark.parametrize(("case", "sense"), [(ACUTE, 1), (OBTUSE, -1)])
def test_contact_bends_a_vine_the_way_the_box_pushes(name: str, case: ContactCase, sense: int) -> None:
    """Paper 002, section 6.1: an acute angle makes curvature grow, an obtuse one shrink; the tip slides the same way."""
    found = touch(name, case)
    assert found.status == Status.GROWN
    assert found.touches
    assert found.as_published
    assert sense * found.turned > np.radians(5)
    # Geometry bends one joint; models with moments bend the half next to the tip too.
    assert sense * found.tip_half > (-1e-6 if name == "geometric" else np.radians(2))
    assert sense * found.line[-1, 0] > 0.1
    assert found.line[-1, 1] == pytest.approx(VineParams().radius, abs=1.5e-3)


@pytest.mark.parametrize("name", ["quasistatic", "impulse"])
def test_head_on_the_largest_bend_is_near_the_base(name: str) -> None:
    """Against the actuator, as the base is farthest from the line of the force, and ever less towards the tip."""
    found = touch(name, HEAD_ON)
    assert found.as_published
    assert found.peak is not None
    assert found.peak < found.length / 3
    assert found.turned < -np.radians(20)
    thirds = [part.sum() for part in np.array_split(found.bends, 3)]
    assert thirds[0] < thirds[1] < thirds[2] < 0


def test_geometry_is_stuck_head_on() -> None:
    """It has no buckling: the vine ends where it meets the box, as bent as in free space, and the report says so."""
    found = touch("geometric", HEAD_ON)
    assert (found.seen, found.as_published, found.peak) == ("stuck", False, None)
    assert found.length == pytest.approx(HEAD_ON.before, abs=0.01)
    assert f"`geometric`, head-on: {Status.STALLED.advice}" in "\n".join(report([found]))


def test_outcomes_are_read() -> None:
    """By the sum of what contact bends, and the joint that it bends most."""
    grows = contact([0, 0, 3, 1])
    assert (grows.seen, grows.as_published) == ("curvature grows", True)
    assert grows.peak == pytest.approx(50e-3)
    assert grows.base_share == 0
    assert np.degrees([grows.turned, grows.tip_half]) == pytest.approx([4, 4])
    assert not contact([0, 0, 3, 1], OBTUSE).as_published
    assert contact([-3, 0, 0, 0], OBTUSE).as_published
    assert contact([-3, 0, 0, 0], HEAD_ON).as_published
    assert not contact([0, 0, 0, -3], HEAD_ON).as_published
    assert contact([0.1, 0, 0, 0]).seen == "nothing"
    assert contact([0.1, 0, 0, 0], status=Status.STALLED).seen == "stuck"


def test_only_those_that_know_contact_are_grown() -> None:
    """The arc in free space is left out."""
    assert "euler-lagrange" not in with_contact(propagators())
    assert with_contact(["impulse", "euler-lagrange"]) == ["impulse"]


def test_outcomes_are_written_and_drawn(tmp_path: Path) -> None:
    """A row for each outcome, JSON without NaN, and a picture."""
    found = list(run_contacts(["geometric"]))
    assert [one.case for one in found] == list(CASES)
    rows = [line for line in report(found) if "| geometric |" in line]
    assert len(rows) == len(CASES)
    json.dumps([one.content() for one in found], allow_nan=False)
    save_contacts(tmp_path / "contacts.png", found)
    assert (tmp_path / "contacts.png").read_bytes()[:4] == PNG


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_penalty_bends_as_quasistatic_does(case: ContactCase) -> None:
    """Another method finds the least energy: the shapes agree within a millimetre."""
    found, exact = touch("penalty", case), touch("quasistatic", case)
    assert found.as_published
    np.testing.assert_allclose(found.line, exact.line, atol=1e-3)

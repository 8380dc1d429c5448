"""Tables of poses: what another program reads is where the tube is."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import VineState, centerlines, pivots_of
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.design.replay import Simulation, make_simulation, replay
from vinewright.commands.simulate_tables import CENTRELINE_COLUMNS, GROWTH_COLUMNS, centreline_table, growth_table

STEP_MM, STEP_DEG = 0.5e-3, 0.5e-4
"""Half of the last digit of a length and of an angle in a table."""


def read(table: str) -> dict[str, np.ndarray]:
    """The columns of a table by name."""
    rows = list(csv.DictReader(io.StringIO(table)))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


@pytest.fixture(scope="module")
def simulation(room: Environment, design: Design) -> Simulation:
    """A growth with bends to both sides."""
    return make_simulation(design, room, replay(design, QuasiStatic(room, design.params)))


@pytest.fixture(scope="module")
def line(simulation: Simulation, design: Design, room: Environment) -> dict[str, np.ndarray]:
    return read(centreline_table(design, simulation.centerline, float(room.start[2])))


def test_the_centreline_is_that_of_the_simulation(line: dict[str, np.ndarray], simulation: Simulation) -> None:
    """Joint for joint, in millimetres and in metres; its tip and its length are those of the growth."""
    joints = simulation.centerline
    assert tuple(line) == CENTRELINE_COLUMNS
    for unit, scale in (("mm", 1e3), ("m", 1.0)):
        found = np.column_stack([line[f"x_{unit}"], line[f"y_{unit}"]])
        assert np.abs(found - scale * joints).max() <= scale * 1.01 * 1e-3 * STEP_MM
    assert line["length_mm"][-1] == pytest.approx(1e3 * simulation.lengths[-1], abs=2 * STEP_MM)
    assert line["heading_deg"][-1] == pytest.approx(np.degrees(simulation.tip[2]), abs=2 * STEP_DEG)


def test_lengths_are_those_of_the_film(line: dict[str, np.ndarray], design: Design) -> None:
    """One segment between two joints, also where an actuator shortens the centreline."""
    assert np.diff(line["length_mm"]) == pytest.approx(1e3 * design.params.segment_length, abs=4 * STEP_MM)
    links = np.hypot(np.diff(line["x_mm"]), np.diff(line["y_mm"]))
    assert links.min() < 0.98 * 1e3 * design.params.segment_length


def test_a_heading_is_the_direction_of_the_next_link(line: dict[str, np.ndarray]) -> None:
    """In degrees, anticlockwise from the x axis, and as a yaw in radians; the tip repeats the last."""
    x, y = np.diff(line["x_mm"]), np.diff(line["y_mm"])
    along = np.exp(1j * np.radians(line["heading_deg"][:-1]))
    turned = np.angle((x + 1j * y) / along)
    assert np.abs(turned).max() < 4 * STEP_MM / np.hypot(x, y).min() + np.radians(STEP_DEG)
    assert np.abs(np.exp(1j * line["yaw_rad"]) - np.exp(1j * np.radians(line["heading_deg"]))).max() < 2e-6
    assert np.ptp(line["heading_deg"]) > 30
    for column in ("heading_deg", "yaw_rad", "curvature_per_m"):
        assert line[column][-1] == line[column][-2]


def test_curvature_is_that_of_the_actuators(room: Environment, design: Design) -> None:
    """In free space, that of the film over the shortened link, 0 where the tube is bare; its integral is the heading."""
    empty = replace(room, obstacles=Obstacles())
    grown = make_simulation(design, empty, replay(design, QuasiStatic(empty, design.params)))
    line = read(centreline_table(design, grown.centerline, float(room.start[2])))
    joint, film = joint_moments(design.params), line["length_mm"] / 1e3
    for section in design.sections:
        turn = float(free_curvature(joint, section.signed_pressure, section.l_0)) if section.pressure else 0.0
        inside = (film > section.start - 0.01) & (film < section.end - 0.03)
        free = float(centerline_curvature(turn, design.params))
        assert line["curvature_per_m"][inside] == pytest.approx(free, rel=2e-3, abs=2e-3)
        assert np.sign(free) == {"left": 1, "right": -1, "none": 0}[section.side]
    links = np.hypot(np.diff(line["x_m"]), np.diff(line["y_m"]))
    turned = np.degrees((line["curvature_per_m"][:-1] * links).sum())
    assert turned == pytest.approx(line["heading_deg"][-1], abs=0.01)


def test_growth_is_the_path_of_the_tip(simulation: Simulation, design: Design, room: Environment) -> None:
    """From the start on, one row per record, at the pose that the propagator records."""
    growth = read(growth_table(simulation, room.start))
    rollout = replay(design, QuasiStatic(room, design.params))
    assert tuple(growth) == GROWTH_COLUMNS
    assert growth["grown_mm"] == pytest.approx([0.0, *1e3 * simulation.lengths], abs=STEP_MM)
    tips = np.vstack([room.start, rollout.tips[0, : rollout.records[0]]])
    assert np.abs(np.column_stack([growth["x_m"], growth["y_m"]]) - tips[:, :2]).max() < 1e-6
    assert growth["heading_deg"] == pytest.approx(np.degrees(tips[:, 2]), abs=2 * STEP_DEG)


def test_a_tube_that_did_not_grow_is_at_the_start(simulation: Simulation, room: Environment) -> None:
    """Its table of the growth has the row of the start and no other."""
    growth = read(growth_table(replace(simulation, joints=simulation.joints[:0], lengths=np.zeros(0)), room.start))
    assert [column.tolist() for column in growth.values()] == [[0.0]] * len(GROWTH_COLUMNS)


def test_headings_go_on_beyond_a_half_turn() -> None:
    """A tube that coils twice has a heading of 720 degrees, and a yaw between -pi and pi."""
    turn, params = np.linspace(0.0, 4 * np.pi, 161), VineParams()
    joints = 0.5 * np.column_stack([np.sin(turn), 1 - np.cos(turn)])
    tube = Design("free", "0" * 64, params, (Section(0.0, 6.0, "none", 0.0, 0.0, 0.0),), np.zeros(3), joints)
    line = read(centreline_table(tube, joints, 0.0))
    step = np.degrees(turn[1])
    assert line["heading_deg"][-1] == pytest.approx(720 - step / 2, abs=1e-3)
    assert np.abs(line["yaw_rad"]).max() <= np.pi + 1e-6
    assert line["curvature_per_m"][1:] == pytest.approx(2.0, rel=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    bends=st.lists(st.floats(-0.6, 0.6), min_size=1, max_size=60),
    last=st.floats(1e-3, 25e-3),
    start=st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3)),
)
def test_any_centreline_comes_back(bends: list[float], last: float, start: tuple[float, float, float]) -> None:
    """The start, the bends and the lengths of links that a table was made of can be computed from it."""
    params, angles = VineParams(), np.array([bends])
    state = VineState(angles, np.array([len(bends)]), np.array([last]), pivots_of(np.zeros_like(angles), params.pivot))
    joints = centerlines(state, np.array(start), params)[0]
    length = params.segment_length * (len(bends) - 1) + last
    tube = Design("free", "0" * 64, params, (Section(0.0, length, "none", 0.0, 0.0, 0.0),), np.zeros(3), joints)
    line = read(centreline_table(tube, joints, start[2]))
    assert np.abs(np.column_stack([line["x_m"], line["y_m"]]) - joints).max() <= 0.51e-6
    assert line["length_mm"][-1] == pytest.approx(1e3 * length, abs=2 * STEP_MM)
    turned = np.radians(np.diff(line["heading_deg"][:-1], prepend=np.degrees(start[2])))
    assert np.abs(turned - bends).max() < 1e-5

"""Inputs and references of a robot from tables: closed forms of its motion, and what a table must be."""

from pathlib import Path

import numpy as np
import pytest

from dynamics.euler_lagrange.errors import InvalidTimeTable
from dynamics.euler_lagrange.input_table import InputTable, simulate
from dynamics.euler_lagrange.kinematics import polar_of_tip, tip_pose, tip_positions, to_regular
from dynamics.euler_lagrange.model import Robot
from dynamics.euler_lagrange.reference_table import ReferenceTable
from dynamics.euler_lagrange.time_table import read_columns, read_inputs, read_reference

WEIGHTLESS = (0.0, 0.0, 0.0)
FREE = Robot(axial_damping=0.0, bending_damping=0.0, yield_force=0.0)


def test_energy_of_a_free_robot_is_conserved() -> None:
    """Without damping and input it stays within 1e-8 J while the tip swings and the tube grows."""
    motion = simulate(FREE, InputTable.constant(), (1.0, 0.8, 0.3), 2.0, tolerance=1e-12)
    energies = [FREE.energy(q, rate) for q, rate in zip(motion.q, motion.rates, strict=True)]
    assert np.ptp(energies) < 1e-8
    assert np.ptp(motion.q[:, 1]) > 0.5
    assert motion.ended == 2.0


def test_a_straight_free_tube_falls() -> None:
    """Its length is s_0 + g t^2 / 2."""
    motion = simulate(FREE, InputTable.constant(), (0.5, 0.0, 0.0), 2.0, tolerance=1e-10)
    np.testing.assert_allclose(motion.q[:, 0], 0.5 + 9.81 * motion.times**2 / 2, atol=1e-7)
    np.testing.assert_allclose(motion.tips, motion.q[:, :1] * [0, 0, 1], atol=1e-12)


def test_growth_under_a_constant_force() -> None:
    """It approaches the rate F / D_s with the time constant m / D_s, F being what the core has above the yield force."""
    robot = Robot(gravity=WEIGHTLESS)
    motion = simulate(robot, InputTable.constant(core=5.0), (0.5, 0.0, 0.0), 3.0, tolerance=1e-10)
    rate, lag = 1.0 / 1.5, 0.1 / 1.5
    expected = 0.5 + rate * (motion.times - lag * (1 - np.exp(-motion.times / lag)))
    np.testing.assert_allclose(motion.q[:, 0], expected, atol=1e-8)


@pytest.mark.parametrize("planes", [(0.0, 120.0, -120.0), (30.0, 150.0, -100.0)])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_one_actuator_bends_into_its_plane(planes: tuple[float, float, float], which: int) -> None:
    """At rest, without gravity, by T a / K, wherever it is placed around the tube."""
    a, b, c = np.radians(planes).tolist()
    robot = Robot(gravity=WEIGHTLESS, planes=(a, b, c))
    motion = simulate(robot, InputTable.constant(actuators=30.0 * np.eye(3)[which]), (1.0, 0.0, 0.0), 5.0)
    np.testing.assert_allclose(motion.polar[-1], [1.0, 30.0 * 0.025 / 20, np.radians(planes[which])], atol=1e-7)


def test_actuators_on_one_side_are_refused() -> None:
    """Between two neighbours there must be less than half a turn."""
    for planes in ((0.0, 1.0, 2.0), (0.0, np.pi, -1.0), (0.0, 0.0, np.nan)):
        with pytest.raises(ValueError, match=r"robot\.planes"):
            Robot(planes=planes)


def test_a_pressure_pulls_less_as_the_actuator_shortens() -> None:
    """At rest K theta = a T, with T = p A (1 - a theta / (s c)): Eq. 15 and Eq. 3 for a bend in the plane of the actuator."""
    robot = Robot(gravity=WEIGHTLESS, levers=2.0)
    motion = simulate(robot, InputTable.constant(actuators=(20e3, 0, 0), pressurised=True), (1.0, 0.0, 0.0), 5.0)
    pull, arm, line = 20e3 * robot.actuator.area, 0.1, robot.actuator
    theta = arm * pull / (20.0 + arm**2 * pull / line.contraction)
    np.testing.assert_allclose(motion.polar[-1], [1.0, theta, 0.0], atol=1e-7)
    np.testing.assert_allclose(motion.inputs[-1], [0.0, 20.0 * theta / arm, 0.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(motion.inputs[0], [0.0, pull, 0.0, 0.0])


def test_inputs_are_linear_between_rows_and_jump_where_a_time_is_there_twice() -> None:
    """After the last row they stay."""
    table = InputTable(
        np.array([0.0, 2.0, 2.0, 4.0]), np.array([0.0, 4.0, 10.0, 8.0]), np.ones((4, 3)) * [[1], [3], [0], [0]]
    )
    q, robot = np.array([1.0, 0.0, 0.0]), Robot()
    for time, core, pull in (
        (0, 0, 1),
        (0.5, 1, 1.5),
        (np.nextafter(2, 0), 4, 3),
        (2, 10, 0),
        (3, 9, 0),
        (4, 8, 0),
        (50, 8, 0),
    ):
        np.testing.assert_allclose(table.forces(robot, float(time), q), [core, pull, pull, pull], atol=1e-12)
    assert table.seconds == 4.0


def test_a_short_pulse_is_not_stepped_over() -> None:
    """An impulse J moves a tube that has only axial damping by J / D_s, also after a long rest."""
    robot = Robot(gravity=WEIGHTLESS, yield_force=0.0)
    rows = np.array([[0, 0], [300, 0], [300, 100], [300.01, 100], [300.01, 0]])
    motion = simulate(robot, InputTable(rows[:, 0], rows[:, 1], np.zeros((5, 3))), (1.0, 0.0, 0.0), 310.0)
    assert motion.q[-1, 0] == pytest.approx(1.0 + 1.0 / 1.5, abs=1e-5)
    assert motion.q[motion.times < 300, 0].max() == 1.0


def test_a_watch_ends_the_motion_and_what_was_recorded_is_that_of_the_whole() -> None:
    """It gets times that increase, and is not asked again."""
    seen: list[float] = []

    def watch(time: float) -> bool:
        seen.append(time)
        return time > 1.7

    table = InputTable(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 9.0, 0.0, 9.0]), np.zeros((4, 3)))
    whole = simulate(Robot(), table, (1.0, 0.5, 0.0), 3.0)
    part = simulate(Robot(), table, (1.0, 0.5, 0.0), 3.0, watch=watch)
    assert part.stopped
    assert not whole.stopped
    assert (np.diff(seen) > 0).all()
    assert seen[-2] <= 1.7 < seen[-1]
    assert seen[-2] < part.ended < seen[-1]
    assert part.times[-1] <= part.ended
    np.testing.assert_allclose(part.q, whole.q[: len(part.q)], atol=1e-8)


@pytest.mark.parametrize(
    "polar", [(1.0, 0.0, 0.0), (0.4, 0.3, -2.0), (2.0, 3.1415, 1.0), (1.0, 4.0, 3.0), (5.0, 6.2, 0.5)]
)
def test_the_arc_that_ends_at_a_point(polar: tuple[float, float, float]) -> None:
    """It is the inverse of the pose of the tip, up to a full circle."""
    np.testing.assert_allclose(
        polar_of_tip(tip_pose(to_regular(np.array(polar)))[:3, 3]), polar, rtol=1e-12, atol=1e-12
    )
    assert np.isnan(polar_of_tip(np.zeros(3))[0])


def test_a_reference_goes_through_its_rows_and_never_shrinks_between() -> None:
    """Its rates are the slopes of its values."""
    rows = np.array([[1.0, 0.1, 0.0], [1.0, 0.4, 1.0], [3.0, 0.2, 2.0], [3.1, 0.2, 2.5]])
    times = np.array([0.0, 1.0, 1.5, 4.0])
    wanted = ReferenceTable(times, rows)
    for time, row in zip(times, rows, strict=True):
        np.testing.assert_allclose(wanted(time)[0], row, atol=1e-12)
    lengths = [wanted(time)[0][0] for time in np.linspace(0, 4, 400)]
    assert (np.diff(lengths) >= 0).all()
    for time in (0.3, 1.2, 3.9):
        slope = (wanted(time + 1e-6)[0] - wanted(time - 1e-6)[0]) / 2e-6
        np.testing.assert_allclose(wanted(time)[1], slope, atol=1e-6)


def test_the_plane_of_a_reference_takes_the_shorter_way() -> None:
    """From 3 rad to -3 rad it turns by 0.28 rad, through pi."""
    wanted = ReferenceTable(np.array([0.0, 1.0]), np.array([[1.0, 0.5, 3.0], [1.0, 0.5, -3.0]]))
    assert wanted(0.5)[0][2] == pytest.approx(np.pi)


def test_tips_are_joined_in_space() -> None:
    """From one side to the other the tip goes straight, through the straight tube, and the rates move it as it moves."""
    wanted = ReferenceTable(np.array([0.0, 1.0]), np.array([[0.3, 0.0, 1.0], [-0.3, 0.0, 1.0]]), of_tip=True)
    for time in (0.0, 0.2, 0.5, 0.9):
        polar, rates = wanted(time)
        at = tip_positions(to_regular(polar)[None])[0]
        np.testing.assert_allclose(at[1:], [0.0, 1.0], atol=1e-12)
        ahead = tip_positions(to_regular(polar + 1e-6 * rates)[None])[0]
        np.testing.assert_allclose(ahead - at, wanted._slope(time) * 1e-6, atol=1e-10)
    assert wanted(0.5)[0][0] == pytest.approx(1.0)
    np.testing.assert_allclose(wanted.start, [*polar_of_tip(np.array([0.3, 0.0, 1.0]))])


def test_a_tip_that_passes_the_base_is_refused() -> None:
    """At a row when it is made; between rows when it comes there."""
    for tip in ([0.0, 0.0, 0.0], [0.0, 0.0, -1.0]):
        with pytest.raises(InvalidTimeTable, match="at 1 s no arc ends at"):
            ReferenceTable(np.array([0.0, 1.0]), np.array([[0.0, 0.0, 1.0], tip]), of_tip=True)
    wanted = ReferenceTable(np.array([0.0, 1.0]), np.array([[0.3, 0.0, 0.5], [-0.3, 0.0, -0.5]]), of_tip=True)
    with pytest.raises(InvalidTimeTable, match=r"at 0\.5 s the tip of the reference passes"):
        wanted(0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; its first line must name the columns, one of them time_s"),
        ("\n , \n", "is empty"),
        ("time_s,core_n\n", "has no row of numbers"),
        ("core_n\n1\n", "has no column time_s"),
        ("time_s,core\n0,1\n", r"unknown column 'core' \(did you mean core_n\?\)"),
        ("time_s,core_n,core_n\n0,1,1\n", "has the column core_n twice"),
        ("time_s,core_n\n0,nan\n", "line 2: core_n = nan must be from 0 to"),
        ("time_s,core_n\n0,inf\n", "line 2: core_n = inf must be"),
        ("time_s,core_n\n0,1\n\n1,-2\n", "line 4: core_n = -2 must be from 0"),
        ("time_s,core_n\n0,one\n", "line 2: core_n = 'one' must be a number"),
        ("time_s,core_n\n0\n", "line 2 has 1 values for 2 columns"),
        ("time_s,core_n\n1,1\n", "line 2: time_s = 1 must be 0"),
        ("time_s,core_n\n0,1\n2,1\n1,1\n", "line 4: time_s = 1 must not be less than 2"),
        ("time_s,core_n\n0,1\n1,1\n1,2\n1,3\n", "more than two rows for time_s = 1"),
        ("time_s,spam_1_n,spam_2_n\n0,1,1\n", "has no column spam_3_n, which belongs to spam_1_n, spam_2_n"),
        ("time_s,s_m,theta_rad,phi_rad\n0,1,0,0\n", "has no input: core_n, core_kpa, spam_1_n"),
        ("time_s,core_n,core_kpa\n0,1,1\n", "has a force and a pressure of the core; give one of them"),
        ("time_s,core_kpa\n0,10001\n", "line 2: core_kpa = 10001 must be from 0 to 10000"),
        (
            "time_s,spam_1_n,spam_2_n,spam_3_n,spam_1_kpa,spam_2_kpa,spam_3_kpa\n0,1,1,1,1,1,1\n",
            "has tensions and pressures",
        ),
    ],
)
def test_wrong_inputs_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    """It names the file, and the line, column, value and range where there are any."""
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    with pytest.raises(InvalidTimeTable, match=message) as error:
        read_inputs(path)
    assert str(error.value).startswith("wrong.csv: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time_s,s_m,theta_rad,phi_rad\n0,1,0,0\n1,1,0,0\n1,2,0,0\n", "must begin at 0 and increase; 1 s follows 1 s"),
        ("time_s,s_m,theta_rad,phi_rad\n0,1,0,0\n", "at each of at least two times"),
        ("time_s,s_m,theta_rad,phi_rad\n0,0,0,0\n1,1,0,0\n", "line 2: s_m = 0 must be from 0.001"),
        ("time_s,s_m,theta_rad,phi_rad\n0,1,7,0\n1,1,0,0\n", "line 2: theta_rad = 7 must be from -6.28"),
        ("time_s,s_m,theta_rad\n0,1,0\n1,1,0\n", "has no column phi_rad"),
        ("time_s,core_n\n0,1\n1,1\n", "has no reference: s_m, theta_rad, phi_rad, or x_m, y_m, z_m"),
        ("time_s,x_m,y_m,z_m\n0,0,0,1\n1,0,0,-1\n", r"at 1 s no arc ends at \(0, 0, -1\) m"),
    ],
)
def test_a_wrong_reference_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    """References need two rows, times that increase, and tips that an arc reaches."""
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    with pytest.raises(InvalidTimeTable, match=message) as error:
        read_reference(path)
    assert str(error.value).startswith("wrong.csv: ")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"time_s,core_n\n0,\x00\n", b"x" * 20_000_001])
def test_what_is_no_table_is_one_line(tmp_path: Path, content: bytes) -> None:
    """Bytes that are no text, a number that is none, and a file that is too large."""
    (tmp_path / "wrong.csv").write_bytes(content)
    with pytest.raises(InvalidTimeTable, match=r"^wrong\.csv: "):
        read_columns(tmp_path / "wrong.csv")
    with pytest.raises(InvalidTimeTable, match=r"missing\.csv: cannot be read"):
        read_columns(tmp_path / "missing.csv")


def test_pressures_of_a_file_are_in_kilopascals(tmp_path: Path) -> None:
    """At full length a sPAM pulls with its area times the pressure."""
    (tmp_path / "in.csv").write_text("time_s,spam_1_kpa,spam_2_kpa,spam_3_kpa\n0,2,0,3\n")
    pulls = read_inputs(tmp_path / "in.csv").forces(Robot(), 0.0, np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(pulls, Robot().actuator.area * np.array([0.0, 2e3, 0.0, 3e3]))


def test_a_pressure_in_the_core_pushes_with_the_cross_section(tmp_path: Path) -> None:
    """The tube grows steadily at (P pi D^2 / 4 - Y_e + m g) / D_s, from a table or a constant; sPAMs may have pressures too."""
    robot = Robot(diameter=0.08)
    (tmp_path / "in.csv").write_text("time_s,core_kpa,spam_1_kpa,spam_2_kpa,spam_3_kpa\n0,0,1,0,0\n2,6,1,0,0\n")
    table = read_inputs(tmp_path / "in.csv")
    straight = np.array([1.0, 0.0, 0.0])
    push, pull = 3e3 * np.pi * 0.08**2 / 4, 1e3 * robot.actuator.area
    np.testing.assert_allclose(table.forces(robot, 1.0, straight), [push, pull, 0, 0], rtol=1e-12)
    np.testing.assert_allclose(
        table.forces(robot, 1.0, straight), [push, pull, 0, 0], rtol=1e-12
    )  # nothing was changed
    constant = InputTable.constant(3e3, core_pressurised=True)
    motion = simulate(robot, constant, (1.0, 0.0, 0.0), 4.0)
    assert motion.rates[-1, 0] == pytest.approx((push - 4.0 + 0.981) / 1.5, rel=1e-6)
    np.testing.assert_array_equal(motion.q, simulate(robot, InputTable.constant(float(push)), (1.0, 0, 0), 4.0).q)


def test_the_work_of_a_pressure_is_that_of_the_volume() -> None:
    """A tube gains the volume pi D^2 / 4 ds, however it is bent: slices of an arc, each as long as its own radius demands."""
    robot, s, theta = Robot(), 1.3, 2.0
    x = (np.arange(2000) + 0.5) / 2000 * robot.diameter - robot.diameter / 2
    widths = 2 * np.sqrt(robot.diameter**2 / 4 - x**2)

    def volume(length: float) -> float:
        return float(np.sum(widths * (length - theta * x)) * robot.diameter / 2000)

    assert (volume(s + 1e-3) - volume(s)) / 1e-3 == pytest.approx(robot.core_area, rel=1e-4)


def test_columns_in_any_order_with_spaces(tmp_path: Path) -> None:
    """As a spreadsheet writes them: a mark of the byte order, CRLF, blanks, an empty line at the end."""
    (tmp_path / "in.csv").write_bytes("\ufeffcore_n, time_s\r\n1, 0\r\n 3,2\r\n\r\n".encode())
    table = read_inputs(tmp_path / "in.csv")
    np.testing.assert_allclose(table.forces(Robot(), 1.0, np.array([1.0, 0, 0])), [2.0, 0, 0, 0])

"""`vinewright euler-lagrange`: robots, motions under inputs and along references, and what is written."""

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynamics.euler_lagrange.input_table import InputTable
from dynamics.euler_lagrange.model import Robot
from dynamics.euler_lagrange.robot_file import load_robot
from studies.euler_lagrange.study import reference
from tests.full_disk import largest_file
from tests.vinewright.commands.written import snapshot
from tests.waiting import LONGEST

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
GROUP = "euler-lagrange"
SIMULATE, TRACK = (GROUP, "simulate"), (GROUP, "track")
PUBLISHED = 0.01
"""Errors that the paper's Fig. 8 shows at most, in metres and radians."""
MOTION = {"motion.json", "motion.png", "robot.toml", "trajectory.csv"}
HARD = (
    "schema = 1\nmass_kg = 1000\nstiffness_n_m_per_rad = 1e6\naxial_damping_n_s_per_m = 1e6\nbending_damping_n_m_s_per_rad = 0\n"
    "diameter_mm = 10000\narm_diameters = 100\ngravity_m_per_s2 = [-1000, -1000, -1000]\n[actuator]\narea_mm2 = 1000\ncontraction = 1e-4\n"
)
"""A robot with numbers of every size."""


def table(path: Path) -> dict[str, np.ndarray]:
    """The columns of a table."""
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    return dict(zip(head, np.array(rows, float).T, strict=True))


def write(path: Path, *rows: object) -> None:
    path.write_text("\n".join(map(str, rows)) + "\n")


def write_figure_8(path: Path, growing: bool) -> None:
    """The reference of the study at 100 Hz; `growing` keeps its length where it would shrink."""
    times = np.linspace(0, 5, 501)
    points = np.array([reference(time)[0] for time in times])
    if growing:
        points[:, 0] = np.maximum.accumulate(points[:, 0])
    rows = (",".join(f"{one:.9g}" for one in (time, *point)) for time, point in zip(times, points, strict=True))
    write(path, "time_s,s_m,theta_rad,phi_rad", *rows)


def test_robots_are_listed_shown_written_and_checked(vinewright: Vinewright, tmp_path: Path) -> None:
    """As tubes are; what is written can be read, and is not written over."""
    code, printed, _ = vinewright(GROUP, "list", "--json")
    assert [one["name"] for one in json.loads(printed)["robots"]] == ["el-hussieny", "el-hussieny-long-arm"]
    code, printed, _ = vinewright(GROUP, "show", "el-hussieny", "--json")
    derived = json.loads(printed)["derived"]
    assert derived["bend_rad_per_n"] == pytest.approx(0.025 / 20)
    assert derived["core_to_grow_n"] == pytest.approx(4 - 0.981)
    assert derived["growth_rate_m_per_s_per_n"] == pytest.approx(1 / 1.5)
    assert vinewright(GROUP, "new", "mine.toml")[0] == 0
    assert load_robot(tmp_path / "mine.toml").robot == Robot()
    code, _, errors = vinewright(GROUP, "new", "mine.toml")
    assert (code, errors.count("\n")) == (2, 1)
    assert vinewright(GROUP, "new", "mine.toml", "--force", "--like", "el-hussieny-long-arm")[0] == 0
    assert load_robot(tmp_path / "mine.toml").robot == Robot(levers=2.0)
    assert vinewright(GROUP, "check", "mine.toml")[:2] == (0, "mine.toml: valid\n")
    assert vinewright(GROUP, "new", "mine.txt")[0] == 2
    (tmp_path / "mine.toml").write_text("schema = 1\nstiffness_n_m_per_rad = 0\naxial_damping_n_s_per_m = 0\n")
    code, printed, _ = vinewright(GROUP, "show", "mine.toml")
    assert code == 0
    assert printed.count("none") == 2


def test_a_free_tube_falls(vinewright: Vinewright, tmp_path: Path) -> None:
    """Through files: s_0 + g t^2 / 2 in the table, straight down."""
    write(tmp_path / "free.toml", "schema = 1", "yield_force_n = 0", "axial_damping_n_s_per_m = 0")
    code, said, _ = vinewright(*SIMULATE, "free.toml", "--seconds", 2, "--out", "fall")
    assert code == 0
    assert "s from 1 to 20.62 m in 2 s" in said
    found = table(tmp_path / "fall" / "trajectory.csv")
    np.testing.assert_allclose(found["s_m"], 1 + 9.81 * found["time_s"] ** 2 / 2, rtol=1e-7)
    np.testing.assert_allclose(found["z_m"], found["s_m"], rtol=1e-8)
    assert {path.name for path in (tmp_path / "fall").iterdir()} == MOTION
    assert load_robot(tmp_path / "fall" / "robot.toml") == load_robot(tmp_path / "free.toml")


def test_figure_7_from_a_table(vinewright: Vinewright, tmp_path: Path) -> None:
    """A switch from sPAM 1 to sPAM 2 turns the plane to 2 pi / 3, and the bend is T a / K before and after."""
    write(tmp_path / "light.toml", "schema = 1", "arm_diameters = 2", "gravity_m_per_s2 = [0, 0, 0]")
    write(
        tmp_path / "in.csv",
        "time_s,spam_1_n,spam_2_n,spam_3_n", "0,20,0,0", "5,20,0,0", "5,0,20,0", "10,0,20,0",
    )  # fmt: skip
    code, printed, _ = vinewright(
        *SIMULATE, "light.toml", "--inputs", "in.csv", "--start", "2,0,0", "--out", "plane", "--json"
    )
    document = json.loads(printed)
    assert (code, document["met"], document["wrote"]) == (0, True, ["plane"])
    assert document["growth_stood_still_s"] == [[0.0, 10.0]]
    found = table(tmp_path / "plane" / "trajectory.csv")
    for time, plane in ((4.99, 0.0), (10.0, 2 * np.pi / 3)):
        k = int(np.argmin(np.abs(found["time_s"] - time)))
        assert found["theta_rad"][k] == pytest.approx(20 * 0.1 / 20, abs=1e-6)
        assert found["phi_rad"][k] == pytest.approx(plane, abs=1e-5)
    written = json.loads((tmp_path / "plane" / "motion.json").read_text())
    assert written["command"] == "vinewright euler-lagrange simulate light.toml --inputs in.csv --start 2,0,0"
    assert written["end"] == document["end"]


def test_constant_inputs_are_those_of_options(vinewright: Vinewright, tmp_path: Path) -> None:
    """A pressure pulls with area times pressure at the start; the steady growth is that of the force above the yield force."""
    line = load_robot("el-hussieny").robot.actuator
    assert vinewright(*SIMULATE, "el-hussieny", "--pressures", "1,0,2", "--seconds", 0.5, "--out", "pulled")[0] == 0
    first = {name: column[0] for name, column in table(tmp_path / "pulled" / "trajectory.csv").items()}
    assert [first[f"spam_{k}_n"] for k in (1, 2, 3)] == pytest.approx([1e3 * line.area, 0, 2e3 * line.area])
    assert (
        vinewright(*SIMULATE, "el-hussieny", "--core", 5, "--tensions", "0,0,0", "--seconds", 10, "--out", "pushed")[0]
        == 0
    )
    found = table(tmp_path / "pushed" / "trajectory.csv")
    slope = (found["s_m"][-1] - found["s_m"][500]) / (found["time_s"][-1] - found["time_s"][500])
    assert slope == pytest.approx((5 - 4 + 0.981) / 1.5, rel=1e-6)
    kilopascals = 5e-3 / (np.pi * 0.05**2 / 4)
    assert (
        vinewright(*SIMULATE, "el-hussieny", "--core-pressure", kilopascals, "--seconds", 10, "--out", "blown")[0] == 0
    )
    blown = table(tmp_path / "blown" / "trajectory.csv")
    np.testing.assert_allclose(blown["core_n"], 5.0)
    np.testing.assert_allclose(blown["s_m"], found["s_m"], rtol=1e-6)


def test_the_published_reference_is_followed_within_the_published_errors(
    vinewright: Vinewright, tmp_path: Path
) -> None:
    """Fig. 8: within 0.01 m and 0.01 rad where it does not shrink; that it does is told, with what to do."""
    write_figure_8(tmp_path / "shrinks.csv", growing=False)
    write_figure_8(tmp_path / "grows.csv", growing=True)
    for name, code in (("shrinks", 3), ("grows", 0)):
        found, printed, _ = vinewright(*TRACK, "el-hussieny-long-arm", f"{name}.csv", "--out", name, "--json")
        document = json.loads(printed)
        assert (found, document["met"]) == (code, code == 0)
        for error in ("length_error_m", "bend_error_rad", "plane_error_rad"):
            assert 0 < document[f"greatest_{error}"] < PUBLISHED
        assert {one["what"] for one in document["limits_met"]} == ({"shorter"} if code else set())
        if code:
            assert "the reference is shorter than the tube, by up to 1 m; a vine cannot shrink" in document["reason"]
            assert document["greatest_excess_length_m"] == pytest.approx(1.0, abs=0.01)
    columns = table(tmp_path / "grows" / "trajectory.csv")
    np.testing.assert_allclose(columns["s_reference_m"], np.maximum.accumulate(columns["s_reference_m"]))
    assert np.abs(columns["s_m"] - columns["s_reference_m"]).max() < PUBLISHED
    assert columns["time_s"][[0, 1, -1]].tolist() == [0.0, 0.01, 5.0]
    assert {path.name for path in (tmp_path / "grows").iterdir()} == {
        "tracking.json", "tracking.png", "robot.toml", "trajectory.csv",
    }  # fmt: skip


def test_a_motion_can_be_followed_and_repeated(vinewright: Vinewright, tmp_path: Path) -> None:
    """The table that is written is a reference, of its tip too, and inputs; what follows it ends where it ended."""
    write(tmp_path / "tip.csv", "time_s,x_m,y_m,z_m", "0,0,0,1", "1,0.3,0,1.2", "2,0.2,0.3,1.5")
    assert vinewright(*TRACK, "el-hussieny", "tip.csv", "--out", "first")[0] == 0
    end = json.loads((tmp_path / "first" / "tracking.json").read_text())["end"]["tip_m"]
    assert end == pytest.approx([0.2, 0.3, 1.5], abs=0.005)
    assert vinewright(*TRACK, "el-hussieny", "first/trajectory.csv", "--out", "again")[0] == 0
    assert json.loads((tmp_path / "again" / "tracking.json").read_text())["end"]["tip_m"] == pytest.approx(
        end, abs=0.005
    )
    code, printed, _ = vinewright(
        *SIMULATE, "el-hussieny", "--inputs", "first/trajectory.csv", "--out", "open", "--json"
    )
    assert code == 0
    assert json.loads(printed)["asked_s"] == 2.0
    assert json.loads(printed)["end"]["tip_m"] == pytest.approx(end, abs=0.1)  # nothing corrects it


@pytest.mark.parametrize(
    ("robot", "words"),
    [
        (
            "[controller]\nmost_tension_n = 5",
            "tensions are at most_tension_n for 1.00 s: allow more, give a longer arm",
        ),
        ("[controller]\nmost_core_n = 10", "the core is at most_core_n for"),
        (
            "[controller]\nbend_gain_n_m_per_rad = 1\nbend_damping_n_m_s_per_rad = 1",
            "or give larger gains in [controller]",
        ),
    ],
)
def test_errors_that_are_too_large_name_a_remedy(
    vinewright: Vinewright, tmp_path: Path, robot: str, words: str
) -> None:
    """A limit that was met, or else the reference and the gains; exit code 3, and everything is written."""
    write(tmp_path / "weak.toml", "schema = 1", robot)
    write(tmp_path / "to.csv", "time_s,s_m,theta_rad,phi_rad", "0,1,0.6,0", "1,1.5,0.8,1")
    code, said, _ = vinewright(*TRACK, "weak.toml", "to.csv", "--out", "weak")
    assert code == 3
    assert words in said.splitlines()[-1]
    assert "more than --within 0.01; " in said.splitlines()[-1]
    assert (tmp_path / "weak" / "tracking.png").exists()


def test_the_error_allowed_is_that_of_the_option(vinewright: Vinewright, tmp_path: Path) -> None:
    """Just below the greatest error the exit code is 3, just above it is 0."""
    write(tmp_path / "to.csv", "time_s,s_m,theta_rad,phi_rad", "0,1,0.6,0", "0.5,1.5,0.8,1")
    wanted = *TRACK, "el-hussieny", "to.csv", "--json"
    document = json.loads(vinewright(*wanted, "--within", 100)[1])
    greatest = max(document[f"greatest_{one}"] for one in ("length_error_m", "bend_error_rad", "plane_error_rad"))
    assert [vinewright(*wanted, "--within", share * greatest)[0] for share in (0.99, 1.01)] == [3, 0]


def test_a_full_circle_ends_a_motion(vinewright: Vinewright, tmp_path: Path) -> None:
    """Exit code 3, with the time; the motion until then is kept."""
    code, said, _ = vinewright(*SIMULATE, "el-hussieny-long-arm", "--tensions", "5000,0,0", "--out", "coil")
    assert code == 3
    assert "s the tube bends into a full circle" in said.splitlines()[-1]
    document = json.loads((tmp_path / "coil" / "motion.json").read_text())
    assert document["ended"] == "coiled"
    assert 0.02 < document["computed_s"] < 0.03


def test_a_motion_that_cannot_be_integrated_is_one_line(vinewright: Vinewright, tmp_path: Path) -> None:
    """Numbers that no integrator can follow are named as such, and nothing is written."""
    (tmp_path / "hard.toml").write_text(HARD)
    given = "--pressures", "0.01,10000,10000", "--start", "0.001,1,1", "--seconds", 1, "--out", "hard"
    code, said, errors = vinewright(*SIMULATE, "hard.toml", *given)
    assert (code, said, errors.count("\n")) == (2, "", 1)
    assert "the motion could not be integrated beyond" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["hard.toml"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*SIMULATE, "nobody"), "nobody: not found"),
        ((*SIMULATE, "bad.toml"), "bad.toml: unknown key mass_g (did you mean mass_kg?)"),
        ((*SIMULATE, "el-hussieny", "--inputs", "none.csv"), "none.csv: cannot be read"),
        ((*SIMULATE, "el-hussieny", "--inputs", "empty.csv"), "empty.csv: is empty"),
        ((*SIMULATE, "el-hussieny", "--inputs", "empty.csv", "--core", 1), "--inputs and --core exclude each other"),
        ((*SIMULATE, "el-hussieny", "--tensions", "1,1,1", "--pressures", "1,1,1"), "exclude each other"),
        (
            (*SIMULATE, "el-hussieny", "--core", 1, "--core-pressure", 0),
            "--core and --core-pressure exclude each other",
        ),
        (
            (*SIMULATE, "el-hussieny", "--inputs", "empty.csv", "--core-pressure", 1),
            "--inputs and --core-pressure exclude each other",
        ),
        ((*SIMULATE, "el-hussieny", "--core", "nan"), "--core nan must be from 0 to"),
        ((*SIMULATE, "el-hussieny", "--core-pressure", 10001), "--core-pressure 10001 must be from 0 to 10000 kPa"),
        ((*SIMULATE, "el-hussieny", "--tensions", ""), "--tensions must be three numbers separated by commas, in N"),
        (
            (*SIMULATE, "el-hussieny", "--tensions", "1,2"),
            "--tensions 1,2 must be three numbers separated by commas, in N",
        ),
        ((*SIMULATE, "el-hussieny", "--pressures", "1,2,-3"), "--pressures -3 must be from 0 to 10000 kPa"),
        ((*SIMULATE, "el-hussieny", "--start", "0,0,0"), "--start 0,0,0: s = 0 m must be greater than 0"),
        ((*SIMULATE, "el-hussieny", "--start", "1,7,0"), "--start 1,7,0: theta = 7 rad must be at least 0"),
        (
            (*SIMULATE, "el-hussieny", "--start", "1e308,0,0"),
            "--start 1e308,0,0: s_m = 1e+308 must be from 0.001 to 10000",
        ),
        ((*SIMULATE, "el-hussieny", "--start", "1,inf,0"), "--start 1,inf,0 must be three finite numbers"),
        ((*SIMULATE, "el-hussieny", "--seconds", "nan"), "--seconds nan must be from 0.001 to 10000 s"),
        ((*TRACK, "el-hussieny", "to.csv", "--within", "nan"), "--within nan must be greater than 0"),
        ((*TRACK, "el-hussieny", "to.csv", "--within", 0), "--within 0 must be greater than 0"),
        ((*TRACK, "el-hussieny", "back.csv"), "back.csv: line 4: time_s = 0.5 must not be less than 1"),
        ((*TRACK, "el-hussieny", "through.csv"), "at 0.5 s the tip of the reference passes through the base"),
        ((*TRACK, "el-hussieny", "to.csv", "--out", "."), ". contains "),
        ((*SIMULATE, "bad.toml", "--out", ".", "--force"), "bad.toml: unknown key"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    vinewright: Vinewright, tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    """Exit code 2, whatever is wrong."""
    write(tmp_path / "bad.toml", "schema = 1", "mass_g = 100")
    (tmp_path / "empty.csv").touch()
    write(tmp_path / "to.csv", "time_s,s_m,theta_rad,phi_rad", "0,1,0.1,0", "1,1,0.2,0")
    write(tmp_path / "back.csv", "time_s,s_m,theta_rad,phi_rad", "0,1,0.1,0", "1,1,0.2,0", "0.5,1,0.2,0")
    write(tmp_path / "through.csv", "time_s,x_m,y_m,z_m", "0,0.3,0,0.5", "1,-0.3,0,-0.5")
    before = snapshot(tmp_path)
    code, said, errors = vinewright(*words)
    assert (code, said, errors.count("\n")) == (2, "", 1)
    assert message in errors
    assert snapshot(tmp_path) == before


def test_folders_count_up_and_replace_nothing(vinewright: Vinewright, tmp_path: Path) -> None:
    """By default they are in `runs`, by the name of the robot; a given one needs --force, and what is read stays."""
    short = *SIMULATE, "el-hussieny", "--seconds", 0.1
    for name in ("euler-lagrange-el-hussieny", "euler-lagrange-el-hussieny-2"):
        assert f"wrote runs/{name}/: " in vinewright(*short)[1]
    code, _, errors = vinewright(*short, "--out", "runs/euler-lagrange-el-hussieny")
    assert code == 2
    assert "contains the motion of a robot; give another --out, or --force to replace it" in errors
    assert vinewright(*short, "--out", "runs/euler-lagrange-el-hussieny", "--force")[0] == 0
    kept = "runs/euler-lagrange-el-hussieny/trajectory.csv"
    before = snapshot(tmp_path)
    code, _, errors = vinewright(*SIMULATE, "el-hussieny", "--inputs", kept, "--out", Path(kept).parent, "--force")
    assert code == 2
    assert "contains the table of inputs that is read" in errors
    assert snapshot(tmp_path) == before


def interrupted_at(monkeypatch: pytest.MonkeyPatch, moment: float) -> None:
    """Send Ctrl-C when the inputs of a time are asked for."""
    forces, sent = InputTable.forces, list[bool]()

    def interrupting(self: InputTable, robot: Robot, time: float, q: Any) -> Any:
        if time >= moment and not sent:
            sent.append(True)
            os.kill(os.getpid(), signal.SIGINT)
        return forces(self, robot, time, q)

    monkeypatch.setattr(InputTable, "forces", interrupting)


def test_ctrl_c_keeps_what_was_computed(
    vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is the beginning of the whole one, and the description says how long it is."""
    given = *SIMULATE, "el-hussieny", "--core", 5, "--start", "1,0.3,0"
    assert vinewright(*given, "--out", "whole")[0] == 0
    interrupted_at(monkeypatch, 4.0)
    code, said, _ = vinewright(*given, "--out", "part")
    assert code == 0
    assert "of 10 s of motion; this is kept" in said
    document = json.loads((tmp_path / "part" / "motion.json").read_text())
    assert document["ended"] == "interrupted"
    assert 3.5 < document["computed_s"] < 5.0
    whole, part = (table(tmp_path / name / "trajectory.csv") for name in ("whole", "part"))
    assert 3.0 < part["time_s"][-1] <= document["computed_s"]
    np.testing.assert_allclose(part["s_m"], whole["s_m"][: len(part["s_m"])], atol=1e-6)
    assert (tmp_path / "part" / "motion.png").exists()


def test_ctrl_c_at_once_writes_nothing(vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 130, in one line."""
    interrupted_at(monkeypatch, 0.0)
    code, _, errors = vinewright(*SIMULATE, "el-hussieny", "--core", 5, "--out", "part")
    assert (code, errors) == (130, "error: interrupted before anything was computed; nothing was written\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [100, 3000])
def test_a_full_disk_leaves_nothing(vinewright: Vinewright, tmp_path: Path, size: int) -> None:
    """Where description or table cannot be written: exit code 4, one line, and an earlier folder stays as it was."""
    assert vinewright(*SIMULATE, "el-hussieny", "--seconds", 1, "--out", "kept")[0] == 0
    before = snapshot(tmp_path)
    for out in (("new",), ("kept", "--force")):
        with largest_file(size):
            code, _, errors = vinewright(*SIMULATE, "el-hussieny", "--seconds", 1, "--core", 5, "--out", *out)
        assert (code, errors.count("\n")) == (4, 1)
        assert f"{out[0]} cannot be written: File too large" in errors
        assert snapshot(tmp_path) == before
    with largest_file(100):
        assert vinewright(GROUP, "new", "mine.toml")[0] == 4
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["text", "json"])
def test_a_folder_is_written_though_nobody_reads_the_output(tmp_path: Path, more: tuple[str, ...]) -> None:
    """The other end of the pipe is closed at once, as with `| head`."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [
        sys.executable,
        "-c",
        "from vinewright.cli import main; main()",
        *SIMULATE,
        "el-hussieny",
        "--out",
        "out",
        *more,
    ]
    done = subprocess.run(command, cwd=tmp_path, stdout=writing, stderr=subprocess.PIPE, timeout=LONGEST)
    os.close(writing)
    assert done.returncode == 0
    assert (b"wrote out/" in done.stderr) if more else (done.stderr == b"")
    assert b"error" not in done.stderr
    assert {path.name for path in (tmp_path / "out").iterdir()} == MOTION

"""`vinewright euler-lagrange sweep`: what is written for every combination of values, and what is refused."""

import csv
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynamics.euler_lagrange.robot_file import load_robot
from tests.full_disk import largest_file
from tests.vinewright.commands.written import snapshot
from vinewright.euler_lagrange.sweep import SweepCase, SweptMotion

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
GROUP = "euler-lagrange"
SWEEP = GROUP, "sweep", "el-hussieny"
WRITTEN = {"motions.json", "motions.csv", "motions.png", "robot.toml"}
MASSES = "--vary", "mass_kg=0.1,0.4"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_reference(path: Path) -> None:
    path.write_text("time_s,s_m,theta_rad,phi_rad\n0,1,0.2,0\n0.5,1.2,0.5,0.4\n")


def test_a_row_is_the_motion_of_simulate(vinewright: Vinewright, tmp_path: Path) -> None:
    """The numbers of its description, to the bit; the first key varies slowest, and the robot that was given is kept."""
    given = "--core", 5, "--start", "1,0.3,0.2", "--seconds", 0.5
    code, said, _ = vinewright(*SWEEP, *MASSES, "--vary", "spam_2_n=0,30", *given, "--out", "swept")
    assert code == 0
    assert "wrote swept/: motions.json, motions.csv, motions.png, robot.toml" in said
    assert {path.name for path in (tmp_path / "swept").iterdir()} == WRITTEN
    assert load_robot(tmp_path / "swept" / "robot.toml") == load_robot("el-hussieny")
    rows = rows_of(tmp_path / "swept" / "motions.csv")
    assert [(row["mass_kg"], row["spam_2_n"]) for row in rows] == [
        ("0.1", "0.0"), ("0.1", "30.0"), ("0.4", "0.0"), ("0.4", "30.0"),
    ]  # fmt: skip
    vinewright(GROUP, "new", "heavy.toml")
    text = (tmp_path / "heavy.toml").read_text()
    (tmp_path / "heavy.toml").write_text(text.replace("mass_kg = 0.1 ", "mass_kg = 0.4 "))
    vinewright(GROUP, "simulate", "heavy.toml", "--tensions", "0,30,0", *given, "--out", "alone")
    alone = json.loads((tmp_path / "alone" / "motion.json").read_text())
    end = alone["end"]
    for name, value in (
        *((f"end_{key}", end[key]) for key in ("s_m", "theta_rad", "phi_rad")),
        *zip(("end_x_m", "end_y_m", "end_z_m"), end["tip_m"], strict=True),
        ("computed_s", alone["computed_s"]),
        ("greatest_core_n", alone["greatest_core_n"]),
    ):
        assert float(rows[-1][name]) == value, name
    assert float(rows[0]["end_theta_rad"]) != float(rows[-1]["end_theta_rad"])


def test_a_reference_is_followed_with_each_gain(vinewright: Vinewright, tmp_path: Path) -> None:
    """The answer has the rows of the table, whose errors are those of `track`; the command is written."""
    write_reference(tmp_path / "to.csv")
    gains = "--vary", "controller.bend_gain_n_m_per_rad=100,5000", "--reference", "to.csv"
    code, printed, _ = vinewright(*SWEEP, *gains, "--json")
    assert code == 0
    document = json.loads(printed)
    soft, usual = document["motions"]
    assert soft["greatest_bend_error_rad"] > usual["greatest_bend_error_rad"]
    tracked = json.loads(vinewright(GROUP, "track", "el-hussieny", "to.csv", "--json")[1])
    for key in ("length_error_m", "bend_error_rad", "plane_error_rad", "tip_error_m", "excess_length_m", "core_n"):
        assert usual[f"greatest_{key}"] == tracked[f"greatest_{key}"]
    written = json.loads((tmp_path / document["wrote"][0] / "motions.json").read_text())
    assert written["motions"] == document["motions"]
    assert written["vary"] == {"controller.bend_gain_n_m_per_rad": [100.0, 5000.0]}
    assert (written["asked_s"], written["reference"], written["interrupted"]) == (0.5, "to.csv", False)
    command = "sweep el-hussieny --vary controller.bend_gain_n_m_per_rad=100,5000 --reference to.csv"
    assert written["command"] == f"vinewright euler-lagrange {command}"
    rows = rows_of(tmp_path / document["wrote"][0] / "motions.csv")
    assert [float(row["greatest_tip_error_m"]) for row in rows] == [row["greatest_tip_error_m"] for row in written["motions"]]  # fmt: skip


def test_motions_that_end_early_are_named(vinewright: Vinewright, tmp_path: Path) -> None:
    """Exit code 3; those that last as long as asked are in the table as well."""
    given = "el-hussieny-long-arm", "--vary", "spam_1_n=5,5000", "--vary", "s_m=1,2", "--seconds", 1, "--out", "swept"
    code, said, _ = vinewright(GROUP, "sweep", *given)
    assert code == 3
    missed = "not met: 2 of 4 motions end early: spam_1_n 5000, s_m 1 is coiled; spam_1_n 5000, s_m 2 is coiled"
    assert missed in " ".join(said.split())
    assert [row["ended"] for row in rows_of(tmp_path / "swept" / "motions.csv")] == ["complete"] * 2 + ["coiled"] * 2


def test_only_the_first_motions_are_printed(vinewright: Vinewright, tmp_path: Path) -> None:
    """The others are in the files."""
    many = ",".join(f"{1 + 0.01 * k:g}" for k in range(25))
    code, said, _ = vinewright(*SWEEP, "--vary", f"s_m={many}", "--seconds", 0.01, "--out", "swept")
    assert code == 0
    assert "and 5 more" in said
    assert said.count("complete") == 20
    assert len(rows_of(tmp_path / "swept" / "motions.csv")) == 25
    assert vinewright("show", "swept")[1].startswith("25 motions of el-hussieny, 0.01 s each")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "Missing option '--vary'"),
        (("--vary", "mass_kg"), "--vary mass_kg must be a key and its values, such as mass_kg=0.1,0.2"),
        (("--vary", "=1"), "--vary =1 must be a key and its values"),
        (("--vary", "mass_kg=a,1"), "--vary mass_kg=a,1: the values must be numbers separated by commas"),
        (("--vary", "mass_kg="), "the values must be numbers separated by commas"),
        ((*MASSES, "--vary", "mass_kg=1"), "--vary mass_kg is given twice; give all its values at once"),
        (("--vary", "mass=1"), "unknown key mass (did you mean mass_kg?); allowed: mass_kg, "),
        (("--vary", "mass_kg=0.1,0"), "mass_kg = 0.0 must be greater than or equal to 0.000001"),
        (("--vary", "mass_kg=nan"), "mass_kg = nan must be a finite number"),
        (("--vary", "core_n=1", "--inputs", "in.csv"), "core_n: the inputs change over time"),
        ((*MASSES, "--reference", "to.csv", "--core", 1), "--reference and --core exclude each other"),
        ((*MASSES, "--reference", "to.csv", "--inputs", "in.csv"), "--reference and --inputs exclude each other"),
        ((*MASSES, "--reference", "to.csv", "--seconds", 1), "--reference and --seconds exclude each other"),
        ((*MASSES, "--reference", "none.csv"), "none.csv: cannot be read"),
        ((*MASSES, "--start", "0,0,0"), "--start 0,0,0: s = 0 m must be greater than 0"),
        ((*MASSES, "--seconds", 0), "--seconds 0 must be from 0.001 to 10000 s"),
        ((*MASSES, "--out", "."), ". contains "),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    vinewright: Vinewright, tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    """Exit code 2, whatever is wrong."""
    write_reference(tmp_path / "to.csv")
    (tmp_path / "in.csv").write_text("time_s,core_n\n0,1\n1,2\n")
    before = snapshot(tmp_path)
    code, said, errors = vinewright(*SWEEP, *words)
    assert (code, said, errors.count("\n")) == (2, "", 1)
    assert message in errors
    assert snapshot(tmp_path) == before


def interrupted_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Send Ctrl-C while a motion, counted from 0, is computed."""
    compute, begun = SweepCase.compute, list[Any]()

    def interrupting(self: SweepCase) -> SweptMotion:
        begun.append(self)
        if len(begun) == number + 1:
            os.kill(os.getpid(), signal.SIGINT)
        return compute(self)

    monkeypatch.setattr(SweepCase, "compute", interrupting)


def test_ctrl_c_keeps_the_motions_that_are_done(
    vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are the first rows of the whole table, and the description says that it is not whole."""
    given = *SWEEP, "--vary", "mass_kg=0.1,0.2,0.3,0.4", "--core", 5, "--seconds", 0.2
    assert vinewright(*given, "--out", "whole")[0] == 0
    interrupted_at(monkeypatch, 2)
    code, said, _ = vinewright(*given, "--out", "part")
    assert code == 0
    assert "interrupted after 2 of 4 motions" in said
    whole, part = (rows_of(tmp_path / name / "motions.csv") for name in ("whole", "part"))
    assert part == whole[:2]
    document = json.loads((tmp_path / "part" / "motions.json").read_text())
    assert (document["interrupted"], document["asked_motions"]) == (True, 4)
    assert (tmp_path / "part" / "motions.png").exists()
    assert vinewright("show", "part")[1].startswith("2 of 4 motions of el-hussieny")


def test_ctrl_c_at_once_writes_nothing(vinewright: Vinewright, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 130."""
    interrupted_at(monkeypatch, 0)
    code, _, errors = vinewright(*SWEEP, *MASSES, "--out", "part")
    assert (code, errors) == (130, "error: interrupted before anything was computed; nothing was written\n")
    assert not list(tmp_path.iterdir())


def test_an_earlier_folder_is_replaced_only_as_a_whole(vinewright: Vinewright, tmp_path: Path) -> None:
    """It needs --force, and where the disk is full it stays as it was."""
    short = *SWEEP, *MASSES, "--seconds", 0.05
    assert vinewright(*short, "--out", "kept")[0] == 0
    before = snapshot(tmp_path)
    code, _, errors = vinewright(*short, "--out", "kept")
    assert code == 2
    assert "contains motions of a robot; give another --out, or --force to replace it" in errors
    with largest_file(500):
        assert vinewright(*short, "--core", 5, "--out", "kept", "--force")[0] == 4
    assert snapshot(tmp_path) == before
    assert vinewright(*short, "--core", 5, "--out", "kept", "--force")[0] == 0
    assert rows_of(tmp_path / "kept" / "motions.csv")[0]["greatest_core_n"] == "5.0"

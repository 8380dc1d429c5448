"""`vinewright fit --joints`: entries of the stiffness and damping matrices in what the command prints and writes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dynamics.recording import load_recording, write_recording
from tests.command_line import vinewright

pytestmark = pytest.mark.usefixtures("small_pictures")

RECORDING = Path(__file__).parents[2] / "data" / "oscillation.json"


def test_each_joint_has_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table and `fit.json` have the entries after the parameters of equal joints; `tube.toml` is that of equal joints."""
    whole = load_recording(RECORDING)
    short = replace(whole, times=whole.times[:60], centerlines=whole.centerlines[:60])
    write_recording(short, tmp_path / "swing.json")
    out = tmp_path / "fit"
    arguments = ("fit", tmp_path / "swing.json", "--bodies", 4, "--joints", "each", "--out", out)
    assert vinewright(monkeypatch, *arguments) == 0
    found = json.loads((out / "fit.json").read_text())
    names = [one["name"] for one in found["parameters"]]
    assert names[7:] == [f"{name} of joint {joint}" for name in ("stiffness", "damping") for joint in (1, 2)]
    printed = capsys.readouterr().out
    assert "stiffness of joint 2" in printed
    assert "With joints that are not equal the points are" in " ".join(printed.split())
    equal = next(one for one in found["parameters"] if one["name"] == "bending stiffness EI")
    assert f"bending_stiffness_n_m2 = {equal['value']}" in (out / "tube.toml").read_text()


def test_unknown_joints_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the recording is read, with the names that there are."""
    assert vinewright(monkeypatch, "fit", "missing.json", "--joints", "all") == 2
    assert "--joints all must be equal, each or coupled" in capsys.readouterr().err

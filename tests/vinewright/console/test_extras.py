"""Messages where an extra is not installed."""

import configparser
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from planner.design.design import Design
from planner.design.design_file import design_content
from tests.command_line import vinewright
from tests.conftest import SECTIONS
from vinewright.console.errors import EXTRAS, missing, remedy

PIP = "pip install -c constraints.txt -e '.[{}]'"


def absent(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    """Make a library as good as not installed."""
    for name in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)


def test_doctor_says_which_extras_are_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An extra that lacks one package is missing, with that package and the pip command; the others are installed."""
    absent(monkeypatch, "h5py")
    assert vinewright(monkeypatch, "doctor") == 0
    lines = capsys.readouterr().out.splitlines()
    found = {line.split()[1]: line for line in lines if line.startswith("extra ")}
    assert found.keys() == EXTRAS.keys()
    assert f"h5py missing: {PIP.format('fit')}" in found["fit"]
    for extra in EXTRAS.keys() - {"fit"}:
        assert ("installed" in found[extra]) == (not missing(extra))
        assert ("pip install" in found[extra]) == bool(missing(extra))


def test_extras_are_those_of_the_package() -> None:
    """Extras but `test` and `docs` are known here, each dependency has a lower bound, and ompl is left out where it is not published."""
    settings = configparser.ConfigParser()
    settings.read(Path(__file__).parents[3] / "setup.cfg")
    declared = dict(settings["options.extras_require"])
    assert declared.keys() == EXTRAS.keys() | {"docs", "test"}
    every = [
        line for text in (settings["options"]["install_requires"], *declared.values()) for line in text.split("\n")
    ]
    assert all(re.match(r"[\w-]+(\[\w+\])?>=[\d.]+(,<[\d.]+)?(;|$)", line) for line in every if line)
    ompl = [line.partition("; ")[2] for line in every if line.startswith("ompl")]
    assert ompl == ['python_version < "3.14" and sys_platform != "win32"']


def test_where_ompl_is_not_published_no_pip_command_is_given() -> None:
    """On Python 3.14 and on Windows the pip command would install nothing."""
    assert remedy("ompl", (3, 13), "linux") == "pip install -c constraints.txt ompl"
    for version, platform in (((3, 14), "linux"), ((3, 12), "win32")):
        assert "pip" not in remedy("ompl", version, platform)
        assert "Python 3.11 to 3.13 on Linux or macOS" in remedy("ompl", version, platform)
        assert remedy("torch", version, platform) == PIP.format("torch")


def test_an_installed_wheel_names_the_package(tmp_path: Path) -> None:
    """Where no `setup.cfg` lies beside the packages, there is no repository that `-e` could install from."""
    assert remedy("fab", repository=False) == "pip install 'vinewright[fab]'"
    assert "OMPL is not published" in remedy("ompl", (3, 14), "linux", repository=False)
    root = Path(__file__).parents[3]
    for name in ("studies", "planner", "dynamics", "environments", "surrogate", "vinewright"):
        (tmp_path / name).symlink_to(root / name)
    asked = "from vinewright.console.errors import remedy; print(remedy('fit'))"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {asked}"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert said.stdout == "pip install 'vinewright[fit]'\n"


def test_guidance_without_ompl_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--heuristic` without OMPL: exit code 2, what to do in one line, and no folder is left."""
    absent(monkeypatch, "ompl")
    monkeypatch.chdir(tmp_path)
    assert vinewright(monkeypatch, "plan", "plus", "--heuristic", "--iterations", 1) == 2
    assert capsys.readouterr().err == f"error: this needs OMPL: {remedy('ompl')}\n"
    assert list(tmp_path.rglob("*.json")) == []


def test_a_video_without_its_extra_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--animate FILE.mp4` without imageio-ffmpeg: exit code 2 and the pip command, before anything is grown."""
    absent(monkeypatch, "imageio_ffmpeg")
    monkeypatch.chdir(tmp_path)
    design = design_content(Design("plus", "0" * 64, VineParams(), SECTIONS, np.zeros(3), np.zeros((2, 2))))
    (tmp_path / "design.json").write_text(json.dumps(design))
    assert vinewright(monkeypatch, "simulate", "plus", "design.json", "--animate", "grow.mp4") == 2
    assert capsys.readouterr().err == f"error: this needs OpenCV, scikit-image and imageio-ffmpeg: {remedy('video')}\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["design.json"]

"""`vinewright demo`."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.design.design_file import load_design
from tests.waiting import LONGEST
from vinewright.commands import demo

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends with its first designs, and few trials."""
    monkeypatch.setattr(demo, "ITERATIONS", 4)
    monkeypatch.setattr(demo, "TRIALS", 20)


@pytest.mark.usefixtures("short")
def test_the_tour_says_what_it_computes(
    vinewright: Vinewright, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A plan, a picture, a second model and trials, in 50 columns without colours; nothing is written."""
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("NO_COLOR", "1")
    code, printed, errors = vinewright("demo")
    assert (code, errors) == (0, "")
    assert "\x1b" not in printed
    for words in ("planning divider", "pressure", "propagator impulse", "vinewright simulate divider runs/divider"):
        assert words in " ".join(printed.split())
    (picture,) = re.findall(r"(?:^(?=[^\n]*#)[#oLR. ]{20,50}\n){10,}", printed, re.MULTILINE)
    assert {"#", ".", "o"} < set(picture)
    assert max(map(len, printed.split("What to try")[0].split("The design has")[1].splitlines())) <= 50
    assert re.search(r"reaches the goal in \d+ of 20|reaches the goal in [\d.]+ %", " ".join(printed.split()))
    assert os.listdir(tmp_path) == []


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_the_design_is_kept_if_asked(vinewright: Vinewright, tmp_path: Path) -> None:
    """Earlier results are replaced only with --force, as by `plan`, which is known before the plan."""
    code, printed, _ = vinewright("demo", "--out", "tour")
    assert code == 0
    assert "wrote tour/" in printed
    assert "vinewright simulate divider tour --animate growth.gif" in printed
    assert load_design(tmp_path / "tour").environment == "divider"
    code, printed, errors = vinewright("demo", "--out", "tour")
    assert (code, printed) == (2, "")
    assert errors == "error: tour contains a plan; give another --out, or --force to replace it\n"


@pytest.mark.slow
def test_an_interrupted_tour_keeps_nothing(tmp_path: Path) -> None:
    """Ctrl-C ends it with exit code 130, one line, and no file."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", "from vinewright.cli import main; main()", "demo"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    for line in process.stdout:
        if "best: 1 actuator" in line:
            break
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=LONGEST)
    assert (process.returncode, errors.strip().splitlines()[-1:]) == (
        130,
        ["error: interrupted before the end of the tour"],
    ), printed + errors
    assert os.listdir(tmp_path) == []

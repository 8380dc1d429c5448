"""Figures of the papers on the impulse simulator, made again: tables, pictures, and what Ctrl-C leaves."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from studies.impulse import study as impulse
from studies.impulse.plots import save_runtime, save_stills
from studies.impulse.report import report
from studies.impulse.study import (
    SOLVERS,
    StepTiming,
    cases,
    exponent,
    make_clutter_environment,
    make_clutter_robot,
    make_design,
    measure,
)
from vinewright.cli import main

PNG = b"\x89PNG"


def timings(*sizes: int) -> list[StepTiming]:
    """Steps that take 0.5 microseconds a body, and 0.1 ms a body by OSQP, which ends 2 mm off."""
    made = []
    for bodies in sizes:
        for solver in SOLVERS:
            slow = solver != "banded"
            made.append(StepTiming(solver, bodies, bodies * (0.1 if slow else 5e-4), (0.5 + 0.002 * slow, 0.1)))
    return made


def test_exponent_is_the_slope_of_logarithms() -> None:
    """Times in proportion to the bodies have the exponent 1; with too few sizes there is none."""
    assert exponent(timings(20, 100, 300)) == pytest.approx(1.0)
    assert exponent(timings(20, 100)) is None


def test_report_sets_solvers_side_by_side() -> None:
    """A row a size, how much quicker than published at 30 bodies, how far off OSQP ends; partial measurements too."""
    made = report(timings(30, 140, 300)[:-1])
    table, content = made.text, made.content
    assert "| 30 | 0.015 | 1 / 200 | 3.00 | 2 | 3.00 | 2 |" in table
    assert "| 300 | 0.150 |  | 30.00 | 2 |  |  |" in table
    assert "up to 300" in table
    assert "power of 1.00" in table
    assert "nan" not in report(timings(20)[:1]).text
    assert content["timings"][0] == {"solver": "banded", "bodies": 30, "milliseconds": 0.015, "tip": (0.5, 0.1)}
    json.dumps(content, allow_nan=False)


@pytest.mark.slow
def test_solvers_are_measured_on_the_same_robot(tmp_path: Path) -> None:
    """Every solver gets a time for a small robot, and ends within a millimetre of the others."""
    found = list(measure(cases([6])))
    assert [one.solver for one in found] == list(SOLVERS)
    assert all(one.milliseconds > 0 for one in found)
    assert np.ptp([one.tip for one in found], axis=0).max() < 1e-3
    save_runtime(tmp_path / "runtime.png", found)
    assert (tmp_path / "runtime.png").read_bytes()[:4] == PNG


def test_stills_show_the_robot_of_the_clutter(tmp_path: Path) -> None:
    """The robot as a bare tube of its length and width, and a picture of its growth."""
    motion, robot, environment = impulse.simulate_clutter(0.01), make_clutter_robot(), make_clutter_environment()
    design = make_design(motion, robot, environment)
    assert design.length == pytest.approx(4 * robot.half * robot.links + 3.0 * robot.growth_rate)
    assert design.params.radius == robot.radius
    save_stills(tmp_path / "stills.png", environment, design, motion)
    assert (tmp_path / "stills.png").read_bytes()[:4] == PNG


def test_ctrl_c_keeps_what_was_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Interrupted, table, data and picture hold what was timed before, and say so."""

    def interrupted(_cases: object) -> Iterator[StepTiming]:
        yield from timings(20)
        raise KeyboardInterrupt

    monkeypatch.setattr(impulse, "measure", interrupted)
    monkeypatch.setattr("sys.argv", ["vinewright", "reproduce", "impulse-runtime", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "interrupted after 3 of 24 robots" in capsys.readouterr().out
    assert ", interrupted,` on" in (tmp_path / "impulse-runtime" / "README.md").read_text()
    assert len(json.loads((tmp_path / "impulse-runtime" / "data.json").read_text())["timings"]) == 3
    assert (tmp_path / "impulse-runtime" / "impulse-runtime.png").read_bytes()[:4] == PNG

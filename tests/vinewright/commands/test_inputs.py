"""Growth rate and body pressure over time on the command line and in Python."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vinewright as vw
from planner.design.design_file import design_content
from planner.design.schedule import Schedule
from planner.output.folder import write_json

Vinewright = Callable[..., tuple[int, str, str]]


@pytest.fixture
def file(design: vw.Design, tmp_path: Path) -> Path:
    """The file of a design with two actuators."""
    write_json(tmp_path / "design.json", design_content(design))
    return tmp_path / "design.json"


def test_simulate_follows_inputs_over_time(file: Path, tmp_path: Path, vinewright: Vinewright) -> None:
    """Growth that stops after 2 s at 50 mm/s leaves 100 mm of tube, without a drive margin; a wrong table is refused."""
    table = tmp_path / "inputs.csv"
    table.write_text("time_s,growth_mm_per_s,body_kpa\n0,50,10\n2,50,12\n2,0,12\n")
    code, out, err = vinewright("simulate", "plus", file, "--propagator", "impulse", "--inputs", table, "--json")
    assert code == 3, err
    result = json.loads(out)
    assert result["length_mm"] == pytest.approx(100.0, abs=0.01)
    assert result["status"] == "stalled"
    assert result["drive"] is None
    table.write_text("time_s,body_kpa\n0,ten\n")
    code, _, err = vinewright("simulate", "plus", file, "--propagator", "impulse", "--inputs", table)
    assert code == 2
    assert "inputs.csv: line 2 must have a number in each of 2 columns" in err
    code, _, err = vinewright("simulate", "plus", file, "--inputs", table)
    assert code == 2
    table.write_text("time_s,body_kpa\n0,10\n")
    code, _, err = vinewright("simulate", "plus", file, "--inputs", table)
    assert code == 2
    assert "--inputs is for --propagator impulse; quasistatic does not have this option" in err


def test_python_follows_inputs_over_time(design: vw.Design) -> None:
    """Also by `vw.simulate`; a design with pressures over its length refuses them."""
    room = vw.load_environment("plus")
    inputs = vw.GrowthInputs([0.0, 1.0, 1.0], growth_rates=[0.0, 0.1, 0.0])
    simulation = vw.simulate(design, room, "impulse", inputs=inputs)
    assert simulation.lengths[-1] == pytest.approx(0.05, abs=1e-5)
    highest = np.array([[section.pressure for section in design.sections if section.actuated]])
    steered = replace(design, schedule=Schedule([0.0], highest))
    with pytest.raises(ValueError, match="cannot be combined with a schedule"):
        vw.simulate(steered, room, "impulse", inputs=inputs)

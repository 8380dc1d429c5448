"""One case of a sweep: the outcome in its row."""

from dataclasses import replace
from pathlib import Path

import pytest

from environments import Environment
from environments.environment_file import environment_text
from planner.design.design import InvalidDesign
from tests.planner.plan.known import known_design, written
from tests.vinewright.sweeps.folders import made_in, study
from vinewright.sweeps.case import Input, run_case
from vinewright.sweeps.manifest import read_manifest


def test_a_plan_below_the_success_wanted_is_told_from_one_that_is_enough(place: Path) -> None:
    """By the trials of the plan itself: with errors of 40 deg at the start few succeed, of which 1 % may be enough."""
    manifest = read_manifest(made_in(place, study(plan={"iterations": 2, "batch": 20})))
    case, inputs = manifest.grid.cases[0], dict(manifest.grid.inputs)
    text = (place / "small.toml").read_text().replace("schema = 1", "schema = 2")
    text += "[uncertainty]\nstart_heading_deg = 40\n"
    inputs[case.environment] = Input("small", text)
    for wanted, outcome in ((90.0, "below success"), (1.0, "design")):
        tried = replace(case, plan={**case.plan, "fast": False, "success": wanted})
        row = run_case(tried, inputs)
        assert 0.01 <= int(row["own_reached"] or 0) / int(row["own_trials"] or 0) < 0.9
        assert row["outcome"] == outcome


def test_a_plan_begins_with_the_design_that_the_file_names(place: Path, room: Environment) -> None:
    """The design is an input of the case, so that workers need no file; one that cannot be read is an error of the study."""
    (place / "room.toml").write_text(environment_text(room))
    path = written(known_design(room), place)
    plan = {"iterations": 1, "batch": 20, "fast": True, "seed": 1, "start_from": "known.json"}
    content = study(environments={"files": ["room.toml"]}, plan=plan, trials={"number": 5})
    manifest = read_manifest(made_in(place, content))
    Path(path).unlink()
    (case,) = manifest.grid.cases
    assert case.factors["start_from"] == "known.json"
    row = run_case(case, manifest.grid.inputs)
    assert (row["outcome"], row["actuators"], row["iterations_done"]) == ("design", 1, 1)
    cold = run_case(replace(case, known=None, plan={**case.plan, "start_from": None}), manifest.grid.inputs)
    assert cold["outcome"] == "no design"
    with pytest.raises(InvalidDesign, match=r"known.json: cannot be read"):
        made_in(place, content, name="again")

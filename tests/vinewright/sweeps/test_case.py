"""One case of a sweep: the outcome in its row."""

from dataclasses import replace
from pathlib import Path

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

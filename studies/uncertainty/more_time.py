"""Copy the gains that the study `uncertainty` measured to where plans read them: `python -m studies.uncertainty.more_time`."""

from __future__ import annotations

import json
from pathlib import Path

from planner.plan.choice.front import Passed
from planner.plan.more_time import MEASURED, measure_gains

RESULTS = Path(__file__).parents[2] / "results" / "uncertainty" / "data.json"


def gains_text(results: Path = RESULTS) -> str:
    """Return the text of `planner.plan.more_time.MEASURED` that follows from the results of the study."""
    runs = json.loads(results.read_text())["runs"]
    gains = measure_gains([[Passed(*one) for one in run.get("rounds", [])] for run in runs])
    return "[\n" + ",\n".join(f"  {json.dumps(one)}" for one in gains) + "\n]\n"


if __name__ == "__main__":
    MEASURED.write_text(gains_text())

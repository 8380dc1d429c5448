"""The table of tip steering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynamics.vine import Status
from planner.output.markdown import markdown_table
from studies.tip_steering.study import GROWN_ON, MOVES, SPARE, STEERED, STRAIGHT, SteeringStage
from vinewright.console.study import Report

COLUMNS = "pressure kPa", "length mm", "tip x mm", "tip y mm", "turn deg", "in free space deg", "status"


def report(stages: Sequence[SteeringStage], model: str) -> Report:
    """Return a table with one row per pressure.

    Args:
        model: Name of the propagator.
    """
    lines = [
        f"A vine with {1e3 * STRAIGHT:g} mm without actuators, followed by {1e3 * STEERED:g} mm with actuators, grows",
        f"through a passage that is {2e3 * SPARE:g} mm wider than the tube and stops. Its tip is steered by the pressure",
        f"on one side and then on the other. Then it grows {1e3 * GROWN_ON:g} mm more (paper 002, supplement, Fig. S.12).",
        f"Propagator: `{model}`. Positive pressures are on the left side. *Turn* is the change of the tip's heading; the",
        "next column is the turn in free space.",
        "",
        *markdown_table(COLUMNS, map(_row, stages)),
        "",
        "![The vine under each pressure](tip-steering.png)",
    ]
    content = {"propagator": model, "stages": [_content(stage) for stage in stages]}
    return Report("Tip steering behind a narrow passage", lines, content)


def _row(stage: SteeringStage) -> list[str]:
    values = [1e-3 * stage.pressure, 1e3 * stage.length, *1e3 * stage.joints[-1]]
    turns = [f"{np.degrees(turn):.2f}" for turn in (stage.heading, stage.free)]
    return [*(f"{value:.0f}" for value in values), *turns, stage.status.name.lower()]


def _content(stage: SteeringStage) -> dict[str, object]:
    return {
        "pressure_kpa": 1e-3 * stage.pressure,
        "length_mm": round(1e3 * stage.length, 3),
        "tip_mm": (1e3 * stage.joints[-1]).round(3).tolist(),
        "turn_deg": round(float(np.degrees(stage.heading)), 4),
        "free_space_turn_deg": round(float(np.degrees(stage.free)), 4),
        "status": stage.status.name.lower(),
    }


def missed_text(stages: Sequence[SteeringStage]) -> str:
    """Return the movements that were not completed, or not made, as text; empty if all were."""
    done = sum(stage.status == Status.GROWN for stage in stages)
    return f"{done} of {len(MOVES)} movements were completed" if done < len(MOVES) else ""

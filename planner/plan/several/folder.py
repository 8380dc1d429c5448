"""The folder of a plan for several environments: a summary, and for each environment a folder like that of a run of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planner.output.contents import SAME
from planner.output.folder import stem_of, write_folder, write_json
from planner.output.provenance import versions
from planner.plan.run.folder import fill_run
from planner.plan.several.plan import CommonResult


def same_content(result: CommonResult) -> dict[str, Any]:
    """Content of the summary: inputs, and for each tube of the front its masks and its success in each environment."""
    choice = result.choice
    content: dict[str, Any] = {
        "schema": 1,
        "environments": [{"name": run.environment.name, "sha256": run.environment.sha256} for run in result.runs],
        "inputs": result.options.model_dump(),
        "stopped": result.reasons,
        "versions": versions(),
        "search_s": [round(run.seconds, 3) for run in result.runs],
        "errors": [name for name, _ in choice.errors] if choice and choice.tried else None,
        "wanted": result.options.wanted,
        "chosen": choice.chosen if choice else None,
        "front": [],
    }
    for champion in choice.front if choice else ():
        first = champion.each[0].design
        each = [
            {
                "environment": one.design.environment,
                "off": one.design.off,
                "grow_mm": round(1e3 * one.design.length, 3),
                "reached": one.estimate.reached,
                "trials": one.estimate.trials,
                "interval_95": [round(end, 4) for end in one.estimate.interval] if one.estimate.trials else None,
                "weakest": one.estimate.weakest,
                "sound": one.sound,
            }
            for one in champion.each
        ]
        content["front"].append(
            {"actuators": first.actuators, "length_mm": round(1e3 * first.built, 3), "environments": each}
        )
    return content


def write_same(out: Path, result: CommonResult, full_tree: bool = False) -> None:
    """Write a plan that found a tube; the folder appears as a whole.

    Raises:
        UnwritableFolder: The folder cannot be written and is unchanged.
    """
    choice = result.choice
    if choice is None:
        raise ValueError("no tube was found: there is nothing to write")

    def fill(folder: Path) -> None:
        write_json(folder / SAME, same_content(result))
        for k, (run, design, reason) in enumerate(zip(result.runs, result.designs, result.reasons, strict=True)):
            own = folder / stem_of(run.environment.name)
            own.mkdir()
            fill_run(own, run, result.options, reason, design, choice.of(k) if choice.tried else None, None, full_tree)

    write_folder(out, fill)

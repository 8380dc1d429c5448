"""The folder of an adapted design: the design as it is set now, its environment with base and obstacles where they are now, a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.quasistatic.propagator import QuasiStatic
from environments.environment import Environment
from environments.environment_file import restate_errors, write_environment
from environments.objects import obstacles_digest
from environments.uncertainty_in_files import UNSTATED, StatedUncertainty
from planner.adapting.adapting import Adapted, best_of, recommended
from planner.adapting.changes import moved_environment
from planner.adapting.set_points import with_free_bends
from planner.adapting.words import what_to_do
from planner.built.learnt import learnt_errors
from planner.built.predicting import Setting
from planner.design.design import Design
from planner.design.design_file import DESIGN, design_content
from planner.design.drive_margin import DriveMargin, design_drive_margin
from planner.design.estimate import Success
from planner.design.replay import make_simulation, replay
from planner.output.contents import ADAPTED
from planner.output.folder import write_folder, write_json
from planner.output.provenance import versions
from planner.uncertainty.causes import tube_digest
from planner.uncertainty.errors import overrule

PICTURE = "adapted.png"


@dataclass(frozen=True, slots=True, eq=False)
class AdaptedDesign:
    """A design with other settings, and its environment as it is then."""

    design: Design
    """With the shape that is predicted without errors, and its success with those that fit the trials."""
    environment: Environment
    margin: DriveMargin | None
    """Forces on its tip without errors."""

    @classmethod
    def of(cls, found: Adapted, errors: str, asked: StatedUncertainty = UNSTATED) -> AdaptedDesign:
        """Change the settings of a design, in its environment with the errors that were learnt.

        Args:
            errors: Name of the errors.
            asked: Errors in place of those of the environment, see `planner.uncertainty.errors`.
        """
        there, made = moved_environment(found.posterior.tube.environment, found.setting), set_anew(found.setting)
        stated = overrule(there.uncertainty, asked)
        if (learnt := learnt_errors(found.posterior)) is not None:
            # What was learnt holds for the tube and the obstacles as they are now, too.
            learnt = replace(learnt, tube=tube_digest(made), obstacles=obstacles_digest(there))
        there = restate_errors(there, replace(stated, learnt=learnt))
        made, model = replace(made, sha256=there.sha256), QuasiStatic(there, made.params)
        rollout = replay(made, model)
        end = make_simulation(made, there, rollout)
        growths = found.success.each.size * found.success.growths
        success = Success(errors, round(found.success.mean * growths), growths)
        margin = design_drive_margin(made, there, lambda *_: model, rollout)
        return cls(replace(end.design, success=success), there, margin)

    def write(self, out: Path, content: dict[str, Any], draw: Callable[[Path], object]) -> None:
        """Write the folder, as a whole.

        Args:
            content: That of `adapted.json`.
            draw: Draws the picture into a file.
        Raises:
            UnwritableFolder: It cannot be written, and is as it was.
        """

        def fill(folder: Path) -> None:
            write_environment(self.environment, folder / "environment.toml")
            write_json(folder / DESIGN, design_content(self.design))
            draw(folder / PICTURE)
            write_json(folder / ADAPTED, {"schema": 1, "versions": versions(), **content})

        write_folder(out, fill)


def set_anew(setting: Setting) -> Design:
    """Return the design of a setting, with the bends that its actuators then have in free space."""
    design = setting.grown
    return with_free_bends(replace(design, success=None), design.params)


def proposal_content(one: Adapted, before: Design, environment: Environment) -> dict[str, Any]:
    """Return a proposal for a JSON file."""
    x, y, turn = one.setting.base
    low, high = one.success.interval
    return {
        "change": one.name,
        "what_to_do": what_to_do(before, one.setting, environment),
        "success": round(one.success.mean, 4),
        "interval_90": [round(low, 4), round(high, 4)],
        "better": one.better,
        "base_mm": [round(1e3 * x, 3), round(1e3 * y, 3)],
        "base_turn_deg": round(float(np.degrees(turn)), 3),
        "growth_pressure_kpa": round(1e-3 * (before.params.growth_pressure + one.setting.growth_pressure), 3),
        "seconds": round(one.seconds, 2),
    }


def adapted_content(
    found: list[Adapted], wanted: float, before: Design, environment: Environment, chosen: Adapted | None = None
) -> dict[str, Any]:
    """Return the content of `adapted.json`.

    Args:
        wanted: Success that is wanted [-].
        chosen: The proposal that the folder has; None for the best.
    """
    enough = recommended(found, wanted)
    return {
        "wanted": wanted,
        "recommended": None if enough is None else found.index(enough),
        "best": found.index(chosen or best_of(found)),
        "proposals": [proposal_content(one, before, environment) for one in found],
    }

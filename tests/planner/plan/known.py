"""A design for the room, as a file with which plans begin."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from dynamics.tube import VineParams
from environments import Environment
from planner.design.catalogue import Catalogue
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.plan.choice.refinement import replace_curvature
from planner.plan.inputs import Inputs
from planner.plan.plan import Result, plan
from planner.plan.problem import Problem

ENDS = 0.108, 0.311, 0.872
"""Ends of its sections [m], none of them at the end of a segment."""
CURVATURE = 2.2
"""Curvature of its actuator [1/m]."""


def known_design(room: Environment, tube: VineParams | None = None) -> Design:
    """A design with one actuator that ends in the goal of the room."""
    tube = tube or VineParams()
    first, second, third = ENDS
    bare, bent = Section(0.0, first, "none", 0.0, 0.0, 0.0), Section(first, second, "left", CURVATURE, 0.0, 0.0)
    sections = bare, replace_curvature(bent, Catalogue.of(tube), CURVATURE), replace(bare, start=second, end=third)
    return Design(room.name, room.sha256, tube, sections, room.start, room.start[None, :2])


def written(design: Design, folder: Path, name: str = "known.json", **changes: Any) -> str:
    """Write the file of a design, with some of its keys changed; returns its path."""
    (folder / name).write_text(json.dumps({**design_content(design), **changes}))
    return str(folder / name)


def planned(room: Environment, tube: VineParams | None = None, **options: Any) -> Result:
    """A plan in the room."""
    return plan(Problem.of(room, tube or VineParams(), Inputs(**{"seed": 1, "batch": 20, **options})))

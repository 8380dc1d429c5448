"""The fabrication pack: a design rounded to what can be made, as the files to make it from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import Propagator
from environments.environment import Environment, write_environment
from planner.design import Design
from planner.design_file import design_content
from planner.drawing.style import whole
from planner.fabrication import FORMATS
from planner.fabrication import build as allowances
from planner.fabrication.build import SEAL, Build
from planner.fabrication.cells import round_to_cells
from planner.fabrication.cut_list import cut_list, section_table
from planner.fabrication.paper import Paper
from planner.fabrication.pattern import Pattern, pattern_of
from planner.fabrication.pressures import pressure_content
from planner.replay import Grown
from planner.robustness.sensitivity import Margin, margin, section_parameters
from planner.runs.folder import write_json
from surrogate.spam import Spam


@dataclass(frozen=True, eq=False)
class Pack:
    """What is made, and whether it works."""

    planned: Design
    environment: Environment
    grown: Grown
    """The design of whole cells, grown again at half the step."""
    tried: int
    """Roundings that were grown to find it."""
    margins: list[Margin]
    """How far each muscle's pressure may stray."""

    @classmethod
    def of(cls, design: Design, environment: Environment, propagator: Propagator) -> Pack:
        """Round a design to whole cells and grow it again; its curvatures are those of its cells and pressures.

        Raises:
            InvalidDesign: A section is shorter than one cell.
        """
        joint = joint_moments(design.params)
        sections = [
            replace(s, curvature=float(free_curvature(joint, s.pressure, s.l_0))) if s.side != "none" else s
            for s in design.sections
        ]
        grown, tried = round_to_cells(replace(design, sections=tuple(sections)), environment, propagator.refined())
        pressures = section_parameters(grown.design, ["pressure"])
        return cls(design, environment, grown, tried, [margin(grown.design, environment, p) for p in pressures])

    @cached_property
    def build(self) -> Build:
        """What has to be cut."""
        return Build(self.grown.design)

    @cached_property
    def pattern(self) -> Pattern:
        """How it is cut."""
        return pattern_of(self.build)

    @cached_property
    def warnings(self) -> list[str]:
        """What whoever makes it should mind."""
        planned, made, told = self.planned.length, self.grown.design.length, []
        if self.grown.reached and not self.grown.ends_in_goal:
            told.append("The tip comes into the goal but grows on out of it: stop the growth while it is there.")
        if made > planned + 5e-4:
            told.append(f"Whole cells make the tube {1e3 * (made - planned):.0f} mm longer than it was planned.")
        folded, before = [], {"left": 0.0, "right": 0.0}
        for muscle in self.build.muscles:
            if muscle.section.start - before[muscle.section.side] < muscle.tail - 5e-4:
                folded.append(muscle.name)
            before[muscle.section.side] = muscle.section.end + SEAL
        if folded:
            told.append(
                f"The feed ends of {', '.join(folded)} are longer than the free fold before them: lay them in folds, "
                "or lead them past the base into the vessel."
            )
        for line in self.pressures["lines"]:
            if line["set_kpa"] > line["limit_kpa"]:
                told.append(
                    f"{line['line']} is set to {line['set_kpa']:g} kPa, above its limit of {line['limit_kpa']:g} kPa."
                )
        return told

    @cached_property
    def pressures(self) -> dict[str, Any]:
        """The pressure lines, for a JSON file."""
        return pressure_content(self.build, self.margins, self.grown.reached)

    def content(self) -> dict[str, Any]:
        """What there is to know of it, for a JSON file."""
        planned, made = self.planned, self.grown.design
        return {
            "schema": 1,
            "environment": {"name": self.environment.name, "sha256": self.environment.sha256},
            "reaches_goal": self.grown.reached,
            "ends_in_goal": self.grown.ends_in_goal,
            "status": self.grown.status.name.lower(),
            "roundings_tried": self.tried,
            "tip_moved_mm": round(1e3 * float(np.hypot(*(made.tip[:2] - planned.tip[:2]))), 3),
            "length_mm": {"planned": round(1e3 * planned.length, 3), "made": round(1e3 * made.length, 3)},
            "warnings": self.warnings,
            "planned_mm": [_ends(section) for section in planned.actuated],
            "made_mm": [_ends(muscle.section) for muscle in self.build.muscles],
            "allowances_mm": {
                name.lower(): round(1e3 * getattr(allowances, name), 3) for name in ("SEAL", "FITTING", "CLAMP", "LEAD")
            },
        }

    def write(self, form: str, out: Path) -> list[str]:
        """Write one of `FORMATS`; every file appears whole or not at all.

        Returns:
            Names of the files; none where the design has no use for that format.
        Raises:
            ModuleNotFoundError: What the format needs is not installed.
            NoBracket: None can be printed for these muscles.
        """
        match form:
            case "json":
                contents = {
                    "pack.json": self.content(),
                    "design.json": design_content(self.grown.design),
                    "pressures.json": self.pressures,
                }
                for name, content in contents.items():
                    with whole(out / name) as partial:
                        write_json(partial, content)
                write_environment(self.environment, out / "environment.toml")
                return [*contents, "environment.toml"]
            case "csv":
                tables = {"cut-list.csv": cut_list(self.build), "sections.csv": section_table(self.build)}
                for name, table in tables.items():
                    with whole(out / name) as partial:
                        partial.write_text(table, encoding="utf-8")
                return [*tables]
            case "dxf":
                from planner.fabrication.dxf import write_dxf

                write_dxf(out / "pattern.dxf", self.pattern)
                return ["pattern.dxf"]
            case "svg":
                from planner.fabrication.svg import write_svg

                write_svg(out / "pattern.svg", self.pattern)
                return ["pattern.svg"]
            case "pdf":
                return [self._write_template(out, "a4"), self._write_template(out, "letter")]
            case "stl":
                return self._write_bracket(out)
        raise ValueError(f"unknown format {form!r}; known: {', '.join(FORMATS)}")

    def _write_template(self, out: Path, paper: Paper) -> str:
        from planner.fabrication.template import write_template

        name = f"template-{paper}.pdf"
        write_template(out / name, paper, self.build, self.pattern, self.environment, self.grown.reached, self.warnings)
        return name

    def _write_bracket(self, out: Path) -> list[str]:
        from planner.fabrication.bracket import write_bracket

        actuator = self.grown.design.params.actuator
        if not isinstance(actuator, Spam) or not self.build.muscles:
            (out / "bracket.stl").unlink(missing_ok=True)  # of a pack that was here before
            return []
        write_bracket(out / "bracket.stl", actuator)
        return ["bracket.stl"]


def _ends(section: Any) -> list[float]:
    return [round(1e3 * section.start, 3), round(1e3 * section.end, 3)]

"""The fabrication pack: a design rounded to whole cells, and the files to fabricate it from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.propagator import Propagator
from dynamics.tube_file import tube_text
from environments.environment import Environment
from environments.environment_file import write_environment
from environments.uncertainty import PRESETS, Uncertainty
from environments.writing import atomic_path
from planner.design.design import Design, Section
from planner.design.design_file import design_content
from planner.design.replay import GrowthEnd
from planner.fabrication import KNOWN
from planner.fabrication.assembly import build as allowances
from planner.fabrication.assembly.acceptance import Bend, acceptance_content, acceptance_text, bends, formed_bends
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.cells import round_to_cells
from planner.fabrication.assembly.folding import bend_content, fold_table
from planner.fabrication.assembly.pressures import (
    YIELD,
    check_head_room,
    pressure_content,
    pressure_lines,
    yielding_lines,
)
from planner.fabrication.assembly.seams import check_seams
from planner.fabrication.assembly.stock import Stock
from planner.fabrication.assembly.success import PackSuccess, have_equal_sections, try_design
from planner.fabrication.assembly.success import Watch as Trying
from planner.fabrication.assembly.tolerance import compute_placement, idle_text
from planner.fabrication.assembly.vessel import BED, Vessel, vessel_of
from planner.fabrication.assembly.wall_base import WallBase, wall_base_of
from planner.fabrication.guide.bench import Bench, bench_of
from planner.fabrication.guide.guide import Guide
from planner.fabrication.guide.paper import SHORT_EDGE, Paper, Template
from planner.fabrication.lists.cut_list import cut_list, section_table
from planner.fabrication.lists.parts import parts_table
from planner.fabrication.pattern.bed import Bed, write_tiles
from planner.fabrication.pattern.layout import pattern_of
from planner.fabrication.pattern.pattern import Pattern
from planner.fabrication.plumbing.feed_lines import FeedLines
from planner.fabrication.plumbing.operation_file import SCHEDULE, operation_content
from planner.fabrication.plumbing.schedule import growth_schedule
from planner.output.folder import write_json
from planner.uncertainty.bend_ranges import TRIALS, Acceptance, BendRange, Watch, find_ranges
from planner.uncertainty.errors import named_errors
from surrogate.spam import Spam

TUBE_FILE = "stock-tube.toml"


@dataclass(frozen=True, eq=False)
class Pack:
    """A design as fabricated, its simulated growth and its acceptance test."""

    planned: Design
    """The design before its sections were rounded to whole cells."""
    environment: Environment
    """Where it grows."""
    grown: GrowthEnd
    """The whole-cell design, simulated at half the growth step."""
    tried: int
    """Number of roundings simulated to find it."""
    stock: Stock | None = None
    """The stock sizes of its tubes, if they were chosen from stock."""
    trials: int = TRIALS
    """Number of tubes grown to try the design, and for the acceptance test."""
    tested: Acceptance | None = None
    """The ranges of the acceptance test, if they are known already, see `find_ranges`."""
    bed: Bed | None = None
    """The bed of a cutter or plotter, for which the pattern is written in tiles too."""

    @classmethod
    def of(
        cls,
        design: Design,
        environment: Environment,
        propagator: Propagator,
        stock: Stock | None = None,
        allow_limit: bool = False,
        trials: int = TRIALS,
        seam: float | None = None,
    ) -> Pack:
        """Round a design to whole cells and simulate it; curvatures are recomputed from cell lengths and pressures.

        Args:
            stock: How the design's tubes differ from the planned ones, see `with_stock`.
            allow_limit: Accept pressures at their limit or above it.
            trials: Number of tubes grown to try the design, see `with_trials`, and for the acceptance test.
            seam: Width that the workshop's bar seals [m]; None for that of the design, see `check_seams`.
        Raises:
            InvalidDesign: A section is shorter than one cell, a pressure has no head room, or the seams are not those of the bar.
        """
        check_seams(Build(design), seam)
        if not allow_limit:
            check_head_room(Build(design))
        if design.sha256 != environment.sha256:
            design = replace(design, success=None)  # the trials were made elsewhere
        params, joint = design.params, joint_moments(design.params)

        def bent(section: Section) -> Section:
            film = free_curvature(joint, section.pressure, section.l_0, section.kind)
            return replace(section, curvature=float(centerline_curvature(film, params)))

        sections = [bent(section) if section.actuated else section for section in design.sections]
        grown, tried = round_to_cells(
            replace(design, sections=tuple(sections), success=None), environment, propagator.refined()
        )
        if have_equal_sections(design, grown.design):
            grown = replace(grown, design=replace(grown.design, success=design.success))
        return cls(design, environment, grown, tried, stock, trials)

    @property
    def errors(self) -> tuple[str, Uncertainty]:
        """Name and numbers of the errors with which the planned design was tried, or with which it would be."""
        asked = self.planned.success.errors.removeprefix("adapted ") if self.planned.success else None
        return named_errors(self.environment, self.planned.params, asked if asked in PRESETS else None)

    def with_trials(self, watch: Trying | None = None) -> Pack:
        """Return the pack with the success of its design under errors, as it is made; trials of a design that was not rounded are kept.

        Args:
            watch: Called with the number of trials grown so far, and of all.
        """
        design = self.grown.design
        if design.success:
            return self
        success = try_design(design, self.environment, self.errors, self.trials, watch)
        return replace(self, grown=replace(self.grown, design=replace(design, success=success)))

    def find_ranges(self, watch: Watch | None = None) -> Acceptance | None:
        """Find the ranges of the acceptance test from trials; None if the design misses its goal, or never reaches it with errors."""
        if not self.grown.reached or not (self.build.actuators or self.build.bends):
            return None
        found = find_ranges(self.grown.design, self.environment, self.errors[1], self.trials, watch)
        return found if found.reached else None

    @cached_property
    def acceptance(self) -> Acceptance | None:
        """The ranges of the acceptance test; None as for `find_ranges`."""
        return self.tested or self.find_ranges()

    @cached_property
    def build(self) -> Build:
        """Dimensions of the parts."""
        return Build(self.grown.design)

    @cached_property
    def success(self) -> PackSuccess:
        """Success under errors of the planned design, and of the design with whole cells if it was tried."""
        return PackSuccess.of(self.planned, self.grown.design)

    @cached_property
    def pattern(self) -> Pattern:
        """The cutting pattern."""
        return pattern_of(self.build)

    @cached_property
    def warnings(self) -> list[str]:
        """Fabrication warnings."""
        planned, made, warnings = self.planned.built, self.grown.design.built, list[str]()
        lines = pressure_lines(self.build)
        if off := self.build.off:
            warnings.append(idle_text(off))
        if self.grown.design.length < made - 5e-4:
            warnings.append(
                f"Stop the growth at {1e3 * self.grown.design.length:.0f} mm: the rest of the tube is for another environment."
            )
        if self.grown.reached and not self.grown.ends_in_goal:
            warnings.append(
                "The tip reaches the goal but leaves it again: stop the growth while the tip is in the goal."
            )
        if made > planned + 5e-4:
            warnings.append(
                f"Rounding to whole cells makes the tube {1e3 * (made - planned):.0f} mm longer than planned."
            )
        warnings += FeedLines(self.build).warnings
        for line in lines:
            if line["set_kpa"] >= line["limit_kpa"]:
                where = (
                    "above its limit of"
                    if line["set_kpa"] > line["limit_kpa"]
                    else "without head room, at its limit of"
                )
                warnings.append(f"{line['line']} is set to {line['set_kpa']:g} kPa, {where} {line['limit_kpa']:g} kPa.")
        if yielding := yielding_lines(lines):
            stresses = ", ".join(f"{name} {stress:.3g} MPa" for name, stress in yielding.items())
            warnings.append(f"Hoop stress above {YIELD / 1e6:g} MPa, where LDPE film begins to yield: {stresses}.")
        if self.build.film_note:
            warnings.append(self.build.film_note)
        if self.vessel is None:
            warnings.append("The tube is too narrow for a printed vessel: there is no vessel.stl and no clamp.stl.")
        elif not self.vessel.fits:
            warnings.append(
                f"The vessel is {1e3 * self.vessel.width:.0f} mm wide and {1e3 * self.vessel.height:.0f} mm high, larger than a common "
                f"printer's bed of {1e3 * BED:.0f} mm."
            )
        return warnings

    @cached_property
    def vessel(self) -> Vessel | None:
        """The vessel at the base; None if none can be printed."""
        return vessel_of(self.build)

    @cached_property
    def wall(self) -> WallBase | None:
        """The base in a wall; None if the tube starts free."""
        return wall_base_of(self.build, self.environment, self.vessel)

    @cached_property
    def bench(self) -> Bench:
        """The bench on which the tube grows, with simulated margins."""
        return bench_of(self.grown.design, self.environment, self.grown.reached)

    @cached_property
    def formed(self) -> list[Bend]:
        """The preformed bends as the acceptance test expects them."""
        return formed_bends(self.build, self.acceptance.bends if self.acceptance else [None] * len(self.build.bends))

    @cached_property
    def ranges(self) -> Sequence[BendRange | None]:
        """The accepted bends of the actuators."""
        return self.acceptance.sections if self.acceptance else [None] * len(self.build.actuators)

    @cached_property
    def guide(self) -> Guide:
        """The content of the builder's guide; its tolerances are simulated."""
        return Guide(
            self.build,
            self.pressures["lines"],
            bends(self.build, self.ranges),
            compute_placement(self.grown.design, self.environment) if self.grown.reached else None,
            self.vessel,
            self.stock.text if self.stock else None,
            self.formed,
            acceptance_text(self.acceptance, self.errors[0]) if self.acceptance else "",
            self.wall,
            self.bench,
        )

    @cached_property
    def pressures(self) -> dict[str, Any]:
        """Content of the pressure file."""
        passed = acceptance_content(self.acceptance, self.errors[0]) if self.acceptance else None
        return {**pressure_content(self.build, self.ranges), "acceptance": passed}

    def content(self) -> dict[str, Any]:
        """Return the content of the pack's JSON file: planned and fabricated dimensions, result of the simulation, warnings."""
        planned, made = self.planned, self.grown.design
        return {
            "schema": 1,
            "environment": {"name": self.environment.name, "sha256": self.environment.sha256},
            "reaches_goal": self.grown.reached,
            "ends_in_goal": self.grown.ends_in_goal,
            "status": self.grown.status.name.lower(),
            "roundings_tried": self.tried,
            "tip_moved_mm": round(1e3 * float(np.hypot(*(made.tip[:2] - planned.tip[:2]))), 3),
            "length_mm": {"planned": round(1e3 * planned.built, 3), "made": round(1e3 * made.built, 3)},
            "stock": self.stock.content() if self.stock else None,
            **self.success.content(),
            "warnings": [*[self.success.warning] * bool(self.success.warning), *self.warnings],
            "planned_mm": [_ends(section) for section in planned.actuated],
            "made_mm": [_ends(actuator.section) for actuator in self.build.actuators],
            **({"types": [one.actuator.kind for one in self.build.actuators]} if self.build.mixed else {}),
            **({"preformed": [bend_content(bend) for bend in self.build.bends]} if self.build.bends else {}),
            "allowances_mm": {
                "seal": round(1e3 * (self.build.bar + allowances.HOLD), 3),
                **{name.lower(): round(1e3 * getattr(allowances, name), 3) for name in ("FITTING", "CLAMP", "LEAD")},
            },
        }

    def write(self, form: str, out: Path, beside: Sequence[str] = ()) -> list[str]:
        """Write a format of `planner.fabrication.KNOWN`, each file atomically.

        Args:
            beside: Files that were written before, which the guide names.
        Returns:
            Names of the files; none if the format does not apply to the design.
        Raises:
            ModuleNotFoundError: A package that the format needs is not installed.
            NoBracket: No bracket can be printed for these actuators.
            planner.fabrication.pattern.bed.UnfitBed: The pattern does not fit on the bed.
        """
        match form:
            case "json":
                contents = {
                    "pack.json": self.content(),
                    "design.json": design_content(self.grown.design),
                    "pressures.json": self.pressures,
                    SCHEDULE: operation_content(self.build),
                }
                for name, content in contents.items():
                    with atomic_path(out / name) as partial:
                        write_json(partial, content)
                write_environment(self.environment, out / "environment.toml")
                return [*contents, "environment.toml", *self._write_tube(out)]
            case "csv":
                tables = {
                    "parts.csv": parts_table(self.build, self.vessel, self.wall),
                    "cut-list.csv": cut_list(self.build),
                    "sections.csv": section_table(self.build),
                    "schedule.csv": growth_schedule(self.build),
                    **({"folds.csv": fold_table(self.build)} if self.build.bends else {}),
                }
                for name, table in tables.items():
                    with atomic_path(out / name) as partial:
                        partial.write_text(table, encoding="utf-8")
                return [*tables]
            case "dxf":
                from planner.fabrication.pattern.dxf import write_dxf

                return self._write_pattern(out, form, write_dxf)
            case "svg":
                from planner.fabrication.guide.plumbing_drawing import write_plumbing
                from planner.fabrication.pattern.svg import write_svg

                write_plumbing(out / "plumbing.svg", self.build)
                return [*self._write_pattern(out, form, write_svg), "plumbing.svg"]
            case "pdf":
                return [self._write_template(out, paper, beside) for paper in SHORT_EDGE]
            case "stl":
                return self._write_prints(out)
            case "sofa":
                from planner.fabrication.sofa import write_scene

                return write_scene(out, self.grown.design, self.environment)
            case "bench":
                from planner.fabrication.guide.bench_tiles import write_bench

                return write_bench(out, self.build, self.bench)
        raise ValueError(f"unknown format {form!r}; known: {', '.join(KNOWN)}")

    def _write_pattern(self, out: Path, form: str, write: Callable[[Path, Pattern], None]) -> list[str]:
        """Write the whole pattern, and its tiles on the bed if there is one."""
        name = f"pattern.{form}"
        write(out / name, self.pattern)
        return [name, *(write_tiles(self.pattern, self.bed, out, write, form) if self.bed else [])]

    def _write_tube(self, out: Path) -> list[str]:
        """Write the tube file for a new plan with the stock sizes."""
        if self.stock is None:
            return []
        with atomic_path(out / TUBE_FILE) as partial:
            partial.write_text(tube_text(self.grown.design.params), encoding="utf-8")
        return [TUBE_FILE]

    def template(self, paper: Paper) -> Template:
        """Return the content of the printed template, without the guide."""
        reached, warnings = self.grown.reached, self.warnings
        return Template(paper, self.build, self.pattern, self.environment, reached, warnings, self.success)

    def _write_template(self, out: Path, paper: Paper, beside: Sequence[str] = ()) -> str:
        from planner.fabrication.guide.template import write_template

        name = f"template-{paper}.pdf"
        write_template(out / name, self.template(paper), replace(self.guide, files=beside))
        return name

    def _write_prints(self, out: Path) -> list[str]:
        from planner.fabrication.assembly.bracket import NoBracket, write_bracket
        from planner.fabrication.assembly.clamp import clamp_mesh
        from planner.fabrication.assembly.stl import write_stl
        from planner.fabrication.assembly.vessel import vessel_mesh

        written = []
        if self.vessel:
            write_stl(out / "vessel.stl", vessel_mesh(self.vessel))
            write_stl(out / "clamp.stl", clamp_mesh(self.vessel))
            written += ["vessel.stl", "clamp.stl"]
        spams = [one.actuator for one in self.build.actuators if isinstance(one.actuator, Spam)]
        if spams:
            try:
                write_bracket(out / "bracket.stl", spams[0])
            except NoBracket as error:
                raise NoBracket(str(error), written) from None
            written.append("bracket.stl")
        return written


def _ends(section: Any) -> list[float]:
    return [round(1e3 * section.start, 3), round(1e3 * section.end, 3)]

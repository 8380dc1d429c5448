"""Steps of the work in order, with a drawing and a few sentences per step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from planner.fabrication.assembly.build import LEAD, ActuatorBuild, Build
from planner.fabrication.assembly.strips import LAP, airway_of
from planner.fabrication.assembly.vessel import NECK, Vessel
from planner.fabrication.guide import sketch
from planner.fabrication.guide.sketch import PageSketch
from planner.fabrication.guide.wall_sketch import draw_clamp_at_root, draw_growth_from_wall
from planner.fabrication.pattern.sheet import CENTRING_EVERY
from planner.fabrication.plumbing.feed_lines import TAPE_EVERY
from planner.output.text import millimetres
from surrogate.cpam import Cpam

Task = Literal["cut", "seal", "glue", "mount", "plumb", "inflate", "test"]
"""A kind of work."""


@dataclass(frozen=True, slots=True)
class BuildStep:
    """A step of the work."""

    title: str
    text: str
    draw: Callable[[PageSketch], None]
    tasks: tuple[Task, ...]
    """Kinds of work that it consists of."""


def steps(build: Build, vessel: Vessel | None, wall: bool = False) -> list[BuildStep]:
    """Return all steps, in order.

    Args:
        wall: Whether the base is in a wall.
    """
    return [
        *_body_steps(build),
        *(_fold_steps(build) if build.bends else []),
        *(_actuator_steps(build) if build.actuators else []),
        *_base_steps(build, vessel, wall),
    ]


def _body_steps(build: Build) -> Iterator[BuildStep]:
    yield BuildStep(
        "Join the sheets",
        "Print at 100 % and measure the rulers. Cut off each sheet's right edge along its thin line and glue it to the next sheet, "
        "crosses aligned: one strip of paper for each row of the map on the cover.",
        sketch.draw_sheets,
        ("cut",),
    )
    yield BuildStep(
        "Cut the body",
        f"Cut {millimetres(build.body_length)} mm of lay-flat tube {millimetres(build.body_width)} mm wide. Do not cut its folds. Lay "
        "it on the pattern, folds on the lines LEFT and RIGHT, and copy all marks and numbers. You see it from above; it grows to "
        "the right.",
        sketch.draw_body,
        ("cut",),
    )
    yield BuildStep(
        "Seal the tip",
        f"Seal across the body on the band at its tip, with a bar {millimetres(build.bar)} mm wide and the setting found on the test "
        "strips. The film before the base line is for the clamp: leave it open.",
        sketch.draw_tip_seal,
        ("seal",),
    )


def _fold_steps(build: Build) -> Iterator[BuildStep]:
    names = ", ".join(bend.name for bend in build.bends)
    yield BuildStep(
        "Fold the bends",
        f"At each fold of {names}: crease both layers along the straight line, and lay one of the two curved lines on the other, so that "
        "the film between them becomes a flap that is deep at the edge on the side of the bend and ends at the other edge. Lay the flap "
        "flat towards the base and tape over it along the curved line, on both layers. Do not tape the layers to each other.",
        sketch.draw_fold,
        ("glue",),
    )


def _actuator_steps(build: Build) -> Iterator[BuildStep]:
    of, only = dict.fromkeys(build.by_type, ""), dict.fromkeys(build.by_type, "")
    if build.mixed:
        of = {kind: f"{kind} " for kind in build.by_type}
        only = {kind: f"{', '.join(actuator.name for actuator in made)}: " for kind, made in build.by_type.items()}
    for kind, made in build.by_type.items():
        draw = partial(sketch.draw_strip, end=made[0].end, bar=made[0].bar / made[0].pitch)
        yield BuildStep(
            f"Make the {of[kind]}strips",
            f"{only[kind]}{_cutting_text(made)} {_closing_text(made[0])}",
            draw,
            ("cut", "seal"),
        )
    for kind, made in build.by_type.items():
        yield BuildStep(
            f"Fix the {of[kind]}strips to the body",
            f"{only[kind]}{_fixing_text(made)} Do not tape the film before line 0: lay it in folds, so that the actuator does not "
            "pull at its fitting when it shortens.",
            partial(sketch.draw_attachment, end=made[0].end, bar=made[0].bar / made[0].pitch),
            ("glue",),
        )
    yield BuildStep(
        "Lay the feed lines",
        f"Push a feed line onto each fitting and secure it with a zip tie. Lead it along the body to the base, where the table of feed "
        f"lines says, taped every {millimetres(TAPE_EVERY)} mm, and {millimetres(LEAD)} mm beyond the base line to its valve. Label both "
        "ends with the actuator's name.",
        sketch.draw_hoses,
        ("plumb",),
    )
    yield BuildStep(
        "Find leaks",
        "Put each actuator at its pressure and hold it under water, or brush it with soap water. Seal again where bubbles rise.",
        sketch.draw_leak_test,
        ("seal", "test"),
    )


def _closing_text(strip: ActuatorBuild) -> str:
    """Return the instruction to seal strips of a type."""
    bar = f"on the bands, with a bar {millimetres(strip.bar)} mm wide" if strip.bar else "along the dashed lines"
    if strip.end == "bracket":
        return f"Slide one bracket per line onto the strip, bracket 0 first. Seal both ends {bar}."
    if strip.end == "line":
        return f"Seal both ends {bar}."
    gap = millimetres(airway_of(strip.actuator))
    text = f"Seal {bar}: across at both ends, and between pouches with the gap of {gap} mm in the middle left open for the air."
    if isinstance(strip.actuator, Cpam):
        text += " The bands cross the folded sides: seal all four layers there, with a setting found on test strips of four layers."
    return text


def _fixing_text(strips: Sequence[ActuatorBuild]) -> str:
    """Return the instruction to fix strips of a type to the body."""
    end, every = strips[0].end, f"{CENTRING_EVERY:g}"
    aligned = f"The strip's middle marks lie on the fold, and the short marks, every {every} mm of the body, meet."
    if end == "line":
        return (
            "Tape line 0 of each strip to mark 0 with the same name on the body's fold. Pull the strip lengthwise until line 1 meets mark "
            f"1, by {100 * (strips[0].stretch - 1):.0f} %, tape it there, and so on to the tip. {aligned}"
        )
    text = f"Tape {end} 0 of each strip to mark 0 with the same name on the body's fold, then 1 to 1, and so on to the tip."
    return f"{text} {aligned}"


def _cutting_text(strips: Sequence[ActuatorBuild]) -> str:
    """Return the instruction to cut and mark strips of a type."""
    first, flat = strips[0], millimetres(strips[0].width)
    marked = (
        "copy lines, numbers and names. Cut the hole at each circle into the upper layer only, with a card in the tube, and mount a "
        "fitting."
    )
    if first.end == "line":
        return (
            f"Cut the strips {millimetres(first.cut_width)} mm wide from coated fabric, threads at 45° to their length. Lap the long "
            f"edges by {millimetres(LAP)} mm and weld or glue them to a tube {flat} mm wide when flat; {marked}"
        )
    if isinstance(first.actuator, Cpam):
        return (
            f"Cut the strips from lay-flat tube as wide as the cut list says. Fold both sides of each inwards, to {flat} mm, by the "
            f"depth written on it; {marked}"
        )
    return f"Cut the strips from lay-flat tube {flat} mm wide; {marked}"


def _base_steps(build: Build, vessel: Vessel | None, wall: bool) -> Iterator[BuildStep]:
    growth = f"{build.design.params.growth_pressure / 1e3:.3g} kPa"
    if vessel is None:
        text = "Pull the clamped film of the body over the neck of a vessel, outside out, base line at the mouth, and clamp it airtight."
    else:
        text = (
            f"Wind one layer of rubber tape {_CLAMPED[wall]}. Pull the body over the neck, outside out, base line at the "
            f"mouth; {NECK * 1e3:.0f} mm of film lie on the neck. Bolt the clamp {_CLAMPED[wall]} and fold the rest of the film back over "
            "it."
        )
    draw = draw_clamp_at_root if wall else sketch.draw_clamp
    yield BuildStep(
        "Clamp the body on the vessel", f"{text} Inflate to {growth} and find leaks with soap water.", draw, ("mount",)
    )
    if build.actuators:
        yield BuildStep(
            "Accept each actuator",
            f"Lay the tube straight on a smooth table, at {growth}. Put one actuator at its pressure, measure the bend, and tick it off "
            "in the table of the acceptance test.",
            sketch.draw_free_bend,
            ("test",),
        )
    if build.bends:
        yield BuildStep(
            "Accept each preformed bend",
            f"With the body at {growth}, on a smooth table, measure the angle between the tube before and behind each preformed bend, and "
            "tick it off in the table of the acceptance test. A fold that is too deep or too shallow can be taped again.",
            sketch.draw_formed_bend,
            ("test",),
        )
    yield BuildStep(
        "Invert the tube",
        "Let all air out. Tie a cord to the tip from inside, or push the tip in with a rod, and pull it back through the body until the "
        "whole tube lies inside out in the vessel, in loose folds.",
        sketch.draw_inversion,
        ("inflate",),
    )
    text = _MOUNTED[wall]
    text += "Raise the body's pressure slowly. Follow the table of the operation: it says what to open when a mark comes out at the tip."
    yield BuildStep("Grow", text, draw_growth_from_wall if wall else sketch.draw_deployment, ("mount", "inflate"))


_CLAMPED = {False: "behind the lip of the neck", True: "at the root of the neck, beside the cone"}
"""Place of the clamp on the neck, on a free base and on one in a wall."""
_MOUNTED = {
    False: "Screw the flange to an upright board so that the mouth of the neck is at the start and its axis in the start's heading. ",
    True: "Push the neck into the hole of the wall, its mouth at the start and its axis in the start's heading, and fix the flange on its "
    "rods, as the page about the base shows. ",
}
"""How to mount a free base, and one in a wall."""

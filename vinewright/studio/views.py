"""Views of designs and runs for the page: JSON in millimetres, degrees and kilopascals, as `page/types.js` describes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dynamics.jumps import Jump
from dynamics.tube_file import tube_content
from environments.environment_file import parse_environment
from environments.uncertainty import KEYS, PRESETS
from planner.design.arrival import miss_words
from planner.design.design import Design, InvalidDesign, type_of
from planner.design.design_file import SOLUTIONS, load_design
from planner.design.estimate import SHOWN_ERRORS, Estimate, Influence, Success
from planner.design.solutions_file import load_solutions_with_jumps
from planner.drawing.profile import Profile, profile_of
from planner.drawing.room import room_notes
from planner.plan.options import BY_NAME
from planner.uncertainty.shown_trials import TRIALS, ShownTrials
from planner.uncertainty.survey import UNITS
from surrogate.kernels.compiled import Floats
from vinewright.studio.again import options_again
from vinewright.studio.document import parse_content


def line_of(joints: Floats) -> list[list[float]]:
    """Return a centreline [m], shape (n, 2), in millimetres, without the NaN rows beyond its tip."""
    kept = joints[~np.isnan(joints[:, 0])]
    return (1e3 * kept).round(1).tolist()


def success_view(success: Success | None) -> dict[str, Any] | None:
    """Return the view of a design's success in trials; None without trials."""
    if success is None:
        return None
    low, high = success.interval
    return {
        "errors": success.errors,
        "reached": success.reached,
        "trials": success.trials,
        "low": low,
        "high": high,
        "weakest": success.weakest,
    }


def design_view(
    design: Design,
    key: str,
    title: str,
    heading: float,
    jump: Jump | None = None,
    missed: str = "",
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the view of a design.

    Args:
        key: "best", or the number of a solution.
        title: Name of the design on the page.
        heading: Direction in which the tube leaves its base [rad].
        jump: The largest that it needs as planned.
        missed: Where it ends as planned, in words, if that is outside the goal.
        notes: Sentences about it.
    """
    film = np.zeros(1)
    if len(design.centerline) > 1:
        film = np.concatenate([film, np.cumsum(design.film(design.centerline, heading))])
    drawn = design.drawn_at(design.length).sections
    sections = [
        {
            "start_mm": round(1e3 * section.start, 3),
            "end_mm": round(1e3 * section.end, 3),
            "side": section.side,
            "l0_mm": round(1e3 * section.l_0, 3),
            "pressure_kpa": round(1e-3 * section.pressure, 3),
            "pressurised": section.on,
            **({"preformed": True} if section.preformed else {}),
            **({"type": kind} if (kind := type_of(section, design)) else {}),
            **({"profile": _profile_view(profile)} if (profile := profile_of(shown, design.params)) else {}),
        }
        for section, shown in zip(design.sections, drawn, strict=True)
    ]
    return {
        "id": key,
        "title": title,
        "actuators": design.actuators,
        "length": round(1e3 * design.built, 3),
        "radius": round(1e3 * design.params.radius, 4),
        "sections": sections,
        "line": line_of(design.centerline),
        "film": (1e3 * film).round(2).tolist(),
        "success": success_view(design.success),
        "jumps": jump is not None,
        "missed": missed,
        "notes": [f"{note[0].upper()}{note[1:]}." for note in notes],
    }


def _profile_view(profile: Profile) -> list[list[float]]:
    """Return the edges of an actuator or of folds: length of film, and positions to the left of the centreline, inner and outer [mm]."""
    edges = profile.sign * np.stack([profile.inner, profile.outer])
    return np.column_stack([profile.along, *edges]).round(1).tolist()


def front_view(actuators: int, reached: int, trials: int, chosen: bool) -> dict[str, Any]:
    """Return the view of a design in the front of actuators against success."""
    low, high = Estimate(reached, trials).interval
    return {
        "actuators": actuators, "reached": reached, "trials": trials, "low": low, "high": high, "chosen": chosen,
    }  # fmt: skip


def run_view(folder: Path, name: str) -> dict[str, Any]:
    """Return the view of a plan's folder.

    Args:
        name: Name of the run on the page.

    Raises:
        InvalidDesign: The folder is not the folder of a plan, or a file in it is damaged.
        InvalidEnvironment: The environment of the plan cannot be used.
    """
    try:
        facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        text = (folder / "environment.toml").read_bytes().decode()
        seen = {
            "iterations": int(facts["iterations"]),
            "seconds": float(facts["timings"]["search_s"]),
            "first_s": float(facts["time_to_first_s"]),
            "reason": str(facts["inputs"]["stopped"]),
        }
        explained = _explained(facts)
        # The tube has the one, and the other is a path.
        unknown = "actuator", "start_from"
        options = {name: value for name, value in facts["inputs"].items() if name in BY_NAME and name not in unknown}
        again, unusable = options_again(options)
    except OSError as error:
        raise InvalidDesign(f"{folder.name} is not the folder of a plan: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidDesign(f"{folder.name}/run.json is damaged: {' '.join(str(error).split())}") from None
    best = load_design(folder)
    environment = parse_environment(text.encode(), best.environment, best.params.radius)

    def view(design: Design, key: str, title: str, jump: Jump | None = None) -> dict[str, Any]:
        missed, notes = miss_words(environment.goal, design.tip), room_notes(design, environment)
        return design_view(design, key, title, float(environment.start[2]), jump, missed, notes)

    designs = [view(best, "best", "Design to make")]
    for number, (design, jump) in enumerate(load_solutions_with_jumps(folder / SOLUTIONS), start=1):
        designs.append(view(design, str(number), f"Solution {number}", jump))
    tried = ShownTrials.read(folder / TRIALS) if (folder / TRIALS).exists() else None
    return {
        "name": name,
        "text": text,
        "content": parse_content(text),
        "tube": tube_content(best.params),
        "designs": designs,
        "front": _front_of(tried) if tried else [],
        "wanted": tried.wanted if tried else None,
        "trials": _trials_of(tried) if tried else None,
        "influences": explained[tried.chosen] if tried and tried.chosen < len(explained) else None,
        "facts": seen,
        "options": options,
        "again": again,
        "unusable": unusable,
    }


def _explained(facts: dict[str, Any]) -> list[list[dict[str, Any]] | None]:
    """Return the errors on which success depends, for each design of the front; None where older runs do not have them."""
    return [
        [
            Influence(
                str(one["error"]), float(one["share"]), (float(one["interval_95"][0]), float(one["interval_95"][1]))
            ).content()
            for one in champion["influences"][:SHOWN_ERRORS]
        ]
        if "influences" in champion
        else None
        for champion in (facts.get("trials") or {}).get("front", [])
    ]


def _front_of(tried: ShownTrials) -> list[dict[str, Any]]:
    rows = zip(tried.actuators.tolist(), tried.front, strict=True)
    return [front_view(count, one.reached, one.trials, k == tried.chosen) for k, (count, one) in enumerate(rows)]


def _trials_of(tried: ShownTrials) -> dict[str, Any]:
    return {"lines": [line_of(one) for one in tried.joints], "reached": tried.reached.tolist()}


# ---- errors ----


def error_keys() -> list[dict[str, Any]]:
    """Return the keys of `[uncertainty]`."""
    return [
        {"name": key.name, "unit": UNITS.get(key.name.rpartition("_")[2], ""), "most": key.most, "meaning": key.meaning}
        for key in KEYS.values()
    ]


def error_presets() -> list[dict[str, Any]]:
    """Return the presets of `[uncertainty]`, with their numbers."""
    return [{"name": name, "numbers": preset.content()} for name, preset in PRESETS.items()]

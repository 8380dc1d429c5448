"""What the collisions of single-turn vines say of paper 003's kinematics, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dynamics.geometric.kinematics import Behaviour
from planner.provenance import machine, versions
from planner.studies.kinematics.study import (
    AFTER,
    CONTACT_ANGLES_DEG,
    FORMS,
    GROWN,
    RADIUS,
    RATIOS,
    SLID,
    TURNS_DEG,
    Outcome,
)

PAPER_PERCENT, PAPER_DISTANCE_DEG = 81.72, 5.76
"""Agreement with hardware in paper 003, section 2.3, and how far off on the mean."""
READING = (
    "The two differ in what holds the base while the turn bends: in the paper Pivot-at-Turn ends where the moment about the base is",
    "nothing (in the slender limit), in limit analysis the base resists with as much as the turn, the other way round. These",
    "propagators have such a base too, so where the two differ they show which follows from the tube's moment, not what hardware does.",
    "",
    "Limit analysis is wrong, apart from what lies within half a degree of a boundary, where no part yields as sharply as it has",
    "it. A few degrees above the end of Positive Pivot the moments are nearly equal, and the base, which is straight still, resists",
    "with less than the whole moment, the turn, which is bent, with all of it: the base goes first. At contact angles below 20",
    "degrees the wall turns a vine by a degree or two in the whole growth, and much of that is elastic. And the tube of 10.3 kPa",
    "bends along its whole length before it yields anywhere: with a turn of 20 degrees base and turn bend almost alike.",
    "",
    "A tip held by friction could not be tried.",
)


def agreement(outcomes: Sequence[Outcome], form: str) -> dict[str, Any]:
    """How often one of `FORMS` is right: in all, by the behaviour it predicts, and how far off it is where it is wrong."""
    right = [one.predicted(form) == one.seen for one in outcomes]
    off = [np.degrees(one.off(form)) for one, well in zip(outcomes, right, strict=True) if not well]
    regions = {}
    for kind in Behaviour:
        own = [well for one, well in zip(outcomes, right, strict=True) if one.predicted(form) == kind]
        regions[kind.name.lower()] = [sum(own), len(own)]
    return {
        "form": form,
        "percent": round(100 * float(np.mean(right)), 1),
        "mean_distance_deg": round(float(np.mean(off)), 2) if off else None,
        "right_of_predicted": regions,
    }


def contested(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Of the collisions of which the two forms say different things: how many, and how often each is right."""
    differ = [one for one in outcomes if len({one.predicted(form) for form in FORMS}) > 1]
    return {"collisions": len(differ)} | {
        form: sum(one.predicted(form) == one.seen for one in differ) for form in FORMS
    }


def report(outcomes: Sequence[Outcome], command: str, took: float) -> tuple[str, dict[str, Any]]:
    """Tables for people, and the same with every collision for programs.

    Args:
        took: The whole study [s].
    """
    lines = [
        "# Kinematics of collision",
        "",
        f"Made by `{command}` on {machine()}, in {took:.0f} s. `kinematics.png` has the critical angle of a straight vine (paper",
        "003, Fig. 3) and the regions of a vine with one turn (Fig. 6), by the paper and, dashed, by limit analysis: rigid links,",
        "hinges at base and turn that yield at the same moment, the turn's only in its direction.",
        "",
        "## Against propagators that know nothing of it",
        "",
        f"A tube of {2e3 * RADIUS:g} mm with a turn, a fold in one side, meets a flat wall with its tip {1e3 * AFTER:g} mm after",
        f"the turn, and grows {1e3 * GROWN:g} mm more. Turns of {_listed(TURNS_DEG)} degrees; {_listed(RATIOS)} times as long before",
        f"the turn as after it; contact angles every {CONTACT_ANGLES_DEG.step} degrees, wherever the base is",
        "before the wall. No friction, as these propagators have none, so that Friction-Locked has only the width that",
        f"R / L2 = {RADIUS / AFTER:g} gives it. What was seen goes by the lines from base to turn and from turn to tip: the one that",
        "turns more, against what is before it, has given way; locked is a tip that slides by less than",
        f"{100 * SLID:g} % of the growth.",
        "Off: by how much the contact angle would have to differ, on the mean of those that disagree. Right of predicted is",
        "by the behaviour foretold: Positive Pivot, Pivot-at-Turn, Friction-Locked, Negative Pivot.",
        f"The paper's equations against its hardware: {PAPER_PERCENT} %, {PAPER_DISTANCE_DEG} degrees off.",
        "",
        "| model | collisions | boundaries | right % | off deg | PP | PaT | FL | NP |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    models: dict[str, dict[str, Any]] = {}
    for name in dict.fromkeys(one.model for one in outcomes):
        own = [one for one in outcomes if one.model == name]
        models[name] = {"forms": [agreement(own, form) for form in FORMS], "where_they_differ": contested(own)}
        for found in models[name]["forms"]:
            off = found["mean_distance_deg"]
            cells = [name, f"{len(own)}", found["form"], f"{found['percent']:.1f}", "" if off is None else f"{off:.1f}"]
            cells += [f"{well}/{of}" if of else "" for well, of in found["right_of_predicted"].values()]
            lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "Where the two foretell different things:",
        "",
        "| model | collisions | paper right | limit analysis right |",
    ]
    lines.append("|---|---|---|---|")
    for name, found in models.items():
        lines.append(f"| {' | '.join([name, *(str(count) for count in found['where_they_differ'].values())])} |")
    lines += ["", *READING]
    content = {
        "schema": 1,
        "command": command,
        "machine": machine(),
        "versions": versions(),
        "seconds": round(took, 1),
        "models": models,
        "collisions": {name: [_content(one) for one in outcomes if one.model == name] for name in models},
    }
    return "\n".join(lines) + "\n", content


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _content(one: Outcome) -> dict[str, Any]:
    where = one.collision
    return {
        "turn_deg": round(np.degrees(where.turn), 3),
        "ratio": where.ratio,
        "contact_angle_deg": round(np.degrees(where.contact_angle), 3),
        "base_deg": round(np.degrees(one.base), 3),
        "at_turn_deg": round(np.degrees(one.turn), 3),
        "slid_mm": round(1e3 * one.slid, 2),
        "seen": one.seen.name.lower(),
    }

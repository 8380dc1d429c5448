"""Collisions of single-turn vines compared with paper 003's kinematics, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dynamics.geometric.kinematics import Behaviour
from planner.markdown import table
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
from planner.studies.study import Report

COLUMNS = "model", "collisions", "boundaries", "right %", "off deg", "PP", "PaT", "FL", "NP"
CONTESTED = "model", "collisions", "paper right", "limit analysis right"

PAPER_PERCENT, PAPER_DISTANCE_DEG = 81.72, 5.76
"""Published agreement with hardware, and mean error (paper 003, section 2.3)."""
READING = (
    "The two differ in what holds the base while the turn bends: in the paper Pivot-at-Turn ends where the moment about the base is",
    "nothing (in the slender limit), in limit analysis the base resists with as much as the turn, the other way round. These",
    "propagators have such a base too, so where the two differ they show which follows from the tube's moment, not what hardware does.",
    "",
    "Limit analysis is wrong, except within half a degree of a boundary, where no part yields as sharply as it assumes.",
    "A few degrees above the end of Positive Pivot the moments are nearly equal, and the base, which is straight still, resists",
    "with less than the whole moment, the turn, which is bent, with all of it: the base goes first. At contact angles below 20",
    "degrees the wall turns a vine by a degree or two in the whole growth, and much of that is elastic. And the tube of 10.3 kPa",
    "bends along its whole length before it yields anywhere: with a turn of 20 degrees base and turn bend almost alike.",
    "",
    "A tip held by friction could not be tried.",
)


def agreement(outcomes: Sequence[Outcome], form: str) -> dict[str, Any]:
    """Agreement of one of `FORMS`: in total, by predicted behaviour, and its angular error where it is wrong."""
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
    """Number of collisions for which the two forms differ, and how often each is right."""
    differ = [one for one in outcomes if len({one.predicted(form) for form in FORMS}) > 1]
    return {"collisions": len(differ)} | {
        form: sum(one.predicted(form) == one.seen for one in differ) for form in FORMS
    }


def report(outcomes: Sequence[Outcome]) -> Report:
    """Tables in Markdown, and the data of every collision."""
    names = dict.fromkeys(one.model for one in outcomes)
    models = {name: _model([one for one in outcomes if one.model == name]) for name in names}
    lines = [
        "The picture has the critical angle of a straight vine (paper 003, Fig. 3) and the regions of a vine with one turn",
        "(Fig. 6), by the paper and, dashed, by limit analysis: rigid links, hinges at base and turn that yield at the same",
        "moment, the turn's only in its direction.",
        "",
        "![Critical angle and regions](kinematics.png)",
        "",
        "## Compared with propagators that do not use it",
        "",
        f"A tube of {2e3 * RADIUS:g} mm with a turn, a fold in one side, meets a flat wall with its tip {1e3 * AFTER:g} mm after",
        f"the turn, and grows {1e3 * GROWN:g} mm more. Turns of {_listed(TURNS_DEG)} degrees; {_listed(RATIOS)} times as long before",
        f"the turn as after it; contact angles every {CONTACT_ANGLES_DEG.step} degrees, wherever the base is",
        "before the wall. No friction, so that Friction-Locked has only the width that",
        f"R / L2 = {RADIUS / AFTER:g} gives it. What was seen goes by the lines from base to turn and from turn to tip: the one that",
        "turns more, against what is before it, has given way; locked is a tip that slides by less than",
        f"{100 * SLID:g} % of the growth.",
        "Off: by how much the contact angle would have to differ, on average over those that disagree. The last columns are right",
        "of predicted, for each predicted behaviour: Positive Pivot, Pivot-at-Turn, Friction-Locked, Negative Pivot.",
        f"The paper's equations compared with its hardware: {PAPER_PERCENT} %, {PAPER_DISTANCE_DEG} degrees off.",
        "",
        *table(COLUMNS, _rows(models)),
        "",
        "Where the two predict different behaviours:",
        "",
        *table(CONTESTED, [[name, *map(str, found["where_they_differ"].values())] for name, found in models.items()]),
        "",
        *READING,
    ]
    content = {
        "models": models,
        "collisions": {name: [_content(one) for one in outcomes if one.model == name] for name in models},
    }
    return Report("Kinematics of collision", lines, content)


def _model(own: Sequence[Outcome]) -> dict[str, Any]:
    return {"forms": [agreement(own, form) for form in FORMS], "where_they_differ": contested(own)}


def _rows(models: dict[str, dict[str, Any]]) -> Iterator[list[str]]:
    for name, found in models.items():
        for form in found["forms"]:
            off, right = form["mean_distance_deg"], form["right_of_predicted"].values()
            cells = [name, f"{sum(of for _, of in right)}", form["form"], f"{form['percent']:.1f}"]
            cells += ["" if off is None else f"{off:.1f}"]
            yield [*cells, *(f"{well}/{of}" if of else "" for well, of in right)]


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

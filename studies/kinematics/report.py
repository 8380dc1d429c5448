"""Collisions of single-turn vines compared with paper 003's kinematics, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dynamics.geometric.kinematics import Behaviour
from planner.output.markdown import markdown_table
from studies.kinematics.study import (
    AFTER,
    CONTACT_ANGLES_DEG,
    FORMS,
    GROWN,
    RADIUS,
    RATIOS,
    SLID,
    TURNS_DEG,
    CollisionOutcome,
)
from vinewright.console.study import Report

COLUMNS = "model", "collisions", "boundaries", "right %", "off deg", "PP", "PaT", "FL", "NP"
CONTESTED = "model", "collisions", "paper right", "limit analysis right"

PAPER_PERCENT, PAPER_DISTANCE_DEG = 81.72, 5.76
"""Published agreement with hardware, and mean error (paper 003, section 2.3)."""
READING = (
    "The two predictions differ in what holds the base while the turn bends. In the paper, Pivot-at-Turn ends where",
    "the moment about the base is zero (in the slender limit). In limit analysis, the base resists with the same",
    "moment as the turn, in the opposite direction. The propagators have such a base too. So where the two",
    "predictions differ, the propagators show which of them follows from the moment of the tube, not what hardware",
    "does.",
    "",
    "Apart from collisions within half a degree of a boundary, where no hinge yields as sharply as assumed, limit",
    "analysis is wrong in three cases. A few degrees above the end of Positive Pivot, the moments are nearly equal.",
    "The base, which is still straight, resists with less than the full moment; the turn, which is already bent,",
    "resists with all of it. So the base yields first. At contact angles below 20 degrees, the wall turns a vine by",
    "only a degree or two during the growth, and much of that is elastic. The tube at 10.3 kPa bends along its whole",
    "length before it yields anywhere: with a turn of 20 degrees, base and turn bend almost equally.",
    "",
    "The last two models are `quasistatic` at 10.3 kPa with one effect each that the others leave out. With friction, the",
    "predictions are those for that coefficient. Folding is not among them: here the film of a preformed turn counts as bent",
    "from the start, so its turn would have collapsed before it meets the wall.",
)


def measure_agreement(outcomes: Sequence[CollisionOutcome], form: str) -> dict[str, Any]:
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


def count_contested(outcomes: Sequence[CollisionOutcome]) -> dict[str, int]:
    """Number of collisions for which the two forms differ, and how often each is right."""
    differ = [one for one in outcomes if len({one.predicted(form) for form in FORMS}) > 1]
    return {"collisions": len(differ)} | {
        form: sum(one.predicted(form) == one.seen for one in differ) for form in FORMS
    }


def report(outcomes: Sequence[CollisionOutcome]) -> Report:
    """Tables in Markdown, and the data of every collision."""
    names = dict.fromkeys(one.model for one in outcomes)
    models = {name: _model([one for one in outcomes if one.model == name]) for name in names}
    lines = [
        "When the tip of a vine with one turn meets a wall, the vine bends at its base or at its turn, or the tip is",
        "held. The picture shows the critical contact angle of a straight vine (paper 003, Fig. 3) and the contact angles",
        "at which a vine with one turn behaves in each way (Fig. 6): as predicted by the paper and, dashed, by limit",
        "analysis. Limit analysis assumes rigid links and hinges at base and turn that yield at the same moment; the",
        "hinge at the turn yields in one direction only.",
        "",
        "![Critical angle and regions](kinematics.png)",
        "",
        "## Comparison with propagators that do not use these rules",
        "",
        f"A tube of {2e3 * RADIUS:g} mm diameter has one turn (a fold in one side). Its tip meets a flat wall",
        f"{1e3 * AFTER:g} mm after the turn, and it grows {1e3 * GROWN:g} mm more. Turns: {_list_text(TURNS_DEG)} degrees.",
        f"Length before the turn over length after it: {_list_text(RATIOS)}. Contact angles: every {CONTACT_ANGLES_DEG.step}",
        "degrees, as far as the base is on the free side of the wall. Except in one model there is no friction, so the region of",
        f"Friction-Locked is narrow (R / L2 = {RADIUS / AFTER:g}). The observed behaviour is determined from the lines",
        "from base to turn and from turn to tip: the hinge at which the direction changes more has yielded. A tip that",
        f"slides by less than {100 * SLID:g} % of the growth counts as locked.",
        "",
        "*Off* is the mean change of contact angle at which the wrong predictions would be right. The last four columns",
        "are the numbers of right predictions over all predictions of Positive Pivot (PP: the vine pivots at its base, in",
        "the direction of its turn), Pivot-at-Turn (PaT), Friction-Locked (FL) and Negative Pivot (NP: at its base,",
        f"against its turn). For the paper's equations and its hardware: {PAPER_PERCENT} % right, {PAPER_DISTANCE_DEG}",
        "degrees off.",
        "",
        *markdown_table(COLUMNS, _rows(models)),
        "",
        "The collisions for which the two predict different behaviour:",
        "",
        *markdown_table(
            CONTESTED, [[name, *map(str, found["where_they_differ"].values())] for name, found in models.items()]
        ),
        "",
        *READING,
    ]
    content = {
        "models": models,
        "collisions": {name: [_content(one) for one in outcomes if one.model == name] for name in models},
    }
    return Report("Kinematics of collision", lines, content)


def _model(own: Sequence[CollisionOutcome]) -> dict[str, Any]:
    return {"forms": [measure_agreement(own, form) for form in FORMS], "where_they_differ": count_contested(own)}


def _rows(models: dict[str, dict[str, Any]]) -> Iterator[list[str]]:
    for name, found in models.items():
        for form in found["forms"]:
            off, right = form["mean_distance_deg"], form["right_of_predicted"].values()
            cells = [name, f"{sum(of for _, of in right)}", form["form"], f"{form['percent']:.1f}"]
            cells += ["" if off is None else f"{off:.1f}"]
            yield [*cells, *(f"{well}/{of}" if of else "" for well, of in right)]


def _list_text(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _content(one: CollisionOutcome) -> dict[str, Any]:
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

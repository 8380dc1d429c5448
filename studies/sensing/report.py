"""Tables of the sensing study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dynamics.geometric.kinematics import Behaviour
from planner.output.markdown import markdown_table
from studies.sensing.study import DENSITY, KEPT, LEAST_NODES, LENGTH, NOISES, RADIUS, SPACING, SensingTrial, words
from surrogate.kernels.compiled import Floats
from vinewright.console.study import Report

COUNTS = "deployments", "number", "recovered", "not recovered, reported", "not recovered, not reported"
ERRORS = "noise deg", "tube at contact", "contacts", "wall points mm", "wall angle deg", "pivots mm", "pivots"


def report(trials: Sequence[SensingTrial]) -> Report:
    """Tables in Markdown, and their data."""
    counts = [_count(trials, turning) for turning in (False, True)]
    rows = [row for level in range(len(NOISES)) for row in _rows(trials, level)]
    lines = [
        f"Tubes of {2e3 * RADIUS:g} mm diameter and up to {LENGTH:g} m length grow among random polygons that cover",
        f"{DENSITY:.0%} of 1 m². Only deployments that end with at least {LEAST_NODES} nodes count. Walls, pivots and",
        "shapes are recovered from readings of length and contact angle (paper 003, section 2.4), taken every",
        f"{1e3 * SPACING:g} mm, at the turn, and just before and after the contact begins, ends or changes. The angle has",
        "normally distributed noise; errors accumulate along a deployment and are not reset.",
        "",
        f"## Without noise: recovered within {1e3 * KEPT:g} mm, all tips and the final shape",
        "",
        *markdown_table(COUNTS, map(_count_row, counts)),
        "",
        "## Errors: median (90th percentile) over contacts",
        "",
        *markdown_table(ERRORS, map(_error_row, rows)),
        "",
        "A contact is classified by the first behaviour of the tube in it, according to the readings without noise; a",
        "tube whose turn has not grown yet counts as straight. Pivots are bends that are new or have moved at the end of",
        "a contact. The error of a pivot is its distance from the nearest recovered node, however far away. Where noise",
        "hides all nodes there is no distance, so the number in the last column is smaller.",
        "",
        "Two situations were not recovered even without noise: two new pivots between two readings, which look like one;",
        "and a body that rests on a corner before its turn while friction holds the tip.",
        "",
        "![Errors over noise](sensing.png)",
    ]
    return Report("Sensing by deformation", lines, {"exact": counts, "errors": rows})


def _count(trials: Sequence[SensingTrial], turning: bool) -> dict[str, Any]:
    """Number of straight or turning deployments, of those recovered, and of those not recovered that the method reports as such."""
    some = [trial for trial in trials if trial.case.turning == turning]
    kept = sum(one.recovered(0) for one in some)
    reported = sum(not one.recovered(0) and not one.determined(0) for one in some)
    return {"turning": turning, "number": len(some), "recovered": kept, "undetermined": reported}


def _count_row(count: dict[str, Any]) -> list[str]:
    numbers = [count[name] for name in ("number", "recovered", "undetermined")]
    name = "with a turn" if count["turning"] else "straight"
    return [name, *map(str, numbers), str(numbers[0] - numbers[1] - numbers[2])]


def _error_row(row: dict[str, Any]) -> list[str]:
    spreads = [row[name] for name in ("points_mm", "angle_deg", "pivots_mm")]
    shown = [f"{spread[0]:.3g} ({spread[1]:.3g})" if spread else "-" for spread in spreads]
    return [f"{row['noise_deg']}", row["kind"], f"{row['contacts']}", *shown, f"{row['pivots']}"]


def _rows(trials: Sequence[SensingTrial], level: int) -> Iterator[dict[str, Any]]:
    found = [error for trial in trials for error in trial.errors(level)]
    for kind in ("straight", *map(words, Behaviour)):
        some = [error for error in found if error[0] == kind]
        pivots = 1e3 * np.concatenate([np.empty(0), *(error[3] for error in some)])
        yield {
            "noise_deg": NOISES[level],
            "kind": kind,
            "contacts": len(some),
            "points_mm": _spread(1e3 * np.array([error[1] for error in some])),
            "angle_deg": _spread(np.degrees([error[2] for error in some])),
            "pivots_mm": _spread(pivots),
            "pivots": len(pivots),
        }


def _spread(values: Floats) -> list[float]:
    """Median and 90th percentile, rounded; empty without values."""
    return [float(f"{value:.4g}") for value in np.quantile(values, [0.5, 0.9])] if len(values) else []

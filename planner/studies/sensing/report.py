"""The table of the study of sensing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dynamics.geometric.kinematics import Behaviour
from planner.provenance import machine
from planner.studies.sensing.study import DENSITY, KEPT, LEAST_NODES, LENGTH, NOISES, RADIUS, SPACING, Trial, words
from surrogate.compiled import Floats


def report(trials: Sequence[Trial], command: str, took: float) -> tuple[str, dict[str, Any]]:
    """Tables for people, and the same for programs."""
    rows = [row for level in range(len(NOISES)) for row in _rows(trials, level)]
    lines = [
        "# Sensing by deformation",
        "",
        f"Made by `{command}` on {machine()}, in {took:.0f} s. Tubes of {2e3 * RADIUS:g} mm, up to {LENGTH:g} m long, grow into",
        f"random polygons over {DENSITY:.0%} of 1 m²; only deployments that end with {LEAST_NODES} nodes or more count. Walls, pivots",
        f"and shapes are recovered from length and contact angle (paper 003, section 2.4), read every {1e3 * SPACING:g} mm, at the turn,",
        "and just before and after the contact begins, ends or changes. The angle has normal noise; errors grow along a",
        "deployment and are not reset.",
        "",
        f"## Without noise: recovered within {1e3 * KEPT:g} mm, all tips and the final shape",
        "",
        "| deployments | number | recovered | not, and it says so | not, and it does not say so |",
        "|---|---|---|---|---|",
    ]
    counts = []
    for turning in (False, True):
        some = [trial for trial in trials if trial.case.turning == turning]
        kept, told = (
            sum(one.recovered(0) for one in some),
            sum(not one.recovered(0) and not one.determined(0) for one in some),
        )
        counts.append({"turning": turning, "number": len(some), "recovered": kept, "undetermined": told})
        name = "with a turn" if turning else "straight"
        lines.append(f"| {name} | {len(some)} | {kept} | {told} | {len(some) - kept - told} |")
    lines += [
        "",
        "## Errors: median (90th percentile) over contacts",
        "",
        "| noise deg | tube at contact | contacts | wall points mm | wall angle deg | pivots mm | pivots |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [
            f"{row[name][0]:.3g} ({row[name][1]:.3g})" if row[name] else "-"
            for name in ("points_mm", "angle_deg", "pivots_mm")
        ]
        lines.append(
            f"| {row['noise_deg']} | {row['kind']} | {row['contacts']} | {' | '.join(cells)} | {row['pivots']} |"
        )
    lines += [
        "",
        "A contact counts as what the readings without noise say the tube did first in it; straight is also a tube whose turn has",
        "not grown yet. Pivots are bends that are new, or elsewhere, at the end of a contact; their error is to the nearest recovered",
        "node, however far; where noise hides all of them there is none to be far from, and the last column is less.",
        "Not recovered without noise, of those seen: two new pivots between two readings, which look like one; and a body that",
        "comes to hang on a corner before its turn while friction holds the tip.",
        "",
    ]
    return "\n".join(lines), {
        "schema": 1,
        "command": command,
        "seconds": round(took, 1),
        "exact": counts,
        "errors": rows,
    }


def _rows(trials: Sequence[Trial], level: int) -> Iterator[dict[str, Any]]:
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
    """Median and 90th percentile, rounded; nothing where there are no values."""
    return [float(f"{value:.4g}") for value in np.quantile(values, [0.5, 0.9])] if len(values) else []

"""The fitted price of arcs along walls, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.output.markdown import markdown_table
from planner.search.reverse.arc_price import STRAIGHT, TURNS
from studies.contact_price.fit import DIGITS, USUAL, fit, intervals
from studies.contact_price.study import BATCH, COLUMNS, ITERATIONS
from surrogate.kernels.compiled import Floats
from vinewright.console.study import Report


def rows_of(results: Sequence[dict[str, Any]]) -> list[Floats]:
    """Rows of `COLUMNS` of each environment with pairs, in the order of the seeds."""
    ordered = sorted(results, key=lambda one: one["seed"])
    return [np.array(one["rows"]) for one in ordered if one["rows"]]


def report(results: Sequence[dict[str, Any]]) -> Report:
    """The table, and all pairs."""
    groups = rows_of(results)
    rows = np.vstack(groups)
    made, (low, high) = fit(rows), intervals(groups)
    walled = ((rows[:, [1, 3]] > 0) & (rows[:, [0, 2]] > STRAIGHT)).any(axis=1)
    blocked = sum(one["blocked"] for one in results) / max(sum(one["pairs"] for one in results), 1)
    lines = [
        f"Searches of {ITERATIONS} iterations of {BATCH} vines in {len(results)} random environments; pairs of a vine and an",
        "ancestor, and the biarc between their tips. The number of actuators between them is the sum of the prices of the arcs,",
        "by least squares: an arc along walls costs a price that does not decrease with its angle, in those of an arc without",
        f"(which is {made.actuators:g} actuators on average, because two arcs may be one actuator). Intervals are 95 % bootstrap",
        "intervals over environments.",
        "",
        *markdown_table(
            ["angle from, rad", "price along walls", "95 % interval"],
            [
                [f"{turn:g}", f"{price:.{DIGITS}f}", f"{a:.2f} ... {b:.2f}"]
                for turn, price, a, b in zip(TURNS, made.prices, low, high, strict=False)
            ],
        ),
        "",
        f"Of the pairs along walls, {USUAL:.0%} have a curvature of at most {made.bend:.{DIGITS}f} ({low[-1]:.2f} ... {high[-1]:.2f}) over",
        "the radius of the tube. `planner/search/reverse/arc_price.py` holds these numbers.",
        "",
        f"There are {len(rows)} pairs, {walled.sum()} of them along walls. The vine is longer than its biarc by",
        f"{_longer(rows[walled])} along walls and by {_longer(rows[~walled])} elsewhere (medians), which is worth less than a",
        f"hundredth of an actuator per metre. Of all pairs, {blocked:.0%} were left out because their biarc meets an obstacle: a vine",
        "in contact moves its whole body, and its tip goes where no biarc without penetration leads. The fit sees only pairs that a",
        "vine has made; it does not know how often a biarc along walls has no vine.",
    ]
    content = {
        "columns": list(COLUMNS),
        "prices": list(made.prices),
        "bend": made.bend,
        "actuators": made.actuators,
        "environments": [
            one | {"rows": [" ".join(f"{value:g}" for value in row) for row in one["rows"]]} for one in results
        ],
    }
    return Report("The price of arcs along walls", lines, content)


def _longer(rows: Floats) -> str:
    return f"{np.median(rows[:, 6]) - 1:.1%}" if len(rows) else "-"
